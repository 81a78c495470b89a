"""Images of every format have the pixels that Pillow gives, to the last bit."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import photo
from PIL import Image

import penstock as ps

SIZE = (53, 39)

IMAGE = photo(3, *SIZE)
PIXELS = np.asarray(IMAGE)
MORE = photo(4, *SIZE)


def with_alpha(image: Image.Image) -> Image.Image:
    """The image with an alpha channel from 0 to 255."""
    alpha = np.linspace(0, 255, SIZE[0] * SIZE[1]).reshape(SIZE[::-1]).astype(np.uint8)
    image = image.copy()
    image.putalpha(Image.fromarray(alpha))
    return image


def saved(kind: str, image: Image.Image, **options) -> bytes:
    """The image as Pillow writes it."""
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def turned(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x112] = orientation
    return exif


def delivered(folder: Path, file: bytes, size: tuple[int, int], channels: int) -> np.ndarray:
    """The middle of the image, `size` (width and height) large, as the loader gives it."""
    path = folder / "class" / "file.bmp"  # the ending says nothing about the format
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(file)
    pipeline = ps.folder(folder).image(
        "image", ps.CenterCrop(size[::-1]), layout="HWC", channels=channels
    )
    with pipeline.batch(1).numpy(threads=1) as loader:
        return next(iter(loader))["image"][0]


def check(folder: Path, file: bytes, expected: Image.Image | None = None) -> None:
    """The whole image and a crop of it, in colour and gray, are Pillow's."""
    if expected is None:
        expected = Image.open(io.BytesIO(file))
    rgb = expected.convert("RGB")
    for channels, mode in ((3, "RGB"), (1, "L")):
        pixels = np.asarray(rgb.convert(mode)).reshape(rgb.height, rgb.width, channels)
        whole = delivered(folder, file, rgb.size, channels)
        np.testing.assert_array_equal(whole, pixels)
        crop = delivered(folder, file, (rgb.width - 22, rgb.height - 14), channels)
        np.testing.assert_array_equal(crop, pixels[7:-7, 11:-11])


WEBP: dict[str, Callable[[], bytes]] = {
    "lossy": lambda: saved("WEBP", IMAGE, quality=80),
    "lossy, strongly compressed": lambda: saved("WEBP", IMAGE, quality=5),
    "lossy with alpha": lambda: saved("WEBP", with_alpha(IMAGE)),
    "lossy gray": lambda: saved("WEBP", IMAGE.convert("L")),
    "lossless": lambda: saved("WEBP", IMAGE, lossless=True),
    "lossless with alpha": lambda: saved("WEBP", with_alpha(IMAGE), lossless=True),
    "lossless, exact below alpha": lambda: saved(
        "WEBP", with_alpha(IMAGE), lossless=True, exact=True
    ),
    "lossless palette": lambda: saved("WEBP", IMAGE.quantize(16), lossless=True),
    "lossy animation": lambda: saved("WEBP", IMAGE, save_all=True, append_images=[MORE]),
    "lossless animation": lambda: saved(
        "WEBP", with_alpha(IMAGE), save_all=True, append_images=[MORE], lossless=True
    ),
}


@pytest.mark.parametrize("name", WEBP)
def test_webp(tmp_path, name):
    check(tmp_path, WEBP[name]())


def test_webp_is_turned_upright(tmp_path):
    file = saved("WEBP", IMAGE, lossless=True, exif=turned(6))
    check(tmp_path, file, IMAGE.transpose(Image.Transpose.ROTATE_270))


def shown_on(canvas: tuple[int, int], gif: bytes) -> bytes:
    """A GIF file with a larger screen."""
    return gif[:6] + struct.pack("<HH", *canvas) + gif[10:]


GIF: dict[str, Callable[[], bytes]] = {
    "palette": lambda: saved("GIF", IMAGE.quantize(200), interlace=0),
    "interlaced": lambda: saved("GIF", IMAGE.quantize(200), interlace=1),
    "few colours": lambda: saved("GIF", IMAGE.quantize(5)),
    "gray": lambda: saved("GIF", IMAGE.convert("L")),
    "black and white": lambda: saved("GIF", IMAGE.convert("1")),
    "colour": lambda: saved("GIF", IMAGE),
    "colour with alpha": lambda: saved("GIF", with_alpha(IMAGE)),
    "transparent": lambda: saved("GIF", IMAGE.quantize(200), transparency=7),
    "animation": lambda: saved("GIF", IMAGE, save_all=True, append_images=[MORE]),
    "smaller than the screen": lambda: shown_on((60, 41), saved("GIF", IMAGE.quantize(200))),
    "smaller than the screen, transparent": lambda: shown_on(
        (60, 41), saved("GIF", IMAGE.quantize(200), transparency=7)
    ),
    "larger than the screen": lambda: shown_on((10, 60), saved("GIF", IMAGE.quantize(200))),
}


@pytest.mark.parametrize("name", GIF)
def test_gif(tmp_path, name):
    check(tmp_path, GIF[name]())


def bmp(bits: int, pixels: bytes, height: int = SIZE[1], **options) -> bytes:
    """A BMP file with the header of 40 bytes, and what Pillow does not write."""
    palette, masks = options.get("palette", b""), options.get("masks", b"")
    offset = 54 + len(masks) + len(palette)
    return (
        struct.pack("<2sIII", b"BM", offset + len(pixels), 0, offset)
        + struct.pack("<IiiHHI", 40, SIZE[0], height, 1, bits, options.get("compression", 0))
        + struct.pack("<IiiII", len(pixels), 0, 0, len(palette) // 4, 0)
        + masks
        + palette
        + pixels
    )


def padded_rows(rows: np.ndarray) -> bytes:
    """The rows from the lowest up, each padded to a multiple of four bytes."""
    pad = bytes(-rows[0].nbytes % 4)
    return b"".join(row.tobytes() + pad for row in rows[::-1])


def colours(count: int) -> bytes:
    return b"".join(bytes([i * 11 % 256, i * 7 % 256, 255 - i, 0]) for i in range(count))


def run_length_rows(bits: int, indices: np.ndarray) -> bytes:
    """Every row as runs of its first half, and its second half as it is."""
    out = b""
    for row in indices[::-1].tolist():
        half = len(row) // 2
        for index in row[:half]:
            out += bytes([1, index if bits == 8 else index << 4])
        rest = row[half:]
        literals = bytes(rest)
        if bits == 4:
            rest_even = [*rest, 0]
            literals = bytes(
                rest_even[i] << 4 | rest_even[i + 1] for i in range(0, len(rest) // 2 * 2 + 1, 2)
            )
        out += bytes([0, len(rest)]) + literals + bytes(len(literals) % 2) + b"\0\0"
    return out + b"\0\1"


def sixteen_bits(green_bits: int) -> bytes:
    red, green, blue = (PIXELS[..., c].astype(np.uint16) for c in range(3))
    packed = red >> 3 << (5 + green_bits) | green >> (8 - green_bits) << 5 | blue >> 3
    return padded_rows(packed)


def os2_bmp() -> bytes:
    rows = padded_rows(PIXELS[..., ::-1])
    header = struct.pack("<IHHHH", 12, *SIZE, 1, 24)
    return struct.pack("<2sIII", b"BM", 26 + len(rows), 0, 26) + header + rows


BMP: dict[str, Callable[[], bytes]] = {
    "black and white": lambda: saved("BMP", IMAGE.convert("1")),
    "gray": lambda: saved("BMP", IMAGE.convert("L")),
    "palette": lambda: saved("BMP", IMAGE.quantize(200)),
    "colour": lambda: saved("BMP", IMAGE),
    "colour with alpha": lambda: saved("BMP", with_alpha(IMAGE)),
    "top down": lambda: bmp(24, padded_rows(PIXELS), -SIZE[1]),
    "32 bits": lambda: bmp(32, padded_rows(np.dstack([PIXELS, PIXELS[..., 0]]))),
    "16 bits": lambda: bmp(16, sixteen_bits(5)),
    "16 bits with masks": lambda: bmp(
        16, sixteen_bits(6), compression=3, masks=struct.pack("<III", 0xF800, 0x7E0, 0x1F)
    ),
    "32 bits with masks": lambda: bmp(
        32,
        padded_rows(np.dstack([PIXELS, PIXELS[..., 0]])),
        compression=3,
        masks=struct.pack("<III", 0xFF000000, 0xFF0000, 0xFF00),
    ),
    "4 bits": lambda: bmp(4, padded_rows(PIXELS[:, :27, 0]), palette=colours(16)),
    "1 bit": lambda: bmp(1, padded_rows(PIXELS[:, :7, 0]), palette=colours(2)),
    "runs of 8 bits": lambda: bmp(
        8, run_length_rows(8, PIXELS[..., 0]), compression=1, palette=colours(256)
    ),
    "runs of 4 bits": lambda: bmp(
        4, run_length_rows(4, PIXELS[..., 0] >> 4), compression=2, palette=colours(16)
    ),
    "os/2": os2_bmp,
}


@pytest.mark.parametrize("name", BMP)
def test_bmp(tmp_path, name):
    check(tmp_path, BMP[name]())


def tiff(pixels: np.ndarray, photometric: int, **options) -> bytes:
    """An uncompressed TIFF file, and what Pillow does not write.

    Args:
        pixels: Rows of pixels of samples.
        photometric: The colour space.
        **options: order ("<" or ">"), separate (planes), tile (the side of a tile), extra (the
            kind of the last sample).
    """
    order, tile = options.get("order", "<"), options.get("tile", 0)
    height, width, samples = pixels.shape
    planes = (
        [pixels[..., s : s + 1] for s in range(samples)] if options.get("separate") else [pixels]
    )
    rows = tile or 16
    blocks = []
    for plane in planes:
        for y in range(0, height, rows):
            for x in range(0, width, tile or width):
                block = plane[y : y + rows, x : x + (tile or width)]
                if tile:
                    missing = [(0, tile - block.shape[0]), (0, tile - block.shape[1]), (0, 0)]
                    block = np.pad(block, missing)
                blocks.append(block.astype(pixels.dtype.newbyteorder(order)).tobytes())
    tags = {
        256: ("I", [width]),
        257: ("I", [height]),
        258: ("H", [pixels.itemsize * 8] * samples),
        259: ("H", [1]),
        262: ("H", [photometric]),
        277: ("H", [samples]),
        284: ("H", [2 if len(planes) > 1 else 1]),
    }
    offsets = [8 + sum(map(len, blocks[:i])) for i in range(len(blocks))]
    tags[324 if tile else 273] = ("I", offsets)
    tags[325 if tile else 279] = ("I", [len(block) for block in blocks])
    if tile:
        tags |= {322: ("I", [tile]), 323: ("I", [tile])}
    else:
        tags[278] = ("I", [rows])
    if "extra" in options:
        tags[338] = ("H", [options["extra"]])

    data = b"".join(blocks) + bytes(sum(map(len, blocks)) % 2)
    entries, beyond = b"", b""
    place = 8 + len(data) + 2 + 12 * len(tags) + 4
    for tag, (kind, values) in sorted(tags.items()):
        value = struct.pack(f"{order}{len(values)}{kind}", *values)
        if len(value) > 4:
            reference = struct.pack(f"{order}I", place + len(beyond))
            beyond += value
            value = reference
        entry = struct.pack(f"{order}HHI", tag, 3 if kind == "H" else 4, len(values))
        entries += entry + value.ljust(4, b"\0")
    head = struct.pack(f"{order}2sHI", b"II" if order == "<" else b"MM", 42, 8 + len(data))
    return head + data + struct.pack(f"{order}H", len(tags)) + entries + bytes(4) + beyond


def sixteen(pixels: np.ndarray) -> np.ndarray:
    return pixels.astype(np.uint16) << 8 | 77


TIFF: dict[str, Callable[[], bytes]] = {
    "black and white": lambda: saved("TIFF", IMAGE.convert("1")),
    "gray": lambda: saved("TIFF", IMAGE.convert("L")),
    "gray with alpha": lambda: saved("TIFF", with_alpha(IMAGE.convert("L"))),
    "palette": lambda: saved("TIFF", IMAGE.quantize(200)),
    "colour": lambda: saved("TIFF", IMAGE),
    "colour with alpha": lambda: saved("TIFF", with_alpha(IMAGE)),
    "cmyk": lambda: saved("TIFF", IMAGE.convert("CMYK")),
    "cmyk, lzw": lambda: saved("TIFF", IMAGE.convert("CMYK"), compression="tiff_lzw"),
    "lzw": lambda: saved("TIFF", IMAGE, compression="tiff_lzw"),
    "lzw with differences": lambda: saved("TIFF", IMAGE, compression="tiff_lzw", tiffinfo={317: 2}),
    "deflate": lambda: saved("TIFF", IMAGE, compression="tiff_adobe_deflate"),
    "old deflate": lambda: saved("TIFF", IMAGE, compression="tiff_deflate"),
    "packbits": lambda: saved("TIFF", IMAGE, compression="packbits"),
    "lzma": lambda: saved("TIFF", IMAGE, compression="lzma"),
    "zstd": lambda: saved("TIFF", IMAGE, compression="zstd"),
    "jpeg": lambda: saved("TIFF", IMAGE, compression="jpeg", quality=80),
    "jpeg gray": lambda: saved("TIFF", IMAGE.convert("L"), compression="jpeg"),
    "jpeg cmyk": lambda: saved("TIFF", IMAGE.convert("CMYK"), compression="jpeg"),
    "jpeg ycbcr": lambda: saved("TIFF", IMAGE.convert("YCbCr"), compression="jpeg"),
    "ycbcr, lzw": lambda: saved("TIFF", IMAGE.convert("YCbCr"), compression="tiff_lzw"),
    "fax 3": lambda: saved("TIFF", IMAGE.convert("1"), compression="group3"),
    "fax 4": lambda: saved("TIFF", IMAGE.convert("1"), compression="group4"),
    "fax runs": lambda: saved("TIFF", IMAGE.convert("1"), compression="tiff_ccitt"),
    "big": lambda: saved("TIFF", IMAGE, big_tiff=True),
    "pages": lambda: saved("TIFF", IMAGE, save_all=True, append_images=[MORE]),
    "turned": lambda: saved("TIFF", IMAGE, tiffinfo={274: 6}),
    "mirrored, lzw": lambda: saved("TIFF", IMAGE, tiffinfo={274: 7}, compression="tiff_lzw"),
    "big-endian": lambda: tiff(PIXELS, 2, order=">"),
    "tiles": lambda: tiff(PIXELS, 2, tile=16),
    "planes": lambda: tiff(PIXELS, 2, separate=True),
    "planes in tiles": lambda: tiff(PIXELS, 2, separate=True, tile=32, order=">"),
    "white is zero": lambda: tiff(PIXELS[..., :1], 0),
    "multiplied alpha": lambda: tiff(np.asarray(with_alpha(IMAGE)), 2, extra=1),
    "unknown fourth sample": lambda: tiff(np.asarray(with_alpha(IMAGE)), 2, extra=0),
    "colour of 16 bits": lambda: tiff(sixteen(PIXELS), 2),
    "colour of 16 bits, big-endian": lambda: tiff(sixteen(PIXELS), 2, order=">"),
    "colour and alpha of 16 bits": lambda: tiff(sixteen(np.asarray(with_alpha(IMAGE))), 2, extra=2),
    "multiplied alpha of 16 bits": lambda: tiff(sixteen(np.asarray(with_alpha(IMAGE))), 2, extra=1),
    "cmyk of 16 bits": lambda: tiff(sixteen(np.asarray(IMAGE.convert("CMYK"))), 5),
}


@pytest.mark.parametrize("name", TIFF)
def test_tiff(tmp_path, name):
    check(tmp_path, TIFF[name]())


# Pillow clips to 255.
@pytest.mark.parametrize("order", "<>")
def test_gray_of_16_bits_gives_its_high_byte(tmp_path, order):
    gray = IMAGE.convert("L")
    check(tmp_path, tiff(sixteen(np.asarray(gray)[..., None]), 1, order=order), gray)


# Pillow has two conversions from YCbCr, of which libtiff's, with its rounding, is one.
def test_ycbcr_without_compression_is_within_one(tmp_path):
    file = saved("TIFF", IMAGE.convert("YCbCr"))
    expected = np.asarray(Image.open(io.BytesIO(file)).convert("RGB"), np.int16)
    assert np.abs(delivered(tmp_path, file, SIZE, 3) - expected).max() == 1


@pytest.mark.parametrize("file", [WEBP["lossy"], GIF["palette"], BMP["colour"], TIFF["lzw"]])
def test_a_cut_file_is_bad_also_if_the_cut_is_below_the_crop(tmp_path, file):
    content = file()
    with pytest.raises(ps.DataError):
        delivered(tmp_path, content[: len(content) * 3 // 4], (8, 8), 3)
