"""A certificate authority of our own, and a certificate of it for loopback."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

NAMES = "subjectAltName=DNS:localhost,IP:127.0.0.1"


@dataclass(frozen=True)
class Certificate:
    """Paths of PEM files."""

    ca: Path
    certificate: Path
    key: Path


def make_certificate(folder: Path) -> Certificate:
    """Make an authority and a certificate for localhost and 127.0.0.1, good for ten days."""
    made = Certificate(folder / "ca.pem", folder / "server.pem", folder / "server.key")
    ca_key = folder / "ca.key"
    new = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    new += ["-days", "10"]
    openssl(*new, "-keyout", ca_key, "-out", made.ca, "-subj", "/CN=penstock test authority")
    signed = ["-CA", made.ca, "-CAkey", ca_key, "-subj", "/CN=localhost", "-addext", NAMES]
    signed += ["-addext", "basicConstraints=critical,CA:FALSE"]
    openssl(*new, *signed, "-keyout", made.key, "-out", made.certificate)
    return made


def openssl(*arguments: object) -> None:
    """Run openssl; raise with what it says if it fails."""
    command = ["openssl", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
