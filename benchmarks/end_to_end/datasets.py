"""Makes the data that all frameworks read: class folders, shards, 768x768 and tiny images."""

import hashlib
import io
import random
import shutil
import struct
import tarfile
from pathlib import Path
from typing import Literal

from PIL import Image

import penstock as ps

SHARD_BYTES = 100_000_000
SQUARE_SIDE = 768
NUM_SQUARES = {"jpg": 400, "png": 100}
NUM_TINY = 1_000_000
TINY_SHAPE = (32, 32, 3)
NUM_CLASSES_OF_FLAT_FOLDER = 10
READ_BYTES = 8 << 20


def find_jpegs(images: Path) -> list[Path]:
    """List all JPEGs under a folder, in order."""
    return sorted(p for p in images.rglob("*") if p.suffix.lower() in (".jpg", ".jpeg"))


def class_names(images: Path, jpegs: list[Path]) -> list[str]:
    """Name the class of each JPEG: its folder, or ten made-up ones if all lie in one folder."""
    if all(path.parent == images for path in jpegs):
        return [f"class_{i % NUM_CLASSES_OF_FLAT_FOLDER:02d}" for i in range(len(jpegs))]
    return [path.parent.relative_to(images).as_posix().replace("/", "_") for path in jpegs]


def copy_to_folders(images: list[Path], classes: list[str], copies: int, root: Path) -> None:
    """Copy each image several times into its class folder, as files of their own."""
    for path, name in zip(images, classes, strict=True):
        folder = root / name
        folder.mkdir(parents=True, exist_ok=True)
        suffix = ".png" if path.suffix == ".png" else ".jpg"
        for copy in range(copies):
            shutil.copyfile(path, folder / f"{path.stem}_{copy}{suffix}")


def add_member(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    """Append one file to a shard."""
    member = tarfile.TarInfo(name)
    member.size = len(content)
    tar.addfile(member, io.BytesIO(content))


def mixed_samples(folders: Path) -> list[tuple[Path, int]]:
    """Path and label of the files of the class folders, in a mixed order."""
    samples = [
        (path, label)
        for label, folder in enumerate(sorted(folders.iterdir()))
        for path in sorted(folder.iterdir())
    ]
    random.Random(1).shuffle(samples)
    return samples


def write_shards(folders: Path, root: Path) -> None:
    """Write the files of the class folders as key.jpg and key.cls."""
    root.mkdir()
    samples = mixed_samples(folders)
    key, shard = 0, 0
    while key < len(samples):
        name = root / f"shard-{shard:06d}.tar"
        with tarfile.open(name, "w", format=tarfile.USTAR_FORMAT) as tar:
            while key < len(samples) and tar.offset < SHARD_BYTES:
                path, label = samples[key]
                add_member(tar, f"{key:08d}.jpg", path.read_bytes())
                add_member(tar, f"{key:08d}.cls", str(label).encode())
                key += 1
        shard += 1


def write_records(folders: Path, root: Path) -> None:
    """Write the same samples in the same order as tf.Examples.

    Beside each shard lies what DALI wants to know: where every record begins and how long it is.
    """
    root.mkdir()
    samples = mixed_samples(folders)
    key, shard = 0, 0
    while key < len(samples):
        name = root / f"shard-{shard:06d}.tfrecord"
        size = 0
        with ps.TFRecordWriter(name) as writer:
            while key < len(samples) and size < SHARD_BYTES:
                path, label = samples[key]
                jpeg = path.read_bytes()
                writer.write({"image/encoded": jpeg, "image/class/label": label})
                size += len(jpeg)
                key += 1
        write_record_list(name, name.with_suffix(".idx"))
        shard += 1


def write_record_list(shard: Path, target: Path) -> None:
    """Write where each record of a TFRecord file begins, and its size with its frame."""
    lines = []
    with shard.open("rb") as file:
        while header := file.read(12):
            (length,) = struct.unpack("<Q", header[:8])
            lines.append(f"{file.tell() - 12} {length + 16}\n")
            file.seek(length + 4, 1)
    target.write_text("".join(lines))


def write_file_list(folders: Path, final: Path, target: Path) -> None:
    """List the images, as they will be named, in a mixed order: what the limit decodes."""
    files = sorted(final / path.relative_to(folders) for path in folders.glob("*/*"))
    random.Random(1).shuffle(files)
    target.write_text("".join(f"{path}\n" for path in files))


def some_jpegs(images: Path) -> list[Path]:
    """List the JPEGs under a folder, of which there must be some."""
    jpegs = find_jpegs(images)
    if not jpegs:
        raise SystemExit(f"compare.py: no JPEGs under {images} (name a folder with --images)")
    return jpegs


def data_key(jpegs: list[Path], copies: int, made: str) -> str:
    """Tell apart what was made of other JPEGs, or in another way."""
    listing = "\n".join(f"{path} {path.stat().st_size}" for path in jpegs)
    return hashlib.sha256(f"{listing} x{copies} {made}".encode()).hexdigest()[:8]


def photo_data(images: Path, copies: int, root: Path) -> Path:
    """Make class folders and shards of some JPEGs, once; return where they are."""
    images = images.resolve()
    jpegs = some_jpegs(images)
    key = data_key(jpegs, copies, "folder tar tfrecord")
    data = root / f"{images.name}-{len(jpegs)}x{copies}-{key}"
    if data.exists():
        return data
    print(f"making {data.name} ...", flush=True)
    partial = root / f"{data.name}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    copy_to_folders(jpegs, class_names(images, jpegs), copies, partial / "folder")
    write_shards(partial / "folder", partial / "tar")
    write_records(partial / "folder", partial / "tfrecord")
    write_file_list(partial / "folder", data / "folder", partial / "files.txt")
    partial.rename(data)
    return data


def write_squares(jpegs: list[Path], kind: Literal["jpg", "png"], root: Path) -> list[Path]:
    """Write each JPEG as 768x768 of quality 90, or as PNG."""
    root.mkdir(parents=True)
    squares = []
    for path in jpegs:
        square = root / f"{path.stem}.{kind}"
        with Image.open(path) as image:
            pixels = image.convert("RGB").resize((SQUARE_SIDE,) * 2, Image.Resampling.BICUBIC)
        if kind == "png":
            pixels.save(square, compress_level=6)
        else:
            pixels.save(square, quality=90)
        squares.append(square)
    return squares


def square_data(images: Path, kind: Literal["jpg", "png"], copies: int, root: Path) -> Path:
    """Make class folders of 768x768 images of one format, once; return where they are."""
    images = images.resolve()
    jpegs = some_jpegs(images)
    jpegs = jpegs[:: max(1, len(jpegs) // NUM_SQUARES[kind])][: NUM_SQUARES[kind]]
    key = data_key(jpegs, copies, f"{SQUARE_SIDE} {kind}")
    data = root / f"{images.name}-{kind}{SQUARE_SIDE}-{len(jpegs)}x{copies}-{key}"
    if data.exists():
        return data
    print(f"making {data.name} ...", flush=True)
    partial = root / f"{data.name}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    squares = write_squares(jpegs, kind, partial / "squares")
    copy_to_folders(squares, class_names(images, jpegs), copies, partial / "folder")
    shutil.rmtree(partial / "squares")
    write_file_list(partial / "folder", data / "folder", partial / "files.txt")
    partial.rename(data)
    return data


def tiny_data(root: Path) -> Path:
    """Make the array of tiny images, once; return where it is."""
    data = root / "tiny-data"
    if data.exists():
        return data
    print(f"making {data.name} ...", flush=True)
    partial = root / "tiny-data.partial"
    shutil.rmtree(partial, ignore_errors=True)
    (partial / "tiny").mkdir(parents=True)
    shape = (NUM_TINY, *TINY_SHAPE)
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}"
    # NumPy's format 1.0: magic, header length, header padded so that the data is aligned to 64.
    header += " " * (-(len(header) + 11) % 64) + "\n"
    rng = random.Random(1)
    with (partial / "tiny" / "images.npy").open("wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        for _ in range(100):
            file.write(rng.randbytes(NUM_TINY // 100 * 32 * 32 * 3))
    partial.rename(data)
    return data


def warm_page_cache(folder: Path) -> None:
    """Read every file once, so that no framework pays for the disk."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb", buffering=0) as file:
                while file.read(READ_BYTES):
                    pass
