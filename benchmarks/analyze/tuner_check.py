"""Does the tuner find a setting as good as the best fixed one, from anywhere, within ten seconds?

    python benchmarks/analyze/tuner_check.py IMAGES --check

Three jobs (computing, a slow server, a slow trainer), each from 1 and 64 threads and from 1 and
1,000 prefetched batches; and 64 threads that stay 64. Fixed and tuned runs take turns.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from photographs import make_shards

import penstock as ps

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests"))

from servers.nginx import nginx_server  # noqa: E402

BATCH = 32
SETTLE_S = 10.0
LEAST = 0.95
SLOW_BYTES_PER_S = 1_000_000  # of one connection
STARTS = [
    {"threads": 1, "prefetch": 1},
    {"threads": 64, "prefetch": 1},
    {"threads": 1, "prefetch": 1000},
    {"threads": 64, "prefetch": 1000},
]


@dataclass(frozen=True)
class Job:
    """What is loaded, and a trainer that sleeps."""

    name: str
    pipeline: ps.Pipeline
    step_s: float = 0.0

    def rate(self, warm_s: float, seconds: float, **options: Any) -> tuple[float, ps.Stats]:
        with self.pipeline.epochs(None).numpy(entry_points="off", **options) as loader:
            # Whole epochs: what is read together comes together, so that parts of one differ.
            began, timed, samples, epoch = time.perf_counter(), 0.0, 0, 0
            for batch in loader:
                now = time.perf_counter() - began
                is_first, epoch = batch.epoch != epoch, batch.epoch
                if is_first and timed and now > timed + seconds:
                    return samples / (now - timed), loader.stats()
                if is_first and not timed and now > warm_s:
                    timed = now
                if timed:
                    samples += len(batch.ids)
                if self.step_s:
                    time.sleep(self.step_s)
        raise AssertionError("a loader without end ended")


def training(url: str) -> ps.Pipeline:
    ops = ps.RandomResizedCrop(224), ps.RandomFlip(), ps.Normalize()
    return ps.tar(url).shuffle(seed=1).image("jpg", *ops).batch(BATCH)


def make_jobs(images: Path, stack: ExitStack) -> list[Job]:
    nginx = stack.enter_context(nginx_server(SLOW_BYTES_PER_S))
    shards = make_shards(images, nginx.root)
    local = training(f"{nginx.root}/{shards}")
    fast = Job("computing", local)
    step_s = 2 * BATCH / fast.rate(1, 2, threads=2, prefetch=2)[0]
    return [
        fast,
        Job("slow server", training(f"{nginx.url}/slow/{shards}")),
        Job("slow trainer", local, step_s),
    ]


def check(job: Job, seconds: float, rounds: int) -> float:
    """The least of what was reached, over the best fixed setting."""
    cores = job.rate(0.5, 0.5)[1].cores
    settings = [{"threads": t, "prefetch": p} for t in sorted({1, cores}) for p in (2, 8)]
    fixed = [
        statistics.median(job.rate(2, seconds, **setting)[0] for _ in range(rounds))
        for setting in settings
    ]
    best = max(fixed)
    print(f"{job.name:<14}best fixed: {settings[fixed.index(best)]}, {best:,.0f}/s")
    worst = 1.0
    for start in STARTS:
        shares = []
        for _ in range(rounds):
            rate, stats = job.rate(SETTLE_S, seconds, tune=True, **start)
            shares.append(rate / job.rate(SETTLE_S, seconds, **settings[fixed.index(best)])[0])
        share = statistics.median(shares)
        worst = min(worst, share)
        print(
            f"  from {start['threads']:>2} threads, {start['prefetch']:>4} ahead: "
            f"{rate:>7,.0f}/s {share:>5.0%}  ({stats.threads} threads, {stats.prefetch} ahead; "
            f"{', '.join(f'{s:.0%}' for s in shares)})",
            flush=True,
        )
    return worst


def check_forced(job: Job, seconds: float, rounds: int) -> float:
    """What 64 threads that stay 64 reach of one a core."""
    ratios = []
    for _ in range(2 * rounds + 1):
        few, many = (job.rate(1, seconds, threads=n, prefetch=2)[0] for n in (2, 64))
        ratios.append(many / few)
    share = statistics.median(ratios)
    print(f"64 threads that stay 64: {share:.0%} of 2")
    return share


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("images", type=Path, nargs="?", default=REPOSITORY / ".demo/images")
    parser.add_argument("--seconds", type=float, default=4, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", help="jobs whose name has this in it")
    parser.add_argument("--check", action="store_true", help="exit with 1 below 95 %%")
    options = parser.parse_args()
    with ExitStack() as stack:
        jobs = make_jobs(options.images, stack)
        worst = check_forced(jobs[0], options.seconds, options.rounds) if not options.only else 1.0
        for job in jobs:
            if not options.only or options.only in job.name:
                worst = min(worst, check(job, options.seconds, options.rounds))
    print(f"worst: {worst:.0%} of the best fixed setting")
    return int(options.check and worst < LEAST)


if __name__ == "__main__":
    sys.exit(main())
