"""The evaluation transform with FFCV."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from ffcv.fields.decoders import CenterCropRGBImageDecoder, IntDecoder
from ffcv.loader import Loader, OrderOption
from ffcv.transforms import NormalizeImage, Squeeze, ToTensor, ToTorchImage
from torch import Tensor

from beton import OriginalJpegField, write_photos
from job import MEAN_255, STD_255, Job

NOTE = "reads its own format; centre 224/256 resized in one step, area averaging"


def beton_path(job: Job) -> Path:
    """Where the samples lie in FFCV's format."""
    return job.data / "ffcv" / "photos.beton"


def prepare(job: Job) -> None:
    """Write the samples in FFCV's format."""
    write_photos(beton_path(job), job.samples)


def batches(job: Job) -> Iterator[tuple[Tensor, Tensor]]:
    """Deliver batches without end."""
    loader = Loader(
        str(beton_path(job)),
        batch_size=job.batch,
        num_workers=job.workers,
        order=OrderOption.SEQUENTIAL,
        os_cache=True,
        drop_last=True,
        custom_fields={"image": OriginalJpegField},
        pipelines={
            "image": [
                CenterCropRGBImageDecoder((224, 224), 224 / 256),
                NormalizeImage(np.array(MEAN_255), np.array(STD_255), np.float32),
                ToTensor(),
                ToTorchImage(channels_last=False),
            ],
            "label": [IntDecoder(), ToTensor(), Squeeze()],
        },
    )
    while True:
        yield from loader
