"""The servers as pytest fixtures, one of each for a whole run; tests/conftest.py takes them in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from .ais_server import Ais, ais_server
from .fault_proxy import FaultProxy, fault_proxy_server
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


@pytest.fixture
def fault_proxy() -> Iterator[Callable[..., FaultProxy]]:
    """Starts proxies that end with the test; takes what `fault_proxy_server` takes."""
    with ExitStack() as stack:
        yield lambda *arguments, **options: stack.enter_context(
            fault_proxy_server(*arguments, **options)
        )


@pytest.fixture(scope="session")
def ais() -> Iterator[Ais]:
    """A stand-in for an AIStore cluster, without a bucket."""
    with ais_server() as server:
        yield server
