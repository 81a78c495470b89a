"""The same samples as the webdataset package finds, and shards that it reads.

Members hold different numbers, so that a label shows which member's bytes were read.
"""

from __future__ import annotations

import gc
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import webdataset
from conftest import write_tar
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock as ps

Samples = list[tuple[str, dict[str, int]]]


def read_undecoded(urls: Path | str) -> list[dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # the package leaves files open
        samples = list(webdataset.WebDataset(str(urls), shardshuffle=False, empty_check=False))
        gc.collect()
    return samples


def samples_of_webdataset(shard: Path) -> Samples:
    """Key and members of each sample."""
    return [
        (
            sample["__key__"],
            {name: int(value) for name, value in sample.items() if not name.startswith("__")},
        )
        for sample in read_undecoded(shard)
    ]


def keys_of_penstock(shard: Path, field: str) -> list[str]:
    loader = ps.tar(shard, index_cache=False).label(field).batch(1).numpy()
    prefix = f"{shard}: "
    return [loader.sample_name(i).removeprefix(prefix) for i in range(loader.num_samples)]


def label_of_penstock(shard: Path, key: str, field: str) -> int | None:
    """What one member of one sample holds; None if the sample has no such member."""
    source = ps.tar(shard, index_cache=False).filter(key=key)
    try:
        return int(next(iter(source.label(field).batch(1).numpy()))[field][0])
    except FileNotFoundError:
        return None


def check_same(shard: Path) -> Samples:
    expected = samples_of_webdataset(shard)
    fields = sorted({field for _, members in expected for field in members})
    assert keys_of_penstock(shard, fields[0]) == [key for key, _ in expected]
    for key, members in expected:
        found = {field: label_of_penstock(shard, key, field) for field in fields}
        assert {name: value for name, value in found.items() if value is not None} == members
    return expected


def numbered(*names: str) -> list[tuple[str, bytes]]:
    return [(name, b"%d" % number) for number, name in enumerate(names, 100)]


def test_reads_what_the_package_writes(tmp_path):
    shard = tmp_path / "train.tar"
    with webdataset.TarWriter(str(shard)) as writer:
        for number in range(5):
            writer.write(
                {"__key__": f"cats/{number:03d}", "cls": number, "id.txt": str(number * 10)}
            )
    assert check_same(shard)[4] == ("cats/004", {"cls": 4, "id.txt": 40})


def test_reads_what_the_package_compresses(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shard = tmp_path / "train.tar.gz"
    with webdataset.TarWriter(str(shard)) as writer:
        for number in range(5):
            writer.write({"__key__": f"{number:03d}", "cls": number})
    assert len(check_same(shard)) == 5


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["a.x.cls", "a.cls", "a.x.y.cls"], id="several_dots"),
        pytest.param(["v1.0/a.cls", "v1.0/a.txt", "v1.1/a.cls"], id="folders_with_dots"),
        pytest.param(["A.CLS", "A.Seg.PNG", "a.cls"], id="upper_case"),
        pytest.param(["a/b/c.cls", "a/c.cls", "c.cls", "./c.cls"], id="subfolders"),
        pytest.param(["README", "a.cls", "dir/LICENSE", "a.txt"], id="not_grouped"),
        pytest.param(["__a.b__", "__meta__/x.cls", "a.cls", "__b.cls"], id="about_the_shard"),
        pytest.param([".x.cls", "a/.x.cls", "a/b.cls", "v1.0/.x.cls"], id="hidden"),
        pytest.param(["a.cls", "b.cls", "a.txt"], id="key_again"),
        pytest.param(["n" * 150 + ".cls", "d" * 90 + "/" + "n" * 90 + ".cls"], id="long"),
        pytest.param(["köln.cls", "köln.txt"], id="not_ascii"),
    ],
)
def test_groups_members_as_the_package_does(tmp_path, names):
    shard = write_tar(tmp_path / "shard.tar", numbered(*names))
    expected = samples_of_webdataset(shard)
    fields = {field for _, members in expected for field in members}
    assert keys_of_penstock(shard, min(fields)) == [key for key, _ in expected]
    if len({key for key, _ in expected}) == len(expected):
        check_same(shard)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("aB._/", min_size=1, max_size=9), max_size=6))
def test_finds_the_keys_that_the_package_finds(names):
    # Python's tarfile strips slashes at the end, and the last member has to be a sample.
    names = [name for name in names if not name.endswith("/")]
    members = [*numbered(*dict.fromkeys(names)), ("z.cls", b"1")]
    with TemporaryDirectory() as folder:
        shard = write_tar(Path(folder) / "shard.tar", members)
        try:
            expected = samples_of_webdataset(shard)
        except ValueError:  # two members of one sample have one extension
            return
        assert keys_of_penstock(shard, "cls") == [key for key, _ in expected]


def test_the_package_reads_shards_of_plain_tar(shards):
    pattern = str(shards / "train-{000..003}.tar")
    expected = read_undecoded(pattern)
    batches = ps.tar(pattern).label("cls").batch(len(expected)).numpy()
    assert next(iter(batches))["cls"].tolist() == [int(sample["cls"]) for sample in expected]
