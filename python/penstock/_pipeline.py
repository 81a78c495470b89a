"""Saying what is wanted: a pipeline is a value, built step by step, run when asked to."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

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
Table = tuple[tuple[str, npt.NDArray[Any]], ...]

EMPTY = '""'  # how an empty value is written


@dataclass(frozen=True, eq=False)
class Pipeline:
    """What to read and what to do with it. Every method gives a new pipeline.

    >>> import penstock as ps
    >>> ps.synthetic(samples=1000).image("image", ps.Resize(64)).batch(8).numpy().layout
    {'image': ('u8', (8, 3, 64, 64))}
    """

    _spec: dict[str, Any]
    _tables: tuple[Table, ...] = field(default=(), repr=False)
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
        chosen = node("filter", [self._spec["source"]], **given)
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


def node(kind: str, sources: list[dict[str, Any]], **options: object) -> dict[str, Any]:
    """A source made of others, as a Spec has it."""
    texts = {name: option_text(value) for name, value in options.items()}
    return {"kind": kind, "urls": [], "options": texts, "sources": sources}
