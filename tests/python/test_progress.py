"""ps.progress on a terminal, and where there is none."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import numpy as np
import pytest

import penstock as ps

SCRIPT = """
import sys, time
import numpy as np, penstock as ps
loader = ps.arrays(x=np.arange(400)).label("x").epochs({epochs}).batch(4).numpy(threads=1)
for count, batch in enumerate(ps.progress(loader), start=1):
    time.sleep(0.01)
    if count == {stop_after}:
        break
print("end", count)
"""
CLEAR = "\r\x1b[K"


def run_on_terminal(columns: int, epochs: object = 1, stop_after: int = 0) -> tuple[str, str]:
    """What the script writes to the terminal, and what to its standard output."""
    terminal, child_end = pty.openpty()
    fcntl.ioctl(child_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    script = SCRIPT.format(epochs=epochs, stop_after=stop_after)
    path = str(Path(ps.__file__).parents[1])
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=child_end,
        env={**os.environ, "PYTHONPATH": path},
    ) as process:
        os.close(child_end)
        written = b""
        while chunk := read_some(terminal):
            written += chunk
        assert process.stdout is not None
        output = process.stdout.read().decode()
    os.close(terminal)
    assert process.returncode == 0
    return written.decode(), output


def read_some(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end is closed
        return b""


def test_one_line_says_how_it_goes():
    began = time.monotonic()
    written, output = run_on_terminal(80)
    lines = written.split(CLEAR)
    assert output == "end 100\n"
    assert lines[0] == "" and lines[-1] == ""  # it begins with, and leaves, an empty line
    line = re.compile(r"\d+/100 batches  [\d,]+ samples/s  waited \d+ %  (\w+ limits  )?eta 0:\d\d")
    assert len(lines) >= 5 and all(line.fullmatch(text) for text in lines[1:-1])
    assert len(lines) - 2 <= 5 * (time.monotonic() - began) + 1


@pytest.mark.parametrize("columns", [20, 50])
def test_it_fits_a_narrow_terminal(columns):
    written, _ = run_on_terminal(columns)
    lines = written.split(CLEAR)[1:-1]
    assert lines and all(0 < len(line) < columns for line in lines)


def test_a_loop_without_end_has_no_total_and_is_cleaned_up_after_a_break():
    written, output = run_on_terminal(80, epochs=None, stop_after=60)
    assert output == "end 60\n"
    assert "eta" not in written and re.search(r"\[K\d+ batches  ", written)
    assert written.endswith(CLEAR)


def test_says_nothing_where_there_is_no_terminal(capfd):
    loader = ps.arrays(x=np.arange(40)).label("x").batch(4).numpy()
    assert len(list(ps.progress(loader))) == 10
    assert capfd.readouterr() == ("", "")


def test_leaving_the_loop_ends_the_epoch():
    loader = ps.arrays(x=np.arange(40)).label("x").batch(4).numpy()
    for _ in ps.progress(loader):
        break
    assert next(iter(ps.progress(loader))).epoch == 1
