"""Takes: one framework, one task, one process; and the limit measured next to it."""

import json
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from catalog import CORES, FRAMEWORKS, TASKS
from entry_points import links_for_one_epoch, make_entry_points
from environments import HERE, Unavailable, last_line
from machine import tree_memory_mb

TAKE_TIMEOUT_S = 300
PREPARE_TIMEOUT_S = 1800
SAMPLE_EVERY_S = 0.25
LIMIT_WARMUP_S = 0.5
LIMIT_SECONDS = 2.0
# A first epoch must not end within a take: so many samples no thread delivers in a second.
MOST_PER_WORKER_S = 4000


@dataclass(frozen=True)
class Seconds:
    """How long a take runs."""

    warmup: float
    timed: float


@dataclass(frozen=True)
class Entry:
    """One framework in one task, ready to run."""

    task: str
    framework: str
    python: Path
    data: Path
    workers: int


def watch_memory(process: subprocess.Popen[bytes], timeout_s: float) -> int:
    """Wait for a process; return the peak of the resident memory of it and its workers, in MB."""
    peak_mb = 0
    deadline = time.monotonic() + timeout_s
    while process.poll() is None:
        if time.monotonic() > deadline:
            raise Unavailable(f"gave up after {timeout_s:.0f} s")
        peak_mb = max(peak_mb, tree_memory_mb(process.pid, "status", "VmRSS"))
        time.sleep(SAMPLE_EVERY_S)
    return peak_mb


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """End a process and its workers."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def measure_command(entry: Entry) -> list[str]:
    """The command line that measures, without the times."""
    return [
        *(str(entry.python), str(HERE / "measure.py"), entry.task, entry.framework),
        *("--data", str(entry.data), "--workers", str(entry.workers)),
    ]


def run_measure(entry: Entry, more: list[str], timeout_s: float) -> tuple[str, int]:
    """Run measure.py; return what it printed and the peak of its memory."""
    variables = os.environ | FRAMEWORKS[entry.framework].variables
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            measure_command(entry) + more,
            env=variables,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            peak_mb = watch_memory(process, timeout_s)
        finally:
            kill_group(process)
        out.seek(0)
        err.seek(0)
        if process.returncode != 0:
            raise Unavailable(last_line(err.read().decode(errors="replace")))
        return out.read().decode(errors="replace"), peak_mb


def prepare(entry: Entry) -> None:
    """Let a framework write what it reads beside the data, if there is such a thing."""
    framework, task = FRAMEWORKS[entry.framework], TASKS[entry.task]
    if framework.has_own_format:
        run_measure(entry, ["--prepare"], PREPARE_TIMEOUT_S)
    if framework.entry_points == "known" and task.limit == "jpeg":
        make_entry_points(entry.data, task.source)


def take(entry: Entry, seconds: Seconds) -> dict[str, Any]:
    """Measure once, in a fresh process."""
    if FRAMEWORKS[entry.framework].entry_points != "unknown":
        return take_of(entry, seconds)
    num_samples = (seconds.warmup + seconds.timed) * entry.workers * MOST_PER_WORKER_S
    with links_for_one_epoch(entry.data, TASKS[entry.task].source, round(num_samples)) as links:
        return take_of(replace(entry, data=links), seconds)


def take_of(entry: Entry, seconds: Seconds) -> dict[str, Any]:
    """Measure what reads the data as it lies there."""
    times = ["--warmup", str(seconds.warmup), "--seconds", str(seconds.timed)]
    printed, peak_mb = run_measure(entry, times, TAKE_TIMEOUT_S)
    for line in printed.splitlines():
        if line.startswith("RESULT "):
            result: dict[str, Any] = json.loads(line.removeprefix("RESULT "))
            return result | {"peak_rss_mb": peak_mb, "workers": entry.workers}
    raise Unavailable("it ended without a result")


def take_limit(task: str, program: Path, data: Path) -> float:
    """Measure the reference of a task once, in samples a second."""
    times = [str(CORES), str(LIMIT_WARMUP_S), str(LIMIT_SECONDS)]
    if TASKS[task].limit == "copy":
        what = [str(TASKS[task].sample_bytes), str(TASKS[task].batch)]
    else:
        what = [str(data / "files.txt")]
    printed = subprocess.check_output([str(program), *times, *what], text=True)
    return float(json.loads(printed)["samples_per_s"])
