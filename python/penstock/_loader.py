"""Running a pipeline: iterate over a loader to receive batches."""

from __future__ import annotations

import functools
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import numpy.typing as npt

from penstock import _core
from penstock._batch import Batch, Framework, Function, converter
from penstock._page import Page
from penstock._stats import BatchTime, Stats, Verdict

Size = int | str
OnError = Literal["raise", "skip", "replace"]
EntryPoints = Literal["learn", "use", "off"]
Amount = int | Literal["auto"]


@dataclass(frozen=True)
class RunOptions:
    """How a loader runs; none of it changes which samples come, unless they are bad."""

    threads: Amount = "auto"
    prefetch: Amount = "auto"
    tune: bool = False
    memory: Size | None = None
    on_error: OnError = "raise"
    max_errors: float = 0.1
    manifest: str | os.PathLike[str] | None = None
    entry_points: EntryPoints = "learn"


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


def plan(
    spec: str, tables: list[list[tuple[str, npt.NDArray[Any]]]], options: RunOptions
) -> _core.Plan:
    """Check a spec: what is wrong with it is raised here, before a thread starts."""
    progress = _Progress()
    try:
        tolerates_damage = options.on_error != "raise"
        memory = size_bytes(options.memory)
        return _core.make_plan(spec, tables, memory, tolerates_damage, progress)
    finally:
        progress.close()


def size_bytes(size: Size | None) -> int | None:
    """Bytes of a number or of a text like "2GiB"."""
    return _core.parse_size(size) if isinstance(size, str) else size


class Loader:
    """A pipeline ready to run.

    Each `for` loop over it delivers the epochs asked for (one, unless `.epochs` said otherwise) and
    the next loop goes on with the epoch after those, in a new order.

    >>> import numpy as np, penstock as ps
    >>> loader = ps.arrays(x=np.arange(10)).label("x").batch(2).numpy()
    >>> for batch in loader:
    ...     if batch.number == 1:
    ...         break
    >>> state = loader.state()
    >>> resumed = ps.arrays(x=np.arange(10)).label("x").batch(2).numpy()
    >>> resumed.restore(state)
    >>> [batch["x"].tolist() for batch in resumed]
    [[4, 5], [6, 7], [8, 9]]
    """

    def __init__(
        self,
        plan: _core.Plan,
        framework: Framework,
        options: RunOptions,
        functions: tuple[Function, ...] = (),
    ) -> None:
        """Use `Pipeline.numpy` or `Pipeline.torch`."""
        self._plan = plan
        self._framework = framework
        self._options = options
        self._functions = functions
        self._fields = [(name, content) for name, _, _, content in plan.layout]
        self._run: _core.Run | None = None
        self._page: Page | None = None
        self._batch_size, self._epochs = _batch_size_and_epochs(plan)
        # Epoch and position: after the batch delivered last, where the run began (or will), and
        # where the next loop begins if not after the last batch; then the loop under way.
        self._place = (0, 0)
        self._begin = (0, 0)
        self._next_loop: tuple[int, int] | None = None
        self._loop: object | None = None
        self._num_batches = 0
        self._num_samples = 0
        self._num_bad = 0  # of the epoch, before the run began
        if framework == "numpy" and any(dtype == "bf16" for _, dtype, _, _ in plan.layout):
            raise ValueError("numpy has no bf16: use dtype='f16' or 'f32', or .torch()")

    def __iter__(self) -> Iterator[Batch]:
        """Start delivering. A loop that is under way ends."""
        self._leave_loop()
        if self._next_loop is not None:
            self._move(self._next_loop)
        self._loop = object()
        self._start()
        return self._batches(self._loop)

    def _leave_loop(self) -> None:
        """End a loop before its last batch: the next one begins with the epoch after it."""
        if self._loop is None:
            return
        self._loop = None
        if self._place == self._begin:
            return  # no batch was delivered
        if self._epochs is not None:
            self._next_loop = ((self._begin[0] // self._epochs + 1) * self._epochs, 0)
        else:
            self._next_loop = (self._place[0] + (1 if self._place[1] else 0), 0)

    def _start(self) -> None:
        self.close()
        self._num_bad = self._bad()
        self._begin = self._place
        sample_cache = self._run.sample_cache if self._run is not None else None
        threads, prefetch = self._amount("threads", 0), self._amount("prefetch", 2)
        if self._page is not None:
            self._page._leave()
        self._run = None  # which ends it: what it learnt is there for the next
        options = self._options
        self._run = _core.start_run(
            self._plan,
            threads,
            prefetch,
            (self._tunes("threads"), self._tunes("prefetch")),
            size_bytes(options.memory),
            self._place,
            options.on_error,
            options.max_errors,
            os.fspath(options.manifest or ""),
            self._num_bad,
            options.entry_points,
            sample_cache,
        )
        if self._page is not None:
            self._page._follow(self._run)

    def _tunes(self, name: str) -> bool:
        return self._options.tune or getattr(self._options, name) == "auto"

    def _amount(self, name: str, first: int) -> int:
        """What the next loop begins with: what was given, or what the loop before found."""
        found: int = getattr(self.stats(), name)
        if self._tunes(name) and found:
            return found
        given: Amount = getattr(self._options, name)
        return first if given == "auto" else given

    def _batches(self, loop: object) -> Iterator[Batch]:
        try:
            while self._loop is loop and self._run is not None:  # another run after skip or seek
                core = next(self._run, None)
                if core is None:
                    self._loop = None
                    return
                batch = self._batch(core)
                del core
                yield batch
                del batch
        finally:
            if self._loop is loop:
                self._leave_loop()

    def _batch(self, core: _core.Batch) -> Batch:
        if self._page is not None:
            self._page._show(core)
        batch = self._convert(core)
        is_last = core.end_position == self._plan.samples_per_epoch
        self._place = (core.epoch + 1, 0) if is_last else (core.epoch, core.end_position)
        self._num_batches += 1
        self._num_samples += core.count
        return batch

    @functools.cached_property
    def _convert_field(self) -> Callable[[_core.Batch, int, str], Any]:
        return converter(self._framework)

    def _convert(self, core: _core.Batch) -> Batch:
        batch = Batch(
            (name, self._convert_field(core, index, content))
            for index, (name, content) in enumerate(self._fields)
        )
        batch.epoch, batch.number, batch.ids = core.epoch, core.number, core.ids
        batch._plan = self._plan
        return self._apply_functions(batch) if self._functions else batch

    def _apply_functions(self, batch: Batch) -> Batch:
        began, cpu_before = time.perf_counter(), time.thread_time()
        for function in self._functions:
            batch = function(batch)
        if self._run is not None:
            self._run.add_map_time(time.perf_counter() - began, time.thread_time() - cpu_before)
        return batch

    def state(self) -> dict[str, Any]:
        """Where the loader is: after the batch that was delivered last.

        A small dict of plain values, the same on every rank but for its counts; keep it with the
        model. What was prefetched and not delivered comes again after `restore`. After the last
        batch of a loop it is the beginning of the next: `loader.epoch` says which epoch that is.
        """
        text = self._plan.state(self._place, self._num_batches, self._num_samples, self._bad())
        state: dict[str, Any] = json.loads(text)
        return state | {kind: names for kind, names in self._function_names().items() if names}

    def _function_names(self) -> dict[str, list[str]]:
        return {
            f"{kind}s": [function.name for function in self._functions if function.kind == kind]
            for kind in ("filter", "map")
        }

    def _bad(self) -> int:
        """Bad samples, so far, of the epoch that the next batch belongs to."""
        if self._place[1] == 0:
            return 0
        if self._place == self._begin:
            return self._num_bad  # no batch was delivered since then
        return self.stats().bad_samples_in_epoch

    def restore(self, state: Mapping[str, Any] | str, *, force: bool = False) -> None:
        """Go on where a state was taken, also at another world size, batch size or thread count.

        Args:
            state: What `state()` gave, or that as JSON text.
            force: Go on although the data set or the pipeline differ: then other samples may come,
                or with other pixels.
        """
        known = json.loads(state) if isinstance(state, str) else dict(state)
        now = self._function_names()
        before = {kind: known.pop(kind, []) for kind in now}
        self._plan.check_state(json.dumps(known), force)
        for kind in now:
            if before[kind] != now[kind] and not force:
                raise ValueError(
                    f"the state is of another pipeline: {kind} are {now[kind]}, "
                    f"were {before[kind]}; force=True goes on anyway"
                )
        self._num_batches, self._num_samples = known["batches"], known["samples"]
        place = (known["epoch"], min(known["position"], self._plan.samples_per_epoch))
        self._move(place, known["bad_samples"])

    def seek(self, epoch: int, batch: int = 0) -> None:
        """Go on with a batch of an epoch, both counted from 0.

        In a `for` loop the next batch is that one; otherwise the next loop begins with it.
        """
        position = batch * self._plan.global_batch
        if epoch < 0 or batch < 0 or position > self._plan.samples_per_epoch:
            raise ValueError(
                f"no batch {batch} in epoch {epoch}, expected fewer than "
                f"{self._plan.batches_from(0)} batches"
            )
        self._move((epoch, position))

    def skip(self, batches: int) -> None:
        """Leave out so many batches, which costs nothing.

        In a `for` loop those after the present one; otherwise those at the beginning of the next.
        """
        if batches < 0:
            raise ValueError(f"skip is {batches}, expected 0 or more; seek goes back")
        epoch, position = first = self._next_loop or self._place
        while batches >= (left := self._plan.batches_from(position)):
            batches -= left
            epoch, position = epoch + 1, 0
        num_bad = self._bad() if first == self._place and epoch == first[0] else 0
        self._move((epoch, position + batches * self._plan.global_batch), num_bad)

    def _move(self, place: tuple[int, int], num_bad: int = 0) -> None:
        """Go on elsewhere, where the epoch had so many bad samples before."""
        self._place = self._begin = place
        self._next_loop, self._num_bad = None, num_bad
        if self._loop is not None:
            self._start()

    @property
    def epoch(self) -> int:
        """Of the batch that comes next."""
        return self._place[0]

    def __len__(self) -> int:
        """Batches that one loop delivers."""
        if self._epochs is None:
            raise TypeError("a loader without end has no length")
        return self._plan.batches_from(0) * self._epochs

    @property
    def layout(self) -> dict[str, tuple[str, tuple[int | None, ...]]]:
        """Type and shape of each field of a full batch.

        Of a `Ragged` the second side is None, because samples differ in it; of a list the type is
        "bytes", "text" or "json".

        >>> import numpy as np, penstock as ps
        >>> ps.arrays(x=np.zeros((8, 3))).array("x").batch(4).numpy().layout
        {'x': ('f64', (4, 3))}
        """
        layout: dict[str, tuple[str, tuple[int | None, ...]]] = {}
        for name, dtype, shape, content in self._plan.layout:
            if content == "array":
                layout[name] = (dtype, (self._batch_size, *shape))
            elif content == "ragged":
                layout[name] = (dtype, (self._batch_size, None, *shape))
            else:
                layout[name] = (content, (self._batch_size,))
        return layout

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
        return Stats(**self._run.stats()) if self._run is not None else Stats.of_nothing()

    def batch_times(self) -> list[BatchTime]:
        """When each of the last batches came, and how long was waited for it; at most 4,096."""
        return [BatchTime(*times) for times in self._run.batch_times()] if self._run else []

    def trace(self, path: str | os.PathLike[str]) -> None:
        """Write what the threads did last as a timeline for ui.perfetto.dev or chrome://tracing.

        Of each thread the last thousand groups of samples are there, and the last 4,096 batches.

        >>> import penstock as ps, json, pathlib, tempfile
        >>> loader = ps.synthetic(samples=640).image("image").batch(64).numpy()
        >>> for batch in loader:
        ...     pass
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "trace.json"
        >>> loader.trace(path)
        >>> sorted({event["name"] for event in json.loads(path.read_text())["traceEvents"]})[-1]
        'write'
        """
        text = self._run.trace() if self._run is not None else '{"traceEvents": []}'
        path = Path(path)
        partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
        partial.write_text(text)
        partial.replace(path)

    def verdict(self, seconds: float = 10.0) -> Verdict:
        """What limits the loader, and what would make it faster.

        Args:
            seconds: How much of the present or last loop to judge by, from its end.

        >>> import penstock as ps
        >>> loader = ps.synthetic(samples=640).image("image").batch(64).numpy()
        >>> loader.verdict().sentence
        'nothing was delivered yet'
        >>> for batch in loader:
        ...     pass
        >>> loader.verdict().limit in ("transform", "trainer", "threads", "prefetch", "decode")
        True
        """
        if self._run is None:
            return Verdict("nothing was delivered yet", "", 0.0, 0.0, {}, {}, [], "")
        return Verdict(**self._run.verdict(seconds))

    def serve(self, *, port: int = 0, host: str = "127.0.0.1") -> Page:
        """Show on a page in the browser what this loader does, while it does it.

        The page is there until it is closed or the loader is gone, and follows from loop to loop. A
        page that was asked for before is closed.

        >>> import numpy as np, penstock as ps
        >>> loader = ps.arrays(x=np.arange(10)).label("x").batch(2).numpy()
        >>> with loader.serve() as page:
        ...     for batch in loader:
        ...         pass
        >>> page.url.startswith("http://127.0.0.1:")
        True

        Args:
            port: To listen on; 0 for any that is free.
            host: Address to listen on. Anyone who reaches another one than that of this machine
                alone sees the samples: "0.0.0.0" is for networks that you trust.
        """
        if self._page is not None:
            self._page.close()
        self._page = Page(host, port)
        if self._run is not None:
            self._page._follow(self._run)
        return self._page

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
    spec = json.loads(plan.spec)
    return spec["batch"]["size"], spec["epochs"]
