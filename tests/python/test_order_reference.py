"""The second implementation of docs/order.md gives the answers in the golden files."""

import functools
import pathlib

import numpy as np
import pytest
from order_reference import Epoch, Sequence, batches, combine

import penstock as ps

GOLDEN = pathlib.Path(__file__).parent.parent / "golden" / "order"
FILES = sorted(GOLDEN.glob("*.txt"))


def read_golden(path):
    fields = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, *values = line.split()
            fields.setdefault(name, []).append(values)
    return fields


def epoch_of(golden):
    number = {name: int(golden[name][0][0]) for name in ("window", "lanes", "seed", "epoch")}
    sizes = [int(size) for size in golden["shards"][0]]
    return Epoch(sizes, golden["shuffle"][0][0], **number)


def test_there_are_golden_files():
    assert FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_order_is_the_golden_one(path):
    golden = read_golden(path)
    epoch = epoch_of(golden)
    samples = [epoch.sample(i) for i in range(min(epoch.n, 50_000))]
    assert samples[:32] == [int(sample) for sample in golden["first"][0]]
    hashed = 0
    for sample in samples:
        hashed = combine(hashed, sample)
    assert f"{hashed:016x}" == golden["hash"][0][0]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_last_batch_is_the_golden_one(path):
    golden = read_golden(path)
    epoch = epoch_of(golden)
    world, batch_size, first_position = (
        int(golden[name][0][0]) for name in ("world", "batch_size", "first_position")
    )
    last = golden["last"][0][0]
    assert len(golden["last_batch"]) == world
    for rank, expected in enumerate(golden["last_batch"]):
        steps = batches(epoch.n, batch_size, world, rank, last, first_position)
        assert len(steps) == int(golden["num_batches"][0][0])
        assert [epoch.sample(p) for p in steps[-1]] == [int(sample) for sample in expected]


def numbers(first, count):
    return ps.arrays(x=np.arange(first, first + count))


def delivered(pipeline, epochs):
    loader = pipeline.label("x").epochs(epochs).batch(5, last="keep").numpy()
    ids = [[] for _ in range(epochs)]
    for batch in loader:
        assert batch["x"].tolist() == batch.ids.tolist()
        ids[batch.epoch] += batch.ids.tolist()
    return ids


def maker(count, window=0, seed=3):
    shuffle = "window" if window else "global"
    return functools.partial(Epoch, [count], shuffle, window, 4, seed)


@pytest.mark.parametrize("until", ["first", "all"])
@pytest.mark.parametrize("weights", [(0.7, 0.3), (1, 1, 1), (0.5, 0.1, 0.4)])
def test_a_mix_is_that_of_the_reference(weights, until):
    sizes = (23, 31, 17)[: len(weights)]
    parts = [numbers(sum(sizes[:k]), size) for k, size in enumerate(sizes)]
    mixed = ps.mix(*zip(parts, weights, strict=True), until=until).shuffle("global", seed=3)
    reference = Sequence([maker(size) for size in sizes], weights, until)
    assert delivered(mixed, 4) == [
        [reference.pick(epoch, i)[0] for i in range(reference.n)] for epoch in range(4)
    ]


def test_repeat_skip_and_take_are_those_of_the_reference():
    pipeline = numbers(0, 41).shuffle(8, seed=3, lanes=4).repeat(3).skip(7).take(90)
    reference = Sequence([maker(41, window=8)], repeat=3, skip=7, take=90)
    assert delivered(pipeline, 3) == [
        [reference.pick(epoch, i)[0] for i in range(reference.n)] for epoch in range(3)
    ]
