"""nginx answers each location as nginx.conf says."""

from __future__ import annotations

import base64
import json
import re
import ssl
import subprocess
import time

import pytest

from .nginx import SLOW_BYTES_PER_SECOND, Nginx
from .plain_http import request

CONTENT = bytes(range(256)) * 512


@pytest.fixture(autouse=True)
def content(nginx: Nginx) -> None:
    (nginx.root / "some file.bin").write_bytes(CONTENT)


PATH = "/some%20file.bin"


def test_a_file_has_length_tag_and_ranges(nginx: Nginx) -> None:
    answer = request(nginx.url + PATH)
    assert answer.status == 200
    assert answer.body == CONTENT
    assert answer.headers["Content-Length"] == str(len(CONTENT))
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert answer.headers["ETag"]


def test_a_range_is_answered_with_that_part(nginx: Nginx) -> None:
    answer = request(nginx.url + PATH, headers={"Range": "bytes=3-5"})
    assert answer.status == 206
    assert answer.body == b"\x03\x04\x05"
    assert answer.headers["Content-Range"] == f"bytes 3-5/{len(CONTENT)}"


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_a_redirect_has_the_status_of_its_path_and_keeps_the_target(
    nginx: Nginx, code: int
) -> None:
    answer = request(f"{nginx.url}/redirect/{code}{PATH}?a=%2F")
    assert answer.status == code
    assert answer.headers["Location"] == f"{nginx.url}{PATH}?a=%2F"


def test_a_loop_points_to_itself(nginx: Nginx) -> None:
    answer = request(f"{nginx.url}/loop")
    assert (answer.status, answer.headers["Location"]) == (302, f"{nginx.url}/loop")


def test_a_private_file_needs_the_password(nginx: Nginx) -> None:
    def status(user: str, password: str) -> int:
        secret = base64.b64encode(f"{user}:{password}".encode()).decode()
        headers = {"Authorization": f"Basic {secret}"}
        return request(f"{nginx.url}/private{PATH}", headers=headers).status

    assert request(f"{nginx.url}/private{PATH}").status == 401
    assert status(nginx.user, "wrong") == 401
    assert status(nginx.user, nginx.password) == 200


def test_tls_is_trusted_with_our_authority_only(nginx: Nginx) -> None:
    assert request(nginx.https_url + PATH, ca=nginx.ca).body == CONTENT
    with pytest.raises(ssl.SSLCertVerificationError):
        request(nginx.https_url + PATH)


def test_tls_speaks_http_2(nginx: Nginx) -> None:
    command = ["curl", "-sS", "--cacert", str(nginx.ca), "-o", "/dev/null", "-w", "%{http_version}"]
    done = subprocess.run([*command, nginx.https_url + PATH], capture_output=True, check=True)
    assert done.stdout == b"2"


def test_dav_puts_makes_and_deletes(nginx: Nginx) -> None:
    assert request(f"{nginx.url}/dav/new/deep.txt", "PUT", body=b"hello").status == 201
    assert request(f"{nginx.url}/new/deep.txt").body == b"hello"
    assert request(f"{nginx.url}/dav/empty/", "MKCOL").status == 201
    assert (nginx.root / "empty").is_dir()
    assert request(f"{nginx.url}/dav/new/deep.txt", "DELETE").status == 204
    assert request(f"{nginx.url}/new/deep.txt").status == 404


def test_a_folder_is_listed_as_html_and_as_json(nginx: Nginx) -> None:
    folder = nginx.root / "listed"
    folder.mkdir()
    (folder / "one & two.bin").write_bytes(b"12345")
    page = request(f"{nginx.url}/html/listed/").body.decode()
    assert re.findall('href="([^"]*)"', page) == ["../", "one%20%26%20two.bin"]
    (entry,) = json.loads(request(f"{nginx.url}/json/listed/").body)
    assert (entry["name"], entry["type"], entry["size"]) == ("one & two.bin", "file", 5)


def test_a_slow_file_comes_at_its_rate(nginx: Nginx) -> None:
    start = time.monotonic()
    assert request(f"{nginx.url}/slow{PATH}").body == CONTENT
    assert time.monotonic() - start > 0.5 * len(CONTENT) / SLOW_BYTES_PER_SECOND


def test_a_chunked_file_has_no_length(nginx: Nginx) -> None:
    answer = request(f"{nginx.url}/chunked{PATH}")
    assert answer.body == CONTENT
    assert answer.headers["Transfer-Encoding"] == "chunked"
    assert "Content-Length" not in answer.headers


def test_a_whole_file_comes_whatever_range_is_asked(nginx: Nginx) -> None:
    answer = request(f"{nginx.url}/whole{PATH}", headers={"Range": "bytes=3-5"})
    assert (answer.status, answer.body) == (200, CONTENT)


def test_the_log_tells_each_request(nginx: Nginx) -> None:
    before = len(nginx.requests())
    request(nginx.url + PATH, headers={"Range": "bytes=3-5"})
    (logged,) = nginx.requests()[before:]
    assert logged["method"] == "GET"
    assert logged["target"] == PATH
    assert logged["status"] == 206
    assert logged["range"] == "bytes=3-5"
