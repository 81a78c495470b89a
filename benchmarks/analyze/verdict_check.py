"""Pipelines with a planted bottleneck: is it named, and is the gain of removing it as predicted?

Each case runs twice: with the bottleneck, where the verdict is taken, and without it.

    python benchmarks/analyze/verdict_check.py IMAGES --check
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from photographs import jpegs, make_shards
from PIL import Image

import penstock as ps

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests"))

from servers.nginx import nginx_server  # noqa: E402

BATCH = 32
SIDE = 256
NUM_PICTURES = 256
ERROR = 0.2
SLOW_BYTES_PER_S = 1_000_000  # of one connection

Trainer = Callable[[int], None]


@dataclass(frozen=True)
class Job:
    """A loader and who takes its batches."""

    pipeline: ps.Pipeline
    train: Trainer = lambda _: None
    threads: int | str = "auto"
    prefetch: int | str = 2

    def rate(self, seconds: float) -> tuple[float, ps.Verdict]:
        """Samples a second after a second of warming up, and what the loader says of it."""
        # Learning entry points would make the first epoch another job than the next.
        options = {"threads": self.threads, "prefetch": self.prefetch, "entry_points": "off"}
        with self.pipeline.epochs(None).numpy(**options) as loader:
            began, timed, samples = time.perf_counter(), 0.0, 0
            for number, batch in enumerate(loader):
                now = time.perf_counter() - began
                if now > 1 and not timed:
                    timed = now
                elif timed:
                    samples += len(batch.ids)
                    if now > timed + seconds:
                        return samples / (now - timed), loader.verdict(seconds)
                self.train(number)
        raise AssertionError("a loader without end ended")


@dataclass(frozen=True)
class Case:
    """A planted bottleneck, and the same without."""

    name: str
    limits: tuple[str, ...]  # what it may be called
    planted: Job
    removed: Job


def training(source: ps.Pipeline, image: str = "image") -> ps.Pipeline:
    ops = ps.RandomResizedCrop(224), ps.RandomFlip(), ps.Normalize()
    return source.shuffle(seed=1).image(image, *ops).batch(BATCH)


def crops(source: ps.Pipeline) -> ps.Pipeline:
    """Bytes, so that memory is not what limits."""
    return source.shuffle(seed=1).image("image", ps.RandomResizedCrop(224)).batch(BATCH)


def pictures(images: Path) -> Iterator[np.ndarray]:
    """Photographs of one size."""
    files = jpegs(images)
    for number in range(NUM_PICTURES):
        with Image.open(files[number % len(files)]) as picture:
            yield np.asarray(picture.convert("RGB").resize((SIDE, SIDE)))


def spin(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def busy_map(seconds: float) -> Callable[[ps.Batch], ps.Batch]:
    def work(batch: ps.Batch) -> ps.Batch:
        spin(seconds)
        return batch

    return work


def sleepy_map(seconds: float) -> Callable[[ps.Batch], ps.Batch]:
    def work(batch: ps.Batch) -> ps.Batch:
        time.sleep(seconds)
        return batch

    return work


def bursts(period: int, step_s: float) -> Trainer:
    """Takes several batches at once, then works on them."""

    def train(number: int) -> None:
        if number % period == period - 1:
            time.sleep(period * step_s)

    return train


def make_pngs(images: Path, folder: Path) -> None:
    for number, pixels in enumerate(pictures(images)):
        Image.fromarray(pixels).save(folder / f"{number:04d}.png", compress_level=1)


def make_cases(images: Path, stack: ExitStack) -> list[Case]:
    nginx = stack.enter_context(nginx_server(SLOW_BYTES_PER_S))
    shards = make_shards(images, nginx.root)
    pngs = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="penstock-verdict-")))
    make_pngs(images, pngs)

    def remote(place: str) -> ps.Pipeline:
        return training(ps.tar(f"{nginx.url}/{place}{shards}"), "jpg")

    def local() -> ps.Pipeline:
        return training(ps.tar(f"{nginx.root}/{shards}"), "jpg")

    def png(size: int) -> ps.Pipeline:
        resize = ps.Resize((size, size)), ps.Normalize()
        return ps.folder(pngs, labels="none").shuffle(seed=1).image("image", *resize).batch(BATCH)

    step = 3 * BATCH / Job(local()).rate(2)[0]  # a third of what the loader can do
    bursty = bursts(8, step / 2.6)
    return [
        Case("slow server", ("storage",), Job(remote("slow/")), Job(remote(""))),
        Case("heavy transform", ("transform",), Job(png(1024)), Job(png(32))),
        Case(
            "heavy decoding",
            ("decode",),
            Job(crops(ps.folder(pngs, labels="none"))),
            Job(crops(ps.folder(pngs, labels="none").cache("memory", what="pixels"))),
        ),
        Case("busy map", ("map",), Job(local().map(busy_map(step))), Job(local())),
        Case("sleeping map", ("map",), Job(local().map(sleepy_map(step))), Job(local())),
        Case("slow trainer", ("trainer",), Job(local(), lambda _: time.sleep(step)), Job(local())),
        Case("busy trainer", ("trainer",), Job(local(), lambda _: spin(step)), Job(local())),
        Case("one thread", ("threads",), Job(local(), threads=1), Job(local())),
        Case(
            "one thread, png",
            ("threads",),
            Job(training(ps.folder(pngs, labels="none")), threads=1),
            Job(training(ps.folder(pngs, labels="none"))),
        ),
        Case(
            "tiny prefetch",
            ("prefetch",),
            Job(local(), bursty, prefetch=0),
            Job(local(), bursty, prefetch=24),
        ),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("images", type=Path, nargs="?", default=REPOSITORY / ".demo/images")
    parser.add_argument("--seconds", type=float, default=4, help="of each run")
    parser.add_argument("--only", help="cases whose name has this in it")
    parser.add_argument("--verbose", action="store_true", help="print each verdict")
    parser.add_argument("--check", action="store_true", help="exit with 1 if one is wrong")
    options = parser.parse_args()
    wrong = 0
    print(f"{'planted':<18}{'named':<12}{'rate':>8}{'predicted':>11}{'without':>9}{'error':>8}")
    with ExitStack() as stack:
        for case in make_cases(options.images, stack):
            if options.only and options.only not in case.name:
                continue
            rate, verdict = case.planted.rate(options.seconds)
            without, _ = case.removed.rate(options.seconds)
            error = verdict.possible_per_s / without - 1
            is_right = verdict.limit in case.limits and abs(error) <= ERROR
            wrong += not is_right
            print(
                f"{case.name:<18}{verdict.limit:<12}{rate:>8,.0f}{verdict.possible_per_s:>11,.0f}"
                f"{without:>9,.0f}{error:>8.0%}{'' if is_right else '  wrong'}",
                flush=True,
            )
            if options.verbose:
                print(verdict)
    print(f"{wrong} wrong" if wrong else "all named, all gains as predicted")
    return int(options.check and wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
