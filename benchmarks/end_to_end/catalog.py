"""The tasks and the frameworks that are compared. Everything else is derived from these tables."""

import math
import os
from dataclasses import dataclass, field
from typing import Literal

CORES = len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Task:
    """One piece of work, the same for every framework."""

    title: str
    folder: str  # where its scripts are, one for each framework
    source: str  # the layout that is read: a subfolder of the data
    batch: int
    shape: tuple[int, int, int]  # channels, height, width of a sample
    limit: Literal["jpeg", "png", "copy"]  # the reference
    is_shuffled: bool = True
    data: Literal["photos", "jpeg_768", "png_768", "tiny", "none"] = "photos"
    dtype: Literal["float32", "uint8"] = "float32"

    @property
    def sample_bytes(self) -> int:
        """How many bytes one finished sample takes."""
        return math.prod(self.shape) * (4 if self.dtype == "float32" else 1)


@dataclass(frozen=True)
class Framework:
    """One loader: where it is installed from and which tasks it can do."""

    package: str  # the distribution whose version is shown
    tasks: tuple[str, ...]
    environment: str
    workers_per_core: float = 1.0  # what was fastest on two cores; `--tune` measures it
    has_own_format: bool = False  # its scripts have a `prepare` that writes it
    variables: dict[str, str] = field(default_factory=dict)  # of the environment of its process
    script: str = ""  # the name of its scripts, if it is not its own
    # penstock's entry points: made before the takes, or each take is a first epoch that learns them
    entry_points: Literal["none", "known", "unknown"] = "none"

    @property
    def is_ours(self) -> bool:
        """Whether it is penstock, in one way or another."""
        return self.package == "penstock"


PHOTO = (3, 224, 224)

TASKS = {
    "train_folder": Task(
        "class folders of JPEGs, shuffled: RandomResizedCrop 224, flip, normalise",
        folder="train",
        source="folder",
        batch=64,
        shape=PHOTO,
        limit="jpeg",
    ),
    "train_tar": Task(
        "tar shards of JPEGs, shuffled: RandomResizedCrop 224, flip, normalise",
        folder="train",
        source="tar",
        batch=64,
        shape=PHOTO,
        limit="jpeg",
    ),
    "train_tfrecord": Task(
        "TFRecord shards of JPEGs, shuffled: RandomResizedCrop 224, flip, normalise",
        folder="train",
        source="tfrecord",
        batch=64,
        shape=PHOTO,
        limit="jpeg",
    ),
    "eval": Task(
        "class folders of JPEGs, in order: shorter side 256, centre crop 224, normalise",
        folder="eval",
        source="folder",
        batch=64,
        shape=PHOTO,
        limit="jpeg",
        is_shuffled=False,
    ),
    "jpeg_768": Task(
        "JPEGs of 768x768, in order: shorter side 256, centre crop 224, normalise",
        folder="eval",
        source="folder",
        batch=64,
        shape=PHOTO,
        limit="jpeg",
        is_shuffled=False,
        data="jpeg_768",
    ),
    "png_768": Task(
        "PNGs of 768x768, in order: shorter side 256, centre crop 224, normalise",
        folder="eval",
        source="folder",
        batch=64,
        shape=PHOTO,
        limit="png",
        is_shuffled=False,
        data="png_768",
    ),
    "tiny": Task(
        "1,000,000 images of 32x32 in memory, shuffled: flip, normalise",
        folder="tiny",
        source="tiny",
        batch=256,
        shape=(3, 32, 32),
        limit="copy",
        data="tiny",
    ),
    "synthetic": Task(
        "images in memory, delivered as they are: what the engine itself costs",
        folder="synthetic",
        source="",
        batch=64,
        shape=PHOTO,
        dtype="uint8",
        limit="copy",
        is_shuffled=False,
        data="none",
    ),
}

FRAMEWORKS = {
    "penstock": Framework("penstock", tuple(TASKS), environment="penstock", entry_points="known"),
    "penstock_first": Framework(
        "penstock",
        ("train_folder", "train_tar", "train_tfrecord"),
        environment="penstock",
        script="penstock",
        entry_points="unknown",
    ),
    "torch": Framework(
        "torch",
        ("train_folder", "eval", "jpeg_768", "png_768", "tiny"),
        environment="torch",
        workers_per_core=1.5,
    ),
    "webdataset": Framework("webdataset", ("train_tar",), environment="torch"),
    "dali": Framework(
        "nvidia-dali-cuda120",
        ("train_folder", "train_tar", "train_tfrecord", "eval", "jpeg_768", "png_768", "tiny"),
        environment="dali",
        workers_per_core=2,
    ),
    "tf_data": Framework(
        "tensorflow-cpu",
        ("train_folder", "train_tfrecord", "eval", "jpeg_768", "png_768", "tiny"),
        environment="tf_data",
        workers_per_core=2,
        variables={"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"},
    ),
    "ffcv": Framework(
        "ffcv",
        ("train_folder", "eval", "jpeg_768", "tiny"),
        environment="ffcv",
        has_own_format=True,
        variables={"NUMBA_NUM_THREADS": str(2 * CORES)},
    ),
    "spdl": Framework(
        "spdl",
        ("train_folder", "train_tar", "eval", "jpeg_768", "png_768", "tiny"),
        environment="spdl",
        workers_per_core=2,
    ),
    "grain": Framework(
        "grain",
        ("train_folder", "eval", "jpeg_768", "png_768", "tiny"),
        environment="grain",
        workers_per_core=2,
    ),
    "mlx_data": Framework(
        "mlx-data",
        ("train_folder", "train_tar", "eval", "jpeg_768", "png_768", "tiny"),
        environment="mlx_data",
        workers_per_core=2,
    ),
}

# What pip installs into each environment, call by call. penstock is not here: it runs from this
# tree, in the repository's own environment.
PACKAGES: dict[str, tuple[tuple[str, ...], ...]] = {
    "torch": (("torch==2.15.0", "torchvision==0.29.2", "webdataset==1.0.2"),),
    "dali": (("nvidia-dali-cuda120==2.4.0", "numpy==2.4.6"),),
    "tf_data": (("tensorflow-cpu==2.21.0",),),
    # FFCV's build imports its dependencies and its metadata asks for packages it does not need.
    "ffcv": (
        (
            "setuptools",
            "wheel",
            "pkgconfig",
            "numpy==2.4.6",
            "numba==0.68.1",
            "torch==2.15.0",
            "torchvision==0.29.2",
            "opencv-python-headless==5.0.0.93",
            "pandas",
            "tqdm",
            "psutil",
            "terminaltables",
        ),
        (
            "--no-build-isolation",
            "--no-deps",
            "ffcv==1.0.2",
            "assertpy",
            "fastargs",
            "pytorch_pfn_extras",
        ),
    ),
    "spdl": (("spdl==0.8.0", "spdl-io==0.8.0", "numpy==2.4.6"),),
    "grain": (("grain==0.2.18", "numpy==2.4.6", "opencv-python-headless==5.0.0.93"),),
    "mlx_data": (("mlx-data==0.1.0", "numpy==2.4.6"),),
    "picture": (("matplotlib",),),
}


def default_workers(framework: str) -> int:
    """How many threads or processes a framework gets unless told otherwise."""
    return max(1, round(FRAMEWORKS[framework].workers_per_core * CORES))
