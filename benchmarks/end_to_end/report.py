"""Turns takes into figures: medians, ratios, a table."""

from dataclasses import dataclass, field
from statistics import median
from typing import Any

from catalog import CORES, FRAMEWORKS, TASKS

LIMIT_NAMES = {"jpeg": "JPEG limit", "png": "PNG limit", "copy": "copy limit"}
QUIET = 0.05  # share of the machine that others may use before a take counts as disturbed
WIDTH = 98
COLUMNS = "  {:<20} {:>11} {:>9} {:>9} {:>13} {:>9}"


@dataclass
class Row:
    """All takes of one framework in one task."""

    task: str
    framework: str
    takes: list[dict[str, Any]] = field(default_factory=list)
    reason: str = ""  # why there are no takes

    def figure(self, key: str) -> float:
        """Median of one figure of the takes."""
        return float(median(take[key] for take in self.takes))

    def times_as_fast(self, other: "Row") -> float:
        """Median, over the rounds in which both ran, of the quotient of the ratios to the limit."""
        theirs = {take["round"]: take["ratio"] for take in other.takes}
        quotients = [
            take["ratio"] / theirs[take["round"]] for take in self.takes if take["round"] in theirs
        ]
        return float(median(quotients)) if quotients else float("nan")


def fastest_other(rows: list[Row]) -> Row | None:
    """The fastest of the other frameworks."""
    others = [row for row in rows if not FRAMEWORKS[row.framework].is_ours and row.takes]
    return max(others, key=lambda row: row.figure("ratio"), default=None)


def verdicts(rows: list[Row]) -> list[str]:
    """One sentence on each way that penstock ran."""
    other = fastest_other(rows)
    sentences = []
    for ours in (row for row in rows if FRAMEWORKS[row.framework].is_ours and row.takes):
        limit = LIMIT_NAMES[TASKS[ours.task].limit]
        text = f"  {ours.framework}: {ours.figure('ratio'):.2f} x the {limit}"
        if other is not None:
            text += f", {ours.times_as_fast(other):.2f} x the fastest other ({other.framework})"
        sentences.append(text)
    return sentences


def row_line(row: Row) -> str:
    """One framework as a line of the table."""
    if not row.takes:
        return f"  {row.framework:<20} not measured: {row.reason}"[:WIDTH]
    return COLUMNS.format(
        f"{row.framework} {row.takes[0]['version']}".strip(),
        f"{row.figure('samples_per_s'):,.0f}",
        f"{row.figure('ratio'):.2f}",
        row.takes[0]["workers"],
        f"{row.figure('first_batch_s'):.2f} s",
        f"{row.figure('peak_rss_mb'):,.0f}",
    )


def task_table(task: str, rows: list[Row]) -> str:
    """All frameworks of one task, fastest first, and the verdicts."""
    limit = LIMIT_NAMES[TASKS[task].limit]
    measured = sorted((r for r in rows if r.takes), key=lambda r: -r.figure("ratio"))
    lines = [f"{task}: {TASKS[task].title}"]
    lines.append(COLUMNS.format("", "samples/s", "x limit", "workers", "first batch", "peak MB"))
    if measured:
        limit_per_s = median(take["limit_per_s"] for row in measured for take in row.takes)
        lines.append(COLUMNS.format(limit, f"{limit_per_s:,.0f}", "1.00", CORES, "", ""))
    lines += [row_line(row) for row in measured]
    lines += [row_line(row) for row in rows if not row.takes]
    lines += verdicts(rows)
    return "\n".join(lines) + "\n"


def notes(rows: list[Row]) -> str:
    """What each framework does differently, and how quiet the machine was."""
    lines = []
    for row in rows:
        if row.takes:
            layout = "" if row.takes[0]["layout"] == "CHW" else "; HWC"
            lines.append(f"  {row.task} {row.framework}: {row.takes[0]['note']}{layout}")
    takes = [take for row in rows for take in row.takes]
    disturbed = sum(take["other_cpu"] > QUIET for take in takes)
    lines.append(
        f"In {disturbed} of {len(takes)} takes other processes used more than {QUIET:.0%} of the "
        "machine."
    )
    return "\n".join(lines)


def summary(rows: list[Row]) -> list[dict[str, Any]]:
    """The medians as plain data."""
    keys = ("samples_per_s", "ratio", "limit_per_s", "first_batch_s", "peak_rss_mb", "pss_mb")
    return [
        {"task": row.task, "framework": row.framework, "reason": row.reason}
        | ({key: row.figure(key) for key in keys} if row.takes else {})
        for row in rows
    ]
