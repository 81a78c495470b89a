"""The fault-injecting proxy (fault_proxy/), between a client and one of the servers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .process import START_SECONDS, running

BUILT = Path(__file__).resolve().parents[2] / "build/release/tests/fault_proxy"
VARIABLE = "PENSTOCK_TEST_FAULT_PROXY"


def program() -> Path:
    """The proxy that the environment names, or that of the release build."""
    return Path(os.environ.get(VARIABLE, BUILT))


@dataclass
class FaultProxy:
    """A running proxy; `summary` says what happened once it has ended."""

    url: str
    process: subprocess.Popen[bytes]
    summary: dict[str, Any] = field(default_factory=dict)

    def go_away(self) -> None:
        """Close every connection and refuse new ones."""
        self.process.send_signal(signal.SIGUSR1)

    def come_back(self) -> None:
        """Accept connections again."""
        self.process.send_signal(signal.SIGUSR2)


@contextmanager
def fault_proxy_server(
    upstream: str, faults: Mapping[str, float] | None = None, **options: float
) -> Iterator[FaultProxy]:
    """Run a proxy before the server at the URL `upstream`.

    `faults` has the share of the requests for each kind; `options` are the command's others, as
    `latency_ms=5` for `--latency-ms 5`.
    """
    command: list[object] = [program(), "--upstream", urlsplit(upstream).netloc]
    for name, value in {**(faults or {}), **options}.items():
        command += [f"--{name.replace('_', '-')}", value]
    with tempfile.TemporaryDirectory(prefix="penstock-proxy-") as folder:
        log = Path(folder, "output.log")
        with running(command, log) as process:
            proxy = FaultProxy(f"http://127.0.0.1:{printed_port(process, log)}", process)
            yield proxy
        proxy.summary = json.loads(log.read_text().splitlines()[-1])


def printed_port(process: subprocess.Popen[bytes], log: Path) -> int:
    """The port that the proxy chose."""
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if (text := log.read_text()).endswith("\n"):
            return int(text)
        time.sleep(0.005)
    raise RuntimeError(f"{process.args!r} did not start: {log.read_text()}")
