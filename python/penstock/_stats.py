"""What a loader did, for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Stats:
    """What a loader did so far, and where its time went."""

    threads: int
    samples: int
    batches: int
    read_bytes: int
    elapsed_s: float
    consumer_wait_s: float
    reader_s: dict[str, float]
    worker_s: dict[str, float]
    bad_samples: int
    bad_samples_in_epoch: int
    entry_points: dict[str, Any]
    disk_cache: dict[str, Any] | None
    memory_cache: dict[str, Any] | None
    memory: dict[str, int]

    @property
    def samples_per_s(self) -> float:
        """Samples prepared a second."""
        return self.samples / self.elapsed_s if self.elapsed_s > 0 else 0.0

    def table(self) -> str:
        """The figures for a person."""
        rows = [
            ("samples", f"{self.samples:,}  ({self.samples_per_s:,.0f}/s)"),
            ("read", f"{self.read_bytes / 1e6:,.1f} MB"),
            ("bad samples", f"{self.bad_samples:,}"),
            ("entry points", self._entry_points_text()),
            *((name, _cache_text(cache)) for name, cache in self._caches() if cache),
            ("memory", self._memory_text()),
            ("consumer waited", f"{self.consumer_wait_s:.2f} s of {self.elapsed_s:.2f} s"),
        ]
        for threads, stages in ((1, self.reader_s), (self.threads, self.worker_s)):
            total = threads * self.elapsed_s
            rows += [
                (f"{name}", f"{s / total:6.1%} of {threads} thread(s)")
                for name, s in stages.items()
            ]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)

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
