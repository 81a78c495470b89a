"""TensorFlow's side of the TFRecord tests. Runs in an environment that has it.

    python tfrecord_tensorflow.py write FOLDER [SEED]     files, and what TensorFlow reads in them
    python tfrecord_tensorflow.py read FILE [GZIP|ZLIB]   what TensorFlow reads in a file

What is read is JSON: for each record the features by name, each a kind and its values (bytes as
hexadecimal text).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import tensorflow as tf

KINDS = {"int64_list": tf.int64, "float_list": tf.float32, "bytes_list": tf.string}


def feature(values: Iterable[bytes] | np.ndarray) -> tf.train.Feature:
    values = np.asarray(values)
    if values.dtype.kind == "i":
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    if values.dtype.kind == "f":
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values.tolist()))


def example(features: dict[str, Iterable[bytes] | np.ndarray]) -> bytes:
    made = {name: feature(values) for name, values in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()


def fixed_records(rng: np.random.Generator) -> list[bytes]:
    """An image of some size, a label, a box and a name."""
    return [
        example(
            {
                "image/encoded": [rng.bytes(int(rng.integers(0, 300)))],
                "image/class/label": rng.integers(0, 1000, 1),
                "image/object/box": rng.normal(size=4).astype(np.float32),
                "image/filename": [f"picture {number}.jpg".encode()],
            }
        )
        for number in range(5)
    ]


def variable_records(rng: np.random.Generator) -> list[bytes]:
    """From no values to many, the extremes, and features that are not always there."""
    extremes = np.array([0, -1, 2**63 - 1, -(2**63), 127, 128])
    records = [example({"ints": extremes, "floats": np.float32([0, -0.0, 1e-45, 3.4e38, np.inf])})]
    for count in (0, 1, 2, 40):
        features = {
            "ints": rng.integers(-(2**40), 2**40, count),
            "floats": rng.normal(size=count).astype(np.float32),
            "texts": [rng.bytes(number) for number in range(count)],
        }
        if count == 2:
            del features["floats"]
        if count == 0:
            features["texts"] = np.array([], dtype=bytes)
        records.append(example(features))
    return records


def sequence_records(rng: np.random.Generator) -> list[bytes]:
    """Steps of different length beside a context."""
    records = []
    for steps in (1, 3, 0):
        context = {"length": feature(np.array([steps])), "title": feature([b"sequence"])}
        lists = {
            "frames": [feature([rng.bytes(5)]) for _ in range(steps)],
            "tokens": [feature(rng.integers(-5, 500, step)) for step in range(steps)],
            "scores": [feature(rng.normal(size=2).astype(np.float32)) for _ in range(steps)],
        }
        made = tf.train.SequenceExample(
            context=tf.train.Features(feature=context),
            feature_lists=tf.train.FeatureLists(
                feature_list={
                    name: tf.train.FeatureList(feature=features) for name, features in lists.items()
                }
            ),
        )
        records.append(made.SerializeToString())
    return records


def plain(kind: str, values: Iterable[bytes | int | float]) -> list[object]:
    """A kind and values, as JSON has them."""
    name = kind.removesuffix("_list")
    return [name, [value.hex() if name == "bytes" else value for value in values]]


def read_example(record: bytes) -> dict[str, list[object]]:
    """The features that TensorFlow's parser finds."""
    kinds = {
        name: found.WhichOneof("kind")
        for name, found in tf.train.Example.FromString(record).features.feature.items()
    }
    wanted = {name: tf.io.VarLenFeature(KINDS[kind]) for name, kind in kinds.items()}
    parsed = tf.io.parse_single_example(record, wanted)
    return {
        name: plain(kind, parsed[name].values.numpy().tolist())
        for name, kind in sorted(kinds.items())
    }


def read_sequence(record: bytes) -> dict[str, list[object]]:
    """The context, and the feature lists with their steps one after the other."""
    context, lists, _ = tf.io.parse_sequence_example(
        [record],
        {"length": tf.io.VarLenFeature(tf.int64), "title": tf.io.VarLenFeature(tf.string)},
        {
            "frames": tf.io.VarLenFeature(tf.string),
            "tokens": tf.io.VarLenFeature(tf.int64),
            "scores": tf.io.VarLenFeature(tf.float32),
        },
    )
    names = {tf.int64: "int64", tf.float32: "float", tf.string: "bytes"}
    return {
        name: plain(names[found.dtype], found.values.numpy().tolist())
        for name, found in sorted({**context, **lists}.items())
    }


def write(folder: Path, seed: int) -> None:
    """Write the files, and expected.json beside them."""
    rng = np.random.default_rng(seed)
    fixed = fixed_records(rng)
    files = {
        "plain.tfrecord": ("", fixed),
        "gzip.tfrecord.gz": ("GZIP", fixed),
        "zlib.tfrecord": ("ZLIB", fixed),
        "variable.tfrecord": ("", variable_records(rng)),
        "sequence.tfrecord": ("", sequence_records(rng)),
    }
    expected = {}
    for name, (compression, records) in files.items():
        with tf.io.TFRecordWriter(str(folder / name), compression) as writer:
            for record in records:
                writer.write(record)
        read_record = read_sequence if name == "sequence.tfrecord" else read_example
        expected[name] = [read_record(record) for record in records]
    (folder / "expected.json").write_text(json.dumps(expected) + "\n")


def read(file: str, compression: str) -> None:
    """Print what TensorFlow reads."""
    records = tf.data.TFRecordDataset(file, compression_type=compression)
    print(json.dumps([read_example(record.numpy()) for record in records]))


if __name__ == "__main__":
    command, path, *rest = sys.argv[1:]
    if command == "write":
        write(Path(path), int(rest[0]) if rest else 0)
    else:
        read(path, rest[0] if rest else "")
