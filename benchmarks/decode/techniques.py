"""What each technique of the JPEG decoder gains alone: the decoder without it, beside the decoder.

    .venv/bin/python benchmarks/decode/techniques.py [FOLDER]

A technique is taken out by an edit of a source file, in a copy that is compiled and linked into a
decode_compare of its own. In every round each program runs once, in the way that the technique is
made for; ratios are taken within a round. See README.md.
"""

import json
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from decode_compare import (
    BUILD,
    PROGRAM,
    REPOSITORY,
    Decoder,
    build_program,
    parser_of,
    take,
    write_list,
)

LAYER = REPOSITORY / "src" / "penstock" / "decode" / "jpeg"


@dataclass(frozen=True)
class Edit:
    """The first occurrence of `old` becomes `new`."""

    file: str
    old: str
    new: str


@dataclass
class Technique:
    """A line of the table."""

    name: str
    methods: tuple[str, ...]  # of decode_compare
    edits: tuple[Edit, ...]
    program: Path = Path()
    ratios: dict[str, list[float]] = field(default_factory=dict)  # with over without, by method


WHOLE, CROP, KNOWN = "penstock_whole", "penstock_crop", "penstock_crop_known"


def techniques() -> list[Technique]:
    """List them in the order of the data."""
    return [
        Technique(
            "own decoder instead of libjpeg-turbo",
            (WHOLE, CROP, KNOWN),
            (Edit("decode.cpp", "if (frame && ", "if (false && "),),
        ),
        Technique(
            "two coefficients in a lookup",
            (WHOLE, CROP, KNOWN),
            (Edit("huffman.cpp", "has_second = ", "has_second = false && "),),
        ),
        Technique(
            "tables of earlier images kept",
            (WHOLE, CROP, KNOWN),
            (Edit("huffman.cpp", "is_known = found != entries.end()", "is_known = false"),),
        ),
        Technique(
            "a table of its own for passing over",
            (CROP,),
            (Edit("scan.cpp", "needs_skips = passes_over_much()", "needs_skips = false"),),
        ),
        Technique(
            "coefficients stay in the first cache",
            (WHOLE, CROP, KNOWN),
            (Edit("scan.cpp", "kChunkMcus = 16", "kChunkMcus = 1024"),),
        ),
        Technique(
            "stop below the crop",
            (CROP, KNOWN),
            (
                Edit(
                    "decode.cpp",
                    ".reads_to_end = !has_end_marker",
                    ".reads_to_end = has_end_marker",
                ),
            ),
        ),
        Technique(
            "only the crop's columns",
            (CROP, KNOWN),
            (
                Edit("decode.cpp", ".left = std::max(region.x - margin_x, 0) / width", ".left = 0"),
                Edit(
                    "decode.cpp",
                    ".right = (right + width - 1) / width",
                    ".right = frame.num_mcu_columns()",
                ),
            ),
        ),
        Technique(
            "entry points inside rows too",
            (KNOWN,),
            (Edit("entry_points.cpp", "kMinColumnStep = 8", "kMinColumnStep = 1 << 20"),),
        ),
        Technique(
            "entry points",
            (KNOWN,),
            (Edit("entry_points.cpp", "if (frame.restart_interval > 0)", "if (true)"),),
        ),
        Technique(
            "AVX2 inverse DCT",
            (WHOLE, CROP, KNOWN),
            (Edit("idct.cpp", "#include", "#define HWY_DISABLED_TARGETS HWY_AVX2\n#include"),),
        ),
        Technique(
            "AVX2 colours",
            (WHOLE, CROP, KNOWN),
            (Edit("rgb.cpp", "#include", "#define HWY_DISABLED_TARGETS HWY_AVX2\n#include"),),
        ),
    ]


def edited(technique: Technique) -> dict[str, str]:
    """The sources without the technique, by file name."""
    sources: dict[str, str] = {}
    for edit in technique.edits:
        source = sources.get(edit.file) or (LAYER / edit.file).read_text()
        if edit.old not in source:
            raise SystemExit(f"techniques.py: {edit.file} has no {edit.old!r} any more")
        sources[edit.file] = source.replace(edit.old, edit.new, 1)
    return sources


def compile_source(file: str, source: str, folder: Path) -> Path:
    """Compile as the build compiles the file."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    command = next(c["command"] for c in commands if c["file"] == str(LAYER / file))
    copy, target = folder / file, folder / f"{file}.o"
    copy.write_text(source)
    words = shlex.split(command)
    words[words.index("-o") + 1] = str(target)
    words[words.index(str(LAYER / file))] = str(copy)
    subprocess.run([*words, "-w"], check=True, cwd=BUILD)
    return target


def link(objects: list[Path], target: Path) -> None:
    """Link as the build does; of what `objects` define, the libraries' is not taken."""
    program = str(PROGRAM.relative_to(BUILD))
    commands = subprocess.run(
        ["ninja", "-C", BUILD, "-t", "commands", program],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    before, after = commands[-1].split(f" -o {program} ")
    words = [f" -o {shlex.quote(str(target))}", *(shlex.quote(str(o)) for o in objects), after]
    subprocess.run(before + " ".join(words), shell=True, check=True, cwd=BUILD)


def build(technique: Technique, folder: Path) -> None:
    """Make the program that does without the technique."""
    folder.mkdir()
    objects = [compile_source(*source, folder) for source in edited(technique).items()]
    technique.program = folder / "decode_compare"
    link(objects, technique.program)


def measure(technique: Technique, method: str, seconds: float, images: Path, turn: int) -> None:
    """Run the program with and the one without."""
    programs = [PROGRAM, technique.program]
    rates = {}
    for program in programs if turn % 2 == 0 else reversed(programs):
        decoder = Decoder("", technique.name, "", (method,), program)
        rates[program] = take(decoder, 1, (seconds / 4, seconds), images)
    technique.ratios.setdefault(method, []).append(rates[programs[0]] / rates[programs[1]])


def table(rows: list[Technique]) -> str:
    """Every technique, and what it gains in each way of decoding."""
    methods = (WHOLE, CROP, KNOWN)
    lines = [f"  {'':<40}{'whole':>10}{'crop':>10}{'crop, known':>14}"]
    for row in rows:
        cells = [f"{median(row.ratios[m]):.2f} x" if m in row.ratios else "" for m in methods]
        lines.append(f"  {row.name:<40}{cells[0]:>10}{cells[1]:>10}{cells[2]:>14}")
    return "\n".join(lines)


def main() -> int:
    """Build, measure, print."""
    options = parser_of(__doc__, seconds=1.0).parse_args()
    build_program()
    rows = techniques()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, row in enumerate(rows):
            build(row, folder / str(number))
        images = folder / "images.txt"
        num_images = write_list(options.images, options.count, images)
        for turn in range(options.rounds):
            for row in rows:
                for method in row.methods:
                    measure(row, method, options.seconds, images, turn)
            print(f"round {turn + 1} of {options.rounds} done", flush=True)
    print(f"\n{num_images} JPEGs, one thread: times as fast with each technique as without it\n")
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
