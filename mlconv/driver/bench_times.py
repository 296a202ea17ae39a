"""Times of calls, and what is said of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypedDict

import numpy as np

WARM_UP = 3
"""Calls that do not count, where nobody says how many."""


class TimeFacts(TypedDict):
    """Seconds of whole calls: the median, the least, the mean, and those that 90 and 99 of 100 do not exceed.
    per_second: calls in a second, by the median.
    """

    median: float
    best: float
    mean: float
    p90: float
    p99: float
    per_second: float


def time_facts(times: Sequence[float]) -> TimeFacts:
    median, p90, p99 = (float(x) for x in np.percentile(times, [50, 90, 99]))
    return {
        "median": median,
        "best": min(times),
        "mean": float(np.mean(times)),
        "p90": p90,
        "p99": p99,
        "per_second": 1 / median if median else 0.0,
    }


def interleaved(calls: Sequence[Callable[[], object]], rounds: int, warm_up: int) -> list[list[float]]:
    """Seconds of each, in turn: what else the machine does meets all of them."""
    times: list[list[float]] = [[] for _ in calls]
    for number in range(warm_up + rounds):
        for call, own in zip(calls, times, strict=True):
            started = time.perf_counter()
            call()
            seconds = time.perf_counter() - started
            if number >= warm_up:
                own.append(seconds)
    return times
