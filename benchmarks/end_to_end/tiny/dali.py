"""Tiny samples from memory with DALI, on the CPU."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy import ndarray
from nvidia.dali import fn, pipeline_def, types

from job import MEAN_255, STD_255, Job

NOTE = "external_source gathers each batch with NumPy, the rest is native"


def gathered(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Gather shuffled batches from the array, epoch after epoch."""
    rng = np.random.default_rng(1)
    while True:
        order = rng.permutation(len(job.tiny_images))
        for start in range(0, len(order) - job.batch + 1, job.batch):
            rows = order[start : start + job.batch]
            yield job.tiny_images[rows], job.tiny_labels[rows, None]


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end: views that hold until the next one."""

    @pipeline_def(batch_size=job.batch, num_threads=job.workers, device_id=None, seed=1)
    def pipeline() -> tuple[Any, Any]:
        images, labels = fn.external_source(
            source=gathered(job), num_outputs=2, batch=True, layout=["HWC", None]
        )
        images = fn.crop_mirror_normalize(
            images,
            mirror=fn.random.coin_flip(probability=0.5),
            dtype=types.FLOAT,
            output_layout="CHW",
            mean=list(MEAN_255),
            std=list(STD_255),
        )
        return images, labels

    pipe = pipeline()
    pipe.build()
    while True:
        images, labels = pipe.run()
        yield np.asarray(images.as_tensor()), np.asarray(labels.as_tensor())
