"""penstock index makes ahead of time what the first epoch would make."""

import json
import shutil

from cli_verify_test import damaged_shard
from command import penstock


def test_keeps_an_index_beside_the_data(image_folder, tmp_path):
    folder = shutil.copytree(image_folder, tmp_path / "pets")
    done = penstock("index", folder)
    assert done.returncode == 0, done.stderr
    rows = dict(line.rsplit(maxsplit=1) for line in done.stdout.splitlines()[:2])
    assert rows == {"samples": "60", "shards": "1"}
    assert "entry points" not in done.stdout
    assert (tmp_path / ".penstock/pets.index").exists()


def test_counts_entry_points_and_their_share(shards):
    done = penstock("index", f"{shards}/*.tar", "--entry-points")
    assert done.returncode == 0, done.stderr
    assert "images with entry points" in done.stdout and " %)" in done.stdout
    done = penstock("index", f"{shards}/*.tar", "--entry-points", "--threads", 2, "--json")
    report = json.loads(done.stdout)
    assert (report["samples"], report["shards"], report["bad"]) == (60, 4, 0)
    points = report["entry_points"]
    assert points["images"] == 60
    assert points["share"] > 0
    assert points["share"] == points["bytes"] / report["bytes"]


def test_names_what_is_bad(tmp_path):
    done = penstock("index", damaged_shard(tmp_path), "--entry-points", "--limit", 2)
    assert done.returncode == 1
    assert done.stderr == "penstock: 4 of 22 are bad\n"
    lines = done.stdout.splitlines()
    assert f"{tmp_path}/train.tar: record 3: 03: jpg: jpeg: truncated after" in lines[0]
    assert lines[2] == "... and 2 more; --limit shows more"


def test_does_not_decode_unless_asked_to(tmp_path):
    done = penstock("index", damaged_shard(tmp_path))
    assert done.returncode == 0, done.stderr


def test_explains_itself_with_an_example():
    done = penstock("index", "--help")
    assert done.returncode == 0
    assert "Example: penstock index" in done.stdout
