"""Small data sets that the tests make themselves."""

from __future__ import annotations

import io
import signal
import tarfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from servers.fixtures import ais, fault_proxy, nginx, s3

__all__ = ["ais", "fault_proxy", "nginx", "s3"]

# What a shell starts in the background ignores Ctrl-C, and so would what tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def photo(seed: int, width: int = 120, height: int = 90) -> Image.Image:
    """Smooth colours with some detail: compresses as photographs do."""
    rng = np.random.default_rng(seed)
    coarse = Image.fromarray(rng.integers(0, 256, (9, 12, 3), np.uint8))
    smooth = np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC), np.int16)
    noise = rng.integers(-12, 13, smooth.shape)
    return Image.fromarray(np.clip(smooth + noise, 0, 255).astype(np.uint8))


def jpeg_bytes(image: Image.Image, quality: int = 92, subsampling: int = 0) -> bytes:
    """Encode as JPEG; subsampling 0 is 4:4:4, 2 is 4:2:0."""
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality, subsampling=subsampling)
    return buffer.getvalue()


def write_tar(path: Path, members: list[tuple[str, bytes]]) -> Path:
    """Write a plain tar shard."""
    with tarfile.open(path, "w") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


CLASSES = ("ant", "bee", "cat")
COUNT = 60


@pytest.fixture(scope="session")
def jpegs() -> list[bytes]:
    """Photographs of several sizes and samplings."""
    return [
        jpeg_bytes(photo(i, 100 + 7 * (i % 5), 80 + 11 * (i % 4)), subsampling=2 * (i % 2))
        for i in range(COUNT)
    ]


@pytest.fixture(scope="session")
def image_folder(tmp_path_factory: pytest.TempPathFactory, jpegs: list[bytes]) -> Path:
    """Class folders of JPEGs; in path order they are the samples of `shards`."""
    root = tmp_path_factory.mktemp("images")
    for number, content in enumerate(jpegs):
        folder = root / CLASSES[number * len(CLASSES) // COUNT]
        folder.mkdir(exist_ok=True)
        (folder / f"{number:04d}.jpg").write_bytes(content)
    return root


@pytest.fixture(scope="session")
def shards(tmp_path_factory: pytest.TempPathFactory, jpegs: list[bytes]) -> Path:
    """The same samples as four tar shards; gives the folder."""
    root = tmp_path_factory.mktemp("shards")
    per_shard = COUNT // 4
    for shard in range(4):
        members = []
        for number in range(shard * per_shard, (shard + 1) * per_shard):
            label = number * len(CLASSES) // COUNT
            members += [(f"{number:04d}.jpg", jpegs[number]), (f"{number:04d}.cls", b"%d" % label)]
        write_tar(root / f"train-{shard:03d}.tar", members)
    return root
