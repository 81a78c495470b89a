"""Where samples come from: each function gives a pipeline that has a source and nothing else."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penstock._ops import option_text
from penstock._pipeline import Pipeline, Table, Url, node


def _source(kind: str, urls: Sequence[Url], **options: object) -> Pipeline:
    texts = {name: option_text(value) for name, value in options.items()}
    urls = [os.fspath(url) for url in urls]
    return Pipeline({"source": {"kind": kind, "urls": urls, "options": texts}})


def _moved(source: dict[str, Any], by: int) -> dict[str, Any]:
    """The same source with its tables of arrays numbered from `by` on."""
    moved = dict(source)
    if source["kind"] == "arrays":
        table = by + int(source["options"].get("table", 0))
        moved["options"] = {**source["options"], "table": str(table)}
    if "sources" in source:
        moved["sources"] = [_moved(part, by) for part in source["sources"]]
    return moved


def _combined(kind: str, parts: Sequence[Pipeline], **options: object) -> Pipeline:
    sources: list[dict[str, Any]] = []
    tables: tuple[Table, ...] = ()
    for number, part in enumerate(parts):
        if not isinstance(part, Pipeline):
            raise TypeError(f"{kind}: source {number} is {part!r}, expected a pipeline")
        steps = sorted(part._spec.keys() - {"source"})
        if steps:
            raise ValueError(
                f"{kind}: source {number} already has {', '.join(steps)}, expected a source alone: "
                f"combine first, then add fields, shuffle and batch"
            )
        sources.append(_moved(part._spec["source"], len(tables)))
        tables += part._tables
    if not sources:
        raise ValueError(f"{kind}: no sources, expected one or more")
    return Pipeline({"source": node(kind, sources, **options)}, tables)


def concat(*sources: Pipeline) -> Pipeline:
    """The samples of several sources, one source after the other.

    A field of one name must be of the same kind in all that have it, and class names the same.

    >>> import numpy as np, penstock as ps
    >>> both = ps.concat(ps.arrays(x=np.array([1, 2])), ps.arrays(x=np.array([3, 4, 5])))
    >>> next(iter(both.array("x").batch(5).numpy()))["x"].tolist()
    [1, 2, 3, 4, 5]
    """
    return _combined("concat", sources)


def zip(*sources: Pipeline) -> Pipeline:
    """Several sources side by side: sample i has the fields of sample i of each.

    All have the same number of samples, and no field is in two of them.

    >>> import numpy as np, penstock as ps
    >>> both = ps.zip(ps.arrays(x=np.array([1, 2])), ps.arrays(y=np.array([0.5, 1.5])))
    >>> batch = next(iter(both.array("x").array("y").batch(2).numpy()))
    >>> batch["x"].tolist(), batch["y"].tolist()
    ([1, 2], [0.5, 1.5])
    """
    return _combined("zip", sources)


def mix(
    *sources: Mapping[Pipeline, float] | tuple[Pipeline, float],
    until: Literal["first", "all"] = "first",
) -> Pipeline:
    """Several sources in exact proportions, dealt evenly, each shuffled by itself.

    Args:
        *sources: One dict of source and weight, or pairs of them.
        until: When an epoch ends: when the "first" source was gone through (the others go on where
            they are in the next epoch), or when "all" were (those that are through begin anew).

    >>> import numpy as np, penstock as ps
    >>> many, few = ps.arrays(x=np.zeros(90)), ps.arrays(x=np.ones(10))
    >>> ps.mix({many: 0.7, few: 0.3}).spec == ps.mix((many, 0.7), (few, 0.3)).spec
    True
    """
    pairs: list[tuple[Pipeline, float]] = []
    for source in sources:
        pairs += source.items() if isinstance(source, Mapping) else [source]
    weights = tuple(float(weight) for _, weight in pairs)
    return _combined("mix", [pipeline for pipeline, _ in pairs], weights=weights, until=until)


def folder(path: Url, labels: Url = "classes", *, index_cache: bool = True) -> Pipeline:
    """Image files in a folder and below it, with the fields `image` and `label`.

    Args:
        path: Of the folder.
        labels: "classes": the first folder below `path` names the class, numbered in sorted order;
            "none"; or the path of a .csv or .jsonl table of file and label.
        index_cache: Keep the list of files for the next time.
    """
    return _source("folder", [path], labels=os.fspath(labels), index_cache=index_cache)


def tar(urls: Url | Sequence[Url], *, index_cache: bool = True) -> Pipeline:
    """Tar shards in the WebDataset convention: members of one key are one sample.

    Args:
        urls: Paths, globs, `{000000..000999}`, `name-@001000.tar`, or a list of those.
        index_cache: Keep the list of members for the next time.
    """
    listed = [urls] if isinstance(urls, (str, os.PathLike)) else list(urls)
    return _source("tar", listed, index_cache=index_cache)


def tfrecord(
    urls: Url | Sequence[Url],
    features: Mapping[str, str] | None = None,
    *,
    check_crc: bool = True,
    index_cache: bool = True,
) -> Pipeline:
    """TFRecord shards of `tf.train.Example` or `SequenceExample`, with a field for each feature.

    Shards may be compressed with gzip or zlib; they are unpacked once, into the cache.

    Args:
        urls: As of `tar`.
        features: The kind of each feature, by name: "int64", "float" or "bytes", with a shape as in
            "float[3,4]" if every sample has the same. None: what the first records have.
        check_crc: Check that records are as they were written.
        index_cache: Keep the list of records for the next time.
    """
    listed = [urls] if isinstance(urls, (str, os.PathLike)) else list(urls)
    # Commas separate features in the text of a Spec.
    texts = [
        f"{name}:{kind.replace(' ', '').replace(',', 'x')}"
        for name, kind in (features or {}).items()
    ]
    return _source("tfrecord", listed, features=texts, check_crc=check_crc, index_cache=index_cache)


def arrays(**columns: npt.ArrayLike) -> Pipeline:
    """Arrays in memory, one row a sample. They are not copied if they are contiguous.

    >>> import numpy as np, penstock as ps
    >>> loader = ps.arrays(x=np.eye(4, dtype=np.float32)).array("x").batch(2).numpy()
    >>> next(iter(loader))["x"]
    array([[1., 0., 0., 0.],
           [0., 1., 0., 0.]], dtype=float32)
    """
    named = tuple((name, np.ascontiguousarray(column)) for name, column in columns.items())
    return replace(_source("arrays", []), _tables=(named,))


def synthetic(
    samples: int = 1_000_000, shape: Sequence[int] = (224, 224, 3), classes: int = 1000
) -> Pipeline:
    """Made-up images and labels that cost nothing: the upper bound of what can be delivered.

    Args:
        samples: How many.
        shape: Height, width, channels.
        classes: Labels are below this.
    """
    return _source("synthetic", [], samples=samples, shape=tuple(shape), classes=classes)
