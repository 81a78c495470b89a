"""What counting costs: instructions by callgrind, and throughput, with counters on and off.

    python benchmarks/analyze/counter_cost.py IMAGES --check

Photographs with the training transform, and images of 32x32 pixels in memory, where a sample takes
a microsecond and counting costs most. Short runs with counters on and off take turns.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = REPOSITORY / "build/bench"
PROGRAM = BUILD / "benchmarks/analyze/counter_cost"
BATCHES = {"photos": 8, "tiny": 800}
COUNTED_BATCHES = {"photos": 3, "tiny": 150}
MOST = 0.01


def program(counts: str, kind: str, batches: int, images: Path, runs: int = 1) -> list[str]:
    return [str(word) for word in (PROGRAM, counts, kind, batches, images, runs)]


def instructions(counts: str, kind: str, images: Path, batches: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        command = [*tool, *program(counts, kind, batches, images)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if not found:
        raise SystemExit(f"counter_cost.py: callgrind counted nothing:\n{done.stderr}")
    return int(found[1])


def instructions_per_batch(counts: str, kind: str, images: Path) -> float:
    """Without what starting takes."""
    few, many = COUNTED_BATCHES[kind], 3 * COUNTED_BATCHES[kind]
    first, second = (instructions(counts, kind, images, n) for n in (few, many))
    return (second - first) / (many - few)


def time_cost(kind: str, images: Path, rounds: int) -> float:
    """The share of the throughput that counting takes.

    Whatever else the machine does makes runs slower, never faster: the faster half is compared.
    """
    command = program("turns", kind, BATCHES[kind], images, rounds)
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    rates = json.loads(done.stdout)
    on, off = (statistics.median(sorted(rates[c])[rounds // 2 :]) for c in ("on", "off"))
    return 1 - on / off


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("images", type=Path, nargs="?", default=REPOSITORY / ".demo/images")
    parser.add_argument("--rounds", type=int, default=151)
    parser.add_argument("--check", action="store_true", help="exit with 1 above 1 %%")
    options = parser.parse_args()
    for command in (
        ["--preset", "bench", "-S", REPOSITORY],
        ["--build", BUILD, "--target", "counter_cost"],
    ):
        subprocess.run(["cmake", *map(str, command)], check=True, stdout=subprocess.DEVNULL)
    costs = []
    print(f"{'samples':<10}{'instructions':>14}{'time':>9}")
    for kind in BATCHES:
        off, on = (instructions_per_batch(c, kind, options.images) for c in ("off", "on"))
        costs += [on / off - 1, time_cost(kind, options.images, options.rounds)]
        print(f"{kind:<10}{costs[-2]:>14.3%}{costs[-1]:>9.2%}", flush=True)
    return int(options.check and max(costs) > MOST)


if __name__ == "__main__":
    sys.exit(main())
