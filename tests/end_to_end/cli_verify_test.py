"""penstock verify reads everything and says what is bad."""

import json

from command import penstock
from conftest import jpeg_bytes, photo, write_tar

GOOD = jpeg_bytes(photo(1))


def damaged_shard(folder):
    members = []
    for number in range(20):
        content = {3: GOOD[: len(GOOD) // 2], 7: bytes(range(100))}.get(number, GOOD)
        members += [(f"{number:02d}.jpg", content), (f"{number:02d}.cls", b"1")]
    members += [("20.jpg", GOOD), ("20.cls", b"one"), ("21.json", b"{")]
    return write_tar(folder / "train.tar", members)


def test_all_is_well(image_folder, shards):
    for source in (image_folder, f"{shards}/*.tar"):
        done = penstock("verify", source)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("60 checked in ")
        assert done.stdout.endswith("all is well\n")


def test_names_what_is_bad(tmp_path):
    done = penstock("verify", damaged_shard(tmp_path))
    assert done.returncode == 1
    assert done.stderr == "penstock: 4 of 22 are bad\n"
    lines = done.stdout.splitlines()
    assert f"{tmp_path}/train.tar: record 3: 03: jpg: jpeg: truncated after" in lines[0]
    assert "record 7: 07: jpg: unknown image format, begins with 00 01 02 03" in lines[1]
    assert "record 20: 20: cls: " in lines[2] and "one" in lines[2]
    assert "record 21: 21: json: " in lines[3]


def test_shows_as_many_as_asked_for(tmp_path):
    done = penstock("verify", damaged_shard(tmp_path), "--limit", 1)
    assert "... and 3 more; --limit shows more, --output lists all" in done.stdout


def test_lists_and_checks_again(tmp_path):
    shard, manifest = damaged_shard(tmp_path), tmp_path / "bad.jsonl"
    assert penstock("verify", shard, "--output", manifest).returncode == 1
    listed = [json.loads(line) for line in manifest.read_text().splitlines()]
    assert [(line["record"], line["key"]) for line in listed] == [
        (3, "03"),
        (7, "07"),
        (20, "20"),
        (21, "21"),
    ]
    assert {line["stage"] for line in listed} == {"decode"}

    done = penstock("verify", shard, "--manifest", manifest, "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert (report["checked"], report["bad"]) == (4, 4)
    assert report["samples"] == listed

    manifest.write_text(json.dumps({**listed[0], "record": 4, "key": "04"}) + "\n")
    assert penstock("verify", shard, "--manifest", manifest).returncode == 0


def test_a_manifest_that_is_none_is_named(tmp_path):
    (tmp_path / "bad.jsonl").write_text("nonsense\n")
    done = penstock("verify", damaged_shard(tmp_path), "--manifest", tmp_path / "bad.jsonl")
    assert done.returncode == 1
    assert "bad.jsonl: manifest: line 1: not a JSON object" in done.stderr


def test_the_number_of_threads_changes_nothing(tmp_path):
    shard = damaged_shard(tmp_path)
    reports = [
        json.loads(penstock("verify", shard, "--json", "--threads", n).stdout)["samples"]
        for n in (1, 8)
    ]
    assert reports[0] == reports[1]
