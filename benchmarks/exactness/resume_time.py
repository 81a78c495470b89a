"""How long a loader takes to its first batch: fresh, and restored at 90 % of an epoch.

    .venv/bin/python benchmarks/exactness/resume_time.py

100,000 samples in 20 tar shards, made for the occasion. Fails if the restored start takes 1.3 times
as long as a fresh one (medians of interleaved runs) or if the state has a kilobyte.
"""

from __future__ import annotations

import io
import json
import statistics
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import penstock as ps

SAMPLES = 100_000
SHARDS = 20
ROUNDS = 11
MOST_TIMES = 1.3
MOST_BYTES = 1024


def make_shards(folder: Path) -> None:
    """Shards of small JPEGs; a few images, repeated."""
    rng = np.random.default_rng(1)
    jpegs = []
    for number in range(50):
        coarse = Image.fromarray(rng.integers(0, 256, (9, 12, 3), np.uint8))
        out = io.BytesIO()
        coarse.resize((96 + number, 72), Image.Resampling.BICUBIC).save(out, "JPEG")
        jpegs.append(out.getvalue())
    for shard in range(SHARDS):
        with tarfile.open(folder / f"train-{shard:03d}.tar", "w") as archive:
            for number in range(SAMPLES // SHARDS):
                for ending, content in (("jpg", jpegs[number % 50]), ("cls", b"%d" % shard)):
                    member = tarfile.TarInfo(f"{number:06d}.{ending}")
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))


def first_batch(folder: Path, state: dict[str, Any] | None) -> tuple[float, ps.Loader]:
    """Seconds from nothing to the first batch, and the loader."""
    began = time.perf_counter()
    loader = (
        ps.tar(f"{folder}/train-*.tar")
        .shuffle(window=10_000, seed=7)
        .image("jpg", ps.RandomResizedCrop(64), ps.RandomFlip(), ps.Normalize())
        .label("cls")
        .batch(64)
        .numpy(threads=2)
    )
    if state is not None:
        loader.restore(state)
    next(iter(loader))
    return time.perf_counter() - began, loader


def main() -> int:
    """Measure and compare with what is allowed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_shards(folder)
        unindexed, loader = first_batch(folder, None)
        loader.seek(0, int(0.9 * SAMPLES / 64))
        state = loader.state()
        times: dict[str, list[float]] = {"fresh": [], "restored": []}
        for _ in range(ROUNDS):
            times["fresh"].append(first_batch(folder, None)[0])
            times["restored"].append(first_batch(folder, state)[0])
    fresh, restored = (statistics.median(seconds) for seconds in times.values())
    size = len(json.dumps(state))
    print(f"{SAMPLES:,} samples in {SHARDS} tar shards, median of {ROUNDS} interleaved starts")
    print(f"first start, which makes the index    {unindexed * 1000:7.1f} ms")
    print(f"fresh start to the first batch        {fresh * 1000:7.1f} ms")
    print(f"restored at 90 % to the first batch   {restored * 1000:7.1f} ms")
    print(f"ratio {restored / fresh:.2f} (allowed: {MOST_TIMES})")
    print(f"the state has {size} bytes (allowed: fewer than {MOST_BYTES})")
    return int(restored >= MOST_TIMES * fresh or size >= MOST_BYTES)


if __name__ == "__main__":
    sys.exit(main())
