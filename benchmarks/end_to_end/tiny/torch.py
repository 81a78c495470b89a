"""Tiny samples from memory with torch's DataLoader."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from job import MEAN_255, STD_255, Job

NOTE = "__getitems__ gathers and transforms a whole batch with tensor operations"

MEANS = torch.tensor(MEAN_255).view(1, 3, 1, 1)
STDS = torch.tensor(STD_255).view(1, 3, 1, 1)


class Tiny(Dataset[tuple[Tensor, Tensor]]):
    """The array of images, read a batch at a time."""

    def __init__(self, job: Job) -> None:
        """Remember the arrays."""
        self.images, self.labels = job.tiny_images, job.tiny_labels

    def __len__(self) -> int:
        """How many images there are."""
        return len(self.images)

    def __getitems__(self, indices: list[int]) -> tuple[Tensor, Tensor]:
        """Gather, flip and normalise one batch."""
        rows = np.asarray(indices)
        images = torch.from_numpy(self.images[rows]).permute(0, 3, 1, 2)
        flips = (torch.rand(len(rows)) < 0.5)[:, None, None, None]
        images = torch.where(flips, images.flip(-1), images).float()
        return images.sub_(MEANS).div_(STDS).contiguous(), torch.from_numpy(self.labels[rows])


def unchanged(batch: Any) -> Any:
    """Collate a batch that is one already."""
    return batch


def batches(job: Job) -> Iterator[tuple[Tensor, Tensor]]:
    """Deliver batches without end."""
    torch.set_num_threads(1)
    loader = DataLoader(
        Tiny(job),
        job.batch,
        shuffle=True,
        num_workers=job.workers,
        collate_fn=unchanged,
        drop_last=True,
        persistent_workers=True,
    )
    while True:
        yield from loader
