"""The engine of penstock with nothing to read or decode."""

from collections.abc import Iterator

from numpy import ndarray

import penstock as ps
from job import Job

NOTE = "samples are made, normalised and written into the batch"


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end."""
    loader = (
        ps.synthetic(samples=100_000, shape=(224, 224, 3))
        .image("image", ps.Normalize(), dtype="f32", layout="CHW")
        .label("label")
        .epochs(None)
        .batch(job.batch)
        .numpy(threads=job.workers)
    )
    for batch in loader:
        yield batch["image"], batch["label"]
