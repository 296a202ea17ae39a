"""What `mlconv bench` prints for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.commands.console import size_text
from mlconv.commands.tables import duration_text, fitted
from mlconv.diagnostics.text import amount, printable, printable_data
from mlconv.driver.bench import BenchFacts
from mlconv.driver.bench_batches import BatchesFacts
from mlconv.driver.bench_objects import ObjectTimes
from mlconv.driver.bench_peers import PeerFacts
from mlconv.driver.bench_threads import CurveFacts
from mlconv.driver.bench_times import TimeFacts

_LONG = 1e-3  # seconds of the longest op, from which on times are in milliseconds


def report_bench(facts: BenchFacts, top: int, trace: str = "") -> str:
    """Times of the whole, of other runtimes, and by op, the longest first.  trace: a file that was written."""
    facts = printable_data(facts)
    peak = facts["peak"]
    rows, unit = [], _Unit.of([op["seconds"] for op in facts["ops"]])
    for op in sorted(facts["ops"], key=lambda o: -o["seconds"])[:top]:
        percent = "-" if op["peak_percent"] is None else f"{op['peak_percent']:.0f}%"
        numbers = unit.text(op["seconds"]), f"{op['share']:.1%}", f"{op['gflops']:.1f}", percent
        what = f"{op['op']} by {', '.join(op['by'])}" if op["by"] else op["op"]
        rows.append((*numbers, what, op["line"] or op["node"]))
    lines = [
        f"{facts['model']}: {facts['cpu']}, {amount(facts['threads'], 'thread')}, {facts['rounds']} rounds",
        f"  {_whole(facts['seconds'])}",
        *_beside(facts["seconds"], facts["peers"]),
        f"  one core: {peak['flops'] / 1e9:.0f} GFLOP/s; reads "
        + ", ".join(f"{b / 1e9:.0f} GB/s up to {size_text(n)}" for n, b in peak["bandwidth"]),
        *(f"  as expected: {m['output']} ({m['verdict']})" for m in facts["expected"]),
        *fitted((unit.name, "share", "GFLOP/s", "of peak", "op", "where"), rows, numbers=frozenset(range(4))),
        "by line:",
        *(f"  {unit.text(x['seconds']):>10} {unit.name} {x['share']:6.1%}  {x['line']}" for x in facts["lines"][:top]),
    ]
    return "\n".join([*lines, *([f"trace: {printable(trace)}"] if trace else [])])


class _Unit(NamedTuple):
    """Of times in a table.  factor: of them in a second."""

    name: str
    factor: float
    digits: int

    @staticmethod
    def of(seconds: Sequence[float]) -> _Unit:
        """Of small models microseconds: all of a table would be zeros."""
        return _Unit("ms", 1e3, 4) if max(seconds, default=0.0) >= _LONG else _Unit("us", 1e6, 3)

    def text(self, seconds: float) -> str:
        return f"{seconds * self.factor:.{self.digits}f}"


def _whole(times: TimeFacts) -> str:
    """The median, the spread, calls in a second, and which time that is."""
    median, best, p90, p99 = map(duration_text, (times["median"], times["best"], times["p90"], times["p99"]))
    spread = f"{median}, best {best}, 90 % within {p90}, 99 % within {p99}; {times['per_second']:.4g} a second "
    spread += "of processor time" if times["clock"] == "processor" else "on the wall"
    return spread


def _beside(own: TimeFacts, peers: Sequence[PeerFacts]) -> list[str]:
    """Other runtimes, in the same rounds."""
    if not peers:
        return []
    rows = [("native code", "", duration_text(own["median"]), duration_text(own["p99"]), "1", "")]
    for peer in peers:
        times, ratio = peer["seconds"], peer["ratio"]
        if times is None or ratio is None:
            rows.append((peer["name"], peer["file"], "-", "-", "-", peer["why"]))
        else:
            numbers = duration_text(times["median"]), duration_text(times["p99"]), f"{ratio:.2f}"
            rows.append((peer["name"], peer["file"], *numbers, ""))
    return fitted(("runtime", "file", "median", "99 %", "times ours", ""), rows, numbers=frozenset({2, 3, 4}))


def report_batches(facts: BatchesFacts) -> str:
    """Times by batch."""
    facts = printable_data(facts)
    rows = []
    for one in facts["batches"]:
        seconds = one["seconds"]
        each = duration_text(seconds["median"] / one["batch"])
        numbers = duration_text(seconds["median"]), duration_text(seconds["best"]), each
        rows.append((str(one["batch"]), *numbers, f"{one['samples_per_second']:.4g}"))
    head = "batch", "median", "best", "a sample", "samples a second"
    asked = f"{amount(facts['threads'], 'thread')}, {facts['rounds']} rounds"
    first = f"{facts['model']}: {asked}; the batch is the first axis of {', '.join(facts['axes'])}"
    return "\n".join([first, *fitted(head, rows, numbers=frozenset(range(5)))])


def report_object(facts: ObjectTimes) -> str:
    """Times of an object, by number of threads where there are several."""
    facts = printable_data(facts)
    times = facts["times"]
    sizes = ", ".join(f"{name}[{','.join(map(str, shape))}]" for name, shape in facts["shapes"].items())
    many = "" if len(times) > 1 else f"{amount(times[0]['threads'], 'thread')}, "
    lines = [f"{facts['model']}: {facts['cpu']}, {many}{facts['rounds']} rounds", *([f"  {sizes}"] if sizes else [])]
    if len(times) == 1:
        lines.append(f"  {_whole(times[0]['seconds'])}")
    lines += [f"  as expected: {m['output']} ({m['verdict']})" for m in facts["expected"]]
    if len(times) > 1:
        points = [(p["threads"], p["seconds"]["median"], p["seconds"]["best"], p["speedup"]) for p in times]
        lines += _curve(points)
    return "\n".join(lines)


def _curve(points: Sequence[tuple[int, float, float, float]]) -> list[str]:
    """Threads, the median and the least of seconds, and how many times faster that is."""
    rows = [(str(n), duration_text(median), duration_text(best), f"{x:.2f}x") for n, median, best, x in points]
    return fitted(("threads", "median", "best", "speed-up"), rows, numbers=frozenset(range(4)))


def report_curve(facts: CurveFacts, top: int) -> str:
    """Times by number of threads, then ops, those first that lose most."""
    facts = printable_data(facts)
    curve = facts["curve"]
    rows, unit = [], _Unit.of([seconds for op in facts["ops"] for seconds in op["seconds"]])
    for op in sorted(facts["ops"], key=lambda o: -o["lost"])[:top]:
        times = [unit.text(seconds) for seconds in op["seconds"]]
        rows.append((*times, f"{op['speedup']:.2f}x", unit.text(op["lost"]), op["op"], op["line"] or op["node"]))
    lines = [
        f"{facts['model']}: {facts['cpu']}, {facts['rounds']} rounds",
        *_curve([(p["threads"], p["median"], p["best"], p["speedup"]) for p in curve]),
        f"ops by the time that they lack of {curve[-1]['threads'] / curve[0]['threads']:g} times:",
        *fitted(
            (*(f"{unit.name} on {p['threads']}" for p in curve), "speed-up", f"lost {unit.name}", "op", "where"),
            rows,
            numbers=frozenset(range(len(curve) + 2)),
        ),
    ]
    return "\n".join(lines)
