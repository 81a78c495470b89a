"""Compares JPEG decoders: whole images, crops as RandomResizedCrop draws them, entropy decoding.

    .venv/bin/python benchmarks/decode/decode_compare.py FOLDER [--check]

In every round each decoder runs once, with one thread and with two. See README.md.
"""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from PIL import Image

HERE = Path(__file__).resolve().parent
END_TO_END = HERE.parent / "end_to_end"
sys.path.append(str(END_TO_END))

from environments import (  # noqa: E402  (they lie with the other comparison)
    REPOSITORY,
    Unavailable,
    last_line,
    make_environment,
    run,
)
from job import crop_box  # noqa: E402

ENVIRONMENTS = REPOSITORY / ".compare" / "environments"
BUILD = REPOSITORY / "build" / "bench"
PROGRAM = BUILD / "benchmarks" / "decode" / "decode_compare"
KINDS = ("whole", "crop", "entropy")
THREADS = (1, 2)
TAKE_TIMEOUT_S = 300
# What is asked of penstock, by --check: times libjpeg-turbo, with one thread.
ASKS = {("whole", "penstock"): 1.3, ("entropy", "penstock"): 1.5}


@dataclass
class Decoder:
    """One line of the table."""

    what: str
    name: str
    environment: str  # empty: the C++ program
    arguments: tuple[str, ...]
    program: Path = PROGRAM  # that C++ program
    rates: dict[tuple[int, int], float] = field(default_factory=dict)  # by threads and round
    reason: str = ""  # why there are none


def decoders() -> list[Decoder]:
    """List everything that is compared; the first of each kind is the reference."""
    return [
        Decoder("whole", "libjpeg-turbo", "", ("libjpeg_whole",)),
        Decoder("whole", "penstock", "", ("penstock_whole",)),
        Decoder("whole", "DALI", "dali", ("dali", "whole")),
        Decoder("whole", "FFCV", "ffcv", ("ffcv", "whole")),
        Decoder("whole", "SPDL", "spdl", ("spdl", "whole")),
        Decoder("whole", "OpenCV", "grain", ("opencv", "whole")),
        Decoder("whole", "torchvision", "torch", ("torchvision", "whole")),
        Decoder("whole", "Pillow", "torch", ("pillow", "whole")),
        Decoder("crop", "libjpeg-turbo", "", ("libjpeg_crop",)),
        Decoder("crop", "penstock", "", ("penstock_crop",)),
        Decoder("crop", "penstock, entry points", "", ("penstock_crop_known",)),
        Decoder("crop", "DALI", "dali", ("dali", "crop")),
        Decoder("entropy", "libjpeg-turbo", "", ("libjpeg_coefficients",)),
        Decoder("entropy", "penstock", "", ("penstock_coefficients",)),
        Decoder("entropy", "penstock, skipping", "", ("penstock_skip",)),
    ]


def parse_kinds(text: str) -> tuple[str, ...]:
    """Parse a list of parts, in the order of the table."""
    names = text.split(",")
    unknown = sorted(set(names) - set(KINDS))
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]} is not one of {', '.join(KINDS)}")
    return tuple(kind for kind in KINDS if kind in names)


def parser_of(description: str | None, seconds: float) -> argparse.ArgumentParser:
    """What scripts that run the program take; `seconds` is how long a take is by default."""
    parser = argparse.ArgumentParser(
        description=description,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "images", type=Path, nargs="?", default=REPOSITORY / ".demo" / "images", metavar="FOLDER"
    )
    parser.add_argument("--count", type=int, default=500, help="how many JPEGs at most")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=seconds, help="timed, in every take")
    return parser


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = parser_of(__doc__, seconds=2.0)
    parser.add_argument("--what", type=parse_kinds, default=KINDS, help=",".join(KINDS))
    parser.add_argument("--warmup", type=float, default=0.5, help="seconds before that")
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 if penstock is slower than it should be"
    )
    return parser.parse_args()


def build_program() -> None:
    """Build the C++ program."""
    run(["cmake", "--preset", "bench", "-S", str(REPOSITORY)])
    run(["cmake", "--build", str(BUILD), "--target", "decode_compare"])


def write_list(images: Path, count: int, target: Path) -> int:
    """List RGB and gray JPEGs, each with a crop that is the same in every run."""
    jpegs = sorted(p for p in images.rglob("*") if p.suffix.lower() in (".jpg", ".jpeg"))
    rng = random.Random(1)
    lines = []
    for path in jpegs[:: max(1, len(jpegs) // count)][:count]:
        with Image.open(path) as image:
            if image.mode not in ("RGB", "L"):
                continue
            top, left, height, width = crop_box(image.height, image.width, rng)
        lines.append(f"{left} {top} {width} {height} {path.resolve()}\n")
    if not lines:
        raise SystemExit(f"decode_compare.py: no JPEGs under {images}")
    target.write_text("".join(lines))
    return len(lines)


def command_of(decoder: Decoder) -> list[str]:
    """The program and its first arguments; installs an environment if need be."""
    if not decoder.environment:
        return [str(decoder.program), *decoder.arguments]
    python = make_environment(decoder.environment, ENVIRONMENTS)
    return [str(python), str(HERE / "decoders.py"), *decoder.arguments]


def take(decoder: Decoder, num_threads: int, times: tuple[float, float], images: Path) -> float:
    """Measure once, in a fresh process: images a second."""
    command = [*command_of(decoder), str(num_threads), *map(str, times), str(images)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=TAKE_TIMEOUT_S,
        env=os.environ | {"PYTHONPATH": str(END_TO_END)},
    )
    if done.returncode != 0:
        raise Unavailable(last_line(done.stderr))
    result = json.loads(last_line(done.stdout))
    if result["failed"] > 0:
        raise Unavailable(f"{result['failed']} decodes failed")
    return float(result["images_per_s"])


def run_round(number: int, todo: list[Decoder], options: argparse.Namespace, images: Path) -> None:
    """Run every decoder once with each number of threads; the order turns round every time."""
    for num_threads in THREADS:
        for decoder in todo if number % 2 == 0 else reversed(todo):
            if decoder.reason:
                continue
            try:
                rate = take(decoder, num_threads, (options.warmup, options.seconds), images)
            except (Unavailable, subprocess.TimeoutExpired) as reason:
                decoder.reason = str(reason)
                print(f"{decoder.what} {decoder.name}: {reason}", flush=True)
                continue
            decoder.rates[num_threads, number] = rate


def figures(decoder: Decoder, reference: Decoder, num_threads: int) -> tuple[float, float]:
    """Images a second and thread, and the ratio to the reference: medians over the rounds."""
    rates = {n: rate for (threads, n), rate in decoder.rates.items() if threads == num_threads}
    ratios = [
        rate / reference.rates[num_threads, number]
        for number, rate in rates.items()
        if (num_threads, number) in reference.rates
    ]
    if not ratios:
        return math.nan, math.nan
    return median(rates.values()) / num_threads, median(ratios)


def table(what: str, rows: list[Decoder]) -> str:
    """All decoders of one kind."""
    columns = "  {:<24}" + "{:>13}{:>9}" * len(THREADS)
    titles = [text for n in THREADS for text in (f"{n} thread{'s' * (n > 1)}", "ratio")]
    lines = [f"{what}: images/s for each thread, ratio to libjpeg-turbo"]
    lines.append(columns.format("", *titles))
    for row in rows:
        if row.reason:
            lines.append(f"  {row.name:<24} not measured: {row.reason}"[:98])
            continue
        cells = []
        for num_threads in THREADS:
            rate, ratio = figures(row, rows[0], num_threads)
            cells += [f"{rate:,.0f}", f"{ratio:.2f}"]
        lines.append(columns.format(row.name, *cells))
    return "\n".join(lines) + "\n"


def unmet(rows: list[Decoder]) -> list[str]:
    """Say where penstock is slower than asked; what was not measured is."""
    complaints = []
    for (what, name), ask in ASKS.items():
        kind = [row for row in rows if row.what == what]
        ratio = math.nan
        for row in (row for row in kind if row.name == name):
            ratio = figures(row, kind[0], 1)[1]
        if not ratio >= ask:
            complaints.append(f"{what}: {ratio:.2f} x libjpeg-turbo, asked: {ask}")
    return complaints


def main() -> int:
    """Build, measure, print."""
    options = arguments()
    rows = [row for row in decoders() if row.what in options.what]
    build_program()
    with tempfile.TemporaryDirectory() as folder:
        images = Path(folder) / "images.txt"
        num_images = write_list(options.images, options.count, images)
        for number in range(options.rounds):
            run_round(number, rows, options, images)
            print(f"round {number + 1} of {options.rounds} done", flush=True)
    print(f"\n{num_images} JPEGs of {options.images}, medians of {options.rounds} rounds\n")
    for what in options.what:
        print(table(what, [row for row in rows if row.what == what]))
    if not options.check:
        return 0
    complaints = unmet(rows)
    print("\n".join(complaints) or "penstock is as fast as it should be")
    return int(bool(complaints))


if __name__ == "__main__":
    sys.exit(main())
