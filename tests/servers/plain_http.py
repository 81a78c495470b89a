"""Plain HTTP for tests of the servers: one request on a connection of its own, nothing hidden."""

from __future__ import annotations

import http.client
import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Answer:
    """An HTTP answer. Redirects are not followed."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


def request(
    url: str,
    method: str = "GET",
    headers: dict[str, str] | None = None,
    body: bytes | None = None,
    ca: object = None,
    timeout: float = 10,
) -> Answer:
    """Ask, and read all of the answer; `ca` is the file of the authority to trust."""
    parts = urlsplit(url)
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        context = ssl.create_default_context(cafile=str(ca) if ca else None)
        connection = http.client.HTTPSConnection(parts.netloc, timeout=timeout, context=context)
    else:
        connection = http.client.HTTPConnection(parts.netloc, timeout=timeout)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request(method, target, body, headers or {})
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())
    finally:
        connection.close()
