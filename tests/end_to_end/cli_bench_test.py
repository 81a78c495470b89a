"""penstock bench measures folders, shards and synthetic images."""

import json

import pytest
from command import penstock


@pytest.mark.parametrize("transform", ["train", "eval", "resize", "none"])
def test_measures_a_folder(image_folder, transform):
    done = penstock("bench", image_folder, "--transform", transform, "--seconds", 0.2, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["images_per_s"] > 0
    assert result["transform"] == transform
    assert list(result["stages"]) == ["read", "decode", "transform", "map", "trainer"]
    assert result["stages"]["decode"]["busy_s"] > 0


def test_measures_shards_given_as_folder_or_pattern(shards):
    for source in (shards, f"{shards}/train-{{000..003}}.tar", f"{shards}/*.tar"):
        done = penstock("bench", source, "--threads", 2, "--batch", 8, "--seconds", 0.2, "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["read_bytes"] > 0


def test_prints_a_table_that_fits_a_terminal():
    done = penstock("bench", "synthetic", "--transform", "none", "--seconds", 0.2)
    assert done.returncode == 0, done.stderr
    assert "images/s" in done.stdout and "peak memory" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_writes_a_page_that_needs_nothing_beside_it(image_folder, tmp_path):
    page = tmp_path / "bench.html"
    done = penstock("bench", image_folder, "--prefetch", 0, "--seconds", 0.2, "--html", page)
    assert done.returncode == 0, done.stderr
    html = page.read_text()
    assert "workers: decode" in html and "prefetch 0" in html
    assert "src=" not in html and "href=" not in html


def test_explains_itself_with_an_example():
    done = penstock("bench", "--help")
    assert done.returncode == 0
    assert "Example: penstock bench" in done.stdout


def test_a_wrong_option_is_one_line_and_a_failure():
    done = penstock("bench", "synthetic", "--transform", "sideways")
    assert done.returncode == 2
    assert "sideways" in done.stderr + done.stdout


def test_a_missing_folder_is_named(tmp_path):
    done = penstock("bench", tmp_path / "nowhere")
    assert done.returncode == 1
    assert done.stderr.startswith("penstock: folder: ") and str(tmp_path / "nowhere") in done.stderr
    assert done.stderr.count("\n") == 1
