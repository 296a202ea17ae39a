"""Whether the weights and biases that a product stores as integers are those of another model's product.

What both multiply with is known, and so is what channels are scaled by in front and behind: what is left of the
difference is what rounding has done to each weight, in steps of its integers. Rounding to the nearest takes none
further than half of one; rounding with regard to inputs goes further, but as far in all channels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mlconv.ir.constants import Array
from mlconv.runtime.compare import rms
from mlconv.runtime.layer_products import Product, Tail

_FAR = 0.25  # of a magnitude: other weights
_NEAREST, _SURELY_NEAREST, _CHOSEN, _BEYOND = 0.55, 0.6, 0.7, 1.0  # steps
_FREELY = 1.5  # steps: with regard to few inputs, scales say little
_BY_INPUTS = 20.0  # steps, which rounding with regard to few inputs goes
_EXACT = 0.02  # steps, where both models have the same integers
_MORE, _MORE_THAN_NEXT = 5.0, 3.0  # times as far as weights of other channels are, and of the next one
_SURE = 5.0  # standard errors
_EXACT_SLOPE, _SLOPE = 1.5e-3, 0.15  # of a factor, and of a step of the outermost integer, by scales that are chosen
_SHIFT = 0.3  # of a step: the mean of what weights are rounded by
_LARGE = 8  # steps: of smaller weights, less are as large, so that rounding makes these larger
_WILD = 5.0  # steps, which no rounding goes
_FEW_BITS = 7  # the outermost integer of four: scales are chosen so that outermost numbers are cut off
_NORMAL = 1.5  # standard errors, of a median of magnitudes
_TOLD = 0.5  # of the weights of a channel, whose inputs are known, or which are others
_MANY = 8  # channels, whose spread is known
_FEW_INPUTS = 4  # whose mean in samples tells little of that in others
_FLOATS = 2e-5  # of the largest bias, which floats may be off by
_LEAST_STEP = 0.25  # of outputs: less is no fault, whatever else it is
_TELLING = 10.0  # times as far squares of weights are without a factor that a bias may have, whatever is made up for
_ROUNDED = 3.0  # times half a step of the integers of a bias
_FEW_OTHERS = 0.1  # of all biases
_LITTLE, _MADE_UP = 0.5, 3.0  # times what rounding the weights does: where biases make up for none of it, and for some
_MOST_MADE_UP = 6.0  # times the same, however many biases make up for it


@dataclass(frozen=True)
class Weights:
    """Two products.  own, other: weights by outputs and all else; of the other's, as this one would have them.  steps:
    of either's integers.  most: how many steps from zero these go.  biases: of both.  rounded: what rounding to
    integers does to these.  groups: of channels.  factors: what the other's outputs are times this one's.
    twice: both are integers.
    """

    own: Array
    other: Array
    steps: Array
    most: float
    biases: tuple[Array, Array]
    rounded: Array
    groups: int
    factors: Array
    twice: bool = False

    @staticmethod
    def of(own: Product, other: Product, tails: tuple[Tail, Tail], read: Array) -> Weights | None:
        """read: what the channels that the other one reads are times this one's.  None of other weights."""
        if own.weights.shape != other.weights.shape or (tails[1].gain == 0).any() or (tails[0].gain == 0).any():
            return None
        groups = len(read) // max(1, own.weights.shape[1])
        outputs = len(own.weights)
        if groups * own.weights.shape[1] != len(read) or groups == 0 or outputs % groups:
            return None
        inputs = read.reshape(groups, -1)[np.arange(outputs) // (outputs // groups)]
        scale = (tails[1].gain / tails[0].gain)[:, None, None] * inputs[..., None]
        there = other.weights * scale
        steps = np.maximum(own.steps, other.steps * np.abs(scale))
        rows = [np.where(np.isfinite(scale), x, np.nan).reshape(outputs, -1) for x in (own.weights, there, steps)]
        biases = tails[0].bias / tails[0].gain, tails[1].bias / tails[0].gain
        halves = [one.rounded + tail.rounded / np.abs(tail.gain) for one, tail in zip((own, other), tails, strict=True)]
        halves[1] = halves[1] * np.abs(tails[1].gain / tails[0].gain)
        factors = _factors(rows[0], rows[1], biases, halves)
        rows[1:] = [x / factors[:, None] for x in rows[1:]]
        biases, rounded = (biases[0], biases[1] / factors), halves[0] + halves[1] / factors
        twice, most = bool(own.steps.any() and other.steps.any()), min(own.most, other.most)
        found = Weights(rows[0], rows[1], rows[2], most, biases, rounded, groups, factors, twice)
        return found if found.are_alike() else None

    def are_alike(self) -> bool:
        """They are the same weights, for the most part: those of few bits are far from what was rounded."""
        known = np.isfinite(self.other)
        own, other, steps = (np.where(known, x, 0) for x in (self.own, self.other, self.steps))
        return bool(known.any()) and rms(other - own) <= max(_FAR * rms(own), rms(steps))

    def apart(self) -> Array | None:
        """Mean squares, by outputs, of what rounding has done; none where both models have the same integers."""
        known = np.isfinite(self.other) & (self.steps > 0)
        error = np.where(known, self.other - self.own, 0)
        if not (np.abs(error) > _EXACT * np.where(known, self.steps, 1)).any():
            return None
        return np.asarray(np.square(error).mean(1))

    def why_of_bias(self, read: Array, step: Array, added: bool) -> str:
        """What biases are off by, in words: they may make up for what rounding the weights does to the mean.  read:
        numbers of a run, by channels.  step: of the integers of outputs.  added: one model adds them behind.
        """
        if self.biases[0].any() != self.biases[1].any() and (added or self.biases[1].any()):
            return ""  # none make up for nothing, but those that are added behind
        mean, square = read.mean(1), (read * read).mean(1)
        known = np.isfinite(self.other)
        off = np.where(known, self.other - self.own, 0)
        outputs = len(off)
        rows = np.arange(outputs) // (outputs // self.groups)
        places = off.shape[1] * self.groups // len(mean)
        means, squares = (np.repeat(x.reshape(self.groups, -1)[rows], places, 1) for x in (mean, square))
        noise = np.sqrt((off**2 * squares).sum(1))
        noise = np.maximum(noise, np.median(noise))  # other samples may show more of a channel
        apart = self.biases[1] - self.biases[0]
        told = known.mean(1) >= _TOLD  # what is read is nothing, and may be something in samples
        kept = _ROUNDED * self.rounded + _FLOATS * float(np.abs(self.biases[0]).max(initial=0))
        least = _LEAST_STEP * step + kept
        others = np.count_nonzero(np.abs(apart) > kept)
        is_kept = outputs >= _MANY and others <= max(1, _FEW_OTHERS * outputs)
        little = _LITTLE * (1 if is_kept else 2)
        ratios, texts = [], []
        for made_up in (0, 1, 2):  # calibration may have met numbers twice as large
            left = np.where(told, np.abs(apart + made_up * (off * means).sum(1)), 0)
            over = np.maximum(left - least, 0) / np.where(noise > 0, noise, 1)
            usual = float(np.median(over)) if outputs >= _MANY and self.biases[1].any() else 1.0
            few = (
                little
                if usual == 0 and off.shape[1] > _FEW_INPUTS
                else min(max(_SURE * usual, _MADE_UP), _MOST_MADE_UP)
            )
            most = least + noise * few
            ratios.append(left / np.where(most > 0, most, 1))
            texts.append((left, most))
            if is_kept:
                break
        which = np.argmin(ratios, 0)  # some may make up for weights, and others not
        at = int(np.min(ratios, 0).argmax())
        left, most = texts[which[at]]
        if left[at] <= most[at]:
            return ""
        return f"the bias of channel {at} is off by {left[at]:.3g}, roundings do {most[at]:.2g}"

    def why(self, to_nearest: bool = False) -> str:
        """What is off, in words; empty where that is what rounding does.  to_nearest: it needs no regard to inputs."""
        known = np.isfinite(self.other) & (self.steps > 0)
        steps = np.where(self.steps > 0, self.steps, 1)
        own, other = np.where(known, self.own, 0), np.where(known, self.other, 0)
        error, size = (other - own) / steps, other / steps
        is_cut = (np.abs(size) > self.most - 0.5) & (np.abs(other) < np.abs(own))
        cut, error = np.where(is_cut, np.abs(error), 0), np.where(is_cut, 0, error)
        alive = (np.abs(size).max(1, initial=0) > 0) & known.any(1)
        if not alive.any():
            return ""
        furthest = np.where(alive, np.abs(error).max(1, initial=0), 0)
        inner = known & (np.abs(size) < self.most - 0.5) & (own != 0)
        usual = _usual(np.abs(error), inner, to_nearest and self.most > _FEW_BITS)
        if usual > min(_WILD, self.most / 2):
            return ""
        if why := self._of_all(error, known) or self._of_scale(error, size, cut, furthest, alive, usual):
            return why
        makes_up = (cut.max(1, initial=0) > _BEYOND) & (furthest <= _BY_INPUTS)
        return self._of_channel(error, np.where(makes_up, 0, furthest), alive, usual, to_nearest)

    def _of_all(self, error: Array, known: Array) -> str:
        """Of all weights, which a zero point is the same for."""
        off, count = error[known], int(known.sum())
        mean = float(off.mean())
        most = _SHIFT + _SURE * float(off.std()) / math.sqrt(count)
        if self.most <= _FEW_BITS or abs(mean) <= most:
            return ""
        return f"all weights are off by {mean:.3g} steps, roundings do {most:.2g}"

    def _of_scale(self, error: Array, size: Array, cut: Array, furthest: Array, alive: Array, usual: float) -> str:
        """Of channels that are scaled, all of them or one.  cut: how many steps are cut off of outermost numbers, which
        others make up for.
        """
        if usual > _FREELY or (self.most <= _FEW_BITS and usual > _EXACT):
            return ""
        large = (np.abs(size) >= _LARGE) & alive[:, None]
        error, size, count = np.where(large, error, 0), np.where(large, size, 0), np.maximum(large.sum(1), 1)
        power = np.where(large.any(1), np.square(size).sum(1), 1)
        made_up = (cut * np.abs(size)).sum(1)
        slope = (error * size).sum(1) / power
        apart = np.abs(error - slope[:, None] * size)
        left = np.square(apart).sum(1)
        left = left if usual <= _EXACT else np.maximum(left, count / 12)
        least = _EXACT_SLOPE if usual <= _EXACT else _SLOPE / self.most
        whole = float((slope * power).sum() / power.sum())
        sure = _SURE * math.sqrt(float(left.sum() / (count.sum() * power.sum())))
        by_inputs = _next(furthest) > _CHOSEN  # rounded with regard to inputs: scales are chosen so, too
        sure = sure * (_MORE_THAN_NEXT if by_inputs else 1)
        sure += float(made_up.sum() / power.sum())
        if min(abs(whole), abs(float(np.median(slope[alive])))) > sure + least:
            return f"all weights are scaled by 1 + {whole:.3g}, roundings do {sure + least:.2g}"
        sure_of = np.sqrt(left / (count * power))
        usual_error = float(np.median(np.abs(slope[alive]) / np.where(sure_of > 0, sure_of, 1)[alive]))
        most = _SURE * sure_of * max(1.0, _NORMAL * usual_error) + least + made_up / power
        ratios = np.sort(np.abs(slope) / np.where(sure_of > 0, sure_of, 1))
        if by_inputs and len(ratios) > 1:
            most = np.maximum(most, _MORE_THAN_NEXT * ratios[-2] * sure_of)
        told = apart.max(1, initial=0) <= _FREELY
        at = int(np.where(told, np.abs(slope) / most, 0).argmax())
        if not told[at] or abs(slope[at]) <= most[at]:
            return ""
        return f"weights of channel {at} are scaled by 1 + {slope[at]:.3g}, roundings do {most[at]:.2g}"

    def _of_channel(self, error: Array, furthest: Array, alive: Array, usual: float, to_nearest: bool) -> str:
        """Of the weight that is furthest off.  Weights of few bits are chosen with regard to inputs, which may be
        others where all else is the same: then most of a channel are others.
        """
        if usual <= _EXACT and self.most <= _FEW_BITS:
            is_chosen = ((np.abs(error) > _EXACT).mean(1) > _TOLD) & (furthest <= _FREELY)
            furthest = np.where(is_chosen, 0, furthest)
        at, next_one = int(furthest.argmax()), _next(furthest)
        if usual <= _EXACT:
            most = 2 * _EXACT
        elif next_one <= _NEAREST:
            is_free = error.shape[1] > 1 and float(np.sort(np.abs(error[at]))[-2]) > _NEAREST
            most = _SURELY_NEAREST if to_nearest and self.most > _FEW_BITS else _FREELY if is_free else _BEYOND
        elif int(alive.sum()) >= _MANY:
            most = max(_BY_INPUTS, _MORE * usual, _MORE_THAN_NEXT * next_one)
        else:
            most = max(_BEYOND, _SURE * rms(error[alive]), _MORE_THAN_NEXT * next_one)
        most *= 2 if self.twice and usual > _EXACT else 1
        if furthest[at] <= most:
            return ""
        return f"a weight of channel {at} is off by {furthest[at]:.3g} steps, roundings do {most:.2g}"


def _usual(error: Array, inner: Array, to_nearest: bool) -> float:
    """The median of what channels are off by at most; of all weights where half of them are the same integers, if all
    of many bits are rounded to the nearest.  inner: weights that are not the outermost integers, which scales are
    chosen by, nor nothing: these tell nothing of how others are rounded.
    """
    told = inner.any(1)
    if not told.any():
        return _NEAREST
    of_all = float(np.median(error[inner]))
    if to_nearest and of_all <= _EXACT:
        return of_all
    return float(np.median(np.where(inner, error, 0).max(1, initial=0)[told]))


def _next(furthest: Array) -> float:
    """The largest of all but one."""
    return float(np.sort(furthest)[-2]) if furthest.size > 1 else math.inf


def _factors(own: Array, other: Array, biases: Sequence[Array], halves: Sequence[Array]) -> Array:
    """Powers of two that the other's outputs are times this one's.  Few weights of few bits may be off by as much:
    their bias tells, too, beyond the halves of steps that it is rounded by.
    """
    known = np.isfinite(own) & np.isfinite(other)
    x, y = np.where(known, own, 0), np.where(known, other, 0)

    def far(factors: Array) -> tuple[Array, Array]:
        apart = np.abs(biases[0] - biases[1] / factors)
        apart = np.where(apart > _ROUNDED * (halves[0] + halves[1] / factors), apart, 0)
        pairs = (np.square(x - y / factors[:, None]).sum(1), np.square(x).sum(1)), (apart**2, biases[0] ** 2)
        of_weights, of_bias = (np.asarray(off / np.where(power > 0, power, 1)) for off, power in pairs)
        return of_weights, of_bias

    factors = np.exp2(np.rint(np.log2(_ratio(own, other))))
    scaled, plain = far(factors), far(np.ones_like(factors))
    is_plain = (sum(plain) < sum(scaled)) & (plain[0] < _TELLING * scaled[0])
    return np.where(is_plain, 1.0, factors)


def _ratio(own: Array, other: Array) -> Array:
    """Of channels of weights, 1 where it is not known."""
    known = np.isfinite(own) & np.isfinite(other)
    x, y = np.where(known, own, 0), np.where(known, other, 0)
    power, product = np.square(x).sum(1), (x * y).sum(1)
    return np.where((power > 0) & (product > 0), product / np.where(power > 0, power, 1), 1.0)
