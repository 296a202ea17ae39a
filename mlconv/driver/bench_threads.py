"""How the time of a model in native code falls with the number of threads, as a whole and by op."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypedDict

import numpy as np

from mlconv.codegen.program.memory import calls, node_of, source_line
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.bench import prepared, recorded
from mlconv.driver.bench_inputs import Given
from mlconv.driver.bench_times import WARM_UP, clock_of, interleaved
from mlconv.driver.context import context_of
from mlconv.driver.inprocess import compile_to
from mlconv.driver.options import Options
from mlconv.driver.pipeline import OnStage
from mlconv.driver.telling import Telling
from mlconv.ir.constants import Array
from mlconv.ir.core import Block
from mlconv.runtime.native import NativeModel, load_native
from mlconv.runtime.programs import OBJECT


class PointFacts(TypedDict):
    """Seconds of a whole call; how many times faster the fastest one is than that with the first number of threads."""

    threads: int
    median: float
    best: float
    speedup: float


class OpScaling(TypedDict):
    """seconds: the least, for each number of threads.  speedup: of the last number over the first.  lost: seconds
    that the op takes longer with the last number than if it went as many times faster as there are more threads.
    """

    op: str
    node: str
    line: str
    seconds: list[float]
    speedup: float
    lost: float


class CurveFacts(TypedDict):
    """ops: in order."""

    model: str
    cpu: str
    rounds: int
    curve: list[PointFacts]
    ops: list[OpScaling]


def bench_threads(
    path: str,
    options: Options,
    rounds: int,
    threads: Sequence[int],
    seed: int = 0,
    given: Given | None = None,
    on_stage: OnStage | None = None,
) -> CurveFacts:
    """Compile a model for this machine, run it `rounds` times with each number of threads, in turn, on given or random
    inputs.  on_stage: is told what is done.  Raises ConversionError, VerificationFailed where it does not give the
    answers that it should.
    """
    if rounds < 1 or not threads or min(threads) < 1:
        raise ConversionError(Code.UsageError, f"{rounds} rounds on {list(threads)} threads: expected at least one")
    telling = Telling(on_stage)
    model = prepared(path, options, seed, given, telling)
    context = context_of(options.plugins)
    with tempfile.TemporaryDirectory(prefix="mlconv-") as folder:
        tuned = model.tuned(options, folder)
        whole, recording = (os.path.join(folder, name, OBJECT) for name in ("whole", "recording"))
        for where in (whole, recording):
            os.mkdir(os.path.dirname(where))
        compile_to(whole, model.module, tuned, context, progress=telling.compiles())
        kernels, _ = compile_to(recording, model.module, tuned, context, stamps=True, progress=telling.compiles())
        plain, stamped = ([load_native(where, n) for n in threads] for where in (whole, recording))
    for one in plain:
        model.check(one, options)
    telling.still("time")
    runs: list[Callable[[], object]] = [partial(one.run, model.inputs) for one in plain]
    times = interleaved(runs, rounds, 0, clock_of(max(threads)), woken=True)
    spans = [np.min(rows, axis=0) for rows in zip(*_rounds(stamped, model.inputs, rounds), strict=True)]
    best = [min(t) for t in times]
    return {
        "model": path,
        "cpu": model.cpu.name,
        "rounds": rounds,
        "curve": [
            {"threads": n, "median": float(np.median(t)), "best": b, "speedup": best[0] / b}
            for n, t, b in zip(threads, times, best, strict=True)
        ],
        "ops": _ops(kernels.main.block, spans, threads[-1] / threads[0]),
    }


def _rounds(models: Sequence[NativeModel], inputs: dict[str, Array], rounds: int) -> list[list[Array]]:
    """Seconds of each kernel, for each round and model."""
    return [[recorded(model, inputs) for model in models] for _ in range(WARM_UP + rounds)][WARM_UP:]


def _ops(block: Block, spans: Sequence[Array], more: float) -> list[OpScaling]:
    out: list[OpScaling] = []
    for op, *seconds in zip(calls(block), *(s.tolist() for s in spans), strict=True):
        first, last = seconds[0], seconds[-1]
        out.append(
            {
                "op": op.name,
                "node": node_of(op),
                "line": source_line(op),
                "seconds": seconds,
                "speedup": first / last if last else 1.0,
                "lost": max(0.0, last - first / more),
            }
        )
    return out
