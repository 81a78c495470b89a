"""The training transform with DALI, on the CPU."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy import ndarray
from nvidia.dali import fn, pipeline_def, tfrecord, types

from job import MEAN_255, STD_255, Job

NOTE = "decodes the crop's region; antialiased; shuffle buffer of 4,000"


def read(job: Job) -> tuple[Any, Any]:
    """Build the reader: encoded JPEGs and labels."""
    shuffle = {"random_shuffle": True, "initial_fill": 4000}
    if job.source == "tar":
        jpegs, labels = fn.readers.webdataset(paths=job.shards, ext=["jpg", "cls"], **shuffle)
    elif job.source == "tfrecord":
        features = fn.readers.tfrecord(
            path=job.shards,
            index_path=[shard.replace(".tfrecord", ".idx") for shard in job.shards],
            features={
                "image/encoded": tfrecord.FixedLenFeature((), tfrecord.string, ""),
                "image/class/label": tfrecord.FixedLenFeature([1], tfrecord.int64, -1),
            },
            **shuffle,
        )
        jpegs, labels = features["image/encoded"], features["image/class/label"]
    else:
        paths, numbers = zip(*job.samples, strict=True)
        jpegs, labels = fn.readers.file(files=list(paths), labels=list(numbers), **shuffle)
    return jpegs, labels


def transform(jpegs: Any) -> Any:
    """Build the operators from JPEG to normalised crop."""
    images = fn.decoders.image_random_crop(
        jpegs,
        device="cpu",
        output_type=types.RGB,
        random_area=[0.08, 1.0],
        random_aspect_ratio=[3 / 4, 4 / 3],
        num_attempts=10,
    )
    images = fn.resize(images, resize_x=224, resize_y=224, interp_type=types.INTERP_LINEAR)
    return fn.crop_mirror_normalize(
        images,
        mirror=fn.random.coin_flip(probability=0.5),
        dtype=types.FLOAT,
        output_layout="CHW",
        mean=list(MEAN_255),
        std=list(STD_255),
    )


def label_numbers(labels: Any, source: str) -> ndarray:
    """Turn the labels of a batch into numbers: in a tar shard they are text."""
    if source == "tar":
        return np.array([int(bytes(labels.at(i))) for i in range(len(labels))])
    return np.asarray(labels.as_tensor())


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end: views that hold until the next one."""

    @pipeline_def(batch_size=job.batch, num_threads=job.workers, device_id=None, seed=1)
    def pipeline() -> tuple[Any, Any]:
        jpegs, labels = read(job)
        return transform(jpegs), labels

    pipe = pipeline()
    pipe.build()
    while True:
        images, labels = pipe.run()
        yield np.asarray(images.as_tensor()), label_numbers(labels, job.source)
