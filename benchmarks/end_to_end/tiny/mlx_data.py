"""Tiny samples from memory with mlx-data."""

from collections.abc import Iterator

import mlx.data as dx
import numpy as np
from numpy import ndarray

from job import MEAN_255, STD_255, Job

NOTE = "flips one sample at a time; NumPy normalises a batch in the prefetch threads"

MEANS = np.array(MEAN_255, np.float32)
SCALES = 1 / np.array(STD_255, np.float32)


def normalise(images: ndarray) -> ndarray:
    """Normalise a batch."""
    return (images.astype(np.float32) - MEANS) * SCALES


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end."""
    rows = zip(job.tiny_images, job.tiny_labels.tolist(), strict=True)
    buffer = dx.buffer_from_vector([{"image": image, "label": label} for image, label in rows])
    while True:
        epoch = (
            buffer.shuffle()
            .image_random_h_flip("image", 0.5)
            .to_stream()
            .batch(job.batch)
            .key_transform("image", normalise)
            .prefetch(4, job.workers)
        )
        for batch in epoch:
            if len(batch["label"]) == job.batch:
                yield batch["image"], batch["label"]
