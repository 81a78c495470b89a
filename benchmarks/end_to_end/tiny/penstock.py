"""Tiny samples from memory with penstock."""

from collections.abc import Iterator

from numpy import ndarray

import penstock as ps
from job import Job

NOTE = "one sample at a time"


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end."""
    loader = (
        ps.arrays(image=job.tiny_images, label=job.tiny_labels)
        .shuffle(seed=1)
        .image("image", ps.RandomFlip(), ps.Normalize(), dtype="f32", layout="CHW")
        .label("label")
        .epochs(None)
        .batch(job.batch)
        .numpy(threads=job.workers)
    )
    for batch in loader:
        yield batch["image"], batch["label"]
