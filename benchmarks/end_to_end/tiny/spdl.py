"""Tiny samples from memory with SPDL."""

from collections.abc import Iterator

import numpy as np
from numpy import ndarray
from spdl.pipeline import PipelineBuilder

from job import MEAN_255, STD_255, Job

NOTE = "NumPy gathers, flips and normalises a whole batch, in threads"

MEANS = np.array(MEAN_255, np.float32).reshape(1, 3, 1, 1)
SCALES = (1 / np.array(STD_255, np.float32)).reshape(1, 3, 1, 1)


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end."""
    rng = np.random.default_rng(1)

    def rows_of_batches() -> Iterator[ndarray]:
        while True:
            order = rng.permutation(len(job.tiny_images))
            for start in range(0, len(order) - job.batch + 1, job.batch):
                yield order[start : start + job.batch]

    def transform(rows: ndarray) -> tuple[ndarray, ndarray]:
        pixels = job.tiny_images[rows]
        flips = np.random.default_rng(int(rows[0])).random(len(rows)) < 0.5
        pixels[flips] = pixels[flips, :, ::-1]
        images = (pixels.transpose(0, 3, 1, 2).astype(np.float32, order="C") - MEANS) * SCALES
        return images, job.tiny_labels[rows]

    pipeline = (
        PipelineBuilder()
        .add_source(rows_of_batches())
        .pipe(transform, concurrency=job.workers)
        .add_sink(3)
        .build(num_threads=job.workers)
    )
    with pipeline.auto_stop():
        yield from pipeline.get_iterator(timeout=60)
