"""Text and numbers beside images: every reader, from every kind of source that has it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import jpeg_bytes, photo, write_tar

import penstock as ps

COUNT = 30


def npy_bytes(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def boxes_of(i: int) -> np.ndarray:
    return np.arange(4 * (i % 4), dtype=np.float32).reshape(-1, 4) + i


def fields_of(i: int) -> dict[str, bytes]:
    fields = {
        "jpg": jpeg_bytes(photo(i, 40, 30)),
        "cls": b"%d\n" % (i % 7),
        "score": b"%.3f" % (i / 8),
        "txt": ("naïve " * (i % 3) + str(i)).encode(),
        "json": json.dumps({"i": i, "tags": ["a"] * (i % 2)}).encode(),
        "bin": bytes(range(i % 5)),
        "vec.npy": npy_bytes(np.full((2, 3), i, np.float32)),
        "boxes.npy": npy_bytes(boxes_of(i)),
    }
    if i % 2 == 0:
        fields["weight"] = b"%d" % i
    return fields


@pytest.fixture(scope="module")
def shard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    members = [
        (f"{i:03d}.{name}", content) for i in range(COUNT) for name, content in fields_of(i).items()
    ]
    return write_tar(tmp_path_factory.mktemp("fields") / "fields.tar", members)


def only_batch(pipeline: ps.Pipeline) -> ps.Batch:
    (batch,) = pipeline.batch(COUNT).numpy()
    return batch


def bad_shard(tmp_path: Path, **fields: bytes) -> ps.Pipeline:
    members = [(f"cat.{name.replace('_', '.')}", content) for name, content in fields.items()]
    return ps.tar(write_tar(tmp_path / "bad.tar", members))


def test_numbers_come_in_the_type_asked_for(shard):
    for dtype, kind in (("f32", np.float32), ("f64", np.float64)):
        score = only_batch(ps.tar(shard).number("score", dtype))["score"]
        assert score.dtype == kind
        np.testing.assert_array_equal(score, np.array([f"{i / 8:.3f}" for i in range(COUNT)], kind))
    for dtype, kind in (("i32", np.int32), ("i64", np.int64)):
        number = only_batch(ps.tar(shard).number("cls", dtype))["cls"]
        assert number.dtype == kind and number.tolist() == [i % 7 for i in range(COUNT)]


def test_samples_without_the_field_get_the_default(shard):
    weights = only_batch(ps.tar(shard).number("weight", default=-1.5))["weight"]
    assert weights.tolist() == [i if i % 2 == 0 else -1.5 for i in range(COUNT)]
    labels = only_batch(ps.tar(shard).label("weight", default=-1))["weight"]
    assert labels.tolist() == [i if i % 2 == 0 else -1 for i in range(COUNT)]


def test_text_bytes_and_json_are_lists(shard):
    batch = only_batch(ps.tar(shard).text("txt").bytes("bin").json("json"))
    assert batch["txt"] == [fields_of(i)["txt"].decode() for i in range(COUNT)]
    assert batch["bin"] == [bytes(range(i % 5)) for i in range(COUNT)]
    assert batch["json"] == [{"i": i, "tags": ["a"] * (i % 2)} for i in range(COUNT)]


def test_arrays_of_one_shape_take_type_and_shape_from_the_first(shard):
    vectors = only_batch(ps.tar(shard).npy("vec.npy"))["vec.npy"]
    assert vectors.dtype == np.float32 and vectors.shape == (COUNT, 2, 3)
    assert vectors[:, 1, 2].tolist() == list(range(COUNT))


def test_arrays_are_converted_when_asked(shard):
    vectors = only_batch(ps.tar(shard).npy("vec.npy", dtype="f64", shape=(2, 3)))["vec.npy"]
    assert vectors.dtype == np.float64 and vectors[5, 0, 0] == 5


def test_arrays_of_many_lengths_are_ragged(shard):
    boxes = only_batch(ps.tar(shard).npy("boxes.npy", ragged=True))["boxes.npy"]
    assert isinstance(boxes, ps.Ragged) and len(boxes) == COUNT
    assert boxes.values.shape == (sum(i % 4 for i in range(COUNT)), 4)
    assert boxes.lengths.tolist() == [i % 4 for i in range(COUNT)]
    for i, sample in enumerate(boxes):
        np.testing.assert_array_equal(sample, boxes_of(i))
    np.testing.assert_array_equal(boxes[-1], boxes_of(COUNT - 1))
    with pytest.raises(IndexError):
        boxes[COUNT]


def test_arrays_of_many_lengths_can_be_padded(shard):
    batch = only_batch(ps.tar(shard).npy("boxes.npy", length=3, pad=-1))
    padded, lengths = batch["boxes.npy"], batch["boxes.npy.length"]
    assert padded.shape == (COUNT, 3, 4) and padded.dtype == np.float32
    assert lengths.tolist() == [i % 4 for i in range(COUNT)]
    for i in range(COUNT):
        np.testing.assert_array_equal(padded[i, : lengths[i]], boxes_of(i))
        assert (padded[i, lengths[i] :] == -1).all()


def test_bytes_can_be_padded(shard):
    batch = only_batch(ps.tar(shard).bytes("bin", length=6, pad=255))
    assert batch["bin"].shape == (COUNT, 6) and batch["bin"].dtype == np.uint8
    assert batch["bin"][3].tolist() == [0, 1, 2, 255, 255, 255]
    assert batch["bin.length"][3] == 3


def all_fields(path: Path) -> ps.Pipeline:
    return (
        ps.tar(path)
        .shuffle("global", seed=3)
        .image("jpg", ps.RandomResizedCrop(8))
        .label("cls")
        .number("score")
        .text("txt")
        .json("json")
        .npy("vec.npy")
        .npy("boxes.npy", ragged=True)
        .epochs(2)
        .batch(7, last="keep")
    )


def test_several_fields_of_a_batch_belong_together(shard):
    for batch in all_fields(shard).numpy(threads=3):
        for place, i in enumerate(batch.ids.tolist()):
            assert batch["cls"][place] == i % 7
            assert batch["txt"][place] == fields_of(i)["txt"].decode()
            assert batch["json"][place]["i"] == i
            assert batch["vec.npy"][place, 0, 0] == i
            np.testing.assert_array_equal(batch["boxes.npy"][place], boxes_of(i))


def test_the_number_of_threads_changes_nothing(shard):
    def arrays_of(batch: ps.Batch) -> list[Any]:
        boxes = batch["boxes.npy"]
        return [batch.ids, batch["jpg"], batch["score"], boxes.values, boxes.offsets]

    def collect(threads: int) -> list[Any]:
        return [
            [b["txt"], b["json"], *(array.tobytes() for array in arrays_of(b))]
            for b in all_fields(shard).numpy(threads=threads)
        ]

    assert collect(1) == collect(8)


def test_the_layout_says_what_comes(shard):
    pipeline = ps.tar(shard).npy("boxes.npy", ragged=True).text("txt").label("cls")
    assert pipeline.bytes("bin", length=9).batch(4).numpy().layout == {
        "boxes.npy": ("f32", (4, None, 4)),
        "txt": ("text", (4,)),
        "cls": ("i64", (4,)),
        "bin": ("u8", (4, 9)),
        "bin.length": ("i64", (4,)),
    }


def test_ragged_batches_stay_valid_after_the_loader_is_gone(shard):
    loader = ps.tar(shard).npy("boxes.npy", ragged=True).batch(5).numpy()
    kept = [batch["boxes.npy"] for batch in loader]
    loader.close()
    del loader
    for number, boxes in enumerate(kept):
        for place, sample in enumerate(boxes):
            np.testing.assert_array_equal(sample, boxes_of(5 * number + place))


def test_columns_in_memory_are_converted():
    numbers = np.arange(10)
    batch = next(iter(ps.arrays(a=numbers).number("a").batch(10).numpy()))
    assert batch["a"].dtype == np.float32 and batch["a"].tolist() == list(range(10))
    rows = ps.arrays(a=np.ones((10, 2))).array("a", dtype="f32", shape=(2,)).batch(10)
    assert next(iter(rows.numpy()))["a"].dtype == np.float32


# The field, how it is read, what is in it, and what the message says.
BAD = {
    "not_utf8": ({"txt": b"caf\xe9 au lait"}, "text", "txt", {}, "cat: txt: not UTF-8 at byte 3"),
    "not_json": ({"json": b"[1, 2"}, "json", "json", {}, "cat: json: not JSON at byte 5"),
    "no_number": ({"num": b"0.5x"}, "number", "num", {}, "cat: num: '0.5x' is not a number"),
    "not_whole": (
        {"num": b"0.5"},
        "number",
        "num",
        {"dtype": "i64"},
        "cat: num: '0.5' is not a whole number",
    ),
    "too_large": (
        {"num": b"3000000000"},
        "number",
        "num",
        {"dtype": "i32"},
        "cat: num: value 3000000000 at place 0 does not fit i32",
    ),
    "too_long": (
        {"bin": b"0123456"},
        "bytes",
        "bin",
        {"length": 4},
        "cat: bin: is 7 long, expected at most 4",
    ),
    "no_array": (
        {"npy": b"text"},
        "npy",
        "npy",
        {"dtype": "f32", "shape": (2,)},
        "cat: npy: npy: does not begin as .npy files do",
    ),
    "wrong_shape": (
        {"npy": npy_bytes(np.zeros((3, 2)))},
        "npy",
        "npy",
        {"dtype": "f32", "shape": (2, 3)},
        "cat: npy: is 3x2, expected 2x3",
    ),
    "wrong_rows": (
        {"npy": npy_bytes(np.zeros((3, 2)))},
        "npy",
        "npy",
        {"dtype": "f32", "shape": (4,), "ragged": True},
        "cat: npy: is 3x2, expected any number of rows of 4",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_content_names_the_sample_and_the_field(tmp_path, name):
    fields, reader, field, options, message = BAD[name]
    pipeline = getattr(bad_shard(tmp_path, **fields), reader)(field, **options).batch(1)
    with pytest.raises(ValueError, match=r"bad\.tar: cat") as caught:
        list(pipeline.numpy())
    assert str(caught.value).endswith(message)


def test_a_type_that_differs_from_the_first_is_named(tmp_path):
    arrays = [("a.npy", npy_bytes(np.zeros(2))), ("b.npy", npy_bytes(np.zeros(2, np.float32)))]
    pipeline = ps.tar(write_tar(tmp_path / "two.tar", arrays)).npy("npy").batch(2)
    with pytest.raises(ps.DataError, match="b: npy: is of f32, expected f64 as in the first"):
        list(pipeline.numpy())


def test_a_broken_first_sample_does_not_hide_the_shape(tmp_path):
    arrays = [("a.npy", b"broken"), ("b.npy", npy_bytes(np.zeros((2, 5))))]
    pipeline = ps.tar(write_tar(tmp_path / "two.tar", arrays)).npy("npy").batch(1)
    assert pipeline.numpy().layout == {"npy": ("f64", (1, 2, 5))}


# The reader, its options, and what is wrong with them.
WRONG = [
    ("bytes", "bin", {"length": 0}, "bytes 'bin': length is 0, expected 1 or more"),
    ("bytes", "bin", {"length": 4, "pad": 300}, "pad: 300 does not fit u8"),
    ("npy", "vec.npy", {"dtype": "i9"}, "dtype is i9, expected u8, i32, i64, f16, f32 or f64"),
    ("npy", "vec.npy", {"pad": 2}, "pad is 2 without a length"),
    ("npy", "txt", {}, "npy 'txt': {shard}: 000: npy: does not begin"),
    ("array", "txt", {}, "array 'txt': is bytes in a file, expected numbers; for .npy files use"),
    ("number", "cls", {"dtype": "i32", "default": 0.5}, "default: 0.5 is not a whole number"),
    ("number", "cls", {"dtype": "f8"}, "dtype is f8, expected"),
]


@pytest.mark.parametrize(("reader", "field", "options", "message"), WRONG)
def test_wrong_options_are_named_before_anything_runs(shard, reader, field, options, message):
    pipeline = getattr(ps.tar(shard), reader)(field, **options).batch(1)
    with pytest.raises(ValueError) as caught:
        pipeline.numpy()
    assert message.format(shard=shard) in str(caught.value)


def test_a_field_cannot_be_called_as_the_lengths_of_another(tmp_path):
    pipeline = bad_shard(tmp_path, bin=b"1", bin_length=b"2").bytes("bin", length=2)
    with pytest.raises(
        ValueError, match=r"'bin\.length' is asked for, which is the length of 'bin'"
    ):
        pipeline.bytes("bin.length").batch(1).numpy()
