"""The training transform with Grain; OpenCV decodes and resizes, in threads."""

import random
from collections.abc import Iterator

import cv2
import grain
import numpy as np
from numpy import ndarray

from job import MEAN_255, STD_255, Job, crop_box

NOTE = "OpenCV decodes whole files; bilinear without antialiasing"

MEANS = np.array(MEAN_255, np.float32).reshape(3, 1, 1)
SCALES = (1 / np.array(STD_255, np.float32)).reshape(3, 1, 1)
FLAGS = cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION


class Transform(grain.transforms.RandomMap):
    """From a path to a normalised crop."""

    def random_map(self, element: tuple[str, int], rng: np.random.Generator) -> tuple[ndarray, int]:
        """Read and transform one JPEG."""
        path, label = element
        pixels = cv2.imdecode(np.fromfile(path, np.uint8), FLAGS)
        draws = random.Random(int(rng.integers(1 << 62)))
        top, left, height, width = crop_box(*pixels.shape[:2], draws)
        crop = pixels[top : top + height, left : left + width]
        image = cv2.resize(crop, (224, 224), interpolation=cv2.INTER_LINEAR)
        if draws.random() < 0.5:
            image = image[:, ::-1]
        return (image.transpose(2, 0, 1).astype(np.float32, order="C") - MEANS) * SCALES, label


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end."""
    cv2.setNumThreads(0)
    dataset = (
        grain.MapDataset.source(job.samples)
        .seed(1)
        .shuffle()
        .repeat()
        .random_map(Transform())
        .batch(job.batch, drop_remainder=True)
    )
    reading = grain.ReadOptions(num_threads=job.workers, prefetch_buffer_size=2 * job.workers)
    yield from dataset.to_iter_dataset(reading)
