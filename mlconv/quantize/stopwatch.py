"""Who times modules of core ops on the machine that they are for, and whose time a kernel's is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from mlconv.ir.module import Module
from mlconv.provenance.locations import Location, origins
from mlconv.quantize.collect import Sample


class Call(NamedTuple):
    """A call of a kernel.  location: what it was made of.  seconds: the least of all rounds."""

    location: Location | None
    seconds: float


class Timed(NamedTuple):
    """seconds: of processor time of a run on one thread, the least of all rounds.  calls: of kernels, in order; empty
    where they were not asked for.
    """

    seconds: float
    calls: Sequence[Call] = ()


class Stopwatch(Protocol):
    """machine: that is timed, for people."""

    machine: str

    def timed(self, modules: Iterable[Module], sample: Sample, calls: bool) -> list[Timed]:
        """Least times of modules, as quantization leaves them, compiled as they will be written, which take turns on a
        sample.  calls: kernel by kernel.  Raises ConversionError for ops that have no form there.
        """


Owners = Sequence[tuple[Iterable[str], int]]
"""Origins of ops, as `provenance.locations.origins` tells them, and multiply-adds."""


def shared(calls: Iterable[Call], owners: Owners) -> tuple[list[float], float]:
    """Seconds of each owner, and those of nobody, which come before all owners' calls.  A kernel that several became is
    shared by their multiply-adds.  A kernel of no owner counts to the last one in front of it: what lies behind a layer
    is rounded as the layer is.
    """
    numbers = _numbers(owners)
    seconds, nobody, last = [0.0] * len(owners), 0.0, -1
    for call in calls:
        found = _owners(call, numbers)
        if not found and last < 0:
            nobody += call.seconds
            continue
        found = found or [last]
        total = sum(owners[number][1] + 1 for number in found)
        for number in found:
            seconds[number] += call.seconds * (owners[number][1] + 1) / total
        last = found[-1]
    return seconds, nobody


def together(programs: Iterable[Iterable[Call]], owners: Owners) -> list[list[int]]:
    """Groups of owners that share a kernel in one of the programs, in order: their times cannot be told apart."""
    numbers = _numbers(owners)
    parent = list(range(len(owners)))

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = number = parent[parent[number]]
        return number

    for calls in programs:
        for call in calls:
            found = [root(number) for number in _owners(call, numbers)]
            for number in found:
                parent[root(number)] = min(found)
    groups: dict[int, list[int]] = {}
    for number in range(len(owners)):
        groups.setdefault(root(number), []).append(number)
    return list(groups.values())


def _numbers(owners: Owners) -> dict[str, int]:
    """The owner of each origin."""
    found: dict[str, int] = {}
    for number, (names, _) in enumerate(owners):
        for name in names:
            found.setdefault(name, number)
    return found


def _owners(call: Call, numbers: dict[str, int]) -> list[int]:
    return sorted({numbers[name] for name in origins(call.location) if name in numbers})
