"""What it costs a loader that somebody looks at its page.

    .venv/bin/python benchmarks/analyze/page_cost.py FOLDER [--check]

A loader takes every core with the training transform of a folder of JPEGs, and the time is cut
into slices of three kinds, in turn: nobody looks; a client asks for what the page asks for, as when
the browser is on another machine; the page is open in a headless Chromium on this machine, which
draws in software and takes its CPU time from the loader. The browser runs in all slices, with an
empty tab in the first two. A slice is compared with the unwatched one of its round; the medians of
all rounds count. A round during which other processes take a part of the machine is repeated.

--check fails if the loader is slower than 0.97 of itself unwatched, in either case.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import penstock as ps

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "python"))
from browser import Browser

LEAST = 0.97
# Cores that other processes may take.
MOST_OTHERS = 0.1
KINDS = ("nobody", "client", "browser")

# Asks every two seconds while it is told to, as the page does: figures, and pictures that are new.
CLIENT = """
import json, select, sys, urllib.request
url, is_on, version = sys.argv[1], False, 0
while True:
    if select.select([sys.stdin], [], [], 2)[0]:
        line = sys.stdin.readline()
        if not line:
            break
        is_on = line == "on\\n"
    if is_on:
        live = json.load(urllib.request.urlopen(url + "live.json"))
        if live["samples"]["version"] != version:
            version = live["samples"]["version"]
            urllib.request.urlopen(url + "samples.bmp").read()
"""


def make_loader(folder: Path) -> ps.Loader:
    """The training transform, without end, on every core."""
    return (
        ps.folder(folder)
        .shuffle(seed=1)
        .image("image", ps.RandomResizedCrop(224), ps.RandomFlip(), ps.Normalize())
        .label("label")
        .epochs(None)
        .batch(64)
        .numpy(threads=len(os.sched_getaffinity(0)), prefetch=2)
    )


def rate(batches: Iterator[ps.Batch], seconds: float) -> float:
    """Samples a second over so long."""
    began, samples = time.perf_counter(), 0
    while (elapsed := time.perf_counter() - began) < seconds:
        samples += len(next(batches).ids)
    return samples / elapsed


def others_cpu_s(own: set[int]) -> float:
    """CPU time of the machine but for these processes and what they began in their sessions."""
    busy = [int(ticks) for ticks in Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
    ticks = sum(busy[:3]) + sum(busy[5:7])
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it is gone
            fields = stat.read_text().rpartition(")")[2].split()
            if int(stat.parent.name) in own or int(fields[3]) in own:
                ticks -= int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def look(kind: str, page: ps.Page, browser: Browser, client: subprocess.Popen[str]) -> None:
    """Let that one look, and nobody else."""
    assert client.stdin is not None
    client.stdin.write("on\n" if kind == "client" else "off\n")
    client.stdin.flush()
    browser.open(page.url if kind == "browser" else "about:blank")


def measure(folder: Path, rounds: int, seconds: float) -> dict[str, list[float]]:
    """The rates of all slices."""
    rates: dict[str, list[float]] = {kind: [] for kind in KINDS}
    loader = make_loader(folder)
    page = loader.serve()
    client_command = [sys.executable, "-c", CLIENT, page.url]
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        Browser(Path(profile)) as browser,
        subprocess.Popen(client_command, stdin=subprocess.PIPE, text=True) as client,
    ):
        batches = iter(loader)
        rate(batches, 2 * seconds)  # learns entry points, warms the page cache
        own = {os.getpid(), client.pid, browser.pid}
        while len(rates["nobody"]) < rounds:
            before, began = others_cpu_s(own), time.monotonic()
            measured = {}
            for kind in KINDS:
                look(kind, page, browser, client)
                rate(batches, 1)  # a page that opens costs more than one that is open
                measured[kind] = rate(batches, seconds)
            if (others_cpu_s(own) - before) / (time.monotonic() - began) > MOST_OTHERS:
                continue
            for kind, value in measured.items():
                rates[kind].append(value)
        assert client.stdin is not None
        client.stdin.close()
    page.close()
    loader.close()
    return rates


def main() -> int:
    """Measure, print and compare with what is allowed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="JPEGs in folders of classes")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=4, help="of a slice")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true", help=f"fail below {LEAST}")
    arguments = parser.parse_args()
    rates = measure(arguments.folder, arguments.rounds, arguments.seconds)
    ratios = {
        kind: statistics.median(
            watched / alone for watched, alone in zip(rates[kind], rates["nobody"], strict=True)
        )
        for kind in KINDS
    }
    if arguments.json:
        print(json.dumps({"images_per_s": rates, "ratios": ratios}, indent=2))
    else:
        print(f"{'who looks':<10} {'images/s':>10} {'of unwatched':>14}")
        for kind in KINDS:
            print(f"{kind:<10} {statistics.median(rates[kind]):>10,.0f} {ratios[kind]:>14.3f}")
    return 1 if arguments.check and min(ratios.values()) < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
