"""How soon the first batch of 4,000 files comes, and how much memory the training job takes.

    .venv/bin/python benchmarks/end_to_end/start_up.py [FOLDER]

Fails if the first batch takes 0.3 s or more, without an index, or if memory grows by 300 MB or
more beyond what Python and its modules take. The files are hard links of the JPEGs of FOLDER
(default: the demo's photographs).
"""

import argparse
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import penstock as ps

FILES = 4000
MOST_SECONDS = 0.3
MOST_MEGABYTES = 300
REPOSITORY = Path(__file__).resolve().parents[2]


def peak_megabytes() -> float:
    """Peak resident memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def link_files(images: Path, out: Path) -> None:
    """Fill class folders with FILES links."""
    jpegs = sorted(p for p in images.rglob("*") if p.suffix.lower() in (".jpg", ".jpeg"))
    if not jpegs:
        sys.exit(f"no JPEGs below {images}; make demo makes some, or name a folder")
    for number in range(FILES):
        source = jpegs[number % len(jpegs)]
        folder = out / source.parent.name
        folder.mkdir(parents=True, exist_ok=True)
        os.link(source, folder / f"{number:05d}_{source.name}")


def measure(images: Path) -> tuple[float, float]:
    """Seconds to the first batch, and megabytes of growth over two epochs."""
    before = peak_megabytes()
    began = time.perf_counter()
    loader = (
        ps.folder(images, index_cache=False)
        .shuffle(seed=1)
        .image("image", ps.RandomResizedCrop(224), ps.RandomFlip(), ps.Normalize())
        .label("label")
        .epochs(2)
        .batch(64)
        .numpy(threads=2)
    )
    batches = iter(loader)
    next(batches)
    seconds = time.perf_counter() - began
    for _ in batches:
        pass
    return seconds, peak_megabytes() - before


def main() -> int:
    """Measure and compare with what is allowed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("images", type=Path, nargs="?", default=REPOSITORY / ".demo/images")
    images = parser.parse_args().images
    # Links need the file system of the photographs.
    with tempfile.TemporaryDirectory(dir=images.resolve().parent, prefix=".start_up_") as folder:
        link_files(images, Path(folder))
        seconds, megabytes = measure(Path(folder))
    print(f"first batch of {FILES:,} files after {seconds:.3f} s (allowed: {MOST_SECONDS} s)")
    print(f"memory grew by {megabytes:.0f} MB (allowed: {MOST_MEGABYTES} MB)")
    return int(seconds >= MOST_SECONDS or megabytes >= MOST_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
