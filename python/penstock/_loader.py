"""Running a pipeline: iterate over a loader to receive batches."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penstock import _core

Size = int | str
Framework = Literal["numpy", "torch"]


class Batch(dict[str, Any]):
    """One batch: an array for each field, by name.

    The arrays lie in memory of the loader; it is used again when the last of them is let go.

    Attributes:
        epoch: Of this batch, from 0.
        number: Of this batch in its epoch, from 0.
        ids: The numbers of its samples in the data set.
    """

    epoch: int
    number: int
    ids: npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Stats:
    """What a loader did so far, and where its time went."""

    threads: int
    samples: int
    batches: int
    read_bytes: int
    elapsed_s: float
    consumer_wait_s: float
    reader_s: dict[str, float]
    worker_s: dict[str, float]
    slot_bytes: int

    @property
    def samples_per_s(self) -> float:
        """Samples prepared a second."""
        return self.samples / self.elapsed_s if self.elapsed_s > 0 else 0.0

    def table(self) -> str:
        """The figures for a person."""
        rows = [
            ("samples", f"{self.samples:,}  ({self.samples_per_s:,.0f}/s)"),
            ("read", f"{self.read_bytes / 1e6:,.1f} MB"),
            ("batches in memory", f"{self.slot_bytes / 1e6:,.1f} MB"),
            ("consumer waited", f"{self.consumer_wait_s:.2f} s of {self.elapsed_s:.2f} s"),
        ]
        for threads, stages in ((1, self.reader_s), (self.threads, self.worker_s)):
            total = threads * self.elapsed_s
            rows += [
                (f"{name}", f"{s / total:6.1%} of {threads} thread(s)")
                for name, s in stages.items()
            ]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


class _Progress:
    """Shows how an index is built, on a terminal, if it takes longer than a second."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._shown = False

    def __call__(self, what: str, done: int, total: int) -> None:
        if time.monotonic() - self._began < 1 or not sys.stderr.isatty():
            return
        share = f"{done / total:4.0%}" if total else f"{done:,}"
        sys.stderr.write(f"\r\x1b[Kindexing {what}: {share}")
        sys.stderr.flush()
        self._shown = True

    def close(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def plan(spec: str, arrays: list[tuple[str, npt.NDArray[Any]]], memory: Size | None) -> _core.Plan:
    """Check a spec: what is wrong with it is raised here, before a thread starts."""
    progress = _Progress()
    try:
        return _core.make_plan(spec, arrays, _size_bytes(memory), progress)
    finally:
        progress.close()


def _size_bytes(size: Size | None) -> int | None:
    return _core.parse_size(size) if isinstance(size, str) else size


class Loader:
    """A pipeline ready to run.

    Each `for` loop over it delivers the epochs asked for (one, unless `.epochs` said otherwise) and
    the next loop goes on with the epoch after those, in a new order.
    """

    def __init__(
        self,
        plan: _core.Plan,
        framework: Framework,
        threads: int,
        prefetch: int,
        memory: Size | None,
    ) -> None:
        """Use `Pipeline.numpy` or `Pipeline.torch`."""
        self._plan = plan
        self._framework = framework
        self._threads = threads
        self._prefetch = prefetch
        self._memory = _size_bytes(memory)
        self._names = [name for name, _, _ in plan.layout]
        self._run: _core.Run | None = None
        self._next_epoch = 0
        self._batch_size, self._epochs = _batch_size_and_epochs(plan)
        if framework == "numpy" and any(dtype == "bf16" for _, dtype, _ in plan.layout):
            raise ValueError("numpy has no bf16: use dtype='f16' or 'f32', or .torch()")

    def __iter__(self) -> Iterator[Batch]:
        """Start delivering. A loop that is under way ends."""
        self.close()
        run = _core.start_run(
            self._plan, self._threads, self._prefetch, self._memory, self._next_epoch
        )
        self._run = run
        self._next_epoch += self._epochs or 1
        return self._batches(run)

    def _batches(self, run: _core.Run) -> Iterator[Batch]:
        convert = _converter(self._framework)
        for core in run:
            batch = Batch((name, convert(core, index)) for index, name in enumerate(self._names))
            batch.epoch, batch.number, batch.ids = core.epoch, core.number, core.ids
            del core
            yield batch
            del batch

    def __len__(self) -> int:
        """Batches that one loop delivers."""
        if self._epochs is None:
            raise TypeError("a loader without end has no length")
        return self._plan.batches_per_epoch * self._epochs

    @property
    def layout(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Type and shape of each field of a full batch."""
        return {
            name: (dtype, (self._batch_size, *shape)) for name, dtype, shape in self._plan.layout
        }

    @property
    def num_samples(self) -> int:
        """Samples in the data set."""
        return self._plan.num_samples

    @property
    def classes(self) -> list[str]:
        """Names of the classes by label; empty if there are none."""
        return self._plan.classes

    @property
    def spec(self) -> str:
        """What runs, as JSON text, with everything that was left open filled in."""
        return self._plan.spec

    def sample_name(self, sample: int) -> str:
        """Where a sample (a number of `batch.ids`) comes from."""
        return self._plan.sample_name(sample)

    def stats(self) -> Stats:
        """What the present or last loop did."""
        if self._run is None:
            return Stats(0, 0, 0, 0, 0.0, 0.0, {}, {}, 0)
        return Stats(**self._run.stats())

    def close(self) -> None:
        """Stop the threads. Batches that were received stay valid."""
        if self._run is not None:
            self._run.stop()

    def __enter__(self) -> Loader:
        """Close at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the threads."""
        self.close()


def _batch_size_and_epochs(plan: _core.Plan) -> tuple[int, int | None]:
    import json

    spec = json.loads(plan.spec)
    return spec["batch"]["size"], spec["epochs"]


def _converter(framework: Framework) -> Any:
    if framework == "numpy":
        return lambda core, index: core.array(index, numpy=True)
    import torch

    return lambda core, index: torch.from_dlpack(core.array(index, numpy=False))
