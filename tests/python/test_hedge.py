"""Reads that hang are made twice, if one asks for it."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest
from servers.nginx import Nginx

import penstock as ps

STALL_SECONDS = 8
# Three of the first 300 requests are stalled, close together, and so late that what is usual is
# known.
SEED = 49387


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No index from before, and a time-out that is noticed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PENSTOCK_STALL_SECONDS", str(STALL_SECONDS))


def batches(path: str) -> list[tuple[list[int], bytes]]:
    """Four epochs, an object for each sample: 240 reads."""
    pipeline = ps.folder(path).shuffle("global", seed=1).image("image", ps.Resize((32, 32)))
    return [
        (batch.ids.tolist(), batch["image"].tobytes())
        for batch in pipeline.epochs(4).batch(8).numpy()
    ]


@pytest.mark.parametrize("percent", ["0", "95"])
def test_a_hedged_read_does_not_wait_for_a_stalled_one(
    image_folder, nginx: Nginx, fault_proxy, monkeypatch, percent
):
    shutil.copytree(image_folder, nginx.root / "hedged", dirs_exist_ok=True)
    monkeypatch.setenv("PENSTOCK_HEDGE_PERCENT", percent)
    proxy = fault_proxy(nginx.url, {"stall": 0.02}, seed=SEED, stall_s=60)
    expected = batches(str(image_folder))
    began = time.monotonic()
    assert batches(f"{proxy.url}/json/hedged") == expected
    if percent == "0":
        assert time.monotonic() - began > STALL_SECONDS
    else:
        assert time.monotonic() - began < STALL_SECONDS / 2


def test_a_wrong_percentage_is_refused(nginx: Nginx, monkeypatch):
    monkeypatch.setenv("PENSTOCK_HEDGE_PERCENT", "100")
    with pytest.raises(ValueError, match="PENSTOCK_HEDGE_PERCENT is 100, expected a number from 0"):
        batches(f"{nginx.url}/json/hedged")
