"""DALI's reader of tar shards, which reads from S3 itself."""

import os
from collections.abc import Iterator
from typing import Any

from nvidia.dali import fn, pipeline_def


def batches(urls: list[str]) -> Iterator[list[int]]:
    """Bytes of the samples, in the order of the shards."""

    @pipeline_def(batch_size=64, num_threads=os.cpu_count(), device_id=None)
    def pipeline() -> Any:
        return fn.readers.webdataset(paths=urls, ext=["jpg"], dont_use_mmap=True)

    pipe = pipeline()
    pipe.build()
    while True:
        (images,) = pipe.run()
        yield [image.shape()[0] for image in images]
