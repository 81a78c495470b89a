"""As much of MessagePack as a list of objects in AIStore needs."""

from __future__ import annotations


def packed(value: object) -> bytes:
    """Encode maps, lists, text and integers, as AIStore does: the shortest form, integers signed.

    >>> packed({"n": "a", "s": [1, 3000]}).hex()
    '82a16ea161a1739201d10bb8'
    """
    if isinstance(value, dict):
        items = b"".join(packed(key) + packed(item) for key, item in value.items())
        return _size(len(value), 0x80, 16, (0xDE, 0xDF)) + items
    if isinstance(value, list):
        return _size(len(value), 0x90, 16, (0xDC, 0xDD)) + b"".join(map(packed, value))
    if isinstance(value, str):
        text = value.encode()
        if 32 <= len(text) < 256:
            return bytes([0xD9, len(text)]) + text
        return _size(len(text), 0xA0, 32, (0xDA, 0xDB)) + text
    if isinstance(value, int):
        return _integer(value)
    raise TypeError(f"{type(value).__name__} is not packed")


def _size(size: int, short: int, limit: int, codes: tuple[int, int]) -> bytes:
    if size < limit:
        return bytes([short | size])
    wide = size >= 1 << 16
    return bytes([codes[wide]]) + size.to_bytes(4 if wide else 2, "big")


def _integer(value: int) -> bytes:
    if 0 <= value < 128:
        return bytes([value])
    for code, width in ((0xD1, 2), (0xD2, 4), (0xD3, 8)):
        if abs(value) < 1 << (8 * width - 1):
            return bytes([code]) + value.to_bytes(width, "big", signed=True)
    raise OverflowError(f"{value} has more than 63 bits")
