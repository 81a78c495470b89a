"""The servers as pytest fixtures, one of each for a whole run; tests/conftest.py takes them in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .nginx import Nginx, nginx_server
from .versitygw import S3, s3_server


@pytest.fixture(scope="session")
def nginx() -> Iterator[Nginx]:
    """nginx with an empty root, into which tests put files."""
    with nginx_server() as server:
        yield server


@pytest.fixture(scope="session")
def s3() -> Iterator[S3]:
    """An S3 gateway without a bucket."""
    with s3_server() as server:
        yield server
