"""What a loader did, for people."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import Any, Protocol


class ScalarWriter(Protocol):
    """What takes figures: torch.utils.tensorboard.SummaryWriter, tensorboardX's, and others."""

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> Any:
        """Keep one figure."""


@dataclass(frozen=True)
class Stats:
    """What a loader did so far, and where its time went.

    Attributes:
        cores: That this process may use.
        threads: That decode and transform now.
        prefetch: Batches kept ready, at most.
        samples: Prepared.
        batches: Delivered.
        read_bytes: From storage.
        elapsed_s: Since the loop began.
        stages: Of each stage ("read", "decode", "transform", "map", "trainer") threads, samples,
            bytes (of "read" from storage, of "decode" pixels), and seconds over its threads:
            busy_s, wait_input_s, wait_output_s.
        thread_times: The same of each thread.
        queues: What is in each queue now, and its room.
        cpu_s: CPU seconds of "readers", "workers", "map", and of the whole "process".
        tuning: What was changed while it ran, and why.
        metrics: All of it for `prometheus`.
    """

    cores: int
    threads: int
    prefetch: int
    samples: int
    batches: int
    read_bytes: int
    elapsed_s: float
    stages: dict[str, dict[str, float]]
    thread_times: list[dict[str, Any]]
    queues: dict[str, tuple[int, int]]
    cpu_s: dict[str, float]
    tuning: list[dict[str, Any]]
    bad_samples: int
    bad_samples_in_epoch: int
    entry_points: dict[str, Any]
    disk_cache: dict[str, Any] | None
    memory_cache: dict[str, Any] | None
    memory: dict[str, int]
    metrics: str = field(default="", repr=False)

    @classmethod
    def of_nothing(cls) -> Stats:
        """Of a loader that has not begun."""
        return cls(0, 0, 0, 0, 0, 0, 0.0, {}, [], {}, {}, [], 0, 0, {}, None, None, {})

    @property
    def consumer_wait_s(self) -> float:
        """How long was waited for batches."""
        return self.stages["trainer"]["wait_input_s"] if self.stages else 0.0

    @property
    def samples_per_s(self) -> float:
        """Samples prepared a second."""
        return self.samples / self.elapsed_s if self.elapsed_s > 0 else 0.0

    def prometheus(self) -> str:
        """The figures in the text format of Prometheus; what a page has at /metrics."""
        return self.metrics

    def scalars(self) -> dict[str, float]:
        """The figures as numbers with flat names, shares in 0..1: for a log or a chart.

        >>> import numpy as np, penstock as ps
        >>> loader = ps.arrays(x=np.arange(10)).label("x").batch(2).numpy()
        >>> for batch in loader:
        ...     pass
        >>> scalars = loader.stats().scalars()
        >>> scalars["batches"], scalars["samples"]
        (5.0, 10.0)
        >>> sorted(name for name in scalars if name.startswith("decode/"))
        ['decode/busy', 'decode/wait_input', 'decode/wait_output']
        """
        names = ("samples", "samples_per_s", "batches", "read_bytes", "elapsed_s", "bad_samples")
        scalars = {name: getattr(self, name) for name in (*names, "threads", "prefetch")}
        for name, stage in self.stages.items():
            total = max(1, stage["threads"]) * self.elapsed_s or 1.0
            for state in ("busy", "wait_input", "wait_output"):
                scalars[f"{name}/{state}"] = stage[f"{state}_s"] / total
        scalars |= {f"queue/{name}": size for name, (size, _) in self.queues.items()}
        scalars |= {f"memory/{name}": size for name, size in self.memory.items()}
        scalars |= {f"cpu_s/{name}": time_s for name, time_s in self.cpu_s.items()}
        return {name: float(value) for name, value in scalars.items()}

    def to_tensorboard(self, writer: ScalarWriter, step: int, prefix: str = "penstock/") -> None:
        """Give the scalars to a writer.

        Args:
            writer: A `torch.utils.tensorboard.SummaryWriter`, or another with its `add_scalar`.
            step: Of the training.
            prefix: Put in front of their names.
        """
        for name, value in self.scalars().items():
            writer.add_scalar(prefix + name, value, step)

    def table(self) -> str:
        """The figures for a person, in 80 columns."""
        rows = [
            ("samples", f"{self.samples:,}  ({self.samples_per_s:,.0f}/s)"),
            ("read", f"{self.read_bytes / 1e6:,.1f} MB"),
            ("bad samples", f"{self.bad_samples:,}"),
            ("entry points", self._entry_points_text()),
            *((name, _cache_text(cache)) for name, cache in self._caches() if cache),
            ("memory", self._memory_text()),
            ("consumer waited", f"{self.consumer_wait_s:.2f} s of {self.elapsed_s:.2f} s"),
        ]
        rows += [(name, self._stage_text(stage)) for name, stage in self._used_stages()]
        if self.tuning:
            rows.append(("tuned", f"{self.threads} threads, {self.prefetch} batches ahead"))
        width = max(len(name) for name, _ in rows)
        return "\n".join(_table_row(name, value, width) for name, value in rows)

    def _used_stages(self) -> list[tuple[str, dict[str, float]]]:
        return [(name, s) for name, s in self.stages.items() if s["busy_s"] or s["wait_input_s"]]

    def _stage_text(self, stage: dict[str, float]) -> str:
        total = max(1, stage["threads"]) * self.elapsed_s or 1.0
        waits = [("input", stage["wait_input_s"]), ("output", stage["wait_output_s"])]
        parts = [f"{stage['busy_s'] / total:6.1%} busy"]
        parts += [f"{s / total:.1%} waiting for {what}" for what, s in waits if s / total > 0.0005]
        return f"{', '.join(parts)} ({stage['threads']} thread(s))"

    def _entry_points_text(self) -> str:
        points = self.entry_points
        if not points:
            return "none"
        text = (
            f"{points['found']:,} found, {points['learnt'] + points['extended']:,} learnt, "
            f"{points['stored_bytes'] / 1e6:,.1f} MB stored"
        )
        return f"{text}; no more are kept: {points['problem']}" if points["problem"] else text

    def _caches(self) -> list[tuple[str, dict[str, Any] | None]]:
        return [("disk cache", self.disk_cache), ("memory cache", self.memory_cache)]

    def _memory_text(self) -> str:
        held = {name: size for name, size in self.memory.items() if name != "ceiling"}
        # For a person both are what is known of the data.
        held["index"] = held.get("index", 0) + held.pop("entry_points", 0)
        shown = {name: f"{size / 1e6:,.1f}" for name, size in held.items()}
        parts = ", ".join(f"{name} {text}" for name, text in shown.items() if text != "0.0")
        return f"{sum(held.values()) / 1e6:,.1f} MB ({parts})"


@dataclass(frozen=True)
class BatchTime:
    """One batch in the hands of the trainer; seconds.

    Attributes:
        number: In the loop.
        begin_s: Since the loop began: when it was handed over.
        wait_s: For it.
        map_s: In functions of the pipeline.
        step_s: From then until the next was asked for.
    """

    number: int
    begin_s: float
    wait_s: float
    map_s: float
    step_s: float


@dataclass(frozen=True)
class Verdict:
    """What limits a loader; print it to see the figures behind it.

    Attributes:
        sentence: The answer.
        limit: What limits: "storage", "read", "decode", "transform", "threads", "prefetch",
            "memory", "map" or "trainer".
        samples_per_s: That were delivered.
        possible_per_s: That would be without the limit.
        links: Of each stage the samples a second that it could pass, and the share that is used.
        changes: What would make it faster, and the samples a second that would give.
        unknown: What the figures do not tell.
        text: All of it, for a person.
    """

    sentence: str
    limit: str
    samples_per_s: float
    possible_per_s: float
    links: dict[str, tuple[float, float]]
    changes: dict[str, float]
    unknown: list[str]
    text: str

    def __str__(self) -> str:
        """All of it, for a person."""
        return self.text or self.sentence


def _table_row(name: str, value: str, width: int) -> str:
    indent = " " * (width + 2)
    return textwrap.fill(value, 80, initial_indent=f"{name:<{width}}  ", subsequent_indent=indent)


def _cache_text(cache: dict[str, Any]) -> str:
    asked = cache["hit_bytes"] + cache["missed_bytes"]
    share = cache["hit_bytes"] / asked if asked else 0.0
    text = (
        f"{cache['hit_bytes'] / 1e6:,.1f} MB saved ({share:.0%} of what was needed), "
        f"{cache['stored_bytes'] / 1e6:,.1f} MB kept"
    )
    if cache.get("problem"):
        return f"{text}; {cache['problem']}"
    return f"{text}, full" if cache["is_full"] else text
