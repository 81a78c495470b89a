"""ais_nodes.py ROOT LOG GATEWAY_PORT TARGET_PORT...: an AIStore gateway and its targets.

A stand-in for tests: it speaks the part of AIStore's HTTP protocol that README.md describes, over
folders (buckets) of files (objects). Redirects are signed, as in a cluster that asks for it, so
that a client which does not take them as they are is refused.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
import sys
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote, unquote, urlencode, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from servers.ais_objects import (
    RefusedError,
    checksum_of,
    object_page,
    refuse,
    signature,
    wanted_range,
)
from servers.msgpack import packed

GATEWAY_ID = "gateway1"
MSGPACK = "application/msgpack"


class Node(ThreadingHTTPServer):
    """A gateway or a target."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, handler: type[Handler], cluster: Cluster) -> None:
        """Listen on the port."""
        super().__init__(("127.0.0.1", port), handler)
        self.cluster = cluster


class Cluster:
    """What the nodes share."""

    def __init__(self, root: Path, log: Path, target_ports: list[int]) -> None:
        """Buckets are the folders of `root`."""
        self.root = root
        self.target_ports = target_ports
        self._log = log.open("a")
        self._lock = threading.Lock()

    def bucket(self, name: str) -> Path:
        """A bucket's folder."""
        folder = self.root / name
        if name in ("", ".", "..") or not folder.is_dir():
            refuse(404, "ErrBckNotFound", f'bucket "ais://{name}" does not exist')
        return folder

    def write_down(self, **fields: object) -> None:
        """Add a line to the log."""
        with self._lock:
            self._log.write(json.dumps(fields) + "\n")
            self._log.flush()


class Handler(BaseHTTPRequestHandler):
    """What gateway and targets have in common."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # so that a head is one packet
    server: Node
    node = ""

    def do(self) -> None:
        """Answer any request."""
        parts = urlsplit(self.path)
        self.url_path = unquote(parts.path)
        self.fields = {name: values[0] for name, values in parse_qs(parts.query).items()}
        try:
            if self.fields.get("provider", "ais") != "ais":
                refuse(400, "ErrInvalidBackendProvider", "invalid backend provider")
            _, kind, bucket, name = [*self.url_path.strip("/").split("/", 3), "", "", ""][:4]
            self.handle_path(kind, bucket, name)
        except RefusedError as error:
            self.answer_error(error)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do

    def handle_path(self, kind: str, bucket: str, name: str) -> None:
        """Answer a request for /v1/KIND/BUCKET/NAME."""
        raise NotImplementedError

    def body(self) -> bytes:
        """The body of the request."""
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def answer(
        self, status: int, headers: Mapping[str, object] | None = None, body: bytes = b""
    ) -> None:
        """Send an answer; its length is that of the body, if no header says another."""
        self.send_response(status)
        for name, value in ({"Content-Length": len(body)} | dict(headers or {})).items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()

    def answer_error(self, error: RefusedError) -> None:
        """Send an error as AIStore does: of HEAD in a header, else in the body."""
        said = {
            "tcode": error.code,
            "message": str(error),
            "method": self.command,
            "url_path": self.url_path,
            "remote_addr": "{}:{}".format(*self.client_address),
            "caller": "",
            "node": self.node,
            "status": error.status,
        }
        text = json.dumps({name: value for name, value in said.items() if value or name != "tcode"})
        headers = error.headers | ({"Hdr-Error": text} if self.command == "HEAD" else {})
        headers["Content-Type"] = "application/json"
        if self.command == "PUT":
            headers["Connection"] = "close"
        self.answer(error.status, headers, text.encode() + b"\n")

    def log_request(self, code: int | str = "-", _: int | str = "-") -> None:
        """Write the request down."""
        self.server.cluster.write_down(
            node=self.node,
            method=self.command,
            target=self.path,
            status=int(code),
            range=self.headers.get("Range", ""),
            agent=self.headers.get("User-Agent", ""),
        )


class Gateway(Handler):
    """Knows buckets; sends who asks for an object to its target."""

    node = f"p[{GATEWAY_ID}]"

    def handle_expect_100(self) -> bool:
        """A body is for the target: the redirect comes instead of `100 Continue`."""
        return True

    def handle_path(self, kind: str, bucket: str, name: str) -> None:
        """Answer a request for /v1/KIND/BUCKET/NAME."""
        if kind == "health":
            self.answer(200)
        elif kind == "objects":
            self.redirect(bucket, name)
        elif kind == "buckets" and self.command == "HEAD":
            self.server.cluster.bucket(bucket)
            self.answer(200, {"Ais-Bucket-Props": json.dumps({"provider": "ais"})})
        elif kind == "buckets":
            self.handle_message(bucket)
        else:
            refuse(404, "", f"no such path: {self.url_path}")

    def redirect(self, bucket: str, name: str) -> None:
        """Send the client to the target that has the object."""
        self.server.cluster.bucket(bucket)
        if not name or ".." in name.split("/"):
            refuse(400, "errInvalidPath", f'invalid object name "{name}"')
        ports = self.server.cluster.target_ports
        port = ports[hashlib.sha256(f"{bucket}/{name}".encode()).digest()[0] % len(ports)]
        fields = {"pid": GATEWAY_ID, "utm": f"{time.time_ns():x}", "vpams": "9"}
        fields["x"] = secrets.token_hex(8)
        fields["u"] = signature(self.url_path, fields)
        query = urlencode([*parse_qsl(urlsplit(self.path).query), *fields.items()])
        path = quote(self.url_path, safe="/$&+,:;=@~")
        headers = {"Location": f"http://127.0.0.1:{port}{path}?{query}"}
        # A body that waits to be asked for is for the target.
        if "Expect" in self.headers:
            headers["Connection"] = "close"
        else:
            self.body()
        self.answer(301 if self.command == "GET" else 307, headers)

    def handle_message(self, bucket: str) -> None:
        """Do what the JSON in the body asks for."""
        try:
            message = json.loads(self.body())
            action = message["action"]
        except (ValueError, TypeError, KeyError):
            refuse(400, "", "failed to unmarshal the action message")
        root = self.server.cluster.root
        if (self.command, action) == ("GET", "list"):
            self.list_buckets() if not bucket else self.list_objects(bucket, message.get("value"))
        elif (self.command, action) == ("POST", "create-bck"):
            if (root / bucket).exists():
                refuse(409, "ErrBucketAlreadyExists", f'bucket "ais://{bucket}" already exists')
            (root / bucket).mkdir()
            self.answer(200)
        elif (self.command, action) == ("DELETE", "destroy-bck"):
            shutil.rmtree(self.server.cluster.bucket(bucket))
            self.answer(200)
        else:
            refuse(400, "", f"invalid action {action!r}")

    def list_buckets(self) -> None:
        """Answer with every bucket."""
        space = {"uuid": "", "name": ""}
        found = sorted(path.name for path in self.server.cluster.root.iterdir() if path.is_dir())
        buckets = [{"name": name, "provider": "ais", "namespace": space} for name in found]
        self.answer_json(buckets)

    def list_objects(self, bucket: str, value: dict[str, Any] | None) -> None:
        """Answer with a page of a bucket's objects, in MessagePack or JSON."""
        folder = self.server.cluster.bucket(bucket)
        if value is None:
            refuse(400, "", f'bad list-buckets request: "{bucket}" vs ""')
        page = object_page(folder, value)
        accepted = str(self.headers.get("Accept", "")).split(",")
        if any(part.split(";")[0].strip() == MSGPACK for part in accepted):
            self.answer(200, {"Content-Type": MSGPACK}, packed(page.for_msgpack()))
        else:
            self.answer_json(page.for_json())

    def answer_json(self, value: object) -> None:
        """Send a value."""
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n"
        self.answer(200, {"Content-Type": "application/json; charset=utf-8"}, text.encode())


class Target(Handler):
    """Has objects."""

    node = "t[target]"

    def handle_path(self, _: str, bucket: str, name: str) -> None:
        """Answer a redirected request for /v1/objects/BUCKET/NAME."""
        if "pid" not in self.fields or "u" not in self.fields:
            refuse(403, "", f"{self.node}: {self.command}(obj) is expected to be redirected")
        if self.fields["u"] != signature(self.url_path, self.fields):
            refuse(401, "", f"{self.node}: the redirect was changed")
        path = self.server.cluster.bucket(bucket) / name
        if self.command == "PUT":
            self.put(path)
            return
        if not path.is_file():
            refuse(404, "ErrNotFound", f"{self.node}: ais://{bucket}/{name} does not exist")
        if self.command == "DELETE":
            path.unlink()
            self.answer(200)
        elif self.command == "HEAD":
            named = {"Ais-Bucket-Name": bucket, "Ais-Bucket-Provider": "ais", "Ais-Name": name}
            known = {"Content-Length": path.stat().st_size, "Ais-Present": "true"}
            self.answer(200, named | known | self.properties(path))
        else:
            self.get(path)

    def properties(self, path: Path) -> dict[str, object]:
        """Headers that say what an object is."""
        return {
            "Ais-Atime": path.stat().st_atime_ns,
            "Ais-Checksum-Type": "md5",
            "Ais-Checksum-Value": checksum_of(path),
            "Ais-Version": 1,
        }

    def put(self, path: Path) -> None:
        """Write an object; a reader sees the old one or the new one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        # Outside of the buckets, so that no list shows it.
        part = self.server.cluster.root.parent / f"part-{secrets.token_hex(8)}"
        part.write_bytes(self.body())
        part.replace(path)
        self.answer(200, self.properties(path))

    def get(self, path: Path) -> None:
        """Send an object or a range of it."""
        size = path.stat().st_size
        begin, end = 0, size
        headers: dict[str, object] = {"Content-Type": "application/octet-stream"}
        asked = self.headers.get("Range")
        if asked:
            begin, end = wanted_range(asked, size)
            headers["Accept-Ranges"] = "bytes"
            headers["Content-Range"] = f"bytes {begin}-{end - 1}/{size}"
        headers |= {"Content-Length": end - begin} | self.properties(path)
        self.answer(206 if asked else 200, headers)
        if begin < end:
            with path.open("rb") as file:
                self.connection.sendfile(file, begin, end - begin)


def main(arguments: list[str]) -> None:
    """Serve until the process is ended."""
    gateway_port, *target_ports = map(int, arguments[2:])
    cluster = Cluster(Path(arguments[0]), Path(arguments[1]), target_ports)
    nodes = [Node(port, Target, cluster) for port in target_ports]
    nodes.append(Node(gateway_port, Gateway, cluster))
    for node in nodes[:-1]:
        threading.Thread(target=node.serve_forever, daemon=True).start()
    nodes[-1].serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
