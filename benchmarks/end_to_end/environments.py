"""Makes the environment of each framework and builds the programs that measure the limits."""

import json
import subprocess
import sys
from pathlib import Path

from catalog import PACKAGES

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
LIMIT_LIBRARIES = {"jpeg_limit": ["-lturbojpeg"], "png_limit": ["-lpng"]}


class Unavailable(Exception):
    """A framework or a program cannot be had on this machine; the message says why."""


def last_line(text: str) -> str:
    """What a program said last, which is where most of them say what went wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"


def run(command: list[str]) -> str:
    """Run a program and return what it printed, or fail with the last thing it said."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Unavailable(str(error)) from error
    if done.returncode != 0:
        raise Unavailable(f"{Path(command[0]).name}: {last_line(done.stderr or done.stdout)}")
    return done.stdout


def own_python() -> Path:
    """Find the environment that penstock itself is installed in."""
    python = REPOSITORY / ".venv" / "bin" / "python"
    if not python.exists():
        raise Unavailable(f"no {python.relative_to(REPOSITORY)}: build penstock first (make)")
    return python


def own_command() -> Path:
    """Find the command penstock of this tree."""
    command = REPOSITORY / "build" / "release" / "cli" / "penstock"
    if not command.exists():
        raise Unavailable(f"no {command.relative_to(REPOSITORY)}: build penstock first (make)")
    return command


def make_environment(name: str, root: Path) -> Path:
    """Install an environment unless it is there already; return its Python."""
    if name == "penstock":
        return own_python()
    folder = root / name
    python = folder / "bin" / "python"
    stamp = folder / "installed.json"
    wanted = json.dumps(PACKAGES[name])
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    print(f"installing {name} ...", flush=True)
    run([sys.executable, "-m", "venv", str(folder)])
    for packages in PACKAGES[name]:
        run([str(python), "-m", "pip", "install", "--disable-pip-version-check", "-q", *packages])
    stamp.write_text(wanted)
    return python


def build_limit(name: str, root: Path) -> Path:
    """Compile one of the limit programs unless it is newer than the sources."""
    source = HERE / f"{name}.cpp"
    program = root / name
    newest = max(path.stat().st_mtime for path in (source, HERE / "decode_limit.h"))
    if program.exists() and program.stat().st_mtime > newest:
        return program
    root.mkdir(parents=True, exist_ok=True)
    libraries = LIMIT_LIBRARIES.get(name, [])
    run(["g++", "-std=c++20", "-O3", "-pthread", str(source), "-o", str(program), *libraries])
    return program
