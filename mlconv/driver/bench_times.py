"""Times of calls, and what is said of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypedDict

import numpy as np

WARM_UP = 3
"""Calls that do not count, where nobody says how many."""


_FINE = 1e-6  # seconds that a clock tells apart


class Clock(NamedTuple):
    """What calls are timed by: its name, and how it is read."""

    name: str
    seconds: Callable[[], float]


class TimeFacts(TypedDict):
    """Seconds of whole calls: the median, the least, the mean, and those that 90 and 99 of 100 do not exceed.
    per_second: calls in a second, by the median.  clock: `processor` or `wall`.
    """

    clock: str
    median: float
    best: float
    mean: float
    p90: float
    p99: float
    per_second: float


def clock_of(threads: int) -> Clock:
    """Processor time of calls of one thread, which what else the machine does is no part of; of several, that on the
    wall."""
    if threads == 1 and time.get_clock_info("thread_time").resolution <= _FINE:
        return Clock("processor", time.thread_time)
    return Clock("wall", time.perf_counter)


def time_facts(times: Sequence[float], clock: Clock) -> TimeFacts:
    median, p90, p99 = (float(x) for x in np.percentile(times, [50, 90, 99]))
    return {
        "clock": clock.name,
        "median": median,
        "best": min(times),
        "mean": float(np.mean(times)),
        "p90": p90,
        "p99": p99,
        "per_second": 1 / median if median else 0.0,
    }


def interleaved(
    calls: Sequence[Callable[[], object]], rounds: int, warm_up: int, clock: Clock, woken: bool = False
) -> list[list[float]]:
    """Seconds of each, in turn: what else the machine does meets all of them.  woken: threads of each have worked right
    before it is timed.
    """
    times: list[list[float]] = [[] for _ in calls]
    for number in range(warm_up + rounds):
        for call, own in zip(calls, times, strict=True):
            if woken:
                call()
            started = clock.seconds()
            call()
            seconds = clock.seconds() - started
            if number >= warm_up:
                own.append(seconds)
    return times
