"""Compares the rungs of `penstock ladder` with separate `penstock bench` runs.

    .venv/bin/python benchmarks/analyze/ladder_check.py FOLDER [--check] [--rounds N]

Each round runs the ladder with a bench of each rung before and after it. Prints the medians;
--check fails if a rung differs from its bench by more than 5 %, or if the ladder takes 3 minutes.
An index is written beside the data, as by every command that opens it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

COMMAND = Path(__file__).resolve().parents[2] / "build/release/cli/penstock"
RUNGS = {
    "as configured": (),
    "no prefetch": ("--prefetch", "0"),
    "1 thread": ("--threads", "1"),
    "no distortions": ("--transform", "resize"),
}
MOST_DIFFERENCE = 0.05
MOST_SECONDS = 180
SECONDS = 2  # of a bench


def penstock(*words: str) -> dict[str, Any]:
    """What a command answers."""
    done = subprocess.run([COMMAND, *words, "--json"], capture_output=True, check=True)
    return json.loads(done.stdout)


def bench(folder: str, rates: dict[str, list[float]]) -> None:
    """Add a rate to each rung."""
    for name, words in RUNGS.items():
        result = penstock("bench", folder, "--seconds", str(SECONDS), *words)
        rates[name].append(result["images_per_s"])


def main() -> int:
    """Compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--check", action="store_true", help="fail if they differ too much")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    penstock("bench", options.folder, "--seconds", str(SECONDS))  # learns entry points
    benches: dict[str, list[float]] = {name: [] for name in RUNGS}
    rungs: dict[str, list[float]] = {name: [] for name in RUNGS}
    times = []
    for _ in range(options.rounds):
        bench(options.folder, benches)
        began = time.monotonic()
        ladder = penstock("ladder", options.folder)
        times.append(time.monotonic() - began)
        for rung in ladder["rungs"]:
            if rung["name"] in rungs:
                rungs[rung["name"]].append(rung["images_per_s"])
        bench(options.folder, benches)
    worst = 0.0
    print("images/s             bench    ladder  difference")
    for name in RUNGS:
        said, alone = statistics.median(rungs[name]), statistics.median(benches[name])
        worst = max(worst, abs(said / alone - 1))
        print(f"{name:16} {alone:9.0f} {said:9.0f} {said / alone - 1:10.1%}")
    print(f"largest difference {worst:.1%} (allowed: {MOST_DIFFERENCE:.0%})")
    print(f"a ladder takes {max(times):.0f} s (allowed: {MOST_SECONDS})")
    return int(options.check and (worst > MOST_DIFFERENCE or max(times) > MOST_SECONDS))


if __name__ == "__main__":
    sys.exit(main())
