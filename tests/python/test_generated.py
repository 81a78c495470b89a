"""Files that are written from the catalog are up to date."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_signatures_are_those_of_the_catalog():
    command = [sys.executable, ROOT / "tools/generate_ops.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
