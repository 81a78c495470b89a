"""The training transform with penstock."""

from collections.abc import Iterator

from numpy import ndarray

import penstock as ps
from job import Job

NOTE = "decodes only what the crop needs; antialiased; entry points known, or learnt (first)"


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end, or those of a first epoch."""
    if job.source == "tar":
        source, image, label = ps.tar(job.shards), "jpg", "cls"
    elif job.source == "tfrecord":
        source, image, label = ps.tfrecord(job.shards), "image/encoded", "image/class/label"
    else:
        source, image, label = ps.folder(job.root), "image", "label"
    loader = (
        source.shuffle(seed=1)
        .image(
            image,
            ps.RandomResizedCrop(224),
            ps.RandomFlip(),
            ps.Normalize(),
            dtype="f32",
            layout="CHW",
        )
        .label(label)
        .epochs(1 if job.is_first_epoch else None)
        .batch(job.batch)
        .numpy(threads=job.workers)
    )
    for batch in loader:
        yield batch[image], batch[label]
