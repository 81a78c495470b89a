"""Whether memory stays below the ceiling that was asked for.

    .venv/bin/python benchmarks/exactness/memory_ceiling.py [FOLDER] [--gigabytes 20]

Reads so many gigabytes of samples, the JPEGs of FOLDER (default: the demo's photographs) repeated,
from a folder, from tar and from TFRecord shards, with a ceiling of 256 MiB, an absurd prefetch and
a consumer that is slower than the loader. Each runs in a process of its own. Fails if peak resident
memory grows by more than the ceiling and a tenth beyond what Python and its modules take.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import penstock as ps

REPOSITORY = Path(__file__).resolve().parents[2]
CEILING_MIB = 256
MOST_MIB = 1.1 * CEILING_MIB
BATCH = 64
SLOW_SECONDS = 0.05


def make_data(paths: list[Path], folder: Path) -> None:
    """The same samples as class folders, tar and TFRecord shards."""
    (folder / "images/all").mkdir(parents=True)
    for number, path in enumerate(paths):
        (folder / f"images/all/{number:06d}.jpg").write_bytes(path.read_bytes())
    for shard in range(4):
        own = paths[shard::4]
        with tarfile.open(folder / f"train-{shard}.tar", "w") as archive:
            for number, path in enumerate(own):
                content = path.read_bytes()
                member = tarfile.TarInfo(f"{number:06d}.jpg")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        with ps.TFRecordWriter(folder / f"train-{shard}.tfrecord") as writer:
            for path in own:
                writer.write({"jpg": path.read_bytes()})


def open_source(kind: str, folder: Path) -> tuple[ps.Pipeline, str]:
    """The source and the name of its image."""
    if kind == "folder":
        return ps.folder(folder / "images"), "image"
    if kind == "tar":
        return ps.tar(f"{folder}/*.tar"), "jpg"
    return ps.tfrecord(f"{folder}/*.tfrecord"), "jpg"


def status_mib(name: str) -> float:
    """A line of this process's status: VmHWM is peak resident memory."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) / 1024
    raise KeyError(name)


def read_through(kind: str, folder: Path, gigabytes: float) -> None:
    """Print the growth of peak memory in MiB, gigabytes and seconds."""
    before = status_mib("VmRSS")
    source, image = open_source(kind, folder)
    loader = (
        source.shuffle(seed=1)
        .image(image, ps.RandomResizedCrop(224), ps.RandomFlip(), ps.Normalize())
        .epochs(None)
        .batch(BATCH)
        .numpy(threads=2, memory=f"{CEILING_MIB}MiB", prefetch=1000)
    )
    began = time.perf_counter()
    for batch in loader:
        time.sleep(SLOW_SECONDS)
        if batch.number % 16 == 0 and loader.stats().read_bytes >= gigabytes * 1e9:
            break
    stats = loader.stats()
    growth = status_mib("VmHWM") - before
    print(growth, stats.read_bytes / 1e9, time.perf_counter() - began)
    print(", ".join(f"{name} {size / 2**20:.0f}" for name, size in stats.memory.items()))


def main() -> int:
    """Measure and compare with what is allowed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("images", type=Path, nargs="?", default=REPOSITORY / ".demo/images")
    parser.add_argument("--gigabytes", type=float, default=20)
    parser.add_argument("--kinds", nargs="+", default=["folder", "tar", "tfrecord"])
    parser.add_argument("--only", nargs=2, metavar=("KIND", "FOLDER"))
    arguments = parser.parse_args()
    if arguments.only:
        read_through(arguments.only[0], Path(arguments.only[1]), arguments.gigabytes)
        return 0
    images = arguments.images
    paths = sorted(p for p in images.rglob("*") if p.suffix.lower() in (".jpg", ".jpeg"))
    if not paths:
        sys.exit(f"no JPEGs below {images}; make demo makes some, or name a folder")
    failed = False
    with tempfile.TemporaryDirectory() as name:
        make_data(paths, Path(name))
        for kind in arguments.kinds:
            command = [sys.executable, __file__, "--gigabytes", str(arguments.gigabytes)]
            done = subprocess.run(
                [*command, "--only", kind, name], stdout=subprocess.PIPE, text=True, check=True
            )
            figures, holders = done.stdout.splitlines()
            growth, read, seconds = map(float, figures.split())
            failed |= growth > MOST_MIB
            print(
                f"{kind:9} {read:5.1f} GB in {seconds:4.0f} s: memory grew by {growth:.0f} MiB "
                f"(allowed: {MOST_MIB:.0f}); MiB held: {holders}",
                flush=True,
            )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
