"""What a loader says of itself: counters, verdict, timing, traces, tuning."""

import json
import time

import numpy as np
import pytest

import penstock as ps


def numbers(samples: int = 640, batch: int = 64) -> ps.Pipeline:
    return ps.arrays(x=np.zeros((samples, 16), np.float32)).array("x").batch(batch)


def take(loader: ps.Loader, seconds: float, step_s: float = 0.0) -> None:
    end = time.monotonic() + seconds
    for _ in loader:
        time.sleep(step_s)
        if time.monotonic() > end:
            return


def test_a_slow_trainer_is_named():
    loader = numbers().epochs(None).numpy()
    take(loader, 1.5, step_s=0.02)
    verdict = loader.verdict()
    assert verdict.limit == "trainer"
    assert verdict.sentence.startswith("trainer limits: ")
    assert verdict.samples_per_s == pytest.approx(64 / 0.02, rel=0.2)
    assert verdict.possible_per_s > 10 * verdict.samples_per_s
    assert "could pass/s" in str(verdict)
    assert all(len(line) <= 80 for line in str(verdict).splitlines())


def test_a_slow_function_is_named():
    def slow(batch: ps.Batch) -> ps.Batch:
        time.sleep(0.02)
        return batch

    loader = numbers().map(slow).epochs(None).numpy()
    take(loader, 1.5)
    verdict = loader.verdict()
    assert verdict.limit == "map"
    stage = loader.stats().stages["map"]
    assert stage["busy_s"] == pytest.approx(1.5, rel=0.2)


def test_decoding_is_named(image_folder):
    pipeline = ps.folder(image_folder).image("image", ps.RandomResizedCrop(16))
    loader = pipeline.epochs(None).batch(8).numpy(entry_points="off", threads=1)
    take(loader, 1.5)
    assert loader.verdict().limit in ("decode", "threads", "read")
    stages = loader.stats().stages
    assert stages["decode"]["busy_s"] > stages["transform"]["busy_s"] > 0


def test_waiting_and_working_add_up_to_the_time_of_each_thread():
    loader = numbers().epochs(None).numpy(threads=1)
    take(loader, 1, step_s=0.01)
    stats = loader.stats()
    (worker,) = stats.thread_times
    total = worker["busy_s"] + worker["wait_input_s"] + worker["wait_output_s"]
    assert worker["kind"] == "worker"
    assert total == pytest.approx(stats.elapsed_s, rel=0.1)
    trainer = stats.stages["trainer"]
    assert trainer["busy_s"] + trainer["wait_input_s"] == pytest.approx(stats.elapsed_s, rel=0.1)


def test_figures_stay_when_the_loop_has_ended():
    loader = numbers().numpy()
    for _ in loader:
        pass
    before = loader.stats()
    time.sleep(0.3)
    assert loader.stats().elapsed_s == before.elapsed_s
    assert before.batches == 10


def test_queues_fill_while_the_trainer_is_slow():
    loader = numbers().epochs(None).numpy(prefetch=4, threads=1)
    batches = iter(loader)
    next(batches)
    time.sleep(0.3)
    ready, room = loader.stats().queues["ready_batches"]
    assert ready == room == 5


def test_batch_times_tell_waits_from_steps():
    loader = numbers().epochs(None).numpy()
    take(loader, 0.5, step_s=0.01)
    times = loader.batch_times()
    assert [entry.number for entry in times] == list(range(len(times)))
    assert np.median([entry.step_s for entry in times]) >= 0.01
    assert np.median([entry.wait_s for entry in times]) < 0.005


def test_a_trace_has_a_row_for_each_thread(tmp_path):
    loader = ps.synthetic(samples=640).image("image").batch(64).numpy(threads=2)
    for _ in loader:
        pass
    loader.trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    rows = {event["args"]["name"] for event in events if event["ph"] == "M"}
    assert rows == {"consumer", "worker 0", "worker 1"}
    written = [event for event in events if event["name"] == "write"]
    # The last group may be delivered before it is written down.
    assert 576 <= sum(event["args"]["samples"] for event in written) <= 640
    assert all(event["dur"] > 0 for event in written)
    assert [path.name for path in tmp_path.iterdir()] == ["trace.json"]


def test_auto_leaves_threads_to_a_slow_trainer():
    pipeline = ps.synthetic().image("image", ps.RandomResizedCrop(64)).epochs(None).batch(32)
    loader = pipeline.numpy(threads=64, prefetch=500, tune=True)
    give_up = time.monotonic() + 30  # on a machine that has more to do
    for _ in loader:
        time.sleep(0.02)
        stats = loader.stats()
        if stats.prefetch < 64 or time.monotonic() > give_up:
            break
    assert stats.threads <= stats.cores
    assert stats.prefetch < 64
    assert {step["what"] for step in stats.tuning} >= {"prefetch"}
    assert all(step["why"] for step in stats.tuning)
    assert "tuned" in stats.table()


def test_the_next_loop_begins_with_what_was_found():
    loader = numbers(samples=6400).numpy(threads=64, prefetch=500, tune=True)
    for _ in loader:
        time.sleep(0.02)
    found = loader.stats()
    assert found.tuning
    next(iter(loader))
    now = loader.stats()
    assert (now.threads, now.prefetch) == (found.threads, found.prefetch)


def test_given_numbers_stay():
    loader = numbers().epochs(None).numpy(threads=3, prefetch=5)
    take(loader, 1, step_s=0.005)
    stats = loader.stats()
    assert (stats.threads, stats.prefetch, stats.tuning) == (3, 5, [])


def test_map_changes_batches_and_keeps_their_place():
    doubled = ps.arrays(x=np.arange(8)).array("x").batch(4)
    doubled = doubled.map(lambda batch: {"twice": 2 * batch["x"], "x": batch["x"]})
    batches = list(doubled.numpy())
    assert [batch["twice"].tolist() for batch in batches] == [[0, 2, 4, 6], [8, 10, 12, 14]]
    assert [batch.number for batch in batches] == [0, 1]
    assert batches[1].ids.tolist() == [4, 5, 6, 7]


def test_map_and_filter_run_in_the_order_given():
    pipeline = ps.arrays(x=np.arange(4)).array("x").batch(4)
    pipeline = pipeline.map(lambda batch: {"x": batch["x"] + 10})
    pipeline = pipeline.filter(lambda sample: sample["x"] % 2 == 0)
    assert next(iter(pipeline.numpy()))["x"].tolist() == [10, 12]


def test_map_must_give_fields():
    loader = numbers().map(lambda _: 7).numpy()
    with pytest.raises(TypeError, match=r"gave 7, expected a dict of fields"):
        next(iter(loader))


def test_a_state_knows_the_functions_of_its_pipeline():
    state = numbers().map(lambda batch: batch).numpy().state()
    with pytest.raises(ValueError, match="maps are \\[\\], were"):
        numbers().numpy().restore(state)
