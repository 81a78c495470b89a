"""The second implementation of docs/order.md gives the answers in the golden files."""

import pathlib

import pytest
from order_reference import Epoch, batches, combine

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
