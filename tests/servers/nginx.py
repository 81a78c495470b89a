"""nginx, from a temporary folder; nginx.conf says what each location does."""

from __future__ import annotations

import json
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .certificates import make_certificate
from .process import free_port, running

SLOW_BYTES_PER_SECOND = 64 * 1024


@dataclass(frozen=True)
class Nginx:
    """A running nginx. Files put into `root` are served."""

    url: str
    https_url: str
    ca: Path
    root: Path
    user: str
    password: str
    log: Path

    def requests(self) -> list[dict[str, Any]]:
        """What was asked so far; nginx writes a request down once it is answered."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@contextmanager
def nginx_server(slow_bytes_per_s: int = SLOW_BYTES_PER_SECOND) -> Iterator[Nginx]:
    """Run nginx with nothing to serve yet; below /slow/ each connection gets so much."""
    with tempfile.TemporaryDirectory(prefix="penstock-nginx-") as name:
        folder = Path(name)
        root = folder / "root"
        root.mkdir()
        certificate = make_certificate(folder)
        user, password = "reader", secrets.token_hex(8)
        passwords = folder / "passwords"
        passwords.write_text(f"{user}:{{PLAIN}}{password}\n")
        http_port, https_port = free_port(), free_port()
        values = {
            "HTTP_PORT": http_port,
            "HTTPS_PORT": https_port,
            "CERTIFICATE": certificate.certificate,
            "KEY": certificate.key,
            "ROOT": root,
            "PASSWORDS": passwords,
            "TOKEN": password,
            "SLOW_BYTES": slow_bytes_per_s,
            "NEVER": secrets.token_hex(32),
        }
        config = folder / "nginx.conf"
        config.write_text(filled_in(values))
        command = [program(), "-p", folder, "-c", config, "-e", folder / "error.log"]
        with running(command, folder / "error.log", http_port):
            yield Nginx(
                url=f"http://127.0.0.1:{http_port}",
                https_url=f"https://127.0.0.1:{https_port}",
                ca=certificate.ca,
                root=root,
                user=user,
                password=password,
                log=folder / "access.log",
            )


def program() -> str:
    """Where Debian puts it, which is not in everybody's PATH."""
    return shutil.which("nginx") or "/usr/sbin/nginx"


def filled_in(values: dict[str, object]) -> str:
    """nginx.conf with its @NAME@s replaced."""
    text = Path(__file__).with_name("nginx.conf").read_text()
    for key, value in values.items():
        text = text.replace(f"@{key}@", str(value))
    return text
