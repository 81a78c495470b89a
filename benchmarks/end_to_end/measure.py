"""Runs one framework on one task in this process and prints what it delivered.

python measure.py TASK FRAMEWORK --data FOLDER [--workers N] [--warmup S] [--seconds S]

Runs in the framework's own environment; needs nothing but NumPy. `compare.py` calls it.
"""

import time

PROCESS_START = time.perf_counter()

import argparse  # noqa: E402  (the clock starts before anything is imported)
import importlib.metadata  # noqa: E402
import importlib.util  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import signal  # noqa: E402
import sys  # noqa: E402
from collections.abc import Iterator  # noqa: E402
from pathlib import Path  # noqa: E402
from types import ModuleType  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402

from catalog import CORES, FRAMEWORKS, TASKS, Task  # noqa: E402
from job import Job  # noqa: E402
from machine import machine_cpu_s, process_tree, tree_cpu_s, tree_memory_mb  # noqa: E402

Batch = tuple[Any, Any]  # images, labels: anything NumPy can look into


class WrongBatch(Exception):
    """A framework delivered something other than what the task asks for."""


def load_script(task: Task, framework: str) -> ModuleType:
    """Import `<task>/<framework>.py` under a name that hides no package."""
    path = Path(__file__).parent / task.folder / f"{FRAMEWORKS[framework].script or framework}.py"
    spec = importlib.util.spec_from_file_location(f"{task.folder}_with_{framework}", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # so that worker processes find what they unpickle
    spec.loader.exec_module(module)
    return module


def check_batch(images: np.ndarray, labels: np.ndarray, task: Task) -> dict[str, Any]:
    """Fail if this cannot be a batch of the task; return what it looks like."""
    channels, height, width = task.shape
    chw, hwc = (task.batch, *task.shape), (task.batch, height, width, channels)
    if images.shape not in (chw, hwc):
        raise WrongBatch(f"images have shape {images.shape}, expected {chw} or {hwc}")
    if images.dtype != task.dtype:
        raise WrongBatch(f"images are {images.dtype}, expected {task.dtype}")
    if labels.size != task.batch:
        raise WrongBatch(f"{labels.size} labels, expected {task.batch}")
    mean, std = float(images.mean()), float(images.std())
    if task.source and not (abs(mean) < 0.8 and 0.5 < std < 1.6):
        raise WrongBatch(
            f"mean {mean:.2f} and deviation {std:.2f} are not of normalised photographs"
        )
    return {
        "layout": "CHW" if images.shape == chw else "HWC",
        "mean": mean,
        "std": std,
    }


def check_order(labels: list[np.ndarray], means: list[float], task: Task) -> None:
    """Fail if two of the first batches are the same, or in order where they should be shuffled."""
    if not task.source:
        return
    if len(set(means)) != len(means):
        raise WrongBatch(f"two of the first batches are the same: means {means}")
    row = np.concatenate([part.reshape(-1) for part in labels]).astype(np.int64)
    is_sorted = bool((np.diff(row) >= 0).all())
    if task.is_shuffled and is_sorted:
        raise WrongBatch("labels come in order, expected them to be shuffled")


def warm_up(batches: Iterator[Batch], task: Task, seconds: float) -> dict[str, Any]:
    """Take the first batches, check them, and go on for some seconds."""
    start = time.perf_counter()
    images, labels = next(batches)
    first_batch_s = time.perf_counter() - start
    facts = check_batch(np.asarray(images), np.asarray(labels), task)
    all_labels, means = [np.array(labels)], [facts["mean"]]
    for _ in range(2):
        images, labels = next(batches)
        all_labels.append(np.array(labels))
        means.append(check_batch(np.asarray(images), np.asarray(labels), task)["mean"])
    check_order(all_labels, means, task)
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        next(batches)
    return {"first_batch_s": round(first_batch_s, 3), **facts}


def take(batches: Iterator[Batch], task: Task, seconds: float) -> dict[str, Any]:
    """Count the samples delivered in some seconds. The sink looks at one pixel of each batch."""
    me = os.getpid()
    num_batches, touched = 0, 0.0
    cpu_before, machine_before = tree_cpu_s(me), machine_cpu_s()
    start = time.perf_counter()
    elapsed = 0.0
    while elapsed < seconds or num_batches < 4:
        images, _labels = next(batches)
        touched += float(np.asarray(images)[0, 0, 0, 0])
        num_batches += 1
        elapsed = time.perf_counter() - start
    cpu_s = tree_cpu_s(me) - cpu_before
    other_s = max(0.0, machine_cpu_s() - machine_before - cpu_s)
    return {
        "samples_per_s": round(num_batches * task.batch / elapsed, 1),
        "cpu": round(cpu_s / elapsed / CORES, 3),
        "other_cpu": round(other_s / elapsed / CORES, 3),
        "pss_mb": tree_memory_mb(me, "smaps_rollup", "Pss"),
    }


def leave() -> None:
    """End this process and its workers at once: some pools hang when they are shut down."""
    sys.stdout.flush()
    for process in reversed(process_tree(os.getpid())[1:]):
        try:
            os.kill(process, signal.SIGKILL)
        except OSError:
            continue
    os._exit(0)


def installed_version(framework: str) -> str:
    """The version of a framework, or nothing if it runs from a tree."""
    try:
        return importlib.metadata.version(FRAMEWORKS[framework].package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("framework", choices=FRAMEWORKS)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=CORES)
    parser.add_argument("--warmup", type=float, default=3.0, help="seconds")
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--prepare", action="store_true", help="only write the framework's format")
    return parser.parse_args()


def main() -> None:
    """Measure, print one line `RESULT {json}`."""
    options = arguments()
    task = TASKS[options.task]
    is_first_epoch = FRAMEWORKS[options.framework].entry_points == "unknown"
    job = Job(task.source, options.data, task.batch, options.workers, is_first_epoch)
    script = load_script(task, options.framework)
    import_s = time.perf_counter() - PROCESS_START
    if options.prepare:
        script.prepare(job)
        return
    if task.source == "tiny" and not FRAMEWORKS[options.framework].has_own_format:
        _ = job.tiny_images, job.tiny_labels  # in memory before the clock starts
    start = time.perf_counter()
    batches = iter(script.batches(job))
    start_s = time.perf_counter() - start
    result = {
        "version": installed_version(options.framework),
        "note": script.NOTE,
        "import_s": round(import_s, 2),
    }
    try:
        result |= warm_up(batches, task, options.warmup)
        result["first_batch_s"] = round(result["first_batch_s"] + start_s, 3)
        result |= take(batches, task, options.seconds)
    except StopIteration:
        raise WrongBatch("the batches ended before the time was over") from None
    print("\nRESULT " + json.dumps(result), flush=True)
    leave()


if __name__ == "__main__":
    main()
