"""What a framework's script is given: the data, the batch size, the number of workers."""

import math
import random
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

MEAN = (0.485, 0.456, 0.406)
STD = (0.229, 0.224, 0.225)
# The same for pixels in 0..255.
MEAN_255 = tuple(255 * m for m in MEAN)
STD_255 = tuple(255 * s for s in STD)

NUM_TINY_CLASSES = 10


@dataclass(frozen=True)
class Job:
    """One task for one framework."""

    source: str
    data: Path
    batch: int
    workers: int
    is_first_epoch: bool = False  # the data is for one epoch only

    @property
    def root(self) -> Path:
        """The folder that holds the class folders or the shards."""
        return self.data / self.source

    @cached_property
    def samples(self) -> list[tuple[str, int]]:
        """Path and class number of every image of the folder layout, class by class."""
        classes = sorted(path for path in self.root.iterdir() if path.name[0] != ".")
        return [
            (str(path), label)
            for label, folder in enumerate(classes)
            for path in sorted(folder.iterdir())
        ]

    @cached_property
    def shards(self) -> list[str]:
        """The tar or TFRecord shards, in order."""
        return [str(path) for path in sorted(self.root.glob(f"*.{self.source}"))]

    @cached_property
    def tiny_images(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """All tiny images, in memory: N x 32 x 32 x 3."""
        images: np.ndarray[Any, np.dtype[np.uint8]] = np.load(self.root / "images.npy")
        return images

    @cached_property
    def tiny_labels(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The class of every tiny image."""
        return np.arange(len(self.tiny_images), dtype=np.int64) % NUM_TINY_CLASSES


def crop_box(height: int, width: int, rng: random.Random) -> tuple[int, int, int, int]:
    """Draw the box of RandomResizedCrop as torchvision does: top, left, height, width."""
    for _ in range(10):
        area = height * width * rng.uniform(0.08, 1.0)
        ratio = math.exp(rng.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < w <= width and 0 < h <= height:
            return rng.randint(0, height - h), rng.randint(0, width - w), h, w
    h = min(height, round(width * 4 / 3))
    w = min(width, round(height * 4 / 3))
    return (height - h) // 2, (width - w) // 2, h, w


def shorter_side(height: int, width: int, side: int) -> tuple[int, int]:
    """The size of an image whose shorter side becomes `side`."""
    scale = side / min(height, width)
    return max(side, int(height * scale)), max(side, int(width * scale))
