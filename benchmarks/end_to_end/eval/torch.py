"""The evaluation transform with torch's DataLoader and torchvision."""

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset
from torchvision.io import ImageReadMode, decode_image
from torchvision.transforms import v2

from job import MEAN, STD, Job

NOTE = "torchvision.io decodes whole files, transforms v2 on uint8; antialiased"

TRANSFORM = v2.Compose(
    [
        v2.Resize(256, antialias=True),
        v2.CenterCrop(224),
        v2.ToDtype(torch.float32, scale=True),
        v2.Normalize(MEAN, STD),
    ]
)


class Photos(Dataset[tuple[Tensor, int]]):
    """The images of the class folders."""

    def __init__(self, samples: list[tuple[str, int]]) -> None:
        """Remember paths and labels."""
        self.samples = samples

    def __len__(self) -> int:
        """How many images there are."""
        return len(self.samples)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        """Read and transform one image."""
        path, label = self.samples[index]
        return TRANSFORM(decode_image(path, ImageReadMode.RGB)), label


def batches(job: Job) -> Iterator[tuple[Tensor, Tensor]]:
    """Deliver batches without end."""
    torch.set_num_threads(1)
    loader = DataLoader(
        Photos(job.samples),
        job.batch,
        num_workers=job.workers,
        drop_last=True,
        persistent_workers=True,
    )
    while True:
        yield from loader
