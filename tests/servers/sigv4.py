"""AWS Signature Version 4, as little of it as tests of the servers need."""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime, timezone
from urllib.parse import urlsplit

from .versitygw import S3


def signed_headers(
    s3: S3, method: str, url: str, body: bytes = b"", secret: str | None = None
) -> dict[str, str]:
    """Headers that sign a request; path and query must be escaped, the query also sorted."""
    parts = urlsplit(url)
    now = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    digest = hashlib.sha256(body).hexdigest()
    headers = {"host": parts.netloc, "x-amz-content-sha256": digest, "x-amz-date": now}
    names = ";".join(headers)
    fields = "".join(f"{name}:{value}\n" for name, value in headers.items())
    canonical = "\n".join([method, parts.path, parts.query, fields, names, digest])
    scope = f"{now[:8]}/{s3.region}/s3/aws4_request"
    hashed = hashlib.sha256(canonical.encode()).hexdigest()
    key = f"AWS4{secret or s3.secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    to_sign = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashed}"
    signature = hmac.digest(key, to_sign.encode(), "sha256").hex()
    credential = f"AWS4-HMAC-SHA256 Credential={s3.key}/{scope}"
    authorization = f"{credential}, SignedHeaders={names}, Signature={signature}"
    return headers | {"authorization": authorization}
