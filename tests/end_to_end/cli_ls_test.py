"""penstock ls shows what a source holds."""

import json

from command import penstock

import penstock as ps


def test_lists_a_folder(image_folder):
    done = penstock("ls", image_folder, "--limit", 2)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split()[:2] == ["0", f"{image_folder}/ant/0000.jpg"]
    assert lines[0].endswith("label 0")
    assert lines[2].strip() == "..."
    assert lines[3].startswith("60 samples in 1 shard, ") and lines[3].endswith(", 3 classes")


def test_lists_shards_as_json(shards):
    done = penstock("ls", f"{shards}/*.tar", "--json", "--limit", 1)
    assert done.returncode == 0, done.stderr
    listed = json.loads(done.stdout)
    assert (listed["samples"], listed["shards"]) == (60, 4)
    assert set(listed["fields"]) == {"jpg", "cls"}
    assert len(listed["first"]) == 1


def test_a_missing_shard_is_named(tmp_path):
    done = penstock("ls", tmp_path / "train-{000..009}.tar")
    assert done.returncode == 1
    assert "train-000.tar" in done.stderr


def test_lists_the_features_of_records(tmp_path):
    with ps.TFRecordWriter(tmp_path / "train.tfrecord") as writer:
        for number in range(3):
            writer.write({"image/encoded": b"jpeg", "image/class/label": number})
    done = penstock("ls", tmp_path / "train.tfrecord", "--limit", 1)
    assert done.returncode == 0, done.stderr
    assert "train.tfrecord: record 0  image/class/label i64  image/encoded u8" in done.stdout
