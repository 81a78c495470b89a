"""What entry points cost: their bytes, and the time of a first epoch that learns them.

    .venv/bin/python benchmarks/decode/entry_points_cost.py [FOLDER]

Epochs with learning and with entry_points="off" take turns, each in a folder of new links to copies
of the JPEGs of FOLDER (default: the demo's photographs), all below .compare. Fails if entry points
of all images take 1.5 % of the data or more, or if learning makes the epoch 10 % longer or more
(median of the pairs).
"""

import argparse
import math
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Literal

import penstock as ps

END_TO_END = Path(__file__).resolve().parents[1] / "end_to_end"
sys.path.append(str(END_TO_END))

from datasets import find_jpegs  # noqa: E402  (it lies with the comparison)
from entry_points import make_entry_points  # noqa: E402
from environments import REPOSITORY  # noqa: E402

WORKPLACE = REPOSITORY / ".compare"
MOST_SHARE = 0.015
MOST_TIME = 0.10


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "images", type=Path, nargs="?", default=REPOSITORY / ".demo/images", metavar="FOLDER"
    )
    parser.add_argument("--samples", type=int, default=8000, help="of an epoch, at least")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    return parser.parse_args()


def copy_jpegs(images: Path, target: Path) -> list[Path]:
    """Copy the JPEGs, so that nothing is written or linked where they lie."""
    jpegs = find_jpegs(images)
    if not jpegs:
        sys.exit(f"entry_points_cost.py: no JPEGs under {images}")
    target.mkdir()
    return [
        Path(shutil.copyfile(path, target / f"{number:06d}.jpg"))
        for number, path in enumerate(jpegs)
    ]


@contextmanager
def new_links(jpegs: list[Path], num_samples: int) -> Iterator[Path]:
    """Make a folder that penstock has not seen, with `folder/<class>/<link>` in it."""
    with tempfile.TemporaryDirectory(dir=jpegs[0].parent.parent) as name:
        target = Path(name) / "folder" / "photographs"
        target.mkdir(parents=True)
        for copy in range(math.ceil(num_samples / len(jpegs))):
            for path in jpegs:
                (target / f"{path.stem}-{copy:04d}.jpg").hardlink_to(path)
        yield Path(name)


def share_of_bytes(jpegs: list[Path]) -> float:
    """The bytes of the entry points of all images over those of the images."""
    with new_links(jpegs, 1) as data:
        make_entry_points(data, "folder")
        parts = list((data / ".penstock" / "folder.entry-points").rglob("*"))
        points = sum(path.stat().st_size for path in parts)
        photographs = sum(path.stat().st_size for path in (data / "folder").glob("*/*"))
    return points / photographs


def epoch_seconds(data: Path, entry_points: Literal["learn", "off"], threads: int) -> float:
    """How long the first epoch takes, from opening the data to the end of the run."""
    start = time.perf_counter()
    loader = (
        ps.folder(data / "folder")
        .shuffle(seed=1)
        .image("image", ps.RandomResizedCrop(224), ps.RandomFlip(), ps.Normalize())
        .label("label")
        .epochs(1)
        .batch(64)
        .numpy(threads=threads, entry_points=entry_points)
    )
    for _ in loader:
        pass
    learnt = loader.stats().entry_points.get("learnt", 0)
    del loader  # what was learnt is written by then
    elapsed = time.perf_counter() - start
    if (learnt > 0) != (entry_points == "learn"):
        sys.exit(f"entry_points_cost.py: {learnt} learnt with entry_points={entry_points!r}")
    return elapsed


def measure_epochs(
    jpegs: list[Path], options: argparse.Namespace
) -> dict[Literal["learn", "off"], list[float]]:
    """Seconds of first epochs; the order turns round every time."""
    times: dict[Literal["learn", "off"], list[float]] = {"learn": [], "off": []}
    order: tuple[Literal["learn", "off"], ...] = ("learn", "off")
    for number in range(options.rounds):
        for entry_points in order if number % 2 == 0 else reversed(order):
            with new_links(jpegs, options.samples) as data:
                times[entry_points].append(epoch_seconds(data, entry_points, options.threads))
    return times


def main() -> int:
    """Measure and compare with what is allowed."""
    options = arguments()
    WORKPLACE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=WORKPLACE, prefix="cost-") as folder:
        jpegs = copy_jpegs(options.images, Path(folder) / "jpegs")
        share = share_of_bytes(jpegs)
        times = measure_epochs(jpegs, options)
    more = median(a / b for a, b in zip(times["learn"], times["off"], strict=True)) - 1
    print(f"entry points take {share:.2%} of the bytes of the data (allowed: {MOST_SHARE:.1%})")
    print(f"first epoch of at least {options.samples:,} samples, {options.rounds} pairs:")
    print(f"  with learning         {median(times['learn']):7.3f} s")
    print(f'  entry_points="off"    {median(times["off"]):7.3f} s')
    print(f"  learning makes it {more:.1%} longer (allowed: {MOST_TIME:.0%})")
    return int(share >= MOST_SHARE or more >= MOST_TIME)


if __name__ == "__main__":
    sys.exit(main())
