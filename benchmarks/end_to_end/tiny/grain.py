"""Tiny samples from memory with Grain."""

from collections.abc import Iterator

import grain
import numpy as np
from numpy import ndarray

from job import MEAN_255, STD_255, Job

NOTE = "shuffles row numbers; NumPy gathers and transforms a whole batch"

MEANS = np.array(MEAN_255, np.float32).reshape(1, 3, 1, 1)
SCALES = (1 / np.array(STD_255, np.float32)).reshape(1, 3, 1, 1)


class Transform(grain.transforms.RandomMap):
    """From row numbers to a normalised batch."""

    def __init__(self, job: Job) -> None:
        """Remember the arrays."""
        self.images, self.labels = job.tiny_images, job.tiny_labels

    def random_map(self, element: ndarray, rng: np.random.Generator) -> tuple[ndarray, ndarray]:
        """Gather, flip and normalise one batch."""
        pixels = self.images[element]
        flips = rng.random(len(element)) < 0.5
        pixels[flips] = pixels[flips, :, ::-1]
        images = (pixels.transpose(0, 3, 1, 2).astype(np.float32, order="C") - MEANS) * SCALES
        return images, self.labels[element]


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end."""
    dataset = (
        grain.MapDataset.range(len(job.tiny_images))
        .seed(1)
        .shuffle()
        .repeat()
        .batch(job.batch, drop_remainder=True)
        .random_map(Transform(job))
    )
    reading = grain.ReadOptions(num_threads=job.workers, prefetch_buffer_size=2 * job.workers)
    yield from dataset.to_iter_dataset(reading)
