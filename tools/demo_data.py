"""Makes a small image data set to try penstock on: class folders, and the same as tar shards.

The photographs come out of two packages of the Python index (scikit-image, scikit-learn); each
class is one of them, cropped, scaled and grained differently for each sample. Sizes, quality and
subsampling follow what is found in ImageNet: about 500x375 pixels and 110 KB, three quarters of the
files 4:4:4. The same arguments give the same samples.
"""

import argparse
import io
import random
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

PACKAGES = ("scikit-image", "scikit-learn")
PHOTOGRAPHS = (
    "skimage/data/astronaut.png",
    "skimage/data/camera.png",
    "skimage/data/chelsea.png",
    "skimage/data/coffee.png",
    "skimage/data/hubble_deep_field.jpg",
    "skimage/data/motorcycle_left.png",
    "skimage/data/retina.jpg",
    "skimage/data/rocket.jpg",
    "sklearn/datasets/images/china.jpg",
    "sklearn/datasets/images/flower.jpg",
)
SHARD_SAMPLES = 100


@dataclass(frozen=True)
class Sample:
    """One photograph of the set."""

    key: str
    label: int
    jpeg: bytes


def load_photographs(wheels: Path) -> dict[str, Image.Image]:
    """The photographs by name, out of the packages' wheels; fetches those if there are none."""
    if not list(wheels.glob("*.whl")):
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run(
            [*download, "--only-binary", ":all:", "--dest", str(wheels), *PACKAGES], check=True
        )
    photographs: dict[str, Image.Image] = {}
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            for name in sorted(set(PHOTOGRAPHS) & set(archive.namelist())):
                image = Image.open(io.BytesIO(archive.read(name)))
                photographs[Path(name).stem] = image.convert("L" if image.mode == "L" else "RGB")
    return photographs


def draw_size(rng: random.Random) -> tuple[int, int]:
    """Width and height: about 500x375, one in five upright."""
    long_side = round(rng.triangular(400, 640, 500))
    short_side = round(long_side / rng.choice([1.0, 4 / 3, 4 / 3, 4 / 3, 3 / 2, 3 / 2]))
    return (short_side, long_side) if rng.random() < 0.2 else (long_side, short_side)


def vary(photograph: Image.Image, rng: random.Random) -> Image.Image:
    """A random part of the photograph at a random size, with the grain of a camera."""
    width, height = draw_size(rng)
    scale = min(photograph.width / width, photograph.height / height) * rng.uniform(0.6, 1.0)
    left = rng.uniform(0, photograph.width - width * scale)
    top = rng.uniform(0, photograph.height - height * scale)
    box = (left, top, left + width * scale, top + height * scale)
    part = photograph.resize((width, height), Image.Resampling.BICUBIC, box=box)
    if rng.random() < 0.5:
        part = part.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    pixels = np.asarray(part, dtype=np.float32) * rng.uniform(0.8, 1.2)
    # Scaling up smooths; without grain the files would be smaller than a camera's.
    grain = np.random.default_rng(rng.getrandbits(32)).standard_normal(pixels.shape[:2], np.float32)
    grain *= rng.uniform(4.0, 10.0)
    pixels += grain if pixels.ndim == 2 else grain[:, :, None]
    return Image.fromarray(np.clip(pixels + 0.5, 0, 255).astype(np.uint8))


def encode(image: Image.Image, rng: random.Random) -> bytes:
    """The image as a JPEG, three quarters of the time without chroma subsampling."""
    out = io.BytesIO()
    subsampling = "4:4:4" if rng.random() < 0.75 else "4:2:0"
    image.save(out, "JPEG", quality=rng.randint(90, 96), subsampling=subsampling)
    return out.getvalue()


def make_samples(photographs: Sequence[Image.Image], count: int) -> list[Sample]:
    """`count` samples, the classes in turn."""
    samples = []
    for number in range(count):
        rng = random.Random(number)
        label = number % len(photographs)
        jpeg = encode(vary(photographs[label], rng), rng)
        samples.append(Sample(f"{number:06d}", label, jpeg))
    return samples


def write_folders(out: Path, samples: Sequence[Sample], names: Sequence[str]) -> None:
    """Writes OUT/<class>/<key>.jpg."""
    for sample in samples:
        path = out / names[sample.label] / f"{sample.key}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(sample.jpeg)


def write_shards(out: Path, samples: Sequence[Sample]) -> int:
    """Writes OUT/shard-000000.tar, ... with <key>.jpg and <key>.cls; returns how many."""
    out.mkdir(parents=True, exist_ok=True)
    starts = range(0, len(samples), SHARD_SAMPLES)
    for shard, start in enumerate(starts):
        with tarfile.open(out / f"shard-{shard:06d}.tar", "w") as archive:
            for sample in samples[start : start + SHARD_SAMPLES]:
                add_member(archive, f"{sample.key}.jpg", sample.jpeg)
                add_member(archive, f"{sample.key}.cls", str(sample.label).encode())
    return len(starts)


def add_member(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    """Adds one file to a tar."""
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))


def main() -> None:
    """Makes the data set."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path, help="folder to write images/ and shards/ into")
    parser.add_argument("--count", type=int, default=400, help="number of samples")
    parser.add_argument(
        "--classes", type=int, default=10, choices=range(1, len(PHOTOGRAPHS) + 1), metavar="1..10"
    )
    arguments = parser.parse_args()

    begin = time.monotonic()
    photographs = load_photographs(arguments.out / "wheels")
    names = sorted(photographs)[: arguments.classes]
    samples = make_samples([photographs[name] for name in names], arguments.count)
    write_folders(arguments.out / "images", samples, names)
    num_shards = write_shards(arguments.out / "shards", samples)
    mean_kb = sum(len(sample.jpeg) for sample in samples) / len(samples) / 1000
    print(
        f"made {len(samples)} JPEGs of {len(names)} classes, {mean_kb:.0f} KB each,"
        f" in {arguments.out / 'images'} and again in {num_shards} tar shards"
        f" in {arguments.out / 'shards'} ({time.monotonic() - begin:.0f} s)"
    )


if __name__ == "__main__":
    main()
