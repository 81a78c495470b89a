"""Starts a server of a test run, waits until it answers, and stops it."""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 20
STOP_SECONDS = 5

# Below the ports that the kernel gives to clients, so that none takes one between choice and use.
PORTS = range(15_000, 32_000)


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    for _ in range(100):
        port = random.SystemRandom().choice(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError(f"no free port in {PORTS}")


def dies_with_parent(command: Sequence[object]) -> list[str]:
    """The command, made to end when the thread that starts it ends, however that ends."""
    return ["setpriv", "--pdeathsig", "TERM", "--", *map(str, command)]


@contextmanager
def running(
    command: Sequence[object], log: Path, port: int | None = None, env: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A process with its output in `log`; ready once it accepts connections on `port`."""
    # In a session of its own: Ctrl-C is for the tests, which stop their servers in order.
    with log.open("ab") as output:
        process = subprocess.Popen(
            dies_with_parent(command),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=env,
            start_new_session=True,
        )
    try:
        if port is not None:
            wait_for_port(port, process, log)
        yield process
    finally:
        stop(process)


def wait_for_port(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Return once the port accepts connections; raise if the process ends or takes too long."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.01)
    raise RuntimeError(f"{process.args!r} does not listen on {port}: {log.read_text()[-2000:]}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ask the process to end, and end it if it does not."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
