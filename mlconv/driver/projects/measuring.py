"""What bounds are about, measured of an artifact."""

from __future__ import annotations

import math
import statistics
import time

from mlconv.driver.options import Options
from mlconv.driver.projects.bounds import Bounds
from mlconv.driver.result import Result
from mlconv.formats.files import bytes_of

_ROUNDS = 5
_RUNS = 20
_MOST_S = 1.0  # of a round


def measured(bounds: Bounds, model: str, result: Result, options: Options) -> dict[str, float]:
    """Values by the names of bounds, those that there are bounds for.  model: the path that was converted.  Raises
    ConversionError VerificationImpossible where no runtime here runs the artifact, and what running it raises.
    """
    found: dict[str, float] = {}
    if bounds.size is not None:
        found["size"] = float(bytes_of(result.output))
    if bounds.ops is not None:
        found["ops"] = float(sum(result.ops.values()))
    if bounds.compares:
        found |= _compared(model, result.output, options)
    if bounds.time is not None:
        found["time"] = _seconds(result.output, options)
    return found


def _compared(model: str, artifact: str, options: Options) -> dict[str, float]:
    """The worst output: differences as parts of its largest value, dB, part of samples with the same answer.  Outputs
    without rows of scores have no answer.
    """
    from mlconv.driver.verification import Asked, verify

    outputs = verify(model, artifact, Asked(options.data), options).outputs
    found = {
        "error": max((m.max_relative for m in outputs), default=0.0),
        "snr": min((m.snr_db for m in outputs), default=math.inf),
    }
    answers = [m.top1 for m in outputs if m.top1 is not None]
    return found | ({"agreement": min(answers)} if answers else {})


def _seconds(artifact: str, options: Options) -> float:
    """Of a run on random inputs on one thread, the median of some; getting ready does not count."""
    from mlconv.driver.sides import open_side
    from mlconv.runtime.pairing import Drawing, paired

    side = open_side(artifact, options)
    call = Drawing(0, {}, side.ranges).inputs(paired(side.inputs, side.inputs, "input"))

    def seconds(runs: int) -> float:
        started = time.perf_counter()
        side.run([call] * runs)
        return time.perf_counter() - started

    once = seconds(1)
    runs = max(2, min(_RUNS, int(_MOST_S / max(once, 1e-9))))
    return statistics.median(max(seconds(runs) - seconds(1), 0.0) / (runs - 1) for _ in range(_ROUNDS))
