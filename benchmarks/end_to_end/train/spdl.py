"""The training transform with SPDL: FFmpeg decodes and filters, in threads."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import spdl.io
from numpy import ndarray
from spdl.pipeline import PipelineBuilder

from job import MEAN_255, STD_255, Job, crop_box

NOTE = "FFmpeg decodes whole files; swscale bilinear; NumPy normalises a batch"

MEANS = np.array(MEAN_255, np.float32).reshape(1, 3, 1, 1)
SCALES = (1 / np.array(STD_255, np.float32)).reshape(1, 3, 1, 1)
SHUFFLE_BUFFER = 1000

RNG = random.Random(1)


def from_folder(job: Job) -> Iterator[tuple[str, int]]:
    """Walk the files in a new order every epoch."""
    samples = list(job.samples)
    while True:
        RNG.shuffle(samples)
        yield from samples


def from_shards(job: Job) -> Iterator[tuple[bytes, int]]:
    """Read shard after shard through a shuffle buffer."""
    buffer: list[tuple[bytes, int]] = []
    shards = list(job.shards)
    while True:
        RNG.shuffle(shards)
        for shard in shards:
            jpeg = b""
            for name, content in spdl.io.iter_tarfile(np.fromfile(shard, np.uint8).tobytes()):
                if name.endswith(".jpg"):
                    jpeg = bytes(content)
                    continue
                buffer.append((jpeg, int(bytes(content))))
                if len(buffer) > SHUFFLE_BUFFER:
                    chosen = RNG.randrange(len(buffer))
                    buffer[chosen], buffer[-1] = buffer[-1], buffer[chosen]
                    yield buffer.pop()


def transform(sample: tuple[str | bytes, int]) -> tuple[Any, int]:
    """Decode one JPEG through a filter graph that crops, resizes and flips."""
    source, label = sample
    packets = spdl.io.demux_image(source)
    top, left, height, width = crop_box(packets.codec.height, packets.codec.width, RNG)
    filters = f"crop={width}:{height}:{left}:{top}:exact=1,scale=224:224:flags=bilinear"
    flip = ",hflip" if RNG.random() < 0.5 else ""
    return (
        spdl.io.decode_packets(packets, filter_desc=f"{filters},format=pix_fmts=rgb24{flip}"),
        label,
    )


def collate(samples: list[tuple[Any, int]]) -> tuple[ndarray, ndarray]:
    """Make a batch and normalise it."""
    pixels = spdl.io.to_numpy(spdl.io.convert_frames([frames for frames, _ in samples]))
    images = (pixels.transpose(0, 3, 1, 2).astype(np.float32, order="C") - MEANS) * SCALES
    return images, np.array([label for _, label in samples])


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end."""
    source = from_shards(job) if job.source == "tar" else from_folder(job)
    pipeline = (
        PipelineBuilder()
        .add_source(source)
        .pipe(transform, concurrency=job.workers)
        .aggregate(job.batch)
        .pipe(collate)
        .add_sink(3)
        .build(num_threads=job.workers + 1)
    )
    with pipeline.auto_stop():
        yield from pipeline.get_iterator(timeout=60)
