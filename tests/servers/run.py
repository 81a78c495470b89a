"""run.py -- COMMAND...: runs a command with the servers of the tests in its environment.

Starts every server, waits until they answer, runs the command, stops them, and ends with the
command's exit code. Nothing is left behind, however it ends: the servers and the command end with
this process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from servers import fault_proxy
from servers.ais_server import ais_server
from servers.nginx import nginx_server
from servers.process import dies_with_parent, stop
from servers.versitygw import s3_server


def environment(stack: ExitStack) -> dict[str, str]:
    """Start every server on the stack; gives the variables that say where they are."""
    nginx = stack.enter_context(nginx_server())
    s3 = stack.enter_context(s3_server())
    ais = stack.enter_context(ais_server())
    return {
        "PENSTOCK_TEST_HTTP": nginx.url,
        "PENSTOCK_TEST_HTTPS": nginx.https_url,
        "PENSTOCK_TEST_CA": str(nginx.ca),
        "PENSTOCK_TEST_HTTP_ROOT": str(nginx.root),
        "PENSTOCK_TEST_HTTP_LOG": str(nginx.log),
        "PENSTOCK_TEST_HTTP_USER": nginx.user,
        "PENSTOCK_TEST_HTTP_PASSWORD": nginx.password,
        "PENSTOCK_TEST_AIS": ais.url,
        "PENSTOCK_TEST_AIS_ROOT": str(ais.root),
        "PENSTOCK_TEST_AIS_LOG": str(ais.log),
        fault_proxy.VARIABLE: str(fault_proxy.program()),
        "PENSTOCK_TEST_S3_ENDPOINT": s3.url,
        "PENSTOCK_TEST_S3_KEY": s3.key,
        "PENSTOCK_TEST_S3_SECRET": s3.secret,
        "PENSTOCK_TEST_S3_REGION": s3.region,
        "PENSTOCK_TEST_S3_ROOT": str(s3.root),
        "PENSTOCK_TEST_S3_LOG": str(s3.log),
    }


def run(command: list[str], variables: dict[str, str]) -> int:
    """Run the command; its exit code, as a shell gives it."""
    process = subprocess.Popen(dies_with_parent(command), env=os.environ | variables)
    # Ctrl-C reaches the command too, which decides what it means; we end when it does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = process.wait()
    finally:
        stop(process)
    return code if code >= 0 else 128 - code


def end(number: int, _: FrameType | None) -> None:
    """Leave through every `finally`."""
    raise SystemExit(128 + number)


def main(arguments: list[str]) -> int:
    """Run what stands after `--`."""
    if arguments[:1] != ["--"] or len(arguments) < 2:
        print("usage: run.py -- COMMAND...", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGHUP, end)
    with ExitStack() as stack:
        return run(arguments[1:], environment(stack))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
