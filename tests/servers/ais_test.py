"""The AIStore stand-in answers as README.md says AIStore does."""

from __future__ import annotations

import json
import subprocess
from urllib.parse import urlsplit

import pytest

from .ais_server import Ais
from .msgpack import packed
from .plain_http import Answer, request

CONTENT = bytes(range(256)) * 4


def follow(url: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Answer:
    """Ask the gateway, then the target it names, with the address as it stands."""
    answer = request(url, method, headers, body)
    assert answer.status == (301 if method == "GET" else 307)
    return request(answer.headers["Location"], method, headers, body)


def tell(ais: Ais, method: str, path: str, message: object, **headers: str) -> Answer:
    fields = {"Content-Type": "application/json"} | headers
    return request(f"{ais.url}/v1/buckets{path}", method, fields, json.dumps(message).encode())


def page(ais: Ais, **value: object) -> dict[str, object]:
    answer = tell(ais, "GET", "/listed?provider=ais", {"action": "list", "value": value})
    assert answer.status == 200
    found: dict[str, object] = json.loads(answer.body)
    return found


@pytest.fixture(scope="module")
def objects(ais: Ais) -> str:
    """Address of a bucket with one object, `dir/a b+c.bin`."""
    assert tell(ais, "POST", "/some?provider=ais", {"action": "create-bck"}).status == 200
    url = f"{ais.url}/v1/objects/some"
    assert follow(f"{url}/dir/a%20b%2Bc.bin?provider=ais", "PUT", CONTENT).status == 200
    return url


@pytest.fixture(scope="module")
def listed(ais: Ais) -> None:
    """A bucket with objects of 0, 3000 and 200,000 bytes."""
    assert tell(ais, "POST", "/listed", {"action": "create-bck"}).status == 200
    for name, size in (("a", 0), ("n/1", 3000), ("n/2", 200_000)):
        assert follow(f"{ais.url}/v1/objects/listed/{name}", "PUT", bytes(size)).status == 200


def test_an_object_comes_from_its_target(objects: str) -> None:
    answer = follow(f"{objects}/dir/a%20b%2Bc.bin?provider=ais")
    assert (answer.status, answer.body) == (200, CONTENT)
    assert answer.headers["Ais-Checksum-Value"]


def test_a_redirect_keeps_the_query_and_adds_to_it(objects: str) -> None:
    location = request(f"{objects}/dir/a%20b%2Bc.bin?provider=ais").headers["Location"]
    parts = urlsplit(location)
    assert parts.path == "/v1/objects/some/dir/a%20b+c.bin"
    fields = [field.split("=")[0] for field in parts.query.split("&")]
    assert {"provider", "pid", "utm"} <= set(fields)


def test_a_body_that_waits_to_be_asked_for_goes_to_the_target_only(objects: str) -> None:
    command = ["curl", "-sS", "-i", "-L", "-H", "Expect: 100-continue", "-T", "-"]
    command += ["-H", "Transfer-Encoding:", "-H", "Content-Length: 4", f"{objects}/waits"]
    done = subprocess.run(command, input=b"body", capture_output=True, check=True)
    heads = done.stdout.split(b"\r\n\r\n")[:3]
    assert [head.split()[1] for head in heads] == [b"307", b"100", b"200"]
    assert b"Connection: close" in heads[0]
    assert follow(f"{objects}/waits").body == b"body"


@pytest.mark.parametrize(
    ("asked", "begin", "end"),
    [("0-3", 0, 4), ("1020-5000", 1020, 1024), ("-5", 1019, 1024), ("1000-", 1000, 1024)],
)
def test_a_range_is_answered_with_that_part(objects: str, asked: str, begin: int, end: int) -> None:
    answer = follow(f"{objects}/dir/a%20b%2Bc.bin", Range=f"bytes={asked}")
    assert (answer.status, answer.body) == (206, CONTENT[begin:end])
    assert answer.headers["Content-Range"] == f"bytes {begin}-{end - 1}/1024"


@pytest.mark.parametrize("asked", ["2000-3000", "0-1,4-5", "abc"])
def test_a_range_that_cannot_be_had_is_refused(objects: str, asked: str) -> None:
    assert follow(f"{objects}/dir/a%20b%2Bc.bin", Range=f"bytes={asked}").status == 416


def test_head_tells_the_size(objects: str) -> None:
    answer = follow(f"{objects}/dir/a%20b%2Bc.bin", "HEAD")
    assert answer.status == 200
    assert answer.headers["Content-Length"] == "1024"
    assert answer.headers["Ais-Present"] == "true"


def test_an_object_that_is_not_there_is_refused_by_the_target(objects: str) -> None:
    answer = follow(f"{objects}/nothing")
    assert (answer.status, json.loads(answer.body)["tcode"]) == (404, "ErrNotFound")
    answer = follow(f"{objects}/nothing", "HEAD")
    assert json.loads(answer.headers["Hdr-Error"])["tcode"] == "ErrNotFound"


def test_a_bucket_that_is_not_there_is_refused_by_the_gateway(ais: Ais) -> None:
    answer = request(f"{ais.url}/v1/objects/nothing/x")
    assert (answer.status, json.loads(answer.body)["tcode"]) == (404, "ErrBckNotFound")
    assert request(f"{ais.url}/v1/buckets/nothing", "HEAD").status == 404


@pytest.mark.usefixtures("objects")
def test_a_bucket_is_made_once(ais: Ais) -> None:
    answer = tell(ais, "POST", "/some", {"action": "create-bck"})
    assert (answer.status, json.loads(answer.body)["tcode"]) == (409, "ErrBucketAlreadyExists")
    assert request(f"{ais.url}/v1/buckets/some", "HEAD").status == 200


def test_an_object_can_be_deleted(objects: str) -> None:
    follow(f"{objects}/short-lived", "PUT", b"x")
    assert follow(f"{objects}/short-lived", "DELETE").status == 200
    assert follow(f"{objects}/short-lived").status == 404


@pytest.mark.usefixtures("listed")
def test_a_list_names_objects_in_order(ais: Ais) -> None:
    found = page(ais)
    assert found["continuation_token"] == ""
    assert found["entries"] == [
        {"name": "a", "flags": 64},
        {"name": "n/1", "size": "3000", "flags": 64},
        {"name": "n/2", "size": "200000", "flags": 64},
    ]


@pytest.mark.usefixtures("listed")
def test_a_list_comes_in_pages_and_the_last_may_be_empty(ais: Ais) -> None:
    first = page(ais, prefix="n/", props="name", pagesize=2)
    assert first["entries"] == [{"name": "n/1", "flags": 64}, {"name": "n/2", "flags": 64}]
    assert first["continuation_token"] == "n/2"
    last = page(ais, prefix="n/", continuation_token="n/2", uuid=first["uuid"])
    assert (last["entries"], last["continuation_token"]) == (None, "")


@pytest.mark.usefixtures("listed")
def test_a_list_is_msgpack_for_who_accepts_it(ais: Ais) -> None:
    message = {"action": "list", "value": {"prefix": "n/"}}
    answer = tell(ais, "GET", "/listed", message, Accept="application/msgpack")
    assert answer.headers["Content-Type"] == "application/msgpack"
    entries = [{"n": "n/1", "s": 3000, "f": 64}, {"n": "n/2", "s": 200_000, "f": 64}]
    rest = packed({"ContinuationToken": "", "Entries": entries, "Flags": 0})[1:]
    assert answer.body.startswith(b"\x84\xa4UUID")
    assert answer.body.endswith(rest)


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize("value", [None, {"pagesize": "2"}, {"flags": 0}])
def test_a_list_message_of_wrong_form_is_refused(ais: Ais, value: object) -> None:
    message = {"action": "list"} | ({"value": value} if value else {})
    assert tell(ais, "GET", "/listed", message).status == 400


def test_a_redirect_that_was_changed_is_refused(objects: str) -> None:
    location = request(f"{objects}/dir/a%20b%2Bc.bin").headers["Location"]
    assert request(location).status == 200
    assert request(location.replace("utm=", "utm=0")).status == 401
    assert request(location.split("?")[0]).status == 403


def test_the_log_tells_each_request(ais: Ais, objects: str) -> None:
    before = len(ais.requests())
    follow(f"{objects}/dir/a%20b%2Bc.bin", Range="bytes=0-3")
    seen = [(entry["node"], entry["status"], entry["range"]) for entry in ais.requests()[before:]]
    assert seen == [("p[gateway1]", 301, "bytes=0-3"), ("t[target]", 206, "bytes=0-3")]
