"""TFRecord files come back as they were written, by us and by TensorFlow."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as ps
from penstock import _core

# Written by TensorFlow: tests/interop/tfrecord_tensorflow.py write tests/golden/tfrecord
GOLDEN = Path(__file__).resolve().parents[1] / "golden/tfrecord"
EXPECTED = json.loads((GOLDEN / "expected.json").read_text())


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    """Compressed shards are unpacked into a cache of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def read(path: Path, *features: str, check_crc: bool = True) -> list[dict[str, list[Any]]]:
    examples, damages = _core.read_examples(str(path), list(features), check_crc)
    assert damages == []
    return examples


def as_json(example: dict[str, list[Any]], kinds: dict[str, str]) -> dict[str, list[Any]]:
    return {
        name: [kinds[name], [v.hex() if isinstance(v, bytes) else v for v in values]]
        for name, values in example.items()
    }


@pytest.mark.parametrize("name", EXPECTED)
def test_files_of_tensorflow_are_read_as_tensorflow_reads_them(name):
    records = EXPECTED[name]
    kinds = {feature: kind for record in records for feature, (kind, _) in record.items()}
    features = [f"{feature}:{kind}" for feature, kind in kinds.items()]
    found = [as_json(example, kinds) for example in read(GOLDEN / name, *features)]
    assert found == records


@pytest.mark.parametrize("name", EXPECTED)
def test_features_are_found_without_being_named(name):
    found = read(GOLDEN / name)
    assert [set(example) for example in found] == [set(record) for record in EXPECTED[name]]


def write(path: Path, *records: dict[str, Any], compression: Any = None) -> Path:
    with ps.TFRecordWriter(path, compression) as writer:
        for record in records:
            writer.write(record)
    return path


@pytest.mark.parametrize("compression", [None, "gzip", "zlib"])
def test_what_is_written_is_read(tmp_path, compression):
    record = {
        "image/encoded": b"\0\1\2",
        "text": "grün",
        "texts": ["a", b"b"],
        "label": 3,
        "flag": True,
        "score": 0.5,
        "mixed": [1, 2.5],
        "matrix": np.arange(6).reshape(2, 3),
        "column": np.arange(6, dtype=np.float64).reshape(2, 3)[:, 1],
        "small": np.uint8(200),
        "names": np.array(["x", "yz"]),
        "none": np.array([], np.float32),
    }
    path = write(tmp_path / "a.tfrecord", record, {"label": -1}, compression=compression)
    assert read(path) == [
        {
            "image/encoded": [b"\0\1\2"],
            "text": ["grün".encode()],
            "texts": [b"a", b"b"],
            "label": [3],
            "flag": [1],
            "score": [0.5],
            "mixed": [1.0, 2.5],
            "matrix": [0, 1, 2, 3, 4, 5],
            "column": [1.0, 4.0],
            "small": [200],
            "names": [b"x", b"yz"],
            "none": [],
        },
        {"label": [-1]},
    ]


FEATURES = st.dictionaries(
    st.text(max_size=5),
    st.one_of(
        st.lists(st.binary(max_size=200), min_size=1, max_size=5),
        st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=20),
        st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=20),
    ),
    min_size=1,
    max_size=5,
)


@given(FEATURES)
def test_any_features_come_back(tmp_path_factory, features):
    path = write(tmp_path_factory.mktemp("any") / "a.tfrecord", features)
    assert read(path) == [features]


def test_the_same_features_give_the_same_bytes(tmp_path):
    one = write(tmp_path / "1.tfrecord", {"a": 1, "b": b"x"})
    other = write(tmp_path / "2.tfrecord", {"b": b"x", "a": 1})
    assert one.read_bytes() == other.read_bytes()


def test_nothing_is_left_of_a_file_whose_writing_failed(tmp_path):
    with pytest.raises(KeyError), ps.TFRecordWriter(tmp_path / "a.tfrecord") as writer:
        writer.write({"a": 1})
        raise KeyError
    assert list(tmp_path.iterdir()) == []


def test_the_file_appears_when_it_is_closed(tmp_path):
    writer = ps.TFRecordWriter(tmp_path / "new/a.tfrecord")
    writer.write({"a": 1})
    assert not (tmp_path / "new/a.tfrecord").exists()
    writer.close()
    assert read(tmp_path / "new/a.tfrecord") == [{"a": [1]}]
    with pytest.raises(ValueError, match="the file is closed"):
        writer.write({"a": 1})


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ([], ValueError, "x is an empty list, expected an array to know of which kind"),
        (None, TypeError, "x is of type NoneType, expected bytes, text, numbers or lists of them"),
        (1j, TypeError, "x is of type complex128, expected bytes, text, numbers or lists of them"),
        (2**63, ValueError, "x holds 9223372036854775808, expected at most 2\\*\\*63 - 1"),
        (2**64, TypeError, "x is of type int, expected bytes"),
    ],
)
def test_values_of_no_kind_are_refused(tmp_path, value, error, message):
    with pytest.raises(error, match=message), ps.TFRecordWriter(tmp_path / "a") as writer:
        writer.write({"x": value})


def test_an_unknown_compression_is_refused(tmp_path):
    with pytest.raises(ValueError, match="compression is 'zip', expected None, 'gzip' or 'zlib'"):
        ps.TFRecordWriter(tmp_path / "a", "zip")


def test_a_changed_byte_is_noticed(tmp_path):
    path = write(tmp_path / "a.tfrecord", {"text": "hello"}, {"text": "world"})
    path.write_bytes(path.read_bytes().replace(b"world", b"World"))
    expected = r"a.tfrecord: record 1: crc32c of the record is 0x[0-9a-f]{8}, expected 0x"
    with pytest.raises(ps.DataError, match=expected):
        read(path, "text:bytes")
    assert read(path, "text:bytes", check_crc=False)[1] == {"text": [b"World"]}


def test_records_behind_a_damaged_length_are_read(tmp_path):
    path = write(tmp_path / "a.tfrecord", *({"number": number} for number in range(10)))
    content = bytearray(path.read_bytes())
    size = len(content) // 10
    content[4 * size] ^= 1
    path.write_bytes(content)
    examples, damages = _core.read_examples(str(path), [], True)
    assert [example["number"] for example in examples] == [[n] for n in range(10) if n != 4]
    message = "no record at byte {}, the checksum of its length is wrong; {} bytes are passed over"
    assert damages == [message.format(4 * size, size)]


def test_a_cut_file_gives_the_records_before_the_cut(tmp_path):
    path = write(tmp_path / "a.tfrecord", {"number": 1}, {"number": 2})
    path.write_bytes(path.read_bytes()[:-1])
    examples, damages = _core.read_examples(str(path), [], True)
    assert examples == [{"number": [1]}]
    assert len(damages) == 1
    assert damages[0].startswith("the record at byte 35 has 19 bytes and a checksum of 4, ")


def test_a_feature_of_another_kind_is_named(tmp_path):
    path = write(tmp_path / "a.tfrecord", {"label": 1})
    with pytest.raises(ps.DataError, match="feature label is of kind int64, expected float"):
        read(path, "label:float")


def test_a_plain_file_that_begins_like_zlib_is_read(tmp_path):
    # The length of the record is written first: 0x0178 are the first two bytes of zlib streams too.
    text = b"x" * (0x0178 - 21)
    path = write(tmp_path / "a.tfrecord", {"text": text})
    assert struct.unpack("<Q", path.read_bytes()[:8]) == (0x0178,)
    assert read(path) == [{"text": [text]}]


def test_a_pipeline_names_its_features():
    pipeline = ps.tfrecord("a.tfrecord", {"box": "float[3, 4]", "label": "int64"}, check_crc=False)
    assert json.loads(pipeline.spec)["source"] == {
        "kind": "tfrecord",
        "urls": ["a.tfrecord"],
        "options": {
            "features": "box:float[3x4],label:int64",
            "check_crc": "false",
            "index_cache": "true",
        },
    }
