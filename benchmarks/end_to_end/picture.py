"""Draws the comparison: for each task, one bar for each framework, as a ratio to the limit.

python picture.py RESULTS.json OUT.png OUT.svg
"""

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

OURS, OTHER, LIMIT = "#0b6e4f", "#b4b8bd", "#c8553d"


def draw_task(axes: plt.Axes, title: str, rows: list[dict[str, Any]], limit: str) -> None:
    """Draw the bars of one task, fastest on top."""
    rows = sorted(rows, key=lambda row: row["ratio"])
    names = [row["framework"] for row in rows]
    colours = [OURS if name.startswith("penstock") else OTHER for name in names]
    bars = axes.barh(names, [row["ratio"] for row in rows], color=colours, height=0.7)
    labels = [f" {row['ratio']:.2f}   {row['samples_per_s']:,.0f}/s" for row in rows]
    axes.bar_label(bars, labels, fontsize=8)
    axes.axvline(1.0, color=LIMIT, linewidth=1)
    axes.set_xlim(0, 1.35 * max(1.0, *(row["ratio"] for row in rows)))
    axes.set_title(title, loc="left", fontsize=9)
    axes.set_xlabel(f"ratio to the {limit} (line)", fontsize=8)
    axes.tick_params(labelsize=8, length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


def draw(results: dict[str, Any], targets: list[Path]) -> None:
    """Draw all tasks below each other."""
    tasks = {
        name: [row for row in results["summary"] if row["task"] == name and "ratio" in row]
        for name in results["tasks"]
    }
    tasks = {name: rows for name, rows in tasks.items() if rows}
    if not tasks:
        return
    heights = [0.9 + 0.27 * len(rows) for rows in tasks.values()]
    figure, grid = plt.subplots(
        len(tasks),
        squeeze=False,
        figsize=(8, sum(heights)),
        height_ratios=heights,
        layout="constrained",
    )
    for axes, (name, rows) in zip(grid[:, 0], tasks.items(), strict=True):
        task = results["tasks"][name]
        draw_task(axes, f"{name}: {task['title']}", rows, task["limit"])
    figure.text(0.99, 0.0, results["machine"], ha="right", va="bottom", fontsize=7)
    for target in targets:
        figure.savefig(target, dpi=160)


if __name__ == "__main__":
    draw(json.loads(Path(sys.argv[1]).read_text()), [Path(name) for name in sys.argv[2:]])
