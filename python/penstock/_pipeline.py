"""Saying what is wanted: a pipeline is a value, built step by step, run when asked to."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from penstock._batch import Batch, Function, Predicate
from penstock._loader import Amount, EntryPoints, Loader, OnError, RunOptions, Size, size_bytes
from penstock._ops import Op, option_text
from penstock._ranks import jax_rank

if TYPE_CHECKING:
    from penstock._core import Plan

PixelType = Literal["auto", "u8", "f16", "bf16", "f32"]
Layout = Literal["CHW", "HWC"]
NumberType = Literal["f32", "f64", "i32", "i64"]
ArrayType = Literal["u8", "i32", "i64", "f16", "f32", "f64"]
Url = str | os.PathLike[str]
_Table = tuple[tuple[str, npt.NDArray[Any]], ...]

EMPTY = '""'  # how an empty value is written


@dataclass(frozen=True, eq=False)
class Pipeline:
    """What to read and what to do with it. Every method gives a new pipeline.

    >>> import penstock as ps
    >>> ps.synthetic(samples=1000).image("image", ps.Resize(64)).batch(8).numpy().layout
    {'image': ('u8', (8, 3, 64, 64))}
    """

    _spec: dict[str, Any]
    _tables: tuple[_Table, ...] = field(default=(), repr=False)
    _functions: tuple[Function, ...] = ()

    def _with(self, **changes: Any) -> Pipeline:
        return replace(self, _spec={**self._spec, **changes})

    def shuffle(
        self, window: int | str = "auto", *, seed: int | None = None, lanes: int = 64
    ) -> Pipeline:
        """Shuffle anew every epoch.

        Args:
            window: How far samples move: a number of samples, a size like "512MiB", "global", or
                "auto" (global for folders and arrays; for shards what 256 MiB hold).
            seed: Of the shuffle and of random ops. The same seed gives the same batches.
            lanes: Places of the data set that are read from at once.
        """
        changes: dict[str, Any] = {"shuffle": {"window": str(window), "lanes": lanes}}
        if seed is not None:
            changes["seed"] = seed
        return self._with(**changes)

    def seed(self, seed: int) -> Pipeline:
        """Set the seed of the shuffle and of random ops."""
        return self._with(seed=seed)

    def shard(self, rank: int, world: int) -> Pipeline:
        """Take the part of one rank. Without it the launcher's environment decides.

        Args:
            rank: Number of this process.
            world: How many processes there are.
        """
        return self._with(shard={"rank": rank, "world": world})

    def image(
        self,
        name: str,
        *ops: Op,
        dtype: PixelType = "auto",
        layout: Layout = "CHW",
        channels: int = 3,
        orientation: bool = True,
    ) -> Pipeline:
        """Read a field as an image.

        Args:
            name: Of the field: "image" of a folder, the extension in a tar shard. "jpg;png" takes
                the first that a sample has.
            *ops: What to do with it, in order.
            dtype: Of the pixels; "auto" is f32 after Normalize, else u8.
            layout: Channels first ("CHW") or last ("HWC").
            channels: 3 for RGB, 1 for gray.
            orientation: Turn images upright as their EXIF data says.
        """
        reader = (
            f"image dtype={dtype} layout={layout} channels={channels} "
            f"orientation={option_text(orientation)}"
        )
        return self._with_field(name, reader, [op.text for op in ops])

    def label(self, name: str, default: int | None = None) -> Pipeline:
        """Read a field as a whole number.

        Args:
            name: Of the field: text, a column of numbers, or a feature.
            default: Of samples that lack the field; None: they are errors.
        """
        return self._with_field(name, _reader("label", default=default), [])

    def number(
        self, name: str, dtype: NumberType = "f32", default: float | None = None
    ) -> Pipeline:
        """Read a field as a number.

        Args:
            name: Of the field: text, a column of numbers, or a feature.
            dtype: Of the array in the batch.
            default: Of samples that lack the field; None: they are errors.
        """
        return self._with_field(name, _reader("number", dtype=dtype, default=default), [])

    def array(
        self,
        name: str,
        shape: Sequence[int] | None = None,
        ragged: bool = False,
        length: int | None = None,
        pad: float = 0,
        dtype: ArrayType | None = None,
    ) -> Pipeline:
        """Deliver numbers: an array of `ps.arrays`, or a feature of a TFRecord.

        Args:
            name: Of the field.
            shape: Of one sample; with `ragged` or `length`, of one row of it.
            ragged: Samples have different numbers of rows: the batch holds a `Ragged`.
            length: Samples have up to this many rows: the batch holds an array of this length,
                filled up with `pad`, and the true lengths as field "<name>.length".
            pad: See `length`.
            dtype: To convert to; None: as it is stored.
        """
        options = _row_options(shape, ragged, length, pad, dtype)
        return self._with_field(name, _reader("array", **options), [])

    def npy(
        self,
        name: str,
        dtype: ArrayType | None = None,
        shape: Sequence[int] | None = None,
        ragged: bool = False,
        length: int | None = None,
        pad: float = 0,
    ) -> Pipeline:
        """Read a field as an array that numpy saved (.npy).

        Args:
            name: Of the field.
            dtype: To convert to; None: that of the first sample, which all must have.
            shape: Of one sample; with `ragged` or `length`, of one row of it. None: that of the
                first sample.
            ragged: The first dimension may differ: the batch holds a `Ragged`.
            length: The first dimension may be up to this: the batch holds an array of this length,
                filled up with `pad`, and the true lengths as field "<name>.length".
            pad: See `length`.
        """
        options = _row_options(shape, ragged, length, pad, dtype)
        return self._with_field(name, _reader("npy", **options), [])

    def bytes(self, name: str, length: int | None = None, pad: int = 0) -> Pipeline:
        """Deliver a field's bytes as they are: the batch holds a list of `bytes`.

        Args:
            name: Of the field.
            length: Samples have up to this many bytes: the batch holds an array of this length,
                filled up with `pad`, and the true lengths as field "<name>.length".
            pad: See `length`.
        """
        return self._with_field(name, _reader("bytes", length=length, pad=pad or None), [])

    def text(self, name: str) -> Pipeline:
        """Read a field as text in UTF-8: the batch holds a list of `str`."""
        return self._with_field(name, "text", [])

    def json(self, name: str) -> Pipeline:
        """Read a field as JSON: the batch holds a list of what `json.loads` gives."""
        return self._with_field(name, "json", [])

    def _with_field(self, name: str, reader: str, ops: list[str]) -> Pipeline:
        entry: dict[str, Any] = {"name": name, "reader": reader}
        if ops:
            entry["ops"] = ops
        return self._with(fields=[*self._spec.get("fields", []), entry])

    def filter(
        self,
        function: Predicate | None = None,
        *,
        key: str = "",
        min_bytes: Size = 0,
        max_bytes: Size | None = None,
        field: str = "",
        labels: Sequence[int] = (),
        classes: Sequence[str] = (),
        label_field: str = "label",
    ) -> Pipeline:
        """Keep some of the samples. What is given must hold together.

        All but `function` is known without reading a sample: the others are not in the data set.

        Args:
            function: Called with each decoded sample, a dict of its fields, where the batches are
                received. Batches are smaller by what it rejects, so that every rank makes the same
                number of steps.
            key: Patterns (`*`, `?`, `[a-z]`) for the sample's key or its path in the folder, with
                `;` between. A `*` also matches slashes.
            min_bytes: The smallest sample in storage, in bytes or like "4KiB".
            max_bytes: The largest sample in storage.
            field: Whose bytes count; "": those of all fields together.
            labels: Labels that remain.
            classes: Names of classes that remain.
            label_field: Where the labels are: numbers known without reading, as of a folder.

        >>> import numpy as np, penstock as ps
        >>> numbers = ps.arrays(x=np.arange(6), label=np.array([0, 1, 2, 0, 1, 2]))
        >>> loader = numbers.filter(labels=[0, 2]).array("x").batch(4).numpy()
        >>> next(iter(loader))["x"].tolist()
        [0, 2, 3, 5]
        """
        for name in classes:
            if "," in name:
                raise ValueError(f"class {name!r} has a comma in its name, use labels= instead")
        options: dict[str, object] = {
            "key": key,
            "min_bytes": size_bytes(min_bytes),
            "max_bytes": size_bytes(max_bytes),
            "field": field,
            "labels": tuple(int(label) for label in labels),
            "classes": tuple(classes),
            "label_field": label_field if labels or classes else "",
        }
        given = {name: value for name, value in options.items() if value not in ("", 0, None, ())}
        added = (Function("filter", function),) if function else ()
        functions = (*self._functions, *added)
        if not given:
            return replace(self, _functions=functions)
        chosen = _node("filter", [self._spec["source"]], **given)
        return replace(self._with(source=chosen), _functions=functions)

    def map(self, function: Callable[[Batch], Mapping[str, Any]]) -> Pipeline:
        """Let a Python function change every batch.

        It runs in the thread that asks for batches, so its time adds to that of a training step;
        `stats()` and `verdict()` say how much it is.

        Args:
            function: Gets a `Batch` (arrays by field) and gives the fields that take its place.

        >>> import numpy as np, penstock as ps
        >>> numbers = ps.arrays(x=np.arange(4)).array("x").batch(4)
        >>> doubled = numbers.map(lambda batch: {"x": 2 * batch["x"]})
        >>> next(iter(doubled.numpy()))["x"].tolist()
        [0, 2, 4, 6]
        """
        return replace(self, _functions=(*self._functions, Function("map", function)))

    def cache(
        self,
        place: Url,
        size: Size | None = None,
        *,
        what: Literal["bytes", "pixels"] = "bytes",
    ) -> Pipeline:
        """Keep what is read, in memory or on a local disk, and take it from there next time.

        Nothing is thrown out to make room: of a data set twice as large as the cache, half is found
        there in every epoch. A pipeline may have a cache of either kind, or both.

        In memory it is there from one loop over the loader to the next, and goes with the loader.
        It counts as part of `memory=`. Each rank has its own, and with a shuffle reads other
        samples every epoch: it helps most where one rank can hold most of the data set.

        On a disk it holds bytes of remote objects, for all processes of the machine: each byte is
        fetched once. What is kept is checked when it is read; an object that was replaced is
        fetched anew.

        Args:
            place: "memory", or the folder where it is kept. Remove the folder to be rid of it.
            size: What it may hold, in bytes or like "200GiB". A folder needs one; in memory it is
                never more than half of what `memory=` leaves to spare, which is what None means.
            what: Of samples in memory: "bytes" as they are stored, which changes no pixel, or
                "pixels" of decoded images, which later epochs only transform. Those take several
                times the room of JPEGs, and each image is decoded whole at its full size, which may
                give slightly other pixels than without a cache.

        >>> import penstock as ps
        >>> shards = ps.tar("s3://bucket/train-{000..999}.tar")
        >>> memory = shards.cache("memory")
        >>> some_pixels = shards.cache("memory", size="4GiB", what="pixels")
        >>> both = shards.cache("/scratch/penstock", "200GiB").cache("memory")
        """
        given = "" if size is None else f"{size}"
        if place == "memory":
            return self._with(memory_cache={"size": given, "what": what})
        if size is None:
            raise ValueError('cache: a folder needs a size, like size="200GiB"')
        if what != "bytes":
            raise ValueError(f"cache: what is {what}, expected bytes in a folder")
        return self._with(disk_cache={"folder": os.fspath(place), "size": given})

    def repeat(self, times: int) -> Pipeline:
        """Go through the samples so many times in one epoch, each time in another order."""
        return self._with(repeat=times)

    def skip(self, samples: int) -> Pipeline:
        """Leave out the first so many samples of each epoch's order."""
        return self._with(skip=samples)

    def take(self, samples: int) -> Pipeline:
        """Use only so many samples of each epoch's order."""
        return self._with(take=samples)

    def epochs(self, count: int | None) -> Pipeline:
        """Deliver this many epochs in one go; None never ends."""
        return self._with(epochs=count)

    def batch(self, size: int, last: Literal["drop", "keep", "wrap"] = "drop") -> Pipeline:
        """Group samples into batches.

        Args:
            size: Samples in a batch of one rank.
            last: What becomes of a rest that fills no batch: left out, delivered as a small batch,
                or filled up with the first samples of the epoch.
        """
        return self._with(batch={"size": size, "last": last})

    @property
    def spec(self) -> str:
        """The pipeline as JSON text: the same that C++ and the command line build."""
        return json.dumps(self._spec, indent=2)

    def _plan(self, options: RunOptions) -> Plan:
        from penstock._loader import plan

        tables = [list(table) for table in self._tables]
        rank = {} if "shard" in self._spec else jax_rank()
        return plan(self._with(**rank).spec, tables, options)

    def numpy(
        self,
        *,
        threads: Amount | None = "auto",
        prefetch: Amount = "auto",
        tune: bool = False,
        memory: Size | None = None,
        on_error: OnError = "raise",
        max_errors: float = 0.1,
        manifest: Url | None = None,
        entry_points: EntryPoints = "learn",
    ) -> Loader:
        """Make a loader that gives numpy arrays, which share the engine's memory.

        Args:
            threads: That decode and transform. "auto": begins with one for each core this process
                may use, and changes that while it runs to what feeds the trainer best.
            prefetch: Batches kept ready; fewer if `memory` has no room for them. "auto": as many as
                it takes.
            tune: Change the given numbers too, beginning with them.
            memory: Ceiling for what the loader holds, in bytes or like "2GiB".
            on_error: What becomes of a sample that cannot be read: "raise" an exception, "skip" it,
                which makes its batch smaller, or "replace" it by another of the same window.
            max_errors: How many bad samples an epoch may have on this rank before an exception: a
                whole number, or a share of its samples as a float.
            manifest: File in which bad samples are listed, one JSON object a line.
            entry_points: Places inside images where decoding can begin, which make crops cheaper
                from the second epoch on. "learn" uses those that are kept beside the data and adds
                what it finds, "use" only uses them, "off" neither. The pixels are the same.
        """
        options = RunOptions(
            threads or "auto",
            prefetch,
            tune,
            memory,
            on_error,
            max_errors,
            manifest,
            entry_points,
        )
        return Loader(self._plan(options), "numpy", options, self._functions)

    def torch(
        self,
        *,
        threads: Amount | None = "auto",
        prefetch: Amount = "auto",
        tune: bool = False,
        memory: Size | None = None,
        on_error: OnError = "raise",
        max_errors: float = 0.1,
        manifest: Url | None = None,
        entry_points: EntryPoints = "learn",
    ) -> Loader:
        """Make a loader that gives torch tensors on the CPU, which share the engine's memory.

        The arguments are those of `numpy`.
        """
        options = RunOptions(
            threads or "auto",
            prefetch,
            tune,
            memory,
            on_error,
            max_errors,
            manifest,
            entry_points,
        )
        return Loader(self._plan(options), "torch", options, self._functions)


def _reader(name: str, **options: object) -> str:
    """Write a reader as a Spec does; options that are None are left out.

    >>> _reader("npy", dtype="f32", shape=(), ragged=True, length=None)
    'npy dtype=f32 shape="" ragged=true'
    """
    given = {option: option_text(value) for option, value in options.items() if value is not None}
    return " ".join([name, *(f"{option}={text or EMPTY}" for option, text in given.items())])


def _row_options(
    shape: Sequence[int] | None,
    ragged: bool,
    length: int | None,
    pad: float,
    dtype: ArrayType | None,
) -> dict[str, object]:
    return {
        "dtype": dtype,
        "shape": None if shape is None else tuple(shape),
        "ragged": ragged or None,
        "length": length,
        "pad": pad or None,
    }


def _source(kind: str, urls: Sequence[Url], **options: object) -> Pipeline:
    texts = {name: option_text(value) for name, value in options.items()}
    urls = [os.fspath(url) for url in urls]
    return Pipeline({"source": {"kind": kind, "urls": urls, "options": texts}})


def _node(kind: str, sources: list[dict[str, Any]], **options: object) -> dict[str, Any]:
    texts = {name: option_text(value) for name, value in options.items()}
    return {"kind": kind, "urls": [], "options": texts, "sources": sources}


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
    tables: tuple[_Table, ...] = ()
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
    return Pipeline({"source": _node(kind, sources, **options)}, tables)


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
