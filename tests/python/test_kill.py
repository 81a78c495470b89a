"""A killed training loop goes on as if nothing had happened."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks/exactness/kill_and_resume.py"


def test_killed_loops_go_on_exactly():
    done = subprocess.run(
        [sys.executable, SCRIPT, "--kills", "3"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("3 of 3 kills") == done.stdout.count("the same sequence") == 2
