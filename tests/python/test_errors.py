"""Bad input gets one clear message that names the file and what was expected."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import jpeg_bytes, photo, write_tar

import penstock as ps

RESIZE = ps.Resize((16, 16))


def image_file(folder: Path, content: bytes, name: str = "cat/1.jpg") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return folder


def read_folder(path: Path, **options: object) -> None:
    list(ps.folder(path, **options).image("image", RESIZE).batch(1).numpy())


def read_tar(path: Path) -> None:
    list(ps.tar(path).image("jpg", RESIZE).label("cls").batch(1).numpy())


def truncated_jpeg(tmp: Path) -> None:
    read_folder(image_file(tmp, jpeg_bytes(photo(1))[:2000]))


def random_bytes(tmp: Path) -> None:
    read_folder(image_file(tmp, bytes(range(200))))


def empty_file(tmp: Path) -> None:
    read_folder(image_file(tmp, b""))


def no_images(tmp: Path) -> None:
    (tmp / "notes.txt").write_text("nothing to see")
    read_folder(tmp)


def no_class_folders(tmp: Path) -> None:
    read_folder(image_file(tmp, jpeg_bytes(photo(1)), "1.jpg"))


def missing_path(tmp: Path) -> None:
    read_folder(tmp / "nowhere")


def missing_shard(tmp: Path) -> None:
    read_tar(tmp / "train-{000..001}.tar")


def cut_tar(tmp: Path) -> None:
    content = jpeg_bytes(photo(1))
    shard = write_tar(tmp / "cut.tar", [("a.jpg", content), ("a.cls", b"1"), ("b.jpg", content)])
    shard.write_bytes(shard.read_bytes()[:13000])
    read_tar(shard)


def not_a_tar(tmp: Path) -> None:
    shard = tmp / "text.tar"
    shard.write_bytes(b"this is text, not an archive" * 100)
    read_tar(shard)


def repeated_extension(tmp: Path) -> None:
    read_tar(write_tar(tmp / "twice.tar", [("a.jpg", b"1"), ("a.jpg", b"2")]))


def member_missing(tmp: Path) -> None:
    content = jpeg_bytes(photo(1))
    read_tar(write_tar(tmp / "gap.tar", [("a.jpg", content), ("a.cls", b"1"), ("b.jpg", content)]))


def label_not_a_number(tmp: Path) -> None:
    read_tar(write_tar(tmp / "words.tar", [("a.jpg", jpeg_bytes(photo(1))), ("a.cls", b"cat")]))


def label_table_misses_a_file(tmp: Path) -> None:
    image_file(tmp, jpeg_bytes(photo(1)), "1.jpg")
    image_file(tmp, jpeg_bytes(photo(2)), "2.jpg")
    table = tmp / "labels.csv"
    table.write_text("file,label\n1.jpg,3\n")
    read_folder(tmp, labels=table)


def label_table_without_columns(tmp: Path) -> None:
    image_file(tmp, jpeg_bytes(photo(1)), "1.jpg")
    table = tmp / "labels.csv"
    table.write_text("name;number\n1.jpg;3\n")
    read_folder(tmp, labels=table)


def wrong_option(_: Path) -> None:
    ps.RandomFlip(probability=1.5)


def unknown_option(_: Path) -> None:
    ps.RandomFlip(chance=0.5)


def unknown_field(tmp: Path) -> None:
    image_file(tmp, jpeg_bytes(photo(1)))
    ps.folder(tmp).image("jpg", RESIZE).batch(1).numpy()


def no_fixed_size(tmp: Path) -> None:
    image_file(tmp, jpeg_bytes(photo(1)))
    ps.folder(tmp).image("image", ps.Resize(16)).batch(1).numpy()


def batch_too_large(tmp: Path) -> None:
    image_file(tmp, jpeg_bytes(photo(1)))
    ps.folder(tmp).label("label").batch(2).numpy()


def memory_too_small(_: Path) -> None:
    next(iter(ps.synthetic(1000).image("image").batch(64).numpy(memory="10MiB")))


def memory_not_a_size(_: Path) -> None:
    ps.synthetic(1000).image("image").batch(64).numpy(memory="lots")


def crop_larger_than_image(tmp: Path) -> None:
    image_file(tmp, jpeg_bytes(photo(1, 50, 40)))
    list(ps.folder(tmp).image("image", ps.RandomCrop(64)).batch(1).numpy())


def uneven_arrays(_: Path) -> None:
    ps.arrays(a=np.zeros(3), b=np.zeros(4)).array("a").batch(1).numpy()


def normalised_bytes(_: Path) -> None:
    ps.synthetic(10).image("image", ps.Normalize(), dtype="u8").batch(1).numpy()


def wrong_rank(_: Path) -> None:
    ps.synthetic(10).image("image").shard(rank=2, world=2).batch(1).numpy()


# What goes wrong, the exception, and what its message says: the file, and what was expected.
CASES = [
    (truncated_jpeg, ps.DataError, ["cat/1.jpg: image: jpeg: truncated"]),
    (random_bytes, ps.DataError, ["cat/1.jpg", "unknown image format", "00 01 02 03", "expected"]),
    (empty_file, ps.DataError, ["cat/1.jpg", "empty file, expected an image"]),
    (no_images, FileNotFoundError, ["{tmp}", "no image", "expected"]),
    (no_class_folders, ValueError, ["1.jpg", "expected"]),
    (missing_path, FileNotFoundError, ["{tmp}/nowhere"]),
    (missing_shard, FileNotFoundError, ["{tmp}/train-000.tar"]),
    (cut_tar, ps.DataError, ["cut.tar", "b.jpg at byte 11264 needs 9288 bytes"]),
    (not_a_tar, ps.DataError, ["text.tar", "byte 0"]),
    (repeated_extension, ps.DataError, ["twice.tar", "sample a has two members", "jpg"]),
    (member_missing, FileNotFoundError, ["gap.tar: b: no field cls, it has: jpg"]),
    (label_not_a_number, ps.DataError, ["words.tar: a: cls: 'cat' is not a whole number"]),
    (label_table_misses_a_file, ValueError, ["labels.csv", "2.jpg"]),
    (label_table_without_columns, ValueError, ["labels.csv: line 1: no column named file"]),
    (wrong_option, ValueError, ["random_flip: probability is 1.5, expected a value in [0, 1]"]),
    (unknown_option, ValueError, ["random_flip: no option 'chance'", "probability"]),
    (unknown_field, ValueError, ["image 'jpg'", "expected one of: image, label"]),
    (no_fixed_size, ValueError, ["image 'image'", "a batch needs one size"]),
    (batch_too_large, ValueError, ["1 samples do not fill one batch of 2"]),
    (memory_too_small, MemoryError, ["10 MiB is too little", "expected at least 35 MiB"]),
    (memory_not_a_size, ValueError, ["'lots' is not a size"]),
    (crop_larger_than_image, ValueError, ["cat/1.jpg", "random_crop", "50", "64"]),
    (uneven_arrays, ValueError, ["3", "4"]),
    (normalised_bytes, ValueError, ["image 'image'", "u8"]),
    (wrong_rank, ValueError, ["rank", "2"]),
]


@pytest.mark.parametrize(
    ("provoke", "error", "parts"), CASES, ids=[case[0].__name__ for case in CASES]
)
def test_message_names_the_file_and_what_was_expected(tmp_path, provoke, error, parts):
    with pytest.raises(error) as caught:
        provoke(tmp_path)
    message = str(caught.value)
    assert "\n" not in message
    for part in parts:
        assert part.format(tmp=tmp_path) in message
