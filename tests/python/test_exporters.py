"""What loader.stats() gives to others: tables, scalars, TensorBoard, Prometheus."""

import dataclasses
import re

import numpy as np
import pytest

import penstock as ps


@pytest.fixture(scope="module")
def stats() -> ps.Stats:
    loader = ps.arrays(x=np.arange(40)).label("x").batch(4).numpy(threads=2, prefetch=3)
    for _ in loader:
        pass
    return loader.stats()


class Recorder:
    """Takes scalars as TensorBoard's writers do."""

    def __init__(self):
        self.scalars = {}

    def add_scalar(self, tag, scalar_value, global_step):
        self.scalars[tag] = (scalar_value, global_step)


def test_scalars_are_flat_numbers(stats):
    scalars = stats.scalars()
    assert all(type(value) is float for value in scalars.values())
    assert scalars["batches"] == 10 and scalars["threads"] == 2 and scalars["prefetch"] == 3
    assert scalars["memory/batches"] == stats.memory["batches"] > 0
    assert {"trainer/busy", "trainer/wait_input", "queue/ready_batches", "cpu_s/workers"} < set(
        scalars
    )


def test_times_of_stages_are_shares(stats):
    stage = {"threads": 2, "samples": 1, "bytes": 1}
    times = {"busy_s": 10.0, "wait_input_s": 5.0, "wait_output_s": 1.0}
    made = dataclasses.replace(stats, elapsed_s=10.0, stages={"decode": stage | times})
    assert made.scalars()["decode/busy"] == 0.5
    assert made.scalars()["decode/wait_input"] == 0.25


def test_a_loader_that_has_not_begun_has_scalars():
    loader = ps.arrays(x=np.arange(40)).label("x").batch(4).numpy()
    assert loader.stats().scalars()["samples_per_s"] == 0
    assert loader.stats().prometheus() == ""


def test_gives_tensorboard_every_scalar(stats):
    recorder = Recorder()
    stats.to_tensorboard(recorder, 7)
    assert recorder.scalars == {
        f"penstock/{name}": (value, 7) for name, value in stats.scalars().items()
    }


def test_tensorboard_files_hold_the_scalars(stats, tmp_path):
    tensorboard = pytest.importorskip("tensorboardX")
    with tensorboard.SummaryWriter(str(tmp_path)) as writer:
        stats.to_tensorboard(writer, 7, prefix="loader/")
    (events,) = tmp_path.glob("events.*")
    assert b"loader/samples_per_s" in events.read_bytes()


def test_prometheus_text_is_well_formed(stats):
    metric = re.compile(r'penstock_[a-z_]+(\{[a-z]+="[a-z_]+"(,[a-z]+="[a-z_]+")*\})? [0-9.e+-]+')
    lines = stats.prometheus().splitlines()
    values = [line for line in lines if not line.startswith("#")]
    assert values and all(metric.fullmatch(line) for line in values)
    described = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    assert {re.split(r"[ {]", line)[0] for line in values} == described
    assert "penstock_batches_total 10" in values
    assert 'penstock_stage_seconds_total{stage="trainer",state="busy"}' in stats.prometheus()


def test_the_table_fits_a_terminal(stats):
    stage = {"threads": 128, "samples": 1, "bytes": 1}
    times = {"busy_s": 10.0, "wait_input_s": 5.0, "wait_output_s": 1.0}
    large = dataclasses.replace(
        stats,
        stages=dict.fromkeys(stats.stages, stage | times),
        memory={name: 10**12 + i for i, name in enumerate(stats.memory)},
        elapsed_s=100_000.0,
        samples=10**12,
    )
    assert all(len(line) <= 80 for line in large.table().splitlines())
    assert "1,000,000,000,000" in large.table()
