"""What bad samples cost, and whether they are left out or replaced exactly.

    .venv/bin/python benchmarks/exactness/bad_samples.py [FOLDER]

Tar shards of the JPEGs of FOLDER (default: the demo's photographs), clean and damaged: 1 % of the
files are cut, 1 % are random bytes, and one shard is cut in its middle. Fails if an epoch with
on_error="skip" or "replace" runs below 95 % of the clean rate (medians of interleaved epochs), if
"skip" does not deliver every good sample once, if "replace" does not deliver full batches, if 1 and
8 threads differ, or if the manifest lists anything but the bad ones.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import random
import statistics
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import penstock as ps

REPOSITORY = Path(__file__).resolve().parents[2]
SAMPLES = 4000
SHARDS = 10
BATCH = 64
ROUNDS = 5
LEAST_RATE = 0.95


@dataclass
class Damage:
    """What was done to the data, by key."""

    bad: set[str] = field(default_factory=set)  # delivered by nobody, in the manifest
    lost: set[str] = field(default_factory=set)  # behind a cut, known to nobody


def write_shard(path: Path, members: list[tuple[str, bytes]]) -> list[int]:
    """Write a tar; gives where each member's bytes begin."""
    with tarfile.open(path, "w") as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    with tarfile.open(path) as archive:
        return [member.offset_data for member in archive.getmembers()]


def make_shards(jpegs: list[bytes], clean: Path, damaged: Path) -> Damage:
    """The same samples twice; says what is bad in the damaged ones."""
    rng = random.Random(1)
    numbers = rng.sample(range(SAMPLES), SAMPLES // 50)
    cut_files, random_files = set(numbers[::2]), set(numbers[1::2])
    damage = Damage({f"{number:06d}" for number in numbers})
    for shard in range(SHARDS):
        good, worse, keys = [], [], []
        for number in range(shard * SAMPLES // SHARDS, (shard + 1) * SAMPLES // SHARDS):
            content = jpegs[number % len(jpegs)]
            spoilt = content
            if number in cut_files:
                spoilt = content[: int(len(content) * rng.uniform(0.1, 0.95))]
            elif number in random_files:
                spoilt = rng.randbytes(len(content))
            good.append((f"{number:06d}.jpg", content))
            worse.append((f"{number:06d}.jpg", spoilt))
            keys.append(f"{number:06d}")
        write_shard(clean / f"train-{shard}.tar", good)
        offsets = write_shard(damaged / f"train-{shard}.tar", worse)
        if shard == SHARDS // 2:
            middle = len(keys) // 2
            os.truncate(damaged / f"train-{shard}.tar", offsets[middle] + 1000)
            damage.lost.update(keys[middle + 1 :])
            damage.bad -= damage.lost
            damage.bad.add(keys[middle])
    return damage


def make_loader(shards: Path, threads: int = 2, **options: object) -> ps.Loader:
    """The training transform."""
    return (
        ps.tar(f"{shards}/*.tar")
        .shuffle(window=1000, seed=7)
        .image("jpg", ps.RandomResizedCrop(224), ps.RandomFlip(), ps.Normalize())
        .batch(BATCH, last="keep")
        .numpy(threads=threads, **options)
    )


def rate(loader: ps.Loader) -> float:
    """Samples delivered a second in one epoch, from the first batch on."""
    batches = iter(loader)
    next(batches)
    began, samples = time.perf_counter(), 0
    for batch in batches:
        samples += len(batch.ids)
    return samples / (time.perf_counter() - began)


def trace(loader: ps.Loader) -> list[tuple[list[str], str]]:
    """Keys and a hash of the pixels of every batch."""
    return [
        (batch.sample_keys, hashlib.sha1(memoryview(batch["jpg"]).cast("B")).hexdigest())
        for batch in loader
    ]


def check_exactness(damaged: Path, damage: Damage) -> list[str]:
    """What is wrong with what is delivered."""
    problems = []
    manifest = damaged / "bad.jsonl"
    known = [f"{number:06d}" for number in range(SAMPLES)]
    good = sorted(set(known) - damage.bad - damage.lost)

    skipped = trace(make_loader(damaged, threads=1, on_error="skip", manifest=manifest))
    if sorted(key for keys, _ in skipped for key in keys) != good:
        problems.append("skip does not deliver every good sample once")
    if skipped != trace(make_loader(damaged, threads=8, on_error="skip")):
        problems.append("skip differs with 8 threads")
    listed = [json.loads(line)["key"] for line in manifest.read_text().splitlines()]
    if sorted(listed) != sorted(damage.bad):
        problems.append(f"the manifest lists {len(listed)}, not the {len(damage.bad)} bad ones")

    replaced = trace(make_loader(damaged, threads=1, on_error="replace"))
    if any(len(keys) != BATCH for keys, _ in replaced[:-1]):
        problems.append("replace does not deliver full batches")
    if {key for keys, _ in replaced for key in keys} != set(good):
        problems.append("replace does not deliver the good samples, and those only")
    if replaced != trace(make_loader(damaged, threads=8, on_error="replace")):
        problems.append("replace differs with 8 threads")
    return problems


def main() -> int:
    """Measure and compare with what is allowed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("images", type=Path, nargs="?", default=REPOSITORY / ".demo/images")
    images = parser.parse_args().images
    paths = sorted(p for p in images.rglob("*") if p.suffix.lower() in (".jpg", ".jpeg"))
    if not paths:
        sys.exit(f"no JPEGs below {images}; make demo makes some, or name a folder")
    jpegs = [path.read_bytes() for path in paths]
    with tempfile.TemporaryDirectory() as name:
        clean, damaged = Path(name) / "clean", Path(name) / "damaged"
        clean.mkdir()
        damaged.mkdir()
        damage = make_shards(jpegs, clean, damaged)
        problems = check_exactness(damaged, damage)
        rates: dict[str, list[float]] = {"clean": [], "skip": [], "replace": []}
        for _ in range(ROUNDS):
            rates["clean"].append(rate(make_loader(clean)))
            for policy in ("skip", "replace"):
                rates[policy].append(rate(make_loader(damaged, on_error=policy)))
    print(f"{SAMPLES} samples, {len(damage.bad)} bad, {len(damage.lost)} lost behind a cut")
    for policy in ("skip", "replace"):
        ratios = [mine / base for mine, base in zip(rates[policy], rates["clean"], strict=True)]
        ratio = statistics.median(ratios)
        print(
            f"{policy:8} {statistics.median(rates[policy]):7.0f} samples/s, "
            f"{ratio:.3f} of the clean rate (allowed: {LEAST_RATE}; "
            f"{min(ratios):.3f} to {max(ratios):.3f})"
        )
        if ratio < LEAST_RATE:
            problems.append(f"{policy} is too slow")
    for problem in problems:
        print("WRONG:", problem)
    if not problems:
        print("skip and replace are exact, the same for 1 and 8 threads; so is the manifest")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
