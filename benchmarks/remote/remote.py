"""What it costs that data lies behind a server, on loopback.

    .venv/bin/python benchmarks/remote/remote.py FOLDER [--check]

Copies of the JPEGs of FOLDER are put behind nginx and behind an S3 gateway, as tar shards and as
files. In every round each way runs once, in a fresh process; ratios are taken within a round. See
README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path[:0] = [str(REPOSITORY / "tests"), str(REPOSITORY / "benchmarks/end_to_end")]

from servers.fault_proxy import fault_proxy_server  # noqa: E402
from servers.nginx import Nginx, nginx_server  # noqa: E402
from servers.versitygw import S3, s3_server  # noqa: E402

from environments import make_environment  # noqa: E402

BUILD = REPOSITORY / "build/bench"
RANGE_BYTES = 4 << 20  # as the engine asks
NUM_SHARDS = 8
SHARD_BYTES = 128 << 20
NUM_FILES = 4000
NUM_SAMPLE_BATCHES = 150
FAULTS = {"reset": 0.02, "stall": 0.02, "503": 0.02, "truncate": 0.01}
STALL_SECONDS = 60  # longer than anybody waits

Figures = dict[str, float]


@dataclass
class Way:
    """One way of doing a task, and what it gave in each round."""

    task: str
    name: str
    take: Callable[[], Figures]
    results: list[Figures] = field(default_factory=list)

    def figure(self, name: str) -> float:
        """The median over the rounds."""
        return median(result[name] for result in self.results)

    def ratio(self, other: Way, name: str) -> float:
        """The median over the rounds of the ratio to another way."""
        pairs = zip(self.results, other.results, strict=True)
        return median(own[name] / its[name] for own, its in pairs)


@dataclass(frozen=True)
class Ask:
    """What a figure must be, against that of another way of the same task."""

    task: str
    way: str
    other: str
    figure: str
    at_least: float = 0.0
    at_most: float = float("inf")

    def complaint(self, ways: list[Way]) -> str:
        """Say what is missing; nothing if nothing is."""
        by_name = {way.name: way for way in ways if way.task == self.task}
        ratio = by_name[self.way].ratio(by_name[self.other], self.figure)
        if self.at_least <= ratio <= self.at_most:
            return ""
        asked = f"at least {self.at_least}" if self.at_least else f"at most {self.at_most}"
        found = f"{self.figure} of {self.way} is {ratio:.2f} x {self.other}"
        return f"{self.task}: {found}, asked: {asked}"


ASKS = [
    Ask("bytes", "penstock http", "curl", "mb_per_s", at_least=0.9),
    Ask("bytes", "penstock http", "curl", "cpu_s", at_most=1.0),
    Ask("s3", "penstock bytes", "dali", "mb_per_s", at_least=3.0),
    Ask("s3", "penstock bytes", "webdataset", "mb_per_s", at_least=3.0),
    Ask("train", "http", "local", "images_per_s_left", at_least=0.95),
    Ask("train", "http", "local", "cpu_us_per_image", at_most=1.15),
    Ask("train", "s3", "local", "images_per_s_left", at_least=0.95),
    Ask("train", "s3", "local", "cpu_us_per_image", at_most=1.15),
    Ask("train", "cached", "local", "images_per_s_left", at_least=0.95),
    Ask("small", "20 ms", "0 ms", "images_per_s", at_least=0.8),
    Ask("small", "faults", "0 ms", "images_per_s", at_least=0.7),
]


def run_json(command: list[object], variables: dict[str, str] | None = None) -> Figures:
    """Run a program; its last line."""
    done = subprocess.run(
        [str(word) for word in command],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | (variables or {}),
    )
    result: Figures = json.loads(done.stdout.splitlines()[-1])
    return result


def read_bytes(urls: list[str], variables: dict[str, str] | None = None) -> Figures:
    """Read all bytes of the urls into memory."""
    program = BUILD / "benchmarks/remote/read_bytes"
    result = run_json([program, RANGE_BYTES, *urls], variables)
    return {
        "mb_per_s": result["bytes"] / result["seconds"] / 1e6,
        "cpu_s": result["cpu_seconds"],
    }


def rate(figures: Figures) -> Figures:
    """Nothing else."""
    return {"mb_per_s": figures["mb_per_s"]}


def curl(urls: list[str]) -> Figures:
    """The same with curl, to nowhere."""
    outputs = [word for url in urls for word in ("--output", "/dev/null", url)]
    began, cpu_before = time.perf_counter(), os.times()
    subprocess.run(["curl", "--silent", "--fail", *outputs], check=True)
    elapsed, cpu = time.perf_counter() - began, os.times()
    return {
        "mb_per_s": len(urls) * SHARD_BYTES / elapsed / 1e6,
        "cpu_s": cpu.children_user
        + cpu.children_system
        - cpu_before.children_user
        - cpu_before.children_system,
    }


def samples(loader: str, python: Path, urls: list[str], variables: dict[str, str]) -> Figures:
    """Undecoded samples of tar shards in a bucket, with some loader."""
    return run_json([python, HERE / "s3/take.py", loader, NUM_SAMPLE_BATCHES, *urls], variables)


def train(kind: str, url: str, variables: dict[str, str] | None = None, cache: str = "") -> Figures:
    """The training transform."""
    command = [sys.executable, HERE / "train.py", kind, url, "--servers", *descendants()]
    return run_json([*command, "--cache", cache], variables)


def descendants() -> list[int]:
    """The processes that this one started, and those that they did: the servers."""
    found: list[int] = []
    pending = [os.getpid()]
    while pending:
        children = Path(f"/proc/{pending[0]}/task/{pending[0]}/children").read_text().split()
        pending = [*pending[1:], *map(int, children)]
        found += map(int, children)
    return found


def s3_variables(s3: S3) -> dict[str, str]:
    """How the gateway is found."""
    return {
        "AWS_ENDPOINT_URL": s3.url,
        "AWS_ACCESS_KEY_ID": s3.key,
        "AWS_SECRET_ACCESS_KEY": s3.secret,
        "AWS_REGION": s3.region,
    }


def make_data(images: Path, root: Path) -> None:
    """Put shards of one size, shards of photographs, and a folder of them below root."""
    jpegs = sorted(p for p in images.rglob("*") if p.suffix.lower() in (".jpg", ".jpeg"))
    if not jpegs:
        raise SystemExit(f"remote.py: no JPEGs under {images}")
    for number in range(NUM_SHARDS):
        (root / f"bytes-{number}.tar").write_bytes(os.urandom(SHARD_BYTES))
        write_shard(root / f"train-{number}.tar", jpegs[number::NUM_SHARDS])
        write_shard(root / f"photos-{number}.tar", jpegs)
    files = root / "files" / "photographs"
    files.mkdir(parents=True)
    for number in range(NUM_FILES):
        (files / f"{number:06d}.jpg").hardlink_to(copy_of(jpegs[number % len(jpegs)], root))


def write_shard(path: Path, jpegs: list[Path]) -> None:
    """A tar shard with a sample for each file."""
    with tarfile.open(path, "w") as shard:
        for number, jpeg in enumerate(jpegs):
            shard.add(jpeg, arcname=f"{number:06d}.jpg")


def copy_of(jpeg: Path, root: Path) -> Path:
    """A file of our own to link to."""
    copy = root / "copies" / f"{jpeg.stem}.jpg"
    if not copy.exists():
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(jpeg.read_bytes())
    return copy


def all_ways(stack: ExitStack, nginx: Nginx, s3: S3) -> list[Way]:
    """Every task, every way."""
    braces = f"train-{{0..{NUM_SHARDS - 1}}}.tar"
    keys = s3_variables(s3)
    cache = stack.enter_context(tempfile.TemporaryDirectory(prefix="penstock-cache-"))

    def proxy(faults: dict[str, float], **options: float) -> str:
        return stack.enter_context(fault_proxy_server(nginx.url, faults, **options)).url

    def names(kind: str, root: str) -> list[str]:
        return [f"{root}/{kind}-{number}.tar" for number in range(NUM_SHARDS)]

    near, far, faulty = proxy({}), proxy({}, latency_ms=20), proxy(FAULTS, stall_s=STALL_SECONDS)
    bucket = "s3://data"
    return [
        Way("bytes", "curl", lambda: curl(names("bytes", nginx.url))),
        Way("bytes", "penstock http", lambda: read_bytes(names("bytes", nginx.url))),
        Way("s3", "penstock bytes", lambda: rate(read_bytes(names("photos", bucket), keys))),
        *(
            Way("s3", name, partial(samples, script, python, names("photos", bucket), keys))
            for name, (script, python) in loaders().items()
        ),
        Way("train", "local", lambda: train("tar", f"{nginx.root}/{braces}")),
        Way("train", "http", lambda: train("tar", f"{nginx.url}/{braces}")),
        Way("train", "s3", lambda: train("tar", f"{bucket}/{braces}", keys)),
        Way("train", "cached", lambda: train("tar", f"{bucket}/{braces}", keys, cache)),
        Way("small", "0 ms", lambda: train("folder", f"{near}/json/files")),
        Way("small", "20 ms", lambda: train("folder", f"{far}/json/files")),
        Way("small", "faults", lambda: train("folder", f"{faulty}/json/files")),
    ]


def loaders() -> dict[str, tuple[str, Path]]:
    """Loaders that read samples from S3: the script, and the Python that has them."""
    root = REPOSITORY / ".compare/environments"
    found = {"penstock samples": ("own", Path(sys.executable))}
    for name, script, environment in (
        ("dali", "dali", "dali"),
        ("webdataset", "webdataset_", "torch"),
    ):
        found[name] = (script, make_environment(environment, root))
    return found


def table(ways: list[Way]) -> str:
    """All medians."""
    lines = []
    for task in dict.fromkeys(way.task for way in ways):
        rows = [way for way in ways if way.task == task]
        names = list(rows[0].results[0])
        lines.append(f"{task:<18}" + "".join(f"{name:>18}{'ratio':>8}" for name in names))
        for row in rows:
            cells = [f"{row.figure(n):>18,.1f}{row.ratio(rows[0], n):>8.2f}" for n in names]
            lines.append(f"  {row.name:<16}" + "".join(cells))
    return "\n".join(lines)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("images", type=Path, nargs="?", default=REPOSITORY / ".demo/images")
    parser.add_argument("--tasks", default="bytes,s3,train,small")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a ratio is not met")
    return parser.parse_args()


def main() -> int:
    """Build, serve, measure, print."""
    options = arguments()
    tasks = options.tasks.split(",")
    for command in (
        ["--preset", "bench", "-S", REPOSITORY],
        ["--build", BUILD, "--target", "read_bytes"],
    ):
        subprocess.run(["cmake", *map(str, command)], check=True, stdout=subprocess.DEVNULL)
    with ExitStack() as stack:
        nginx = stack.enter_context(nginx_server())
        s3 = stack.enter_context(s3_server())
        make_data(options.images, nginx.root)
        (s3.root / "data").mkdir()
        for path in nginx.root.glob("*.tar"):
            (s3.root / "data" / path.name).hardlink_to(path)
        ways = [way for way in all_ways(stack, nginx, s3) if way.task in tasks]
        for number in range(options.rounds):
            for way in ways if number % 2 == 0 else reversed(ways):
                way.results.append(way.take())
                print(f"round {number + 1}: {way.task} {way.name}: {way.results[-1]}", flush=True)
    print(table(ways))
    complaints = [ask.complaint(ways) for ask in ASKS if ask.task in tasks]
    complaints = [complaint for complaint in complaints if complaint]
    if options.check:
        print("\n".join(complaints) or "everything is as fast as it should be")
    return int(options.check and bool(complaints))


if __name__ == "__main__":
    sys.exit(main())
