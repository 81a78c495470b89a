"""The evaluation transform with DALI, on the CPU."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy import ndarray
from nvidia.dali import fn, pipeline_def, types

from job import MEAN_255, STD_255, Job

NOTE = "decodes whole files; antialiased"


def batches(job: Job) -> Iterator[tuple[ndarray, ndarray]]:
    """Deliver batches without end: views that hold until the next one."""

    @pipeline_def(batch_size=job.batch, num_threads=job.workers, device_id=None)
    def pipeline() -> tuple[Any, Any]:
        paths, numbers = zip(*job.samples, strict=True)
        jpegs, labels = fn.readers.file(files=list(paths), labels=list(numbers))
        images = fn.decoders.image(jpegs, device="cpu", output_type=types.RGB)
        images = fn.resize(images, resize_shorter=256, interp_type=types.INTERP_LINEAR)
        images = fn.crop_mirror_normalize(
            images,
            crop=(224, 224),
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
