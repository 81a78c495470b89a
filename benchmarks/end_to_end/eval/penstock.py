"""The evaluation transform with penstock."""

from collections.abc import Iterator

from numpy import ndarray

import penstock as ps
from job import Job

NOTE = "decodes only what the crop needs; antialiased; entry points of JPEGs known"


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end."""
    loader = (
        ps.folder(job.root)
        .image(
            "image",
            ps.Resize(256),
            ps.CenterCrop(224),
            ps.Normalize(),
            dtype="f32",
            layout="CHW",
        )
        .label("label")
        .epochs(None)
        .batch(job.batch)
        .numpy(threads=job.workers)
    )
    for batch in loader:
        yield batch["image"], batch["label"]
