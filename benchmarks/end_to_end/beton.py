"""Writes FFCV's own format, which it cannot do without."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from ffcv.fields import IntField, RGBImageField
from ffcv.fields.rgb_image import IMAGE_MODES
from ffcv.writer import DatasetWriter
from numpy import ndarray

Sample = tuple[ndarray, int]


def jpeg_size(jpeg: ndarray) -> tuple[int, int]:
    """Height and width, from the frame header."""
    position = 2
    while True:
        marker = int(jpeg[position + 1])
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = jpeg[position + 5 : position + 9].view(">u2")
            return int(height), int(width)
        position += 2 + int(jpeg[position + 2 : position + 4].view(">u2")[0])


class OriginalJpegField(RGBImageField):
    """Stores the bytes of a JPEG as they are.

    FFCV's writer decodes and encodes again, smaller and with less chroma, and so would have less to
    decode than the others. Its decoders read this field too.
    """

    def encode(self, destination: ndarray, image: ndarray, malloc: Callable) -> None:
        """Write one sample."""
        destination["mode"] = IMAGE_MODES["jpg"]
        destination["height"], destination["width"] = jpeg_size(image)
        destination["data_ptr"], storage = malloc(image.nbytes)
        storage[:] = image


class Rows:
    """An indexed dataset, as the writer wants it."""

    def __init__(self, count: int, sample: Callable[[int], Sample]) -> None:
        """Remember how to make a sample."""
        self.count, self.sample = count, sample

    def __len__(self) -> int:
        """How many samples there are."""
        return self.count

    def __getitem__(self, index: int) -> Sample:
        """Make one sample."""
        return self.sample(index)


def write_beton(path: Path, field: RGBImageField, rows: Rows) -> None:
    """Write all samples, unless the file is there already."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    writer = DatasetWriter(str(partial), {"image": field, "label": IntField()}, num_workers=2)
    writer.from_indexed_dataset(rows, chunksize=200)
    partial.rename(path)


def write_photos(path: Path, samples: list[tuple[str, int]]) -> None:
    """Write JPEGs with their labels."""

    def sample(index: int) -> Sample:
        name, label = samples[index]
        return np.fromfile(name, np.uint8), label

    write_beton(path, OriginalJpegField(), Rows(len(samples), sample))
