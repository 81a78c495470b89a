"""Writing TFRecord shards."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penstock import _core

_COMPRESSIONS = {
    None: _core.Compression.NONE,
    "gzip": _core.Compression.GZIP,
    "zlib": _core.Compression.ZLIB,
}

Values = list[bytes] | npt.NDArray[np.int64] | npt.NDArray[np.float32]


class TFRecordWriter:
    """Writes a TFRecord shard of `tf.train.Example` records, as TensorFlow does.

    The file appears when the `with` block ends. If it ends with an exception nothing is left.

    >>> import tempfile, penstock as ps
    >>> path = tempfile.mkdtemp() + "/train.tfrecord"
    >>> with ps.TFRecordWriter(path) as writer:
    ...     for label in range(3):
    ...         writer.write({"image/encoded": b"...", "label": label, "box": [0.5, 1.0]})
    """

    def __init__(
        self, path: str | os.PathLike[str], compression: Literal["gzip", "zlib"] | None = None
    ) -> None:
        """Begin a file, which needs the folders on its way no more than the right to make them.

        Args:
            path: Where the file appears.
            compression: None, "gzip" or "zlib".
        """
        if compression not in _COMPRESSIONS:
            raise ValueError(f"compression is {compression!r}, expected None, 'gzip' or 'zlib'")
        self._writer = _core.TfrecordWriter(os.fspath(path), _COMPRESSIONS[compression])

    def write(self, features: Mapping[str, Any]) -> None:
        """Write one record.

        Args:
            features: By name. Bytes and text (as UTF-8) become a bytes list, whole numbers and
                booleans an int64 list, other numbers a float list; so do lists and arrays of them,
                row by row.
        """
        self._writer.write([(name, _values(name, value)) for name, value in features.items()])

    def close(self) -> None:
        """End the file, so that it appears."""
        self._writer.close(keeps=True)

    def __enter__(self) -> TFRecordWriter:
        """Give itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the file, or leave nothing after an exception."""
        self._writer.close(keeps=kind is None)


def _values(name: str, value: Any) -> Values:
    """The values of a feature, as the engine takes them.

    >>> _values("a", "text"), _values("b", [True, 2]), _values("c", 0.5)
    ([b'text'], array([1, 2]), array([0.5], dtype=float32))
    """
    listed = value if isinstance(value, (list, tuple)) else [value]
    if all(isinstance(one, (bytes, bytearray, memoryview, str)) for one in listed):
        if not listed:
            raise ValueError(f"{name} is an empty list, expected an array to know of which kind")
        return [one.encode() if isinstance(one, str) else bytes(one) for one in listed]
    array = np.asarray(value)
    if array.dtype.kind in "SU":
        return [one if isinstance(one, bytes) else one.encode() for one in array.ravel().tolist()]
    if array.dtype.kind in "biu":
        if array.dtype == np.uint64 and array.size > 0 and array.max() > np.iinfo(np.int64).max:
            raise ValueError(f"{name} holds {array.max()}, expected at most 2**63 - 1")
        return np.ascontiguousarray(array.ravel(), np.int64)
    if array.dtype.kind == "f":
        return np.ascontiguousarray(array.ravel(), np.float32)
    kind = type(value).__name__ if array.dtype == object else array.dtype.name
    raise TypeError(f"{name} is of type {kind}, expected bytes, text, numbers or lists of them")
