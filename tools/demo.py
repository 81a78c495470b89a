"""Shows penstock at work on what demo_data.py made: the same samples as folder and as shards."""

from __future__ import annotations

import argparse
import sys
import textwrap
import time
from dataclasses import dataclass
from pathlib import Path

import penstock as ps
from penstock import _core

BATCH = 64


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    images_per_s: float
    first_batch_s: float
    stats: ps.Stats
    sentence: str


def training(source: ps.Pipeline, image: str, label: str) -> ps.Pipeline:
    """The ImageNet training transform, without end."""
    return (
        source.shuffle(seed=7)
        .image(image, ps.RandomResizedCrop(224), ps.RandomFlip(), ps.Normalize())
        .label(label)
        .epochs(None)
        .batch(BATCH)
    )


def measure(name: str, pipeline: ps.Pipeline, seconds: float) -> Row:
    """Run for a while; the first tenth does not count."""
    began = time.perf_counter()
    with pipeline.numpy() as loader:
        batches = iter(loader)
        next(batches)
        first_batch_s = time.perf_counter() - began
        while time.perf_counter() - began < seconds / 10:
            next(batches)
        timed, images = time.perf_counter(), 0
        while time.perf_counter() - timed < seconds:
            images += len(next(batches).ids)
        rate = images / (time.perf_counter() - timed)
        return Row(name, rate, first_batch_s, loader.stats(), loader.verdict().sentence)


def shares(row: Row) -> list[str]:
    """Percent of the workers' time in each stage."""
    stages = row.stats.stages
    decode, transform = stages["decode"]["busy_s"], stages["transform"]["busy_s"]
    wait = stages["decode"]["wait_input_s"] + stages["transform"]["wait_output_s"]
    return [f"{part / (decode + transform + wait):8.1%}" for part in (decode, transform, wait)]


def print_table(rows: list[Row]) -> None:
    """The figures, for a person."""
    print()
    print("training transform (RandomResizedCrop 224, flip, normalise), float32, batches of 64:")
    print()
    print(
        f"{'source':<8}{'images/s':>10}{'first batch':>13}"
        f"{'decode':>10}{'transform':>10}{'wait':>9}"
    )
    for row in rows:
        decode, transform, wait = shares(row)
        print(
            f"{row.name:<8}{row.images_per_s:>10,.0f}{row.first_batch_s:>11.3f} s"
            f"{decode:>10}{transform:>10}{wait:>9}"
        )
    print()
    print(textwrap.fill(f"{rows[0].name}: {rows[0].sentence}", 80))
    print()
    print(
        f"{rows[0].stats.threads} worker threads; peak memory of this process "
        f"{_core.peak_memory_bytes() / 1e6:,.0f} MB, "
        f"{rows[0].stats.memory['batches'] / 1e6:,.0f} MB of it batches"
    )


def main() -> int:
    """Measure both sources."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="what demo_data.py made")
    parser.add_argument("--seconds", type=float, default=4, help="for each source")
    arguments = parser.parse_args()
    folder = training(ps.folder(arguments.data / "images"), "image", "label")
    shards = training(ps.tar(arguments.data / "shards" / "*.tar"), "jpg", "cls")
    rows = [measure("folder", folder, arguments.seconds), measure("tar", shards, arguments.seconds)]
    print_table(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
