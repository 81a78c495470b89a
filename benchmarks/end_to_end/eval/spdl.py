"""The evaluation transform with SPDL: FFmpeg decodes and filters, in threads."""

from collections.abc import Iterator
from itertools import chain, repeat
from typing import Any

import numpy as np
import spdl.io
from numpy import ndarray
from spdl.pipeline import PipelineBuilder

from job import MEAN_255, STD_255, Job, shorter_side

NOTE = "FFmpeg decodes whole files; swscale bilinear; NumPy normalises a batch"

MEANS = np.array(MEAN_255, np.float32).reshape(1, 3, 1, 1)
SCALES = (1 / np.array(STD_255, np.float32)).reshape(1, 3, 1, 1)


def transform(sample: tuple[str, int]) -> tuple[Any, int]:
    """Decode one image through a filter graph that resizes and crops."""
    path, label = sample
    packets = spdl.io.demux_image(path)
    height, width = shorter_side(packets.codec.height, packets.codec.width, 256)
    filters = f"scale={width}:{height}:flags=bilinear,crop=224:224,format=pix_fmts=rgb24"
    return spdl.io.decode_packets(packets, filter_desc=filters), label


def collate(samples: list[tuple[Any, int]]) -> tuple[ndarray, ndarray]:
    """Make a batch and normalise it."""
    pixels = spdl.io.to_numpy(spdl.io.convert_frames([frames for frames, _ in samples]))
    images = (pixels.transpose(0, 3, 1, 2).astype(np.float32, order="C") - MEANS) * SCALES
    return images, np.array([label for _, label in samples])


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end."""
    pipeline = (
        PipelineBuilder()
        .add_source(chain.from_iterable(repeat(job.samples)))
        .pipe(transform, concurrency=job.workers, output_order="input")
        .aggregate(job.batch)
        .pipe(collate)
        .add_sink(3)
        .build(num_threads=job.workers + 1)
    )
    with pipeline.auto_stop():
        yield from pipeline.get_iterator(timeout=60)
