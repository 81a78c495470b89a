"""The evaluation transform with mlx-data."""

from collections.abc import Iterator

import mlx.data as dx
import numpy as np
from numpy import ndarray

from job import MEAN_255, STD_255, Job

NOTE = "decodes whole files; NumPy normalises a batch in the prefetch threads"

MEANS = np.array(MEAN_255, np.float32)
SCALES = 1 / np.array(STD_255, np.float32)


def normalise(images: ndarray) -> ndarray:
    """Normalise a batch."""
    return (images.astype(np.float32) - MEANS) * SCALES


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end."""
    buffer = dx.buffer_from_vector([{"image": p.encode(), "label": y} for p, y in job.samples])
    while True:
        epoch = (
            buffer.load_image("image")
            .image_resize_smallest_side("image", 256)
            .image_center_crop("image", 224, 224)
            .to_stream()
            .batch(job.batch)
            .key_transform("image", normalise)
            .prefetch(4, job.workers)
        )
        for batch in epoch:
            if len(batch["label"]) == job.batch:
                yield batch["image"], batch["label"]
