"""penstock feeds training: shuffled, decoded, augmented batches as fast as the hardware allows.

>>> import numpy as np
>>> import penstock as ps
>>> images = np.zeros((100, 32, 32, 3), np.uint8)
>>> pipeline = (
...     ps.arrays(image=images, label=np.arange(100))
...     .shuffle(seed=7)
...     .image("image", ps.RandomFlip(), ps.Normalize())
...     .label("label")
...     .batch(10)
... )
>>> for batch in pipeline.numpy():
...     train = batch["image"], batch["label"]
>>> batch["image"].shape
(10, 3, 32, 32)
"""

from penstock._batch import Batch, Ragged
from penstock._core import DataError
from penstock._loader import Loader
from penstock._ops import *  # noqa: F403
from penstock._ops import __all__ as _ops_all
from penstock._page import Page
from penstock._pipeline import Pipeline
from penstock._progress import progress
from penstock._sources import arrays, concat, folder, mix, synthetic, tar, tfrecord, zip
from penstock._stats import BatchTime, Stats, Verdict
from penstock._tfrecord import TFRecordWriter

__version__ = "0.1.0"
__all__ = [
    "Batch",
    "BatchTime",
    "DataError",
    "Loader",
    "Page",
    "Pipeline",
    "Ragged",
    "Stats",
    "TFRecordWriter",
    "Verdict",
    "arrays",
    "concat",
    "folder",
    "mix",
    "progress",
    "synthetic",
    "tar",
    "tfrecord",
    "zip",
    *_ops_all,
]
