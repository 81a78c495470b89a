"""run.py gives addresses to a command and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

RUN = [sys.executable, str(Path(__file__).with_name("run.py")), "--"]
PRINT = "import json, os, sys; print(json.dumps(dict(os.environ)), flush=True)"


def servers_of(pid: int) -> list[int]:
    """Processes that `pid` started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def are_gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_the_command_finds_every_server_in_its_environment() -> None:
    done = subprocess.run([*RUN, sys.executable, "-c", PRINT], capture_output=True, check=True)
    values = json.loads(done.stdout)
    names = ["HTTP", "HTTPS", "CA", "HTTP_ROOT", "HTTP_USER", "HTTP_PASSWORD", "HTTP_LOG"]
    names += ["AIS", "AIS_ROOT", "AIS_LOG", "FAULT_PROXY"]
    names += [f"S3_{name}" for name in ("ENDPOINT", "KEY", "SECRET", "REGION", "ROOT", "LOG")]
    assert all(values[f"PENSTOCK_TEST_{name}"] for name in names)


def test_the_exit_code_is_that_of_the_command() -> None:
    assert subprocess.run([*RUN, "sh", "-c", "exit 7"]).returncode == 7


def test_a_missing_command_is_an_error() -> None:
    assert subprocess.run(RUN, capture_output=True).returncode == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_it_when_it_is_ended(number: signal.Signals, tmp_path: Path) -> None:
    # What SIGKILL leaves in the temporary folder goes with this test.
    env = os.environ | {"TMPDIR": str(tmp_path)}
    command = [*RUN, sys.executable, "-c", PRINT + "; sys.stdin.read()"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
    ) as process:
        assert process.stdout
        process.stdout.readline()
        started = servers_of(process.pid)
        assert len(started) >= 2
        os.kill(process.pid, number)
        process.wait(10)
        assert are_gone(started)


def test_nothing_outlives_ctrl_c() -> None:
    command = [*RUN, sys.executable, "-c", PRINT + "; sys.stdin.read()"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        assert process.stdout
        process.stdout.readline()
        started = servers_of(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        process.wait(10)
        assert are_gone(started)
