"""Checks that text files have clean line ends and a last newline, and that no file is big."""

import sys
from collections.abc import Iterator
from pathlib import Path

MAX_BYTES = 1 << 20


def problems(path: Path) -> Iterator[str]:
    r"""What is wrong with a file, one line each.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_text("one \ntwo")
    >>> [problem.removeprefix(str(path)) for problem in problems(path)]
    [':1: blanks at the end of the line', ':2: no newline at the end of the file']
    """
    content = path.read_bytes()
    if len(content) > MAX_BYTES:
        yield f"{path}: {len(content)} bytes, expected at most {MAX_BYTES}"
    if b"\0" in content:
        return
    lines = content.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if line.endswith(b"\r"):
            yield f"{path}:{number}: carriage return at the end of the line"
        elif line != line.rstrip():
            yield f"{path}:{number}: blanks at the end of the line"
        if line.startswith((b"<<<<<<< ", b">>>>>>> ")):
            yield f"{path}:{number}: left over from a merge"
    if lines[-1]:
        yield f"{path}:{len(lines)}: no newline at the end of the file"
    elif content.endswith(b"\n\n"):
        yield f"{path}:{len(lines) - 1}: empty line at the end of the file"


def main(arguments: list[str]) -> int:
    """Prints the problems of the files named; 1 if there are any."""
    found = [problem for name in arguments for problem in problems(Path(name))]
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
