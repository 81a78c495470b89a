"""Bad samples are left out or replaced, exactly, and listed; threads and ranks change nothing."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from conftest import write_tar

import penstock as ps

BAD = {5, 17, 18, 44}


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory, jpegs: list[bytes]) -> Path:
    """Four shards of 15 samples: two are cut, one is random bytes, one has no label."""
    root = tmp_path_factory.mktemp("damaged")
    for shard in range(4):
        members = []
        for number in range(shard * 15, shard * 15 + 15):
            content = jpegs[number]
            if number in (5, 18):
                content = content[: len(content) * 3 // 4]
            if number == 17:
                content = np.random.default_rng(1).bytes(5000)
            members.append((f"{number:04d}.jpg", content))
            if number != 44:
                members.append((f"{number:04d}.cls", b"%d" % number))
        write_tar(root / f"train-{shard}.tar", members)
    return root


def pipeline(folder: Path, **shuffle: object) -> ps.Pipeline:
    source = ps.tar(f"{folder}/train-*.tar").shuffle(**{"window": 20, "lanes": 4, **shuffle})
    return source.image("jpg", ps.RandomResizedCrop(16)).label("cls").batch(6, last="keep")


def collect(loader: ps.Loader) -> list[tuple[list[int], bytes]]:
    return [(batch.ids.tolist(), batch["jpg"].tobytes()) for batch in loader]


def ids(batches: list[tuple[list[int], bytes]]) -> list[int]:
    return [sample for samples, _ in batches for sample in samples]


def test_raises_by_default(damaged):
    with pytest.raises((ps.DataError, FileNotFoundError), match=r"train-\d.tar: \d{4}: "):
        collect(pipeline(damaged).numpy())


@pytest.mark.parametrize("window", [20, "global"])
def test_skip_delivers_every_good_sample_once(damaged, window):
    batches = collect(pipeline(damaged, window=window).numpy(on_error="skip"))
    assert sorted(ids(batches)) == sorted(set(range(60)) - BAD)
    assert len(batches) == 10


@pytest.mark.parametrize("window", [20, "global"])
def test_replace_delivers_full_batches_of_good_samples(damaged, window):
    batches = collect(pipeline(damaged, window=window).numpy(on_error="replace"))
    assert [len(samples) for samples, _ in batches] == [6] * 10
    counts = Counter(ids(batches))
    assert set(counts) == set(range(60)) - BAD
    assert sum(counts.values()) == 60


def test_replace_keeps_every_other_place(damaged, shards):
    """Only the places of bad samples change."""
    replaced = ids(collect(pipeline(damaged, seed=3).numpy(on_error="replace")))
    order = ids(
        collect(ps.tar(f"{shards}/*.tar").shuffle(window=20, lanes=4, seed=3)
                .image("jpg", ps.RandomResizedCrop(16)).batch(6, last="keep").numpy())
    )  # fmt: skip
    changed = {was for was, now in zip(order, replaced, strict=True) if was != now}
    assert changed == BAD


@pytest.mark.parametrize("on_error", ["skip", "replace"])
def test_the_number_of_threads_changes_nothing(damaged, on_error):
    loops = [
        collect(pipeline(damaged).numpy(threads=threads, on_error=on_error))
        for threads in (1, 2, 8)
    ]
    assert loops[0] == loops[1] == loops[2]


def test_replacements_are_the_same_at_any_world_size(damaged):
    whole = ids(collect(pipeline(damaged).numpy(on_error="replace")))
    parts = [
        ids(collect(pipeline(damaged).batch(3, last="keep").shard(rank, 2)
                    .numpy(on_error="replace", max_errors=10)))
        for rank in range(2)
    ]  # fmt: skip
    assert [sample for pair in zip(*parts, strict=True) for sample in pair] == whole


def test_the_manifest_lists_exactly_the_bad_ones(damaged, tmp_path):
    manifest = tmp_path / "bad.jsonl"
    loader = pipeline(damaged).epochs(3).numpy(on_error="skip", manifest=manifest)
    collect(loader)
    lines = [json.loads(line) for line in manifest.read_text().splitlines()]
    assert {int(line["key"]) for line in lines} == BAD
    assert len(lines) == len(BAD)
    by_key = {int(line["key"]): line for line in lines}
    assert by_key[5]["source"] == f"{damaged}/train-0.tar"
    assert by_key[5]["record"] == 5 and by_key[18]["record"] == 3
    assert by_key[17]["stage"] == "decode" and by_key[44]["stage"] == "read"
    assert "truncated" in by_key[18]["message"]
    assert loader.stats().bad_samples == 3 * len(BAD)


def test_the_manifest_of_a_resumed_run_is_the_same(damaged, tmp_path):
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    collect(pipeline(damaged).numpy(on_error="skip", manifest=whole))
    state = pipeline(damaged).numpy(on_error="skip").state()
    for _ in range(10):
        loader = pipeline(damaged).numpy(on_error="skip", manifest=parts)
        loader.restore(state)
        next(iter(loader))
        state = loader.state()
    assert parts.read_text() == whole.read_text()


def test_too_many_are_an_error(damaged):
    collect(pipeline(damaged).numpy(on_error="skip", max_errors=4))
    message = (
        r"train-\d.tar: \d{4}: .*; 4 bad samples in epoch 0 are more than max_errors allows, 3"
    )
    for threads in (1, 8):
        with pytest.raises((ps.DataError, FileNotFoundError), match=message):
            collect(pipeline(damaged).numpy(threads=threads, on_error="skip", max_errors=3))


def test_a_share_of_the_samples_is_borne(damaged):
    collect(pipeline(damaged).numpy(on_error="skip", max_errors=0.07))
    with pytest.raises((ps.DataError, FileNotFoundError), match="more than max_errors allows, 3"):
        collect(pipeline(damaged).numpy(on_error="skip", max_errors=0.05))


def test_the_limit_holds_over_a_resume(damaged):
    loader = pipeline(damaged).numpy(on_error="skip", max_errors=3)
    batches = iter(loader)
    for _ in range(10):
        state = loader.state()
        try:
            next(batches)
        except (ps.DataError, FileNotFoundError):
            break
    assert state["bad_samples"] == 3
    resumed = pipeline(damaged).numpy(on_error="skip", max_errors=3)
    resumed.restore(state)
    with pytest.raises((ps.DataError, FileNotFoundError), match="more than max_errors allows, 3"):
        collect(resumed)


def test_bad_samples_are_counted_for_their_own_epoch(damaged):
    loader = pipeline(damaged).numpy(on_error="skip", max_errors=4)
    state = {**loader.state(), "position": 54, "bad_samples": 4}
    for _ in loader:
        pass
    loader.restore(state)
    assert loader.state()["bad_samples"] == 4
    loader.seek(7, 2)
    assert loader.state()["bad_samples"] == 0
    loader.restore(state)
    collect(loader)  # the rest of that epoch
    assert loader.state()["bad_samples"] == 0
    assert len(ids(collect(loader))) == 56  # all of the next one, which may have four of its own


def test_skipping_keeps_the_count_of_the_epoch(damaged):
    loader = pipeline(damaged).numpy(on_error="skip")
    for batch in loader:
        before = loader.state()["bad_samples"]
        if before > 0 and batch.number < 8:
            loader.skip(1)
            assert loader.state()["bad_samples"] == before
            break
    assert before > 0


def test_when_all_are_bad_there_is_nothing_to_replace_with(tmp_path):
    shard = write_tar(tmp_path / "a.tar", [(f"{i}.jpg", b"no image") for i in range(10)])
    loader = ps.tar(shard).image("jpg", ps.Resize((8, 8))).batch(2).numpy(
        on_error="replace", max_errors=1.0
    )  # fmt: skip
    with pytest.raises(ps.DataError, match=r"no sample in place of .*a.tar: 0, 256 were tried"):
        collect(loader)


def test_rejects_wrong_options(damaged):
    for options in ({"on_error": "ignore"}, {"max_errors": 1.5}, {"max_errors": -0.1}):
        with pytest.raises(ValueError, match=r"on_error is ignore|max_errors is"):
            collect(pipeline(damaged).numpy(**{"on_error": "skip", **options}))
