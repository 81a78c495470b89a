"""Compares `penstock simulate` with real loaders whose workers sleep.

    python3 benchmarks/analyze/simulate_check.py [--check] [--torch]

A grid of workers and step times: threads that sleep in place of loading and a trainer that sleeps
in place of computing; with --torch also PyTorch's DataLoader, with processes. Prints simulated and
real total time, and the waits of 4 workers that take a little longer for a batch than 4 steps take.
--check fails if a total differs by more than 5 %, or if not every 4th batch waits.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import itertools
import json
import queue
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

COMMAND = Path(__file__).resolve().parents[2] / "build/release/cli/penstock"
LOAD_MS = 160
WORKERS = (1, 2, 4, 8)
STEPS_MS = (20, 40, 80, 160)
BATCHES = 32
TRIES = 2
MOST_DIFFERENCE = 0.05
ODD_WORKERS = 4
ODD_STEP_MS = 32  # LOAD_MS is a little longer than ODD_WORKERS of these


class SleepingSet:
    """A data set whose samples take long; a sample is a batch."""

    def __len__(self) -> int:
        """How many batches."""
        return BATCHES

    def __getitem__(self, number: int) -> int:
        """Sleep, as if loading."""
        if number >= BATCHES:
            raise IndexError
        time.sleep(LOAD_MS / 1000)
        return number


def thread_batches(workers: int) -> Iterator[int]:
    """Batches of threads that take turns, two given out ahead to each."""
    tasks: list[queue.Queue[int]] = [queue.Queue() for _ in range(workers)]
    ready: list[queue.Queue[int]] = [queue.Queue() for _ in range(workers)]
    batches = SleepingSet()

    def work(worker: int) -> None:
        for _ in range(worker, BATCHES, workers):
            ready[worker].put(batches[tasks[worker].get()])

    for number in range(min(BATCHES, 2 * workers)):
        tasks[number % workers].put(number)
    for worker in range(workers):
        threading.Thread(target=work, args=(worker,), daemon=True).start()
    for number in range(BATCHES):
        batch = ready[number % workers].get()
        if number + 2 * workers < BATCHES:
            tasks[number % workers].put(number + 2 * workers)
        yield batch


@functools.cache
def torch_loader(workers: int) -> Iterable[int]:
    """PyTorch's DataLoader, with processes that run already."""
    warnings.simplefilter("ignore")  # more workers than cores are fine if they sleep
    data = importlib.import_module("torch.utils.data")
    loader = data.DataLoader(
        SleepingSet(), batch_size=None, num_workers=workers, persistent_workers=True
    )
    for _ in loader:
        pass
    return loader


def torch_batches(workers: int) -> Iterator[int]:
    """Batches of PyTorch's DataLoader."""
    yield from torch_loader(workers)


def real_ms(batches: Callable[[int], Iterator[int]], workers: int, step_ms: float) -> float:
    """From the start to the end, the fastest of a few tries."""
    fastest = float("inf")
    for _ in range(TRIES):
        began = time.perf_counter()
        for _ in batches(workers):
            time.sleep(step_ms / 1000)
        fastest = min(fastest, 1000 * (time.perf_counter() - began))
    return fastest


def real_waits_ms(batches: Callable[[int], Iterator[int]]) -> list[float]:
    """What a trainer waits for each batch of workers that are a little too slow."""
    waits = []
    iterator = batches(ODD_WORKERS)
    for _ in range(BATCHES):
        began = time.perf_counter()
        next(iterator)
        waits.append(1000 * (time.perf_counter() - began))
        time.sleep(ODD_STEP_MS / 1000)
    return waits


def simulated(workers: int, step_ms: float) -> dict[str, Any]:
    """What the command says about the same."""
    words = [f"--workers={workers}", f"--load-ms={LOAD_MS}", f"--step-ms={step_ms}"]
    done = subprocess.run(
        [COMMAND, "simulate", "--json", *words, f"--batches={BATCHES}"],
        capture_output=True,
        check=True,
    )
    return json.loads(done.stdout)


def is_every_fourth_long(name: str, waits_ms: list[float]) -> bool:
    """Print the waits, and tell whether those of every 4th batch, and no others, are long."""
    print(f"{name:10}", " ".join(f"{wait:4.0f}" for wait in waits_ms[:13]))
    longest = max(waits_ms[1:])
    long_ones = [number for number, wait in enumerate(waits_ms) if wait > longest / 2]
    return longest > ODD_STEP_MS / 2 and long_ones == list(range(0, BATCHES, ODD_WORKERS))


def main() -> int:
    """Compare over the grid."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail if they differ too much")
    parser.add_argument("--torch", action="store_true", help="also PyTorch's DataLoader")
    options = parser.parse_args()
    loaders: dict[str, Callable[[int], Iterator[int]]] = {"threads": thread_batches}
    if options.torch:
        loaders["torch"] = torch_batches
    worst = 0.0
    print(f"load {LOAD_MS} ms, {BATCHES} batches, fastest of {TRIES}; total ms")
    print("loader   workers  step   simulated      real  difference")
    for (name, batches), workers, step_ms in itertools.product(loaders.items(), WORKERS, STEPS_MS):
        if name == "torch":
            torch_loader(workers)
        said, real = simulated(workers, step_ms)["total_ms"], real_ms(batches, workers, step_ms)
        difference = real / said - 1
        worst = max(worst, abs(difference))
        print(f"{name:8} {workers:7} {step_ms:5} {said:11.0f} {real:9.0f} {difference:10.1%}")
    print(f"largest difference {worst:.1%} (allowed: {MOST_DIFFERENCE:.0%})")
    print(f"\n{ODD_WORKERS} workers, step {ODD_STEP_MS} ms: what each batch waits, ms")
    waits = {name: real_waits_ms(batches) for name, batches in loaders.items()}
    said_batches = simulated(ODD_WORKERS, ODD_STEP_MS)["batches"]
    waits["simulated"] = [batch["wait_ms"] for batch in said_batches]
    patterns = [is_every_fourth_long(name, times) for name, times in waits.items()]
    is_odd = all(patterns)
    print(f"every 4th batch waits, the others do not: {'yes' if is_odd else 'no'}")
    return int(options.check and (worst > MOST_DIFFERENCE or not is_odd))


if __name__ == "__main__":
    sys.exit(main())
