"""Bytes of remote objects kept on a disk: fetched once, by whoever comes first."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
import textwrap
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import write_tar
from servers.nginx import Nginx

import penstock as ps

NUM_SHARDS = 4
PER_SHARD = 160
SAMPLE_BYTES = 100_000
DATA_BYTES = NUM_SHARDS * PER_SHARD * SAMPLE_BYTES
BRACES = f"blob-{{0..{NUM_SHARDS - 1}}}.tar"


@pytest.fixture(scope="module")
def blobs(nginx: Nginx) -> Path:
    """Shards of random bytes behind nginx; gives the folder."""
    folder = nginx.root / "blobs"
    folder.mkdir()
    rng = np.random.default_rng(1)
    for shard in range(NUM_SHARDS):
        members = [(f"{shard}-{i:04d}.bin", rng.bytes(SAMPLE_BYTES)) for i in range(PER_SHARD)]
        write_tar(folder / f"blob-{shard}.tar", members)
    return folder


@pytest.fixture(autouse=True)
def own_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test begins without an index."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))


def loader(url: str, folder: Path, size: ps.Size = "1GiB") -> ps.Loader:
    """All samples, shuffled."""
    pipeline = ps.tar(url).cache(folder, size).shuffle(seed=3).bytes("bin")
    return pipeline.batch(20).numpy()


def digest(batches: ps.Loader) -> str:
    """Of one epoch's bytes, in order."""
    total = hashlib.sha256()
    for batch in batches:
        for sample in batch["bin"]:
            total.update(sample)
    return total.hexdigest()


def test_the_second_epoch_makes_no_request(blobs, nginx, tmp_path):
    expected = digest(ps.tar(f"{blobs}/{BRACES}").shuffle(seed=3).bytes("bin").batch(20).numpy())
    cached = loader(f"{nginx.url}/blobs/{BRACES}", tmp_path / "cache")
    assert digest(cached) == expected
    num_requests = len(nginx.requests())
    digest(cached)
    assert len(nginx.requests()) == num_requests
    stats = cached.stats().disk_cache
    assert stats is not None
    assert stats["stored_bytes"] > DATA_BYTES
    assert stats["problem"] == ""
    assert "MB saved" in cached.stats().table()


def test_of_a_cache_for_half_half_is_found(blobs, nginx, tmp_path):
    size = sum(shard.stat().st_size for shard in blobs.glob("*.tar")) // 2
    cached = loader(f"{nginx.url}/blobs/{BRACES}", tmp_path / "cache", size)
    digest(cached)
    for _ in range(2):
        before = cached.stats().disk_cache
        digest(cached)
        after = cached.stats().disk_cache
        hits = after["hit_bytes"] - before["hit_bytes"]
        misses = after["missed_bytes"] - before["missed_bytes"]
        assert hits / (hits + misses) == pytest.approx(0.5, abs=0.02)
        assert after["is_full"]
    kept = sum(file.stat().st_size for file in (tmp_path / "cache").rglob("*") if file.is_file())
    assert kept <= size


READ = """
    import sys
    sys.path[:0] = ["{here}", "{here}/.."]
    from pathlib import Path
    from test_disk_cache import digest, loader
    print("begins", flush=True)
    print(digest(loader("{url}", Path("{folder}"))))
"""


def start_reading(url: str, folder: Path) -> subprocess.Popen[str]:
    script = textwrap.dedent(READ.format(url=url, folder=folder, here=Path(__file__).parent))
    return subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)


def is_of_a_shard(request: dict[str, Any]) -> bool:
    return request["status"] == 206 and request["target"].endswith(".tar")


def test_processes_share_it(blobs, nginx, tmp_path):
    expected = digest(ps.tar(f"{blobs}/{BRACES}").shuffle(seed=3).bytes("bin").batch(20).numpy())
    num_before = len(nginx.requests())
    url = f"{nginx.url}/blobs/{BRACES}"
    readers = [start_reading(url, tmp_path / "cache") for _ in range(2)]
    outputs = [reader.communicate(timeout=60)[0].split() for reader in readers]
    assert outputs == [["begins", expected]] * 2
    answers = [request for request in nginx.requests()[num_before:] if is_of_a_shard(request)]
    fetched = Counter((answer["target"], answer["range"]) for answer in answers)
    assert max(fetched.values()) == 1
    sent = sum(answer["sent"] for answer in answers)
    assert sent == sum(shard.stat().st_size for shard in blobs.glob("*.tar"))


def test_a_process_that_is_killed_leaves_no_wrong_byte(blobs, nginx, fault_proxy, tmp_path):
    expected = digest(ps.tar(f"{blobs}/{BRACES}").shuffle(seed=3).bytes("bin").batch(20).numpy())
    # Slow enough that every one is killed while it fills the cache.
    slow = fault_proxy(nginx.url, rate=50_000_000)
    delays = random.Random(7)
    for _ in range(20):
        with start_reading(f"{slow.url}/blobs/{BRACES}", tmp_path / "cache") as reader:
            assert reader.stdout is not None
            assert reader.stdout.readline() == "begins\n"
            time.sleep(delays.uniform(0.0, 0.15))
            reader.kill()
    cached = loader(f"{slow.url}/blobs/{BRACES}", tmp_path / "cache")
    assert digest(cached) == expected
    stats = cached.stats().disk_cache
    assert stats is not None
    assert stats["hit_bytes"] > 0
    assert stats["problem"] == ""


def test_a_size_that_is_none_is_refused(tmp_path):
    with pytest.raises(ValueError, match="disk_cache: size"):
        loader("http://127.0.0.1/x.tar", tmp_path, "much")


PEAK = """
    import penstock as ps
    from penstock import _core

    loader = (
        ps.tar("{url}").shuffle(seed=1).bytes("bin").epochs(5).batch(20).numpy(memory="{memory}")
    )
    before = _core.peak_memory_bytes()
    for batch in loader:
        assert sum(loader.stats().memory.values()) <= 2 * loader.stats().memory["ceiling"]
    print(_core.peak_memory_bytes() - before)
"""


@pytest.mark.usefixtures("blobs")
@pytest.mark.parametrize("memory_mib", [64, 200])
def test_the_memory_ceiling_holds_during_remote_reads(nginx, memory_mib):
    url = f"{nginx.url}/blobs/{BRACES}"
    script = textwrap.dedent(PEAK.format(url=url, memory=f"{memory_mib}MiB"))
    grown = subprocess.run(
        [sys.executable, "-c", script], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    # A batch of the consumer's own and what libcurl holds for its connections come on top.
    assert int(grown) < (memory_mib + 24) << 20
