"""The proxy passes messages on unchanged, and faults the share of requests that it is asked to."""

from __future__ import annotations

import http.client
import subprocess
import threading
import time
from collections import Counter
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from .fault_proxy import fault_proxy_server, program
from .nginx import Nginx
from .plain_http import request
from .sigv4 import signed_headers
from .versitygw import S3

SMALL = bytes(range(256)) * 8
LARGE = bytes(range(251)) * 20_000  # 5 MB: through the pipe


@pytest.fixture(autouse=True)
def content(nginx: Nginx) -> None:
    (nginx.root / "small.bin").write_bytes(SMALL)
    (nginx.root / "large.bin").write_bytes(LARGE)


def outcome(url: str, timeout: float = 10) -> str:
    """What one request for small.bin comes to."""
    try:
        answer = request(f"{url}/small.bin", timeout=timeout)
    except http.client.IncompleteRead:
        return "truncated"
    except http.client.RemoteDisconnected:
        return "closed"
    except ConnectionResetError:
        return "reset"
    except TimeoutError:
        return "timeout"
    if answer.status != 200:
        return str(answer.status)
    if answer.body == SMALL:
        return "whole"
    return "changed" if len(answer.body) == len(SMALL) else "short"


def outcomes(nginx: Nginx, faults: dict[str, float], seed: int, count: int = 200) -> list[str]:
    with fault_proxy_server(nginx.url, faults, seed=seed) as proxy:
        return [outcome(proxy.url) for _ in range(count)]


def test_messages_pass_unchanged_on_one_connection(nginx: Nginx) -> None:
    with fault_proxy_server(nginx.url) as proxy:
        connection = http.client.HTTPConnection(urlsplit(proxy.url).netloc, timeout=10)

        def ask(method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, answer.read()

        assert ask("GET", "/small.bin") == (200, SMALL)
        assert ask("HEAD", "/small.bin") == (200, b"")
        assert ask("GET", "/large.bin") == (200, LARGE)
        assert ask("GET", "/chunked/large.bin") == (200, LARGE)
        assert ask("PUT", "/dav/put.bin", LARGE) == (201, b"")
        assert ask("GET", "/put.bin") == (200, LARGE)
        assert ask("DELETE", "/dav/put.bin") == (204, b"")
        assert ask("GET", "/put.bin")[0] == 404
        connection.close()
    assert proxy.summary["requests"] == 8
    assert proxy.summary["most_connections"] == 1
    assert proxy.summary["bytes"] > 3 * len(LARGE)
    assert sum(proxy.summary["faults"].values()) == 0


def test_a_chunked_request_passes(nginx: Nginx) -> None:
    with fault_proxy_server(nginx.url) as proxy:
        connection = http.client.HTTPConnection(urlsplit(proxy.url).netloc, timeout=10)
        connection.request("PUT", "/dav/parts.bin", iter([b"one", SMALL, b"two"]))
        assert connection.getresponse().status == 201
        connection.close()
    assert (nginx.root / "parts.bin").read_bytes() == b"one" + SMALL + b"two"


def test_expecting_100_works_through_the_proxy(nginx: Nginx) -> None:
    command = ["curl", "-sS", "--fail", "-H", "Expect: 100-continue", "--data-binary", "@-"]
    with fault_proxy_server(nginx.url) as proxy:
        target = ["-X", "PUT", f"{proxy.url}/dav/expected.bin"]
        subprocess.run([*command, *target], input=LARGE, check=True, timeout=10)
    assert (nginx.root / "expected.bin").read_bytes() == LARGE


def test_a_signature_made_for_the_proxys_address_holds(s3: S3) -> None:
    with fault_proxy_server(s3.url) as proxy:
        url = f"{proxy.url}/through-proxy"
        assert request(url, "PUT", signed_headers(s3, "PUT", url)).status == 200
        assert request(url, "HEAD", signed_headers(s3, "HEAD", url)).status == 200


# What a client may see of each fault; nothing else, when every request has it.
SEEN = {
    "reset": {"reset"},
    "503": {"503"},
    "429": {"429"},
    "500": {"500"},
    "truncate": {"truncated"},
    "wrong-length": {"truncated", "short"},
    "corrupt": {"changed"},
}


@pytest.mark.parametrize("fault", SEEN)
def test_a_fault_with_share_one_happens_to_every_request(nginx: Nginx, fault: str) -> None:
    with fault_proxy_server(nginx.url, {fault: 1}) as proxy:
        assert {outcome(proxy.url) for _ in range(20)} == SEEN[fault]
    assert proxy.summary["faults"][fault] == proxy.summary["requests"] == 20


def test_corruption_changes_one_byte_of_a_large_body(nginx: Nginx) -> None:
    with fault_proxy_server(nginx.url, {"corrupt": 1}, seed=3) as proxy:
        body = request(f"{proxy.url}/large.bin").body
    assert len(body) == len(LARGE)
    assert sum(a != b for a, b in zip(body, LARGE, strict=True)) == 1


def test_a_large_body_is_cut_somewhere_inside(nginx: Nginx) -> None:
    with fault_proxy_server(nginx.url, {"truncate": 1}) as proxy:
        with pytest.raises(http.client.IncompleteRead) as caught:
            request(f"{proxy.url}/large.bin")
    assert 0 < len(caught.value.partial) < len(LARGE)
    assert LARGE.startswith(caught.value.partial)


def test_a_stall_ends_after_its_time(nginx: Nginx) -> None:
    with fault_proxy_server(nginx.url, {"stall": 1}, stall_s=0.5) as proxy:
        start = time.monotonic()
        assert outcome(proxy.url) == "whole"
        assert time.monotonic() - start >= 0.5
        assert outcome(proxy.url, timeout=0.1) == "timeout"
    assert proxy.summary["faults"]["stall"] == 2


def test_a_dripping_body_comes_at_its_rate(nginx: Nginx) -> None:
    with fault_proxy_server(nginx.url, {"drip": 1}, drip_rate=4 * len(SMALL)) as proxy:
        start = time.monotonic()
        assert outcome(proxy.url) == "whole"
        assert 0.15 <= time.monotonic() - start


def test_an_error_says_when_to_come_again(nginx: Nginx) -> None:
    with fault_proxy_server(nginx.url, {"503": 1}, retry_after=7) as proxy:
        put = request(f"{proxy.url}/dav/x", "PUT", body=LARGE)
        assert put.headers["Retry-After"] == "7"
    assert not (nginx.root / "x").exists()


def test_faults_happen_at_the_shares_asked(nginx: Nginx) -> None:
    faults = {"503": 0.2, "truncate": 0.1, "corrupt": 0.1}
    with fault_proxy_server(nginx.url, faults, seed=5) as proxy:
        seen = Counter(outcome(proxy.url) for _ in range(1000))
    assert 150 <= seen["503"] <= 250
    assert 65 <= seen["truncated"] <= 135
    assert 65 <= seen["changed"] <= 135
    happened = proxy.summary["faults"]
    assert happened["503"] == seen["503"]
    assert happened["truncate"] == seen["truncated"]
    assert happened["corrupt"] == seen["changed"]
    assert happened["reset"] == 0


def test_the_same_seed_gives_the_same_faults(nginx: Nginx) -> None:
    faults = {"500": 0.2, "429": 0.2, "reset": 0.2}
    first = outcomes(nginx, faults, seed=1)
    assert outcomes(nginx, faults, seed=1) == first
    assert outcomes(nginx, faults, seed=2) != first


def test_latency_does_not_hold_up_other_requests(nginx: Nginx) -> None:
    with fault_proxy_server(nginx.url, latency_ms=300) as proxy:
        start = time.monotonic()
        threads = [threading.Thread(target=outcome, args=(proxy.url,)) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 0.3 <= time.monotonic() - start < 1.5
    assert proxy.summary["most_connections"] == 10


def test_the_rate_is_that_of_all_connections_together(nginx: Nginx) -> None:
    with fault_proxy_server(nginx.url, rate=2 * len(LARGE)) as proxy:
        start = time.monotonic()
        target = f"{proxy.url}/large.bin"
        threads = [threading.Thread(target=request, args=(target,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 0.9 <= time.monotonic() - start < 3


def test_a_proxy_that_is_away_refuses_until_it_is_back(nginx: Nginx) -> None:
    def eventually(expected: str) -> bool:
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            try:
                seen = outcome(proxy.url)
            except ConnectionRefusedError:
                seen = "refused"
            if seen == expected:
                return True
        return False

    with fault_proxy_server(nginx.url) as proxy:
        kept = http.client.HTTPConnection(urlsplit(proxy.url).netloc, timeout=10)
        kept.request("GET", "/small.bin")
        kept.getresponse().read()
        proxy.go_away()
        assert eventually("refused")
        with pytest.raises(ConnectionError), closing(kept):
            kept.request("GET", "/small.bin")
            kept.getresponse()
        proxy.come_back()
        assert eventually("whole")


def test_wrong_arguments_are_said() -> None:
    done = subprocess.run(
        [program(), "--upstream", "127.0.0.1:1", "--503", "0.7", "--500", "0.7"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("fault_proxy: the shares are 1.400000 together, expected at most")
