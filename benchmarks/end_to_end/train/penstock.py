"""The training transform with penstock."""

from collections.abc import Iterator

from numpy import ndarray

import penstock as ps
from job import Job

NOTE = "decodes only what the crop needs; antialiased; no index kept"


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end."""
    if job.source == "tar":
        source, image, label = ps.tar(job.shards, index_cache=False), "jpg", "cls"
    elif job.source == "tfrecord":
        source = ps.tfrecord(job.shards, index_cache=False)
        image, label = "image/encoded", "image/class/label"
    else:
        source, image, label = ps.folder(job.root, index_cache=False), "image", "label"
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
        .epochs(None)
        .batch(job.batch)
        .numpy(threads=job.workers)
    )
    for batch in loader:
        yield batch[image], batch[label]
