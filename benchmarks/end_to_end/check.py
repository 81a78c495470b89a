"""How fast penstock should be, and where it is not."""

from dataclasses import dataclass

from report import Row, fastest_other


@dataclass(frozen=True)
class Ask:
    """The least ratios of one way of running penstock in one task."""

    to_fastest_other: float
    to_limit: float = 0.0


TRAIN_TASKS = ("train_folder", "train_tar", "train_tfrecord")
ASKS = (
    {(task, "penstock"): Ask(to_fastest_other=3.5, to_limit=2.0) for task in TRAIN_TASKS}
    | {(task, "penstock_first"): Ask(to_fastest_other=2.3) for task in TRAIN_TASKS}
    | {
        ("eval", "penstock"): Ask(to_fastest_other=2.5),
        ("jpeg_768", "penstock"): Ask(to_fastest_other=2.5),
        ("png_768", "penstock"): Ask(to_fastest_other=2.0),
    }
)


def shortfalls(ours: Row, other: Row | None, ask: Ask) -> list[str]:
    """Say what is missing in one row; nothing that is not known is enough."""
    name = f"{ours.task} {ours.framework}"
    if not ours.takes:
        return [f"{name}: not measured: {ours.reason}"]
    if other is None:
        return [f"{name}: no other framework was measured"]
    found = []
    times, ratio = ours.times_as_fast(other), ours.figure("ratio")
    if not times >= ask.to_fastest_other:
        found.append(f"{name}: {times:.2f} x {other.framework}, asked: {ask.to_fastest_other}")
    if not ratio >= ask.to_limit:
        found.append(f"{name}: {ratio:.2f} x the limit, asked: {ask.to_limit}")
    return found


def unmet(rows: list[Row]) -> list[str]:
    """Say where penstock is slower than asked, of what was to be measured."""
    complaints = []
    for row in rows:
        ask = ASKS.get((row.task, row.framework))
        if ask is not None:
            other = fastest_other([peer for peer in rows if peer.task == row.task])
            complaints += shortfalls(row, other, ask)
    return complaints
