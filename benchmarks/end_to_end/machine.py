"""What processes use of this machine, from /proc."""

import os
from pathlib import Path

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


def process_tree(pid: int) -> list[int]:
    """The process and all that descend from it."""
    found, todo = [], [pid]
    while todo:
        current = todo.pop()
        found.append(current)
        try:
            for task in Path(f"/proc/{current}/task").iterdir():
                todo += [int(child) for child in (task / "children").read_text().split()]
        except OSError:
            continue  # it has ended in the meantime
    return found


def tree_cpu_s(pid: int) -> float:
    """CPU time of the tree, ended children included."""
    ticks = 0
    for process in process_tree(pid):
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        ticks += sum(int(value) for value in fields[11:15])
    return ticks / CLOCK_TICKS


def machine_cpu_s() -> float:
    """CPU time of everything on the machine, and what the host took away."""
    user, nice, system, _idle, _wait, irq, softirq, steal = (
        int(value) for value in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    )
    return (user + nice + system + irq + softirq + steal) / CLOCK_TICKS


def tree_memory_mb(pid: int, file: str, key: str) -> int:
    """The sum over the tree of one memory figure, such as VmRSS of `status`."""
    kilobytes = 0
    for process in process_tree(pid):
        try:
            lines = Path(f"/proc/{process}/{file}").read_text().splitlines()
        except OSError:
            continue
        kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith(key + ":"))
    return kilobytes // 1024
