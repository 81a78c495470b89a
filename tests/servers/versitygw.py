"""versitygw: an S3 gateway over a folder, with real signatures. Built once, into .servers/.

It comes from the Go module proxy, whose checksum database go asks; the Go toolchain comes from
PyPI (pyproject.toml, group servers), since Debian 12 has none that is young enough. Only the
program is kept.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .process import free_port, running

VERSION = "v1.8.0"
MODULE = "github.com/versity/versitygw/cmd/versitygw"
REPOSITORY = Path(__file__).resolve().parents[2]
KEPT = REPOSITORY / ".servers"


@dataclass(frozen=True)
class S3:
    """A running gateway. A folder in `root` is a bucket, a file in it an object."""

    url: str
    key: str
    secret: str
    region: str
    root: Path
    log: Path


@contextmanager
def s3_server() -> Iterator[S3]:
    """Run the gateway with no bucket yet; build it if it is not there."""
    program = installed()
    with tempfile.TemporaryDirectory(prefix="penstock-s3-") as name:
        folder = Path(name)
        port = free_port()
        server = S3(
            url=f"http://127.0.0.1:{port}",
            key="penstock-key",
            secret=secrets.token_hex(16),
            region="us-east-1",
            root=folder / "root",
            log=folder / "access.log",
        )
        for made in (server.root, folder / "metadata"):
            made.mkdir()
        secret = {"ROOT_ACCESS_KEY": server.key, "ROOT_SECRET_KEY": server.secret}
        common = ["--port", f"127.0.0.1:{port}", "--region", server.region, "--keep-alive"]
        common += ["--quiet", "--access-log", str(server.log)]
        # In a folder beside, since not every temporary folder has extended attributes.
        backend = ["posix", "--sidecar", folder / "metadata", server.root]
        command = [program, *common, *backend]
        with running(command, folder / "output.log", port, env=os.environ | secret):
            yield server


def installed() -> Path:
    """The program; built first, by one process at a time, if it is not there."""
    program = KEPT / f"versitygw-{VERSION}"
    if not program.exists():
        KEPT.mkdir(exist_ok=True)
        with (KEPT / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not program.exists():
                build(program)
    return program


def build(program: Path) -> None:
    """Get a Go toolchain, build the program, and throw everything else away."""
    print(f"building {MODULE}@{VERSION} into {KEPT}, once", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="build-", dir=KEPT) as name:
        folder = Path(name)
        quietly(sys.executable, "-m", "venv", "--upgrade-deps", folder / "venv")
        pip = [folder / "venv/bin/python", "-m", "pip", "install", "--no-cache-dir"]
        quietly(*pip, "--group", f"{REPOSITORY / 'pyproject.toml'}:servers")
        go_environment = {
            "CGO_ENABLED": "0",
            "GOBIN": str(folder / "bin"),
            "GOCACHE": str(folder / "cache"),
            "GOFLAGS": "-trimpath -modcacherw",
            "GOPATH": str(folder / "path"),
            "GOTOOLCHAIN": "local",
        }
        go = [folder / "venv/bin/go", "install", "-ldflags=-s -w", f"{MODULE}@{VERSION}"]
        quietly(*go, env=os.environ | go_environment)
        shutil.move(folder / "bin/versitygw", program)


def quietly(*command: object, env: dict[str, str] | None = None) -> None:
    """Run a command; raise with what it says if it fails."""
    arguments = [str(argument) for argument in command]
    done = subprocess.run(
        arguments, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stdout[-4000:]}")


if __name__ == "__main__":
    installed()
