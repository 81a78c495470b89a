"""The training transform with webdataset, torch workers and torchvision."""

from collections.abc import Iterator

import torch
import webdataset as wds
from torch import Tensor
from torchvision.io import ImageReadMode, decode_image
from torchvision.transforms import v2

from job import MEAN, STD, Job

NOTE = "shards resampled, shuffle buffer of 1,000; torchvision.io and transforms v2"

TRANSFORM = v2.Compose(
    [
        v2.RandomResizedCrop(224, antialias=True),
        v2.RandomHorizontalFlip(),
        v2.ToDtype(torch.float32, scale=True),
        v2.Normalize(MEAN, STD),
    ]
)


def transform(sample: tuple[bytes, bytes]) -> tuple[Tensor, int]:
    """Decode and transform one sample."""
    jpeg, label = sample
    encoded = torch.frombuffer(bytearray(jpeg), dtype=torch.uint8)
    return TRANSFORM(decode_image(encoded, ImageReadMode.RGB)), int(label)


def batches(job: Job) -> Iterator[tuple[Tensor, Tensor]]:
    """Deliver batches without end."""
    torch.set_num_threads(1)
    dataset = (
        wds.WebDataset(job.shards, shardshuffle=100, resampled=True, nodesplitter=wds.split_by_node)
        .shuffle(1000)
        .to_tuple("jpg", "cls")
        .map(transform)
        .batched(job.batch, partial=False)
    )
    yield from wds.WebLoader(dataset, batch_size=None, num_workers=job.workers)
