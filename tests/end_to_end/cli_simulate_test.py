"""penstock simulate says what a loader with sleeping workers does."""

import json
import queue
import threading
import time

import pytest
from command import penstock


def simulate(**options):
    """What it answers."""
    words = [
        word
        for name, value in options.items()
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]
    done = penstock("simulate", *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def sleeping_run(workers, load_s, step_s, batches):
    """Seconds that threads take which sleep in place of loading, and a trainer that sleeps."""
    tasks = [queue.Queue() for _ in range(workers)]
    ready = [queue.Queue() for _ in range(workers)]

    def work(worker):
        for _ in range(worker, batches, workers):
            tasks[worker].get()
            time.sleep(load_s)
            ready[worker].put(None)

    began = time.perf_counter()
    threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
    for number in range(2 * workers):
        tasks[number % workers].put(None)
    for thread in threads:
        thread.start()
    for number in range(batches):
        ready[number % workers].get()
        tasks[number % workers].put(None)
        time.sleep(step_s)
    elapsed = time.perf_counter() - began
    for thread in threads:
        thread.join()
    return elapsed


@pytest.mark.parametrize(("workers", "step_ms"), [(1, 20), (2, 20), (4, 20)])
def test_agrees_with_threads_that_sleep(workers, step_ms):
    # The machine may be busy: the fastest of a few runs is the one that was not disturbed.
    real = min(sleeping_run(workers, 0.06, step_ms / 1000, 12) for _ in range(3))
    said = simulate(workers=workers, load_ms=60, step_ms=step_ms, batches=12)["total_ms"] / 1000
    assert said <= real * 1.01
    assert said == pytest.approx(real, rel=0.10)


def test_four_slow_workers_give_a_long_wait_every_fourth_batch():
    result = simulate(workers=4, load_ms=1160, step_ms=40, batches=12)
    waits = [batch["wait_ms"] for batch in result["batches"]]
    assert waits == [1160, 0, 0, 0, 1000, 0, 0, 0, 1000, 0, 0, 0]
    assert result["wait_period"] == 4
    assert result["workers_without_waiting"] == 29


def test_workers_that_are_just_enough_have_no_margin():
    result = simulate(workers=4, load_ms=160, step_ms=40, batches=40)
    assert (result["stall_ms"], result["wait_period"]) == (0, None)
    slower = result["if_loads_are_slower"]
    assert slower["percent"] == 10
    assert slower["wait_period"] == 4
    assert slower["stall_ms"] == pytest.approx(9 * 16)


def test_takes_load_times_from_a_source(image_folder):
    result = simulate(source=image_folder, batch=8, seconds=0.2, step_ms=0.01, batches=20)
    assert result["load_ms"] > 0.01
    assert result["utilisation"] < 1


def test_draws_and_prints_what_fits_a_terminal(tmp_path):
    svg, page = tmp_path / "life.svg", tmp_path / "life.html"
    done = penstock("simulate", "--jitter", 0.3, "--svg", svg, "--html", page)
    assert done.returncode == 0, done.stderr
    assert "workers to end waiting" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert svg.read_text().startswith("<svg") and "worker 3" in svg.read_text()
    assert "Life of a batch" in page.read_text()


def test_explains_itself_and_refuses_nonsense():
    assert "Example: penstock simulate" in penstock("simulate", "--help").stdout
    done = penstock("simulate", "--step-ms", 0)
    assert done.returncode == 2
    assert done.stderr == "penstock: step is 0 ms, expected more than 0\n"
