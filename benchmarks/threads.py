"""How wall time of one sample falls with threads: native objects beside ONNX Runtime, LiteRT (XNNPACK) and OpenVINO.

    python benchmarks/threads.py [--models mobilenet_v2,resnet50] [--precision int8] [--threads 1,2] [--rounds 15]
        [--realtime]

All run in one process, in turn.  Figures are milliseconds of wall time, the least of all rounds, and how many times
faster than with the first number of threads.  Threads of some peers spin for a while after a call: each turn begins
with a pause and calls that are not counted.

On a machine that others use, wall time says who else ran: with `--realtime` (Linux, as root) all threads of this
process come before other processes' during a turn, as SCHED_FIFO (sched(7)) has it, so that each has a core.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import native
from native import Model, Run

PAUSE_S = 0.03
UNCOUNTED, COUNTED = 3, 5  # calls of a turn
Times = dict[str, dict[int, float]]  # milliseconds by runtime and number of threads


def own(model: Model, inputs: dict[str, Any], threads: int) -> Run:
    return native.ours(model, inputs, "", threads)[0]


def runs_of(model: Model, inputs: dict[str, Any], threads: Sequence[int]) -> dict[tuple[str, int], Run]:
    """A call of each runtime that is installed with each number of threads."""
    made: dict[tuple[str, int], Run] = {}
    runtimes: dict[str, Callable[[Model, dict[str, Any], int], Run]] = {"mlconv": own}
    runtimes |= {peer.__name__: peer for peer in (native.onnxruntime, native.litert, native.openvino)}
    for name, runtime in runtimes.items():
        try:
            made |= {(name, n): runtime(model, inputs, n) for n in threads}
        except ImportError:
            continue
    return made


def schedule(policy: int, priority: int) -> None:
    """All threads of this process."""
    for thread in os.listdir("/proc/self/task"):
        os.sched_setscheduler(int(thread), policy, os.sched_param(priority))


def turn(run: Run, realtime: bool) -> float:
    """Milliseconds of the fastest of a few calls."""
    time.sleep(PAUSE_S)
    if realtime:
        schedule(os.SCHED_FIFO, 10)
    for _ in range(UNCOUNTED):
        run()
    least = float("inf")
    for _ in range(COUNTED):
        begin = time.perf_counter()
        run()
        least = min(least, time.perf_counter() - begin)
    if realtime:
        schedule(os.SCHED_OTHER, 0)
    return 1e3 * least


def measure(runs: dict[tuple[str, int], Run], rounds: int, realtime: bool) -> Times:
    times: Times = {}
    for _ in range(rounds):
        for (name, threads), run in runs.items():
            of = times.setdefault(name, {})
            of[threads] = min(of.get(threads, float("inf")), turn(run, realtime))
    return times


def report(name: str, times: Times) -> list[str]:
    lines = [f"{name}:"]
    for runtime, of in times.items():
        base = next(iter(of.values()))
        cells = [f"{n} threads {ms:8.3f} ms {base / ms:5.2f}x" for n, ms in of.items()]
        lines.append(f"  {runtime:12} {'   '.join(cells)}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default=",".join(native.MODELS))
    parser.add_argument("--precision", choices=["float32", "bf16", "int8", "dynamic-range"], default="float32")
    parser.add_argument("--threads", default="1,2", help="numbers of threads; speed-ups are over the first")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--realtime", action="store_true", help="ahead of other processes")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    results: dict[str, Times] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in args.models.split(","):
            path = native.MODELS[name](pathlib.Path(folder) / f"{name}.onnx")
            inputs = native.feeds(path)
            model = Model(path, native.scheme_of(path, args.precision, inputs), args.precision)
            threads = [int(n) for n in args.threads.split(",")]
            results[name] = measure(runs_of(model, inputs, threads), args.rounds, args.realtime)
            print("\n".join(report(name, results[name])), flush=True)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
