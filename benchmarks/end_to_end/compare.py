"""Compares penstock with other loaders: the same data, the same task, one fresh process each.

In every round each framework runs once, with the task's limit measured before and after it, so
that what the machine does meanwhile falls out of the ratio. See README.md.

    compare.py --tasks train_folder,train_tar --frameworks penstock,dali --rounds 5 --seconds 6
"""

import argparse
import json
import platform
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from catalog import CORES, FRAMEWORKS, TASKS, default_workers
from check import unmet
from datasets import photo_data, square_data, tiny_data, warm_page_cache
from environments import HERE, REPOSITORY, Unavailable, build_limit, make_environment, run
from report import LIMIT_NAMES, Row, notes, summary, task_table
from takes import Entry, Seconds, prepare, take, take_limit

WORKPLACE = (REPOSITORY / ".compare").resolve()
TUNED = WORKPLACE / "workers.json"
TUNE = Seconds(warmup=1.5, timed=3.0)


def chosen(text: str, known: dict[str, Any]) -> list[str]:
    """Parse a list of names, in the order of the catalog."""
    names = text.split(",")
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]} is not one of {', '.join(known)}")
    return [name for name in known if name in names]


def worker_table(text: str) -> dict[str, int]:
    """Parse `dali=4,torch=3`."""
    table = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        if name not in FRAMEWORKS or not number.isdigit() or int(number) == 0:
            raise argparse.ArgumentTypeError(f"{part} is not FRAMEWORK=NUMBER")
        table[name] = int(number)
    return table


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--tasks", type=lambda text: chosen(text, TASKS), default=list(TASKS), help=",".join(TASKS)
    )
    parser.add_argument(
        "--frameworks",
        type=lambda text: chosen(text, FRAMEWORKS),
        default=list(FRAMEWORKS),
        help=",".join(FRAMEWORKS),
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5.0, help="timed, in every take")
    parser.add_argument("--warmup", type=float, default=3.0, help="seconds before that")
    parser.add_argument(
        "--images", type=Path, default=REPOSITORY / ".demo" / "images", help="folder with JPEGs"
    )
    parser.add_argument("--copies", type=int, default=4, help="how often each JPEG is used")
    parser.add_argument("--workers", type=worker_table, default={}, metavar="NAME=N,...")
    parser.add_argument("--tune", action="store_true", help="find the best number of workers first")
    parser.add_argument("--prepare", action="store_true", help="install and make data only")
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 if penstock is slower than it should be"
    )
    parser.add_argument("--out", type=Path, default=WORKPLACE / "results.json")
    return parser.parse_args()


def make_data(task: str, options: argparse.Namespace) -> Path:
    """Make what a task reads, once; return where it is."""
    root = WORKPLACE / "data"
    root.mkdir(parents=True, exist_ok=True)
    match TASKS[task].data:
        case "photos":
            return photo_data(options.images, options.copies, root)
        case "jpeg_768":
            return square_data(options.images, "jpg", options.copies, root)
        case "png_768":
            return square_data(options.images, "png", options.copies, root)
        case "tiny":
            return tiny_data(root)
        case "none":
            return root


def tuned_workers() -> dict[str, int]:
    """What `--tune` found on this machine, by task and framework."""
    table: dict[str, int] = json.loads(TUNED.read_text()) if TUNED.exists() else {}
    return table


def make_entry(task: str, framework: str, data: Path, asked: dict[str, int]) -> Entry:
    """Install a framework, let it write its own format, choose its number of workers."""
    python = make_environment(FRAMEWORKS[framework].environment, WORKPLACE / "environments")
    tuned = tuned_workers().get(f"{task} {framework}", default_workers(framework))
    entry = Entry(task, framework, python, data, asked.get(framework, tuned))
    prepare(entry)
    return entry


def tune(entry: Entry) -> Entry:
    """Try 1 to twice the cores, keep the fastest number of workers for later runs too."""
    rates = {}
    for workers in range(1, 2 * CORES + 1):
        rates[workers] = take(replace(entry, workers=workers), TUNE)["samples_per_s"]
    best = max(rates, key=lambda workers: rates[workers])
    shown = "  ".join(f"{workers}: {rate:,.0f}/s" for workers, rate in rates.items())
    print(f"{entry.task} {entry.framework}: {best} workers ({shown})", flush=True)
    TUNED.write_text(json.dumps(tuned_workers() | {f"{entry.task} {entry.framework}": best}))
    return replace(entry, workers=best)


def run_round(number: int, entries: list[tuple[Entry, Row]], limit: Path, seconds: Seconds) -> None:
    """Run every framework once, the limit before and after each."""
    task, data = entries[0][0].task, entries[0][0].data
    warm_page_cache(data)
    before = take_limit(task, limit, data)
    # The order turns round every time, so that nobody always runs after the same neighbour.
    for entry, row in entries if number % 2 == 0 else reversed(entries):
        if row.reason:
            continue
        try:
            result = take(entry, seconds)
        except Unavailable as reason:
            give_up(row, reason)
            continue
        after = take_limit(task, limit, data)
        result |= {"round": number, "limit_per_s": (before + after) / 2}
        result["ratio"] = result["samples_per_s"] / result["limit_per_s"]
        row.takes.append(result)
        before = after
        print(
            f"{task} round {number + 1}: {entry.framework:<14}{result['samples_per_s']:>11,.0f}/s"
            f"{result['ratio']:>8.2f} x limit",
            flush=True,
        )


def give_up(row: Row, reason: Unavailable) -> None:
    """Note why a framework has no figure; the others go on."""
    row.takes.clear()
    row.reason = str(reason)
    print(f"{row.task} {row.framework}: {reason}", flush=True)


def compare_task(task: str, options: argparse.Namespace) -> list[Row]:
    """Measure all frameworks that can do a task."""
    data = make_data(task, options)
    limit = build_limit(f"{TASKS[task].limit}_limit", WORKPLACE / "bin")
    rows = [Row(task, name) for name in options.frameworks if task in FRAMEWORKS[name].tasks]
    entries = []
    for row in rows:
        try:
            entry = make_entry(task, row.framework, data, options.workers)
            entries.append((tune(entry) if options.tune else entry, row))
        except Unavailable as reason:
            give_up(row, reason)
    if entries and not options.prepare:
        for number in range(options.rounds):
            run_round(number, entries, limit, Seconds(options.warmup, options.seconds))
    return rows


def write_results(rows: list[Row], options: argparse.Namespace) -> None:
    """Write every take, the medians and the picture."""
    results = {
        "when": time.strftime("%Y-%m-%d %H:%M"),
        "machine": f"{processor()}, {CORES} cores",
        "options": {key: str(value) for key, value in vars(options).items()},
        "tasks": {
            name: {"title": TASKS[name].title, "limit": LIMIT_NAMES[TASKS[name].limit]}
            for name in options.tasks
        },
        "summary": summary(rows),
        "takes": [
            {"task": row.task, "framework": row.framework} | result
            for row in rows
            for result in row.takes
        ],
    }
    out = options.out
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(results, indent=1) + "\n")
    pictures = [out.with_suffix(".png"), out.with_suffix(".svg")]
    try:
        python = make_environment("picture", WORKPLACE / "environments")
        run([str(python), str(HERE / "picture.py"), str(out), *map(str, pictures)])
    except Unavailable as reason:
        print(f"no picture: {reason}")
        return
    print(f"wrote {out}, {pictures[0].name}, {pictures[1].name}")


def processor() -> str:
    """The processor's name as Linux knows it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main() -> int:
    """Compare, print, write; with `--check` the exit code says whether penstock is fast enough."""
    options = arguments()
    rows = [row for task in options.tasks for row in compare_task(task, options)]
    if options.prepare:
        return 0
    print()
    for task in options.tasks:
        print(task_table(task, [row for row in rows if row.task == task]))
    print(notes(rows))
    write_results(rows, options)
    if not options.check:
        return 0
    complaints = unmet(rows)
    print("\n".join(complaints) or "penstock is as fast as it should be")
    return int(bool(complaints))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
