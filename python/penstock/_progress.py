"""One line on the terminal that says how a loop goes."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from penstock._batch import Batch
from penstock._loader import Loader

_REDRAW_S = 0.2
# The figures of now are those of so many seconds.
_WINDOW_S = 3.0


def progress(loader: Loader) -> Iterator[Batch]:
    """Loop over a loader, with a line on the terminal that says how it goes.

        312/1250 batches  1,410 samples/s  waited 3 %  decode limits  eta 0:42

    The line goes to stderr and is gone at the end; where that is no terminal there is none.

    >>> import numpy as np, penstock as ps
    >>> loader = ps.arrays(x=np.arange(10)).label("x").batch(2).numpy()
    >>> sum(len(batch["x"]) for batch in ps.progress(loader))
    10

    Args:
        loader: What to loop over.
    """
    if not sys.stderr.isatty():
        yield from loader
        return
    line = _Line(loader)
    batches = iter(loader)
    try:
        while True:
            began = time.monotonic()
            batch = next(batches, None)
            if batch is None:
                return
            line.add(len(batch.ids), time.monotonic() - began)
            yield batch
            del batch  # its memory is wanted while the next is waited for
    finally:
        line.clear()


class _Point(NamedTuple):
    """Where the loop was."""

    time_s: float
    batches: int
    samples: int
    wait_s: float


class _Line:
    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        try:
            self._total: int | None = len(loader)
        except TypeError:
            self._total = None
        self._now = _Point(time.monotonic(), 0, 0, 0.0)
        self._recent = deque([self._now])
        self._drawn_s = 0.0

    def add(self, samples: int, wait_s: float) -> None:
        """Note a batch, and draw if it is time to."""
        before, time_s = self._now, time.monotonic()
        self._now = _Point(
            time_s, before.batches + 1, before.samples + samples, before.wait_s + wait_s
        )
        if time_s - self._drawn_s < _REDRAW_S:
            return
        self._drawn_s = time_s
        self._recent.append(self._now)
        while len(self._recent) > 2 and time_s - self._recent[1].time_s >= _WINDOW_S:
            self._recent.popleft()
        self._write(fitting(self._parts(), _columns()))

    def _parts(self) -> list[str]:
        """What there is to say, in the order of the line."""
        begin, now = self._recent[0], self._now
        elapsed = max(1e-9, now.time_s - begin.time_s)
        rate = (now.batches - begin.batches) / elapsed
        count = f"{now.batches}" if self._total is None else f"{now.batches}/{self._total}"
        parts = [
            f"{count} batches",
            f"{(now.samples - begin.samples) / elapsed:,.0f} samples/s",
            f"waited {(now.wait_s - begin.wait_s) / elapsed:.0%}".replace("%", " %"),
            self._limit(),
        ]
        if self._total is not None and rate > 0:
            parts.append(f"eta {clock((self._total - now.batches) / rate)}")
        return parts

    def _limit(self) -> str:
        limit = self._loader.verdict(_WINDOW_S).limit
        return f"{limit} limits" if limit else ""

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()

    def clear(self) -> None:
        """Leave the terminal as it was."""
        if self._drawn_s:
            self._write("")


def fitting(parts: list[str], columns: int) -> str:
    """The parts that have room in a line, the last but one first to go, the first always there.

    >>> fitting(["3/9 batches", "12 samples/s", "waited 3 %", "eta 0:07"], 80)
    '3/9 batches  12 samples/s  waited 3 %  eta 0:07'
    >>> fitting(["3/9 batches", "12 samples/s", "waited 3 %", "eta 0:07"], 40)
    '3/9 batches  12 samples/s  eta 0:07'
    >>> fitting(["3/9 batches"], 6)
    '3/9 b'
    """
    parts = [part for part in parts if part]
    # The last column stays free: some terminals go on to the next line when it is written.
    while len("  ".join(parts)) >= columns and len(parts) > 1:
        del parts[-2 if len(parts) > 2 else -1]
    return "  ".join(parts)[: columns - 1]


def clock(seconds: float) -> str:
    """Time left, as a clock shows it.

    >>> clock(42), clock(3671)
    ('0:42', '1:01:11')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        return 80
