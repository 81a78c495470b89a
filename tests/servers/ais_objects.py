"""What the nodes of ais_nodes.py know of objects: ranges, pages of a list, signed redirects."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

KEY = secrets.token_bytes(16)
MAX_PAGE = 10_000
IS_CACHED = 64  # of an entry's flags: the cluster has the object itself


class RefusedError(Exception):
    """An error answer."""

    def __init__(self, status: int, code: str, message: str, **headers: str) -> None:
        """`code` is AIStore's name of the error."""
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers


def refuse(status: int, code: str, message: str) -> NoReturn:
    """Raise an error answer."""
    raise RefusedError(status, code, message)


@lru_cache(maxsize=10_000)
def checksum(path: str, _size: int, _changed_ns: int) -> str:
    """MD5 of a file."""
    return hashlib.md5(Path(path).read_bytes()).hexdigest()


def checksum_of(path: Path) -> str:
    """MD5 of a file, computed once."""
    info = path.stat()
    return checksum(str(path), info.st_size, info.st_mtime_ns)


def signature(path: str, fields: dict[str, str]) -> str:
    """What a target must find in a redirected request."""
    signed = "\n".join([path, *(fields.get(name, "") for name in ("pid", "utm", "vpams", "x"))])
    return hmac.digest(KEY, signed.encode(), "sha256").hex()[:22]


def object_names(folder: Path) -> list[str]:
    """Names of a bucket's objects, in the order of their bytes."""
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return sorted(found, key=str.encode)


def wanted_range(text: str, size: int) -> tuple[int, int]:
    """First byte and byte after the last of a Range header."""
    code = "ErrRangeNotSatisfiable"
    if "," in text:
        refuse(416, "ErrUnsupp", "cannot multi-range read - operation not supported")
    found = re.fullmatch(r"bytes=(\d*)-(\d*)", text)
    if not found or not any(found.groups()):
        refuse(416, "", f'read range "{text}" is invalid (-)')
    first, last = found.groups()
    begin = int(first) if first else max(0, size - int(last))
    end = min(int(last) + 1, size) if first and last else size
    if begin >= end:
        message = f"size={size}: not satisfiable range [{first}-{last}]"
        raise RefusedError(416, code, message, **{"Content-Range": f"bytes */{size}"})
    return begin, end


@dataclass(frozen=True)
class Page:
    """Part of a list of objects; what is empty or 0 is left out of an entry."""

    uuid: str
    token: str
    entries: list[dict[str, Any]]

    def for_msgpack(self) -> dict[str, Any]:
        """As it goes over the wire in MessagePack."""
        short = {"name": "n", "checksum": "cs", "size": "s", "flags": "f"}
        entries = [{short[key]: item for key, item in entry.items()} for entry in self.entries]
        return {"UUID": self.uuid, "ContinuationToken": self.token, "Entries": entries, "Flags": 0}

    def for_json(self) -> dict[str, Any]:
        """As it goes over the wire in JSON: sizes are text, no entry is null."""
        texts = [e | ({"size": str(e["size"])} if "size" in e else {}) for e in self.entries]
        page = {"uuid": self.uuid, "continuation_token": self.token, "entries": texts or None}
        return page | {"flags": 0}


def object_page(folder: Path, value: dict[str, Any]) -> Page:
    """The page of a bucket that the value of a list message asks for."""
    if not isinstance(value.get("pagesize", 0), int):
        refuse(400, "", "failed to unmarshal list, err: apc.LsoMsg.PageSize")
    if not isinstance(value.get("flags", "0"), str):
        refuse(400, "", "failed to unmarshal list, err: apc.LsoMsg.Flags")
    size = min(value.get("pagesize", 0) or MAX_PAGE, MAX_PAGE)
    after = value.get("continuation_token") or value.get("start_after") or ""
    names = [name for name in object_names(folder) if name.startswith(value.get("prefix", ""))]
    names = [name for name in names if name.encode() > after.encode()][:size]
    props = (value.get("props") or "name,size").split(",")
    return Page(
        uuid=value.get("uuid") or secrets.token_urlsafe(7),
        # A full page has a token also if nothing comes after it.
        token=names[-1] if len(names) == size else "",
        entries=[object_entry(folder, name, props) for name in names],
    )


def object_entry(folder: Path, name: str, props: list[str]) -> dict[str, Any]:
    """One object in a list."""
    entry: dict[str, Any] = {"name": name}
    if "checksum" in props:
        entry["checksum"] = checksum_of(folder / name)
    if "size" in props and (size := (folder / name).stat().st_size) > 0:
        entry["size"] = size
    return entry | {"flags": IS_CACHED}
