"""The engine of penstock with nothing to read or decode."""

from collections.abc import Iterator

from numpy import ndarray

import penstock as ps
from job import Job

NOTE = "samples are copied into the batch as they are"


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end."""
    loader = (
        ps.synthetic(samples=100_000, shape=(224, 224, 3))
        .image("image", layout="HWC")
        .label("label")
        .epochs(None)
        .batch(job.batch)
        .numpy(threads=job.workers)
    )
    for batch in loader:
        yield batch["image"], batch["label"]
