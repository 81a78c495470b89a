"""The training transform with mlx-data."""

import tarfile
from collections.abc import Iterator
from typing import Any

import mlx.data as dx
import numpy as np
from numpy import ndarray

from job import MEAN_255, STD_255, Job

NOTE = "decodes whole files; NumPy normalises a batch in the prefetch threads"

MEANS = np.array(MEAN_255, np.float32)
SCALES = 1 / np.array(STD_255, np.float32)


def members(shard: str) -> Iterator[dict[str, Any]]:
    """List the samples of a shard: where the JPEG is, and the label."""
    with tarfile.open(shard) as tar:
        for member in tar:
            if member.name.endswith(".jpg"):
                image = member.name.encode()
            else:
                content = tar.extractfile(member)
                label = int(content.read()) if content else -1
                yield {"tar": shard.encode(), "image": image, "label": label}


def read(job: Job) -> Any:
    """Make the buffer of all samples, not yet decoded."""
    if job.source == "tar":
        return dx.buffer_from_vector([row for shard in job.shards for row in members(shard)])
    return dx.buffer_from_vector([{"image": p.encode(), "label": y} for p, y in job.samples])


def load(buffer: Any, source: str) -> Any:
    """Add what decodes a sample."""
    if source == "tar":
        members_read = buffer.read_from_tar("tar", "image", "image", from_key=True)
        return members_read.load_image("image", from_memory=True)
    return buffer.load_image("image")


def normalise(images: ndarray) -> ndarray:
    """Normalise a batch."""
    return (images.astype(np.float32) - MEANS) * SCALES


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end."""
    buffer = read(job)
    while True:
        epoch = (
            load(buffer.shuffle(), job.source)
            .image_random_area_crop("image", (0.08, 1.0), (3 / 4, 4 / 3))
            .image_resize("image", 224, 224)
            .image_random_h_flip("image", 0.5)
            .to_stream()
            .batch(job.batch)
            .key_transform("image", normalise)
            .prefetch(4, job.workers)
        )
        for batch in epoch:
            if len(batch["label"]) == job.batch:
                yield batch["image"], batch["label"]
