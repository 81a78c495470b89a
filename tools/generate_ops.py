"""Write the ops' signatures for Python and C++ from the engine's catalog.

python tools/generate_ops.py          # write
python tools/generate_ops.py --check  # fail if the files are not as they would be written
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from penstock import _core

ROOT = Path(__file__).resolve().parent.parent
PYTHON_FILE = ROOT / "python/penstock/_ops.pyi"
CPP_FILE = ROOT / "src/penstock/ops.h"

Option = tuple[str, str, str, str]


def class_name(name: str) -> str:
    """`random_flip` -> `RandomFlip`."""
    return "".join(word.capitalize() for word in name.split("_"))


def python_type(type_name: str) -> str:
    """A sequence of numbers may be given as one number."""
    if type_name.startswith("Sequence["):
        return f"{type_name[9:-1]} | {type_name}"
    return type_name


def python_default(type_name: str, text: str) -> str:
    """Write a default as a Python literal."""
    if type_name in ("str",) or type_name.startswith("Literal"):
        return f'"{text}"'
    if type_name == "bool":
        return text.capitalize()
    if text == "none":
        return "None"
    return f"({text.replace(',', ', ')})" if "," in text else text


def python_class(name: str, doc: str, options: list[Option]) -> str:
    """Write one class of the stub file."""
    parameters = "".join(
        f",\n        {option}: {python_type(kind)} = {python_default(kind, default)}"
        for option, kind, default, _ in options
    )
    return (
        f"class {class_name(name)}(Op):\n"
        f'    """{doc}"""\n\n'
        f"    def __init__(\n        self{parameters},\n    ) -> None: ...\n"
    )


def python_text(ops: list[tuple[str, str, list[Option]]]) -> str:
    """Write the whole stub file."""
    names = sorted(["Op", *(class_name(name) for name, _, _ in ops)])
    exports = "\n".join(f'    "{name}",' for name in names)
    head = (
        "# Written by tools/generate_ops.py from the engine's catalog; do not edit.\n"
        "from collections.abc import Sequence\nfrom typing import Any, Literal\n\n"
        f"__all__ = [\n{exports}\n]\n\n"
        "def option_text(value: object) -> str: ...\n\n"
        "class Op:\n    text: str\n    def __init__(self, *args: Any, **kwargs: Any) -> None: ...\n"
    )
    return "\n".join([head, *(python_class(*op) for op in ops)])


CPP_TYPES: dict[str, str] = {
    "float": "double",
    "int": "int",
    "bool": "bool",
    "str": "std::string",
    "tuple[float, float]": "std::array<double, 2>",
    "Sequence[int]": "Numbers<int>",
    "Sequence[float]": "Numbers<double>",
}


def cpp_member(option: Option) -> str:
    """Write one member with its default."""
    name, kind, default, doc = option
    cpp_type = "std::string" if kind.startswith("Literal") else CPP_TYPES[kind]
    value = f'"{default}"' if cpp_type == "std::string" else default
    if "array" in cpp_type or "Numbers" in cpp_type:
        value = f"{{{default}}}"
    return f"  // {doc}\n  {cpp_type} {name} = {value};\n"


def cpp_struct(name: str, doc: str, options: list[Option]) -> str:
    """Write one struct of the header."""
    pairs = ", ".join(f'{{"{option}", option_value({option})}}' for option, *_ in options)
    return (
        f"// {doc}\nstruct {class_name(name)} {{\n"
        + "".join(cpp_member(option) for option in options)
        + f'\n  OptionText text() const {{ return {{"{name}", {{{pairs}}}}}; }}\n}};\n'
    )


def cpp_text(ops: list[tuple[str, str, list[Option]]]) -> str:
    """Write the whole header, formatted."""
    head = (
        "// The ops, for C++. Written by tools/generate_ops.py from the catalog; do not edit.\n"
        "#pragma once\n\n#include <array>\n#include <string>\n\n"
        '#include "penstock/base/fields.h"\n#include "penstock/option_value.h"\n\n'
        "namespace penstock {\n"
    )
    text = "\n".join([head, *(cpp_struct(*op) for op in ops), "}  // namespace penstock\n"])
    return formatted(["clang-format-19", "--assume-filename", str(CPP_FILE)], text)


def formatted(command: list[str], text: str) -> str:
    """Pass text through a formatter."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout


def main() -> int:
    """Write or check both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail on a difference")
    check = parser.parse_args().check
    writers: list[tuple[Path, Callable[[list[tuple[str, str, list[Option]]]], str]]] = [
        (CPP_FILE, cpp_text),
        (
            PYTHON_FILE,
            lambda ops: formatted(
                [sys.executable, "-m", "ruff", "format", "-", "--stdin-filename", "_ops.pyi"],
                python_text(ops),
            ),
        ),
    ]
    stale = []
    for path, write in writers:
        text = write(_core.ops())
        if path.exists() and path.read_text() == text:
            continue
        stale.append(path)
        if not check:
            path.write_text(text)
            sys.stdout.write(f"wrote {path.relative_to(ROOT)}\n")
    if check and stale:
        sys.stderr.write(
            f"not up to date: {', '.join(map(str, stale))}; run {Path(__file__).name}\n"
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
