"""A small server of AIStore's redirect protocol (ais_nodes.py): one gateway, two targets."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .process import free_port, running

NODES = Path(__file__).with_name("ais_nodes.py")


@dataclass(frozen=True)
class Ais:
    """A running cluster. A folder in `root` is a bucket, a file in it an object."""

    url: str
    target_urls: list[str]
    root: Path
    log: Path

    def requests(self) -> list[dict[str, Any]]:
        """What gateway and targets were asked so far."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@contextmanager
def ais_server() -> Iterator[Ais]:
    """Run a cluster with no bucket yet."""
    with tempfile.TemporaryDirectory(prefix="penstock-ais-") as name:
        folder = Path(name)
        root, log = folder / "root", folder / "access.log"
        root.mkdir()
        ports = [free_port() for _ in range(3)]
        command = [sys.executable, NODES, root, log, *ports]
        with running(command, folder / "output.log", ports[0]):
            url, *target_urls = [f"http://127.0.0.1:{port}" for port in ports]
            yield Ais(url, target_urls, root, log)
