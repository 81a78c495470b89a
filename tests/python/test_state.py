"""A loader goes on exactly where it was, whatever changed around it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import penstock as ps

CROP = (ps.RandomResizedCrop(24), ps.RandomFlip(), ps.Normalize())
GLOBAL_BATCH = 8


def pipeline(shards: Path, rank: int = 0, world: int = 1, **batch: str) -> ps.Pipeline:
    return (
        ps.tar(f"{shards}/train-{{000..003}}.tar")
        .shuffle(window=16, seed=5, lanes=4)
        .image("jpg", *CROP)
        .label("cls")
        .shard(rank, world)
        .epochs(3)
        .batch(GLOBAL_BATCH // world, **batch)
    )


def trace(batch: ps.Batch) -> list[tuple[int, int, str]]:
    """Epoch, sample and pixels of every sample."""
    return [
        (batch.epoch, int(sample), hashlib.sha1(pixels.tobytes()).hexdigest())
        for sample, pixels in zip(batch.ids, batch["jpg"], strict=True)
    ]


def interleave(parts: list[list[tuple[int, int, str]]]) -> list[tuple[int, int, str]]:
    """The global batch: rank r has the positions r, r + world, ... of it."""
    return [row for rows in zip(*parts, strict=True) for row in rows]


def test_resumes_after_every_batch(shards):
    whole = [trace(batch) for batch in pipeline(shards).numpy(threads=2)]
    loader = pipeline(shards).numpy(threads=3, prefetch=5)
    for number, _ in enumerate(loader):
        resumed = pipeline(shards).numpy(threads=1 + number % 4)
        resumed.restore(loader.state())
        if number + 1 < len(whole):
            assert [trace(batch) for batch in resumed] == whole[number + 1 :]
    assert loader.epoch == resumed.epoch == 3


def test_resumes_at_another_world_size_in_every_step(shards):
    whole = [row for batch in pipeline(shards).numpy() for row in trace(batch)]
    rows: list[tuple[int, int, str]] = []
    state = pipeline(shards).numpy().state()
    for world in (1, 2, 4, 8, 2, 8, 1, 4) * 10:
        if state["epoch"] == 3:
            break
        parts = []
        for rank in range(world):
            loader = pipeline(shards, rank, world).numpy(threads=1 + rank % 3)
            loader.restore(state)
            parts.append(trace(next(iter(loader))))
            states = loader.state()
        rows += interleave(parts)
        state = {**state, "epoch": states["epoch"], "position": states["position"]}
    assert rows == whole


def test_a_state_is_small_and_readable(shards):
    loader = pipeline(shards).numpy()
    next(iter(loader))
    text = json.dumps(loader.state())
    assert len(text) < 1024
    state = json.loads(text)
    assert state["penstock_state"] == 1
    assert (state["epoch"], state["position"], state["batches"], state["samples"]) == (0, 8, 1, 8)
    assert state["spec"]["seed"] == "5"


def test_a_state_is_taken_as_text_too(shards):
    loader = pipeline(shards).numpy()
    batches = iter(loader)
    next(batches)
    resumed = pipeline(shards).numpy()
    resumed.restore(json.dumps(loader.state()))
    assert trace(next(iter(resumed))) == trace(next(batches))


def test_names_what_differs(shards):
    state = pipeline(shards).numpy().state()
    other = pipeline(shards).shuffle(window=20, seed=6, lanes=4).numpy()
    with pytest.raises(ValueError, match=r"seed is 6, was 5; shuffle is 20 over 4, was 16 over 4"):
        other.restore(state)
    other.restore(state, force=True)


def test_names_a_field_that_differs(shards):
    state = pipeline(shards).numpy().state()
    other = ps.tar(f"{shards}/train-{{000..003}}.tar").shuffle(window=16, seed=5, lanes=4)
    other = other.image("jpg", ps.RandomResizedCrop(16)).batch(8)
    with pytest.raises(ValueError, match=r"field jpg is image .*random_resized_crop .* was #"):
        other.numpy().restore(state)
    with pytest.raises(ValueError, match=r"field cls is not there, was label"):
        other.numpy().restore(state)


def test_names_a_data_set_that_differs(shards):
    state = pipeline(shards).numpy().state()
    fewer = ps.tar(f"{shards}/train-{{000..002}}.tar").shuffle(window=16, seed=5, lanes=4)
    fewer = fewer.image("jpg", *CROP).label("cls").batch(8).numpy()
    with pytest.raises(ValueError, match=r"the dataset has \d+ samples, had \d+"):
        fewer.restore(state)


def test_rejects_what_is_no_state(shards):
    loader = pipeline(shards).numpy()
    with pytest.raises(ps.DataError, match="penstock_state is missing"):
        loader.restore({})
    state = loader.state()
    with pytest.raises(ps.DataError, match="version 9, expected 1"):
        loader.restore({**state, "penstock_state": 9})
    with pytest.raises(ps.DataError, match="position is -1"):
        loader.restore({**state, "position": -1})
    with pytest.raises(ValueError, match="position is 1000"):
        loader.restore({**state, "position": 1000})


def numbers(**options: int) -> ps.Loader:
    return ps.arrays(x=np.arange(10)).label("x").epochs(2).batch(2).numpy(**options)


def values(loader: ps.Loader) -> list[int]:
    return [int(x) for batch in loader for x in batch["x"]]


def test_skip_leaves_out_batches():
    loader = numbers()
    loader.skip(3)
    assert values(loader)[:4] == [6, 7, 8, 9]
    loader = numbers()
    loader.skip(7)
    assert values(loader) == [4, 5, 6, 7, 8, 9]


def test_skip_in_a_loop_goes_on_behind():
    loader, seen = numbers(), []
    for batch in loader:
        seen.append((batch.epoch, batch.number))
        if batch.number == 1:
            loader.skip(2)
    assert seen == [(0, 0), (0, 1), (0, 4), (1, 0), (1, 1), (1, 4)]


def test_seek_goes_anywhere():
    loader = numbers()
    loader.seek(1, 3)
    assert values(loader) == [6, 7, 8, 9]
    assert [batch.epoch for batch in loader][:1] == [2]
    loader.seek(0)
    assert values(loader)[:2] == [0, 1]
    with pytest.raises(ValueError, match="no batch 6 in epoch 0, expected fewer than 5"):
        loader.seek(0, 6)


def test_a_loop_that_is_left_is_followed_by_the_next_epochs():
    loader = numbers()
    for _ in loader:
        break
    assert loader.state()["position"] == 2
    assert [batch.epoch for batch in loader][:1] == [2]


def test_an_endless_loop_goes_on_with_the_next_epoch():
    loader = ps.arrays(x=np.arange(10)).label("x").epochs(None).batch(2).numpy()
    for batch in loader:
        if batch.epoch == 3 and batch.number == 2:
            break
    assert next(iter(loader)).epoch == 4


def is_odd(sample: dict[str, int]) -> bool:
    return bool(sample["x"] % 2)


def test_a_function_filters_decoded_samples():
    loader = ps.arrays(x=np.arange(10)).label("x").batch(4, last="keep").filter(is_odd).numpy()
    assert [batch["x"].tolist() for batch in loader] == [[1, 3], [5, 7], [9]]
    assert [batch.ids.tolist() for batch in loader] == [[1, 3], [5, 7], [9]]


def test_a_state_knows_the_filter():
    filtered = ps.arrays(x=np.arange(10)).label("x").batch(4, last="keep").filter(is_odd).numpy()
    state = filtered.state()
    filtered.restore(state)
    unfiltered = ps.arrays(x=np.arange(10)).label("x").batch(4, last="keep").numpy()
    with pytest.raises(ValueError, match="is_odd"):
        unfiltered.restore(state)


def test_skips_takes_and_repeats_samples():
    x = ps.arrays(x=np.arange(10)).label("x").batch(2, last="keep")
    assert values(x.skip(3).take(4).numpy()) == [3, 4, 5, 6]
    assert values(x.take(2).repeat(2).numpy()) == [0, 1]
    assert values(x.repeat(2).numpy()) == [*range(10), *range(10)]


def test_batches_know_the_keys_of_their_samples(shards, image_folder):
    batch = next(iter(pipeline(shards).numpy()))
    assert len(batch.sample_keys) == 8
    loader = ps.folder(image_folder).label("label").batch(2).numpy()
    keys = next(iter(loader)).sample_keys
    assert all((Path(image_folder) / key).exists() for key in keys)
