"""What a loader delivers: batches of arrays, ragged values and lists."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penstock import _core

Framework = Literal["numpy", "torch"]
Predicate = Callable[[dict[str, Any]], bool]


@dataclass(frozen=True, eq=False)
class Ragged:
    """Samples with different numbers of rows: all rows one after the other.

    >>> ragged = Ragged(np.array([1, 2, 3]), np.array([0, 2, 2, 3]))
    >>> [sample.tolist() for sample in ragged]
    [[1, 2], [], [3]]
    >>> ragged.lengths
    array([2, 0, 1])

    Attributes:
        values: The rows of all samples.
        offsets: Rows `offsets[i]` to `offsets[i + 1]` are those of sample i.
    """

    values: Any
    offsets: Any

    def __len__(self) -> int:
        """How many samples there are."""
        return len(self.offsets) - 1

    def __getitem__(self, sample: int) -> Any:
        """The rows of one sample, without a copy."""
        place = sample + len(self) if sample < 0 else sample
        if not 0 <= place < len(self):
            raise IndexError(f"sample {sample} of {len(self)}")
        return self.values[int(self.offsets[place]) : int(self.offsets[place + 1])]

    def __iter__(self) -> Iterator[Any]:
        """The rows of each sample."""
        return (self[sample] for sample in range(len(self)))

    def take(self, samples: Sequence[int]) -> Ragged:
        """The rows of some samples, copied."""
        rows = [range(int(self.offsets[i]), int(self.offsets[i + 1])) for i in samples]
        ends = list(itertools.accumulate((len(own) for own in rows), initial=0))
        is_tensor = hasattr(self.offsets, "new_tensor")
        offsets = self.offsets.new_tensor(ends) if is_tensor else np.array(ends)
        return Ragged(self.values[list(itertools.chain(*rows))], offsets)

    @property
    def lengths(self) -> Any:
        """How many rows each sample has."""
        return self.offsets[1:] - self.offsets[:-1]


class Batch(dict[str, Any]):
    """One batch: an array for each field, by name.

    Text, bytes and JSON come as lists, and numbers of which samples have more or fewer as `Ragged`.

    The arrays lie in memory of the loader; it is used again when the last of them is let go.

    Attributes:
        epoch: Of this batch, from 0.
        number: Of this batch in its epoch, from 0.
        ids: The numbers of its samples in the data set.
    """

    epoch: int
    number: int
    ids: npt.NDArray[np.uint64]
    _plan: _core.Plan

    @property
    def sample_keys(self) -> list[str]:
        """The names of its samples: the file below its folder, the key in its shard."""
        return self._plan.sample_keys(np.ascontiguousarray(self.ids))


@dataclass(frozen=True)
class Function:
    """A Python function of a pipeline."""

    kind: Literal["filter", "map"]
    function: Callable[[Any], Any]

    @property
    def name(self) -> str:
        """Where it is defined."""
        name = getattr(self.function, "__qualname__", type(self.function).__qualname__)
        return f"{self.function.__module__}.{name}"

    def __call__(self, batch: Batch) -> Batch:
        """What becomes of a batch."""
        return self._kept(batch) if self.kind == "filter" else self._mapped(batch)

    def _kept(self, batch: Batch) -> Batch:
        kept = [
            i
            for i in range(len(batch.ids))
            if self.function({name: values[i] for name, values in batch.items()})
        ]
        if len(kept) == len(batch.ids):
            return batch
        rows = {name: _rows(values, kept) for name, values in batch.items()}
        return _like(batch, rows, batch.ids[kept])

    def _mapped(self, batch: Batch) -> Batch:
        fields = self.function(batch)
        if not isinstance(fields, Mapping):
            raise TypeError(f"map: {self.name} gave {fields!r}, expected a dict of fields")
        return _like(batch, fields, batch.ids)


def _like(batch: Batch, fields: Mapping[str, Any], ids: npt.NDArray[np.uint64]) -> Batch:
    other = Batch(fields)
    other.epoch, other.number, other._plan, other.ids = batch.epoch, batch.number, batch._plan, ids
    return other


def _rows(values: Any, kept: list[int]) -> Any:
    if isinstance(values, Ragged):
        return values.take(kept)
    return [values[i] for i in kept] if isinstance(values, list) else values[kept]


def converter(framework: Framework) -> Callable[[_core.Batch, int, str], Any]:
    """A function that makes a Python value of a field of a batch."""
    if framework == "numpy":
        is_numpy, wrap = True, _identity
    else:
        import torch

        is_numpy, wrap = False, torch.from_dlpack

    def convert(core: _core.Batch, index: int, content: str) -> Any:
        if content == "array":
            return wrap(core.array(index, numpy=is_numpy))
        if content == "ragged":
            return Ragged(
                wrap(core.array(index, numpy=is_numpy)), wrap(core.offsets(index, numpy=is_numpy))
            )
        if content == "text":
            return core.text_list(index)
        values = core.bytes_list(index)
        return [json.loads(value) for value in values] if content == "json" else values

    return convert


def _identity(array: Any) -> Any:
    return array
