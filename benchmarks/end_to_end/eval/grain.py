"""The evaluation transform with Grain; OpenCV decodes and resizes, in threads."""

from collections.abc import Iterator

import cv2
import grain
import numpy as np
from numpy import ndarray

from job import MEAN_255, STD_255, Job, shorter_side

NOTE = "OpenCV decodes whole files; bilinear without antialiasing"

MEANS = np.array(MEAN_255, np.float32).reshape(3, 1, 1)
SCALES = (1 / np.array(STD_255, np.float32)).reshape(3, 1, 1)
FLAGS = cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION


def transform(sample: tuple[str, int]) -> tuple[ndarray, int]:
    """Read and transform one image."""
    path, label = sample
    pixels = cv2.imdecode(np.fromfile(path, np.uint8), FLAGS)
    height, width = shorter_side(*pixels.shape[:2], 256)
    pixels = cv2.resize(pixels, (width, height), interpolation=cv2.INTER_LINEAR)
    top, left = (height - 224) // 2, (width - 224) // 2
    image = pixels[top : top + 224, left : left + 224]
    return (image.transpose(2, 0, 1).astype(np.float32, order="C") - MEANS) * SCALES, label


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end."""
    cv2.setNumThreads(0)
    dataset = (
        grain.MapDataset.source(job.samples)
        .repeat()
        .map(transform)
        .batch(job.batch, drop_remainder=True)
    )
    reading = grain.ReadOptions(num_threads=job.workers, prefetch_buffer_size=2 * job.workers)
    yield from dataset.to_iter_dataset(reading)
