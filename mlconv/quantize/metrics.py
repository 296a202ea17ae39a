"""Scores of a model: how right its outputs are."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeAlias

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.module import Function

Part: TypeAlias = tuple[float, ...]
OwnMetric: TypeAlias = Callable[[Mapping[str, Array], Mapping[str, Array]], float]
"""Of a caller: what is it worth that a model gives these outputs for this sample.  More is better; the score of a model
is the mean over all samples.
"""


_MOST_OTHER = 0.01  # part of the answers that may be others
_MOST_LOST = 0.02  # of fidelity
_MOST_DB = 300.0
_DIGITS = 12  # of a score


def drop(score: float, than: float) -> float:
    """How much smaller a score is than another, without what their last digits make of it: 0.79 than 0.8 by 0.01."""
    size = max(abs(score), abs(than))
    if size == 0 or not math.isfinite(size):
        return than - score
    return round(than - score, _DIGITS - math.ceil(math.log10(size)))


class Metric(ABC):
    """name: on the command line.  larger: better scores are larger.  has_labels: it takes right answers; else those of
    the float model.  takes_classes: of the latter, what is chosen, not the numbers.
    """

    name: ClassVar[str]
    larger: ClassVar[bool] = True
    has_labels: ClassVar[bool] = True
    takes_classes: ClassVar[bool] = False

    @abstractmethod
    def part(self, y: Array, target: Array) -> Part:
        """Of one sample.  y: numbers of an output.  Raises ConversionError ShapeMismatch."""

    @abstractmethod
    def score(self, parts: Sequence[Part]) -> float:
        """Of all samples, at least one."""

    def worse(self, score: float, than: float) -> float:
        """How much worse a score is than another, in units of the score; negative where it is better."""
        return drop(score, than) if self.larger else drop(than, score)


class Top1(Metric):
    """Part of the answers that are right: the place of the largest number along the last axis, or along axis 1 where
    that fits the labels; of single numbers, whether it is above 0.5.  Labels are classes, or ones among zeros.
    """

    name = "top1"

    def part(self, y: Array, target: Array) -> Part:
        chosen = classes(y, target)
        wanted = target.argmax(-1) if target.size == y.size != chosen.size else target
        if wanted.size != chosen.size:
            raise _unlike(y, target)
        right = chosen.ravel() == (wanted.ravel() > 0.5 if chosen.dtype == np.bool_ else wanted.ravel())
        return float(right.sum()), float(right.size)

    def score(self, parts: Sequence[Part]) -> float:
        return math.fsum(p[0] for p in parts) / max(math.fsum(p[1] for p in parts), 1)


class Agreement(Top1):
    """Part of the answers that are those of the float model."""

    name = "agreement"
    has_labels = False
    takes_classes = True


class Rmse(Metric):
    """The root of the mean squared error."""

    name = "rmse"
    larger = False

    def part(self, y: Array, target: Array) -> Part:
        error, count = _squared(y, target)
        return error, count

    def score(self, parts: Sequence[Part]) -> float:
        return math.sqrt(math.fsum(p[0] for p in parts) / max(math.fsum(p[1] for p in parts), 1))


class Fidelity(Metric):
    """1 less the root of the squared error over the squares of the float model's numbers."""

    name = "fidelity"
    has_labels = False

    def part(self, y: Array, target: Array) -> Part:
        error, _ = _squared(y, target)
        wanted = target.astype(np.float64).ravel()
        return error, float(wanted @ wanted)

    def score(self, parts: Sequence[Part]) -> float:
        error, size = (math.fsum(p[i] for p in parts) for i in (0, 1))
        return 1 - math.sqrt(error / size) if size else float(error == 0)


class Psnr(Metric):
    """10 log10 of the squared peak over the mean squared error.  The peak is the largest number of the targets' type
    where that is one of integers, to which outputs are limited; else their largest absolute value.
    300 dB stand for no error, and for all below that of float64.
    """

    name = "psnr"

    def part(self, y: Array, target: Array) -> Part:
        if target.dtype.kind in "iu":
            bounds = np.iinfo(target.dtype)
            error, count = _squared(np.clip(y, bounds.min, bounds.max), target)
            return error, count, float(bounds.max)
        error, count = _squared(y, target)
        return error, count, float(np.abs(target).max(initial=0.0))

    def score(self, parts: Sequence[Part]) -> float:
        error, count = (math.fsum(p[i] for p in parts) for i in (0, 1))
        peak = max((p[2] for p in parts), default=1.0) or 1.0
        if math.isnan(error) or not count:
            return math.nan
        ratio = peak**2 * count / error if error else math.inf
        least, most = 10 ** (-_MOST_DB / 10), 10 ** (_MOST_DB / 10)
        return 10 * math.log10(min(max(ratio, least), most))


def _squared(y: Array, target: Array) -> tuple[float, float]:
    if y.size != target.size:
        raise _unlike(y, target)
    error = y.astype(np.float64).ravel() - target.astype(np.float64).ravel()
    return float(error @ error), float(error.size)


def classes(y: Array, target: Array | None = None) -> Array:
    """What is chosen among numbers: places along an axis, or, of one number, whether it is above 0.5."""
    if not y.ndim or y.shape[-1] == 1:
        return np.asarray(y > 0.5)
    other = y.ndim > 2 and target is not None and target.size not in (y.size, y.size // y.shape[-1])
    return np.asarray(y.argmax(1 if other else -1))


def metric_without_labels(function: Function) -> tuple[Metric, float]:
    """How a quantized function is compared with itself where nobody says, and by how much it may be worse: by what is
    chosen, where its first output has scores of classes, else by its numbers.
    """
    shape = function.outputs[0].tensor.shape or ()
    count = shape[-1] if len(shape) in (2, 3) else 1
    if isinstance(count, int) and count > 1:
        return METRICS[Agreement.name], _MOST_OTHER
    return METRICS[Fidelity.name], _MOST_LOST


def _unlike(y: Array, target: Array) -> ConversionError:
    return ConversionError(
        Code.ShapeMismatch, f"labels of shape {list(target.shape)} do not fit an output of shape {list(y.shape)}"
    )


METRICS: Mapping[str, Metric] = {metric.name: metric for metric in (Top1(), Psnr(), Rmse(), Agreement(), Fidelity())}
