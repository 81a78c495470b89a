"""Runs the command `penstock` of the release build."""

from __future__ import annotations

import subprocess
from pathlib import Path

COMMAND = Path(__file__).resolve().parents[2] / "build/release/cli/penstock"


def penstock(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run it and give what it printed."""
    return subprocess.run(
        [COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=120
    )
