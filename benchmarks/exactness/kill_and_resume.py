"""Kills a training loop at random moments and resumes it: nothing may be lost or repeated.

    .venv/bin/python benchmarks/exactness/kill_and_resume.py [--kills 50]

The job mixes two sets of tar shards, leaves some samples out by their key, shuffles, crops and
flips, replaces bad files, prefetches, and saves the loader's state in every step. It is killed
(SIGKILL) and resumed twice over: with one rank and the same threads, and with another world size
of 1, 2, 4, 8 and other threads each time. The sequence of (epoch, sample, hash of its pixels) that
the pieces give together must be that of a run without interruption.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import random
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

import penstock as ps

GLOBAL_BATCH = 8
WORLDS = (1, 2, 4, 8)
STEP_SECONDS = 0.004  # what a step of the model takes: a life has dozens of them


def make_shards(folder: Path) -> None:
    """Two sets of shards of small JPEGs; every 20th is cut."""
    rng = np.random.default_rng(1)
    for name, count in (("a", 60), ("b", 45)):
        for shard in range(3):
            with tarfile.open(folder / f"{name}-{shard}.tar", "w") as archive:
                for number in range(shard * count // 3, (shard + 1) * count // 3):
                    pixels = rng.integers(0, 256, (40 + number % 7, 60, 3), np.uint8)
                    out = io.BytesIO()
                    Image.fromarray(pixels).save(out, "JPEG")
                    content = out.getvalue()
                    add_member(
                        archive,
                        f"{name}{number:03d}.jpg",
                        content[: -600 if number % 20 == 7 else None],
                    )


def add_member(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    """Add one file to a tar."""
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))


def make_loader(data: Path, epochs: int, rank: int, world: int, threads: int) -> ps.Loader:
    """One rank of the job."""
    many = ps.tar(f"{data}/a-*.tar").filter(key="a0[0-4]*")
    few = ps.tar(f"{data}/b-*.tar")
    return (
        ps.mix({many: 0.7, few: 0.3})
        .shuffle(window=20, lanes=4, seed=11)
        .image("jpg", ps.RandomResizedCrop(24), ps.RandomFlip(), ps.Normalize())
        .shard(rank, world)
        .epochs(epochs)
        .batch(GLOBAL_BATCH // world, last="wrap")
        .numpy(threads=threads, prefetch=4, on_error="replace", max_errors=1.0)
    )


def rows_of(batches: tuple[ps.Batch, ...]) -> list[str]:
    """The samples of a step in the order of the global batch: rank r has every world-th."""
    ranks = [
        [
            f"{batch.epoch} {sample} {hashlib.sha1(pixels.tobytes()).hexdigest()}"
            for sample, pixels in zip(batch.ids, batch["jpg"], strict=True)
        ]
        for batch in batches
    ]
    return [row for place in zip(*ranks, strict=True) for row in place]


def train(work: Path, epochs: int, world: int, threads: int, step_seconds: float) -> None:
    """The job: all ranks in step, one checkpoint a step, from the last one on."""
    checkpoint, log = work / "checkpoint.json", work / "log.txt"
    loaders = [make_loader(work, epochs, rank, world, threads) for rank in range(world)]
    log_bytes = 0
    if checkpoint.exists():
        saved = json.loads(checkpoint.read_text())
        log_bytes = saved["log_bytes"]
        if saved["state"]["epoch"] == epochs:
            return
        for loader in loaders:
            loader.restore(saved["state"])
    with log.open("ab") as out:
        out.truncate(log_bytes)  # steps that were made and not saved
        for batches in zip(*loaders, strict=True):
            log_bytes += out.write("".join(f"{row}\n" for row in rows_of(batches)).encode())
            out.flush()
            time.sleep(step_seconds)
            new = work / "checkpoint.new"
            new.write_text(json.dumps({"state": loaders[0].state(), "log_bytes": log_bytes}))
            new.replace(checkpoint)


def start(work: Path, epochs: int, world: int, threads: int) -> subprocess.Popen[bytes]:
    """Start the job in a process of its own."""
    arguments = [str(work), str(epochs), str(world), str(threads)]
    return subprocess.Popen([sys.executable, __file__, "--train", *arguments])


def finish(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a job that nobody kills."""
    if process.wait() != 0:
        sys.exit(f"the job failed with exit code {process.returncode}")


def run_with_kills(work: Path, epochs: int, kills: int, rng: random.Random, elastic: bool) -> int:
    """Kill and resume the job `kills` times, then let it finish; gives the kills that struck."""
    checkpoint = work / "checkpoint.json"
    struck = 0
    for _ in range(kills):
        world = rng.choice(WORLDS) if elastic else 1
        process = start(work, epochs, world, rng.randint(1, 4) if elastic else 2)
        before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        while process.poll() is None:  # its first step
            if checkpoint.exists() and checkpoint.stat().st_mtime_ns != before:
                break
            time.sleep(0.002)
        time.sleep(rng.uniform(0, 0.15))
        process.send_signal(signal.SIGKILL)
        struck += process.wait() == -signal.SIGKILL
    finish(start(work, epochs, 1, 2))
    return struck


def main() -> int:
    """Compare runs that are killed with one that is not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--train", nargs=4, metavar=("WORK", "EPOCHS", "WORLD", "THREADS"))
    arguments = parser.parse_args()
    if arguments.train:
        work, *numbers = arguments.train
        train(Path(work), *map(int, numbers), step_seconds=STEP_SECONDS)
        return 0

    epochs = 4 * arguments.kills
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        make_shards(work)
        train(work, epochs, 1, 2, step_seconds=0)
        log = work / "log.txt"
        expected = log.read_text()
        steps = len(expected.splitlines()) // GLOBAL_BATCH
        for elastic in (False, True):
            log.unlink()
            (work / "checkpoint.json").unlink()
            rng = random.Random(arguments.seed)
            struck = run_with_kills(work, epochs, arguments.kills, rng, elastic)
            is_same = log.read_text() == expected
            bad += not is_same or struck < arguments.kills
            what = (
                "another world size and threads each time" if elastic else "one rank, same threads"
            )
            print(
                f"{struck} of {arguments.kills} kills, {steps} steps, {what}: "
                f"{'the same sequence' if is_same else 'ANOTHER SEQUENCE'}"
            )
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
