"""How far the outputs of two models are apart, in the numbers that people ask for, and what that means."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from mlconv.ir.constants import Array
from mlconv.ir.quant import QuantType
from mlconv.runtime.compare import Tolerance, is_noise, rms
from mlconv.runtime.tolerances import LEAST_SNR

_FEW = 8  # elements of a slice that tell a systematic difference from noise
_ONE_CHANNEL = 4.0  # times as large as elsewhere is a difference of one slice
_BEYOND = 1.5  # steps: more than a rounding does


class Verdict(enum.Enum):
    """From the best to the worst."""

    EQUAL = "equal"
    TOLERANCE = "within tolerance"
    STEP = "one step"
    HALVES = "16-bit noise"
    NOISE = "quantization noise"
    DIFFERENT = "different"

    @property
    def ok(self) -> bool:
        return self is not Verdict.DIFFERENT

    def worse_than(self, other: Verdict) -> bool:
        order = list(Verdict)
        return order.index(self) > order.index(other)


class Limits(NamedTuple):
    """What may be apart.  tolerance: of floats.  snr: decibels at least, where one model is quantized and the other is
    not; twice as many where it has floats of 16 bits, and no integers.
    """

    tolerance: Tolerance = Tolerance()
    snr: float = LEAST_SNR


def limits_of(rtol: float, atol: float, snr: float) -> Limits:
    """As options say them."""
    return Limits(Tolerance(rtol, atol), snr)


@dataclass(frozen=True)
class Measure:
    """One output of the first model against one of the second.

    max_abs: the largest difference.  max_relative: that, over the largest magnitude of the first.  cosine: of the angle
    between both.  snr_db: power of the first over that of the difference.  top1: share of rows whose largest element
    stands at the same place; none of outputs without rows.  steps: the largest difference in steps of the coarser
    scale; none where nothing has a scale.  place: index of the largest difference.  why: what is wrong, in words.
    """

    name: str
    other: str
    verdict: Verdict
    max_abs: float = 0.0
    max_relative: float = 0.0
    cosine: float = 1.0
    snr_db: float = math.inf
    top1: float | None = None
    steps: float | None = None
    place: tuple[int, ...] = ()
    why: str = ""

    def joined(self, other: Measure) -> Measure:
        """The worst of two runs, number by number."""
        worst = other if other._key > self._key else self
        top1 = None if self.top1 is None or other.top1 is None else min(self.top1, other.top1)
        steps = None if self.steps is None or other.steps is None else max(self.steps, other.steps)
        return replace(
            worst,
            cosine=min(self.cosine, other.cosine),
            snr_db=min(self.snr_db, other.snr_db),
            top1=top1,
            steps=steps,
        )

    @property
    def _key(self) -> tuple[int, float]:
        return [*Verdict].index(self.verdict), self.max_abs


class Seen(NamedTuple):
    """An output.  stored: as the model gave it.  number: what that stands for.  rounds: the model computes with few
    bits inside.
    """

    name: str
    stored: Array
    number: Array
    quant: QuantType | None = None
    rounds: bool = False
    halves: bool = False


def measured(a: Seen, b: Seen, limits: Limits) -> Measure:
    """The second against the first, which is the reference.  NaN and infinities are equal to themselves."""
    x, y = a.number, b.number
    if x.shape != y.shape:
        why = f"shapes {list(x.shape)} and {list(y.shape)}"
        return Measure(a.name, b.name, Verdict.DIFFERENT, math.inf, math.inf, 0.0, -math.inf, why=why)
    if x.dtype.kind in "OSU" or y.dtype.kind in "OSU":
        same = np.array_equal(x.astype(bytes), y.astype(bytes))
        return Measure(a.name, b.name, Verdict.EQUAL if same else Verdict.DIFFERENT, why="" if same else "texts differ")
    wide = np.complex128 if "c" in (x.dtype.kind, y.dtype.kind) else np.float64
    p, q = x.astype(wide), y.astype(wide)
    finite = np.isfinite(p)
    if not (np.array_equal(finite, np.isfinite(q)) and np.array_equal(p[~finite], q[~finite], equal_nan=True)):
        place = _first(~((p == q) | (np.isnan(p) & np.isnan(q)) | (finite & np.isfinite(q))))
        why = f"{_text(p[place])} and {_text(q[place])} at {list(place)}"
        return Measure(a.name, b.name, Verdict.DIFFERENT, math.inf, math.inf, 0.0, -math.inf, place=place, why=why)
    p, q = np.where(finite, p, 0), np.where(finite, q, 0)
    found = _numbers(a, b, p, q)
    verdict, why = _verdict(a, b, p, q, found, limits)
    return replace(found, verdict=verdict, why=why)


def _text(x: complex) -> str:
    return f"{x:.6g}"


def _first(where: Array) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(where)[0])


def _numbers(a: Seen, b: Seen, p: Array, q: Array) -> Measure:
    """p, q: finite."""
    errors = np.abs(p - q)
    if not errors.size or not errors.any():
        return Measure(a.name, b.name, Verdict.EQUAL, top1=_top1(p, q), steps=None if _step(a, b) is None else 0.0)
    most, scale = float(errors.max()), float(np.abs(p).max())
    norms = float(np.linalg.norm(p)) * float(np.linalg.norm(q))
    step = _step(a, b)
    return Measure(
        a.name,
        b.name,
        Verdict.EQUAL,
        most,
        most / scale if scale else math.inf,
        float(np.abs(np.vdot(p, q))) / norms if norms else 0.0,
        decibels(p, errors),
        _top1(p, q),
        None if step is None else float((errors / step).max()),
        _first(errors == errors.max()),
    )


def decibels(signal: Array, errors: Array) -> float:
    """Power of a signal over that of errors."""
    noise, power = rms(np.abs(errors)), rms(np.abs(signal))
    if not noise:
        return math.inf
    return 20 * math.log10(power / noise) if power else -math.inf


def _step(a: Seen, b: Seen) -> Array | None:
    """Steps of the coarser scale, broadcast against the outputs."""
    found = [q.spread(q.scales.view(), a.number.shape) for q in (a.quant, b.quant) if q is not None]
    return np.maximum(*found) if len(found) == 2 else found[0] if found else None


def _top1(p: Array, q: Array) -> float | None:
    """Equal elements stand at either place."""
    if p.ndim == 0 or p.shape[-1] < 2 or p.dtype.kind == "c":
        return None
    rows, others = p.reshape(-1, p.shape[-1]), q.reshape(-1, q.shape[-1])
    if not len(rows):
        return None
    chosen = others.argmax(-1)
    return float(np.mean(rows[np.arange(len(rows)), chosen] == rows.max(-1)))


def _verdict(a: Seen, b: Seen, p: Array, q: Array, found: Measure, limits: Limits) -> tuple[Verdict, str]:
    """What numbers mean, and why they are no noise."""
    if not found.max_abs:
        return Verdict.EQUAL, ""
    errors, sizes = np.abs(p - q), np.abs(p)
    step = _step(a, b)
    is_whole = a.stored.dtype.kind in "biu" and b.stored.dtype.kind in "biu" and step is None
    if is_whole:
        return Verdict.DIFFERENT, f"{int((errors > 0).sum())} of {errors.size} integers differ"
    item_bytes = min(a.number.dtype.itemsize, b.number.dtype.itemsize)
    if limits.tolerance.holds(errors, sizes, item_bytes):
        return Verdict.TOLERANCE, _too_small(found, float(sizes.max()), limits)
    if not (a.rounds or b.rounds or step is not None):
        return Verdict.DIFFERENT, "beyond the tolerance of floats"
    of_halves = step is None and not any(seen.rounds and not seen.halves for seen in (a, b))
    noise = Verdict.HALVES if of_halves else Verdict.NOISE
    alone = lone_slice(p - q, float(np.max(step)) if step is not None else 0.0)
    if a.rounds == b.rounds and alone:
        return Verdict.DIFFERENT, alone
    if found.steps is not None and found.steps <= _BEYOND:
        return Verdict.STEP, ""
    if a.rounds == b.rounds:
        good = is_noise(errors, sizes)
        return (noise, "") if good else (Verdict.DIFFERENT, "more than roundings do")
    least = limits.snr * (2 if noise is Verdict.HALVES else 1)
    if found.snr_db >= least:
        return noise, ""
    return Verdict.DIFFERENT, f"{found.snr_db:.1f} dB, expected {least:g}"


def _too_small(found: Measure, largest: float, limits: Limits) -> str:
    """The tolerance says nothing of numbers that it is larger than."""
    if found.snr_db >= limits.snr:
        return ""
    return (
        f"numbers up to {largest:.3g} are hidden by the tolerance of {limits.tolerance.atol:g}, --atol 0 compares them"
    )


def lone_slice(errors: Array, step: float) -> str:
    """The channel that is off by itself, in words: noise of rounding is everywhere.  Channels lie behind the batch, or
    last.  step: of the scale; without one nothing tells the largest of some channels from the one that is wrong.  Empty
    when there is none.
    """
    if not step:
        return ""
    squares = np.square(np.abs(errors))
    for axis in sorted({1, errors.ndim - 1}) if errors.ndim >= 2 else ():
        count = errors.shape[axis]
        if count < 3 or errors.size // count < _FEW:
            continue
        means = np.sqrt(squares.mean(tuple(i for i in range(errors.ndim) if i != axis)))
        at = int(means.argmax())
        rest = rms(np.delete(means, at))
        if means[at] > max(_ONE_CHANNEL * rest, _BEYOND * step):
            return f"channel {at} is off by {means[at]:.3g}, the others by {rest:.3g}"
    return ""


def joined(runs: Sequence[Sequence[Measure]]) -> list[Measure]:
    """The worst of each output over all runs."""
    found = list(runs[0])
    for run in runs[1:]:
        found = [one.joined(other) for one, other in zip(found, run, strict=True)]
    return found
