"""Measuring side by side: everything that is compared runs in turn, in processes of its own, and medians count."""

from __future__ import annotations

import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement: seconds by the clock and of the processor, peak memory in MB, bytes read, what was counted."""

    seconds: float
    cpu: float
    peak_mb: float = 0.0
    read: int = 0
    counted: Mapping[str, Any] = field(default_factory=dict)

    def time(self, by: str) -> float:
        return self.cpu if by == "cpu" else self.seconds


Measure = Callable[[], Sample]


def interleaved(measures: Mapping[str, Measure], repeat: int) -> dict[str, Sample]:
    """The median of each, measured in turn so that a busy moment hits all alike. One more round warms up."""
    samples: dict[str, list[Sample]] = {name: [] for name in measures}
    for turn in range(repeat + 1):
        for name, measure in measures.items():
            sample = measure()
            if turn or repeat == 1:
                samples[name].append(sample)
    return {name: _median(found) for name, found in samples.items()}


def _median(samples: Sequence[Sample]) -> Sample:
    return Sample(
        seconds=statistics.median(sample.seconds for sample in samples),
        cpu=statistics.median(sample.cpu for sample in samples),
        peak_mb=max(sample.peak_mb for sample in samples),
        read=samples[-1].read,
        counted=samples[-1].counted,
    )


def job(name: str, **arguments: Any) -> Measure:
    """A job of `tests.bench.jobs` in a process of its own; start-up and imports are not in its time."""
    argv = [sys.executable, "-m", "tests.bench.jobs", name, json.dumps(arguments)]

    def measure() -> Sample:
        done = subprocess.run(argv, cwd=ROOT, env=environment(), capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"the job {name} failed: {done.stderr[-2000:]}")
        facts = json.loads(done.stdout)
        known = {key: facts.pop(key) for key in ("seconds", "cpu", "peak_mb", "read")}
        return Sample(**known, counted=facts)

    return measure


def program(argv: Sequence[str | Path], cwd: Path, env: Mapping[str, str] | None = None, stdin: bytes = b"") -> Measure:
    """A whole program, from its start to its end."""

    def measure() -> Sample:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(argv, cwd=cwd, env=environment(env), input=stdin, capture_output=True)
        seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            raise RuntimeError(f"{argv} failed: {done.stderr.decode()[-2000:]}")
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Sample(seconds, cpu, counted={"out": len(done.stdout)})

    return measure


def environment(added: Mapping[str, str] | None = None) -> dict[str, str]:
    """The caller's, in which bytecode is kept: without, a start-up would measure the compiler."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "MEMGIT_", "CLAUDE_"))}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return {**kept, "PYTHONPATH": str(ROOT), "GIT_CONFIG_GLOBAL": os.devnull, **(added or {})}


def growth(sizes: Sequence[float], times: Sequence[float]) -> float | None:
    """The exponent with which times grow over sizes: 1 is linear, 2 quadratic."""
    if len(sizes) < 2 or min(times) <= 0:
        return None
    return math.log(times[-1] / times[0]) / math.log(sizes[-1] / sizes[0])
