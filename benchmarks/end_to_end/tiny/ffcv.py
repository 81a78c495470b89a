"""Tiny samples with FFCV, from its own format in the page cache."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from ffcv.fields import RGBImageField
from ffcv.fields.decoders import IntDecoder, SimpleRGBImageDecoder
from ffcv.loader import Loader, OrderOption
from ffcv.transforms import NormalizeImage, RandomHorizontalFlip, Squeeze, ToTensor, ToTorchImage
from torch import Tensor

from beton import Rows, write_beton
from job import MEAN_255, NUM_TINY_CLASSES, STD_255, Job

NOTE = "reads its own format, raw pixels in the page cache"


def beton_path(job: Job) -> Path:
    """Where the samples lie in FFCV's format."""
    return job.data / "ffcv" / "tiny.beton"


def prepare(job: Job) -> None:
    """Write the samples in FFCV's format."""
    images = np.load(job.root / "images.npy", mmap_mode="r")
    rows = Rows(len(images), lambda index: (np.array(images[index]), index % NUM_TINY_CLASSES))
    write_beton(beton_path(job), RGBImageField(write_mode="raw"), rows)


def batches(job: Job) -> Iterator[tuple[Tensor, Tensor]]:
    """Deliver batches without end."""
    loader = Loader(
        str(beton_path(job)),
        batch_size=job.batch,
        num_workers=job.workers,
        order=OrderOption.RANDOM,
        os_cache=True,
        drop_last=True,
        pipelines={
            "image": [
                SimpleRGBImageDecoder(),
                RandomHorizontalFlip(),
                NormalizeImage(np.array(MEAN_255), np.array(STD_255), np.float32),
                ToTensor(),
                ToTorchImage(channels_last=False),
            ],
            "label": [IntDecoder(), ToTensor(), Squeeze()],
        },
    )
    while True:
        yield from loader
