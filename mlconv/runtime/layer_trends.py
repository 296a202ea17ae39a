"""Whether channels of a product are off as weights that are rounded do not take them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mlconv.ir.constants import Array

_SURE = 8.0  # standard errors
_OF_WEIGHTS = 0.5  # of what rounded weights do to a channel: those that are rounded with regard to inputs are no chance
_ALL_WEIGHTS = 3.0  # the same, if all of a few are rounded the same way
_LEAST_SLOPE = 1e-3  # of factors, which kernels apply with fewer bits
_LEAST_STEP = 0.25  # of a step, that a bias may be off by
_COMMON = 0.05  # of a step: where half of all biases are off by more, they make up for something
_MUCH = 3.0  # times what rounding does to weights
_FOR_ALL = 1.3  # the same, of half of all channels: more is not the nearest
_MUCH_FOR_ALL = 4.0  # more is no rounding with regard to inputs
_FREELY = 2.5  # times as much, by weights that are rounded with regard to inputs
_MADE_UP = 10.0  # times what rounding does to weights, that biases may make up for
_LEAST_VARIED = 0.02  # of what the most varied channel does
_VAGUE = 0.1  # of a factor: what roundings may do more of tells nothing
_MANY = 64  # elements of a channel, of which weights can be told
_ELSEWHERE = 0.5  # of a channel
_FEWEST = 16  # elements of a channel of which something can be told


@dataclass
class Trends:
    """Of channels, which lie along an axis: what is the other model's, less this one's, as a line over this one's.

    mean: of this one's results.  slope, bias: of the line.  of_slope, of_bias: their standard errors.  spread: about
    the line.  noise: of rounded weights.  varied: this one's results, about their mean.  told: channels that
    something is told of.
    """

    axis: int
    told: int = 0
    elements: Array = field(default_factory=lambda: np.zeros(0))
    mean: Array = field(default_factory=lambda: np.zeros(0))
    slope: Array = field(default_factory=lambda: np.zeros(0))
    bias: Array = field(default_factory=lambda: np.zeros(0))
    of_slope: Array = field(default_factory=lambda: np.zeros(0))
    of_bias: Array = field(default_factory=lambda: np.zeros(0))
    spread: Array = field(default_factory=lambda: np.zeros(0))
    noise: Array = field(default_factory=lambda: np.zeros(0))
    varied: Array = field(default_factory=lambda: np.zeros(0))
    enough: Array = field(default_factory=lambda: np.zeros(0, np.bool_))

    @staticmethod
    def of(axis: int, own: Array, other: Array, noise: Array, known: Array) -> Trends:
        """known: which elements count.  noise: what rounding weights does, nothing where results are cut off."""
        axes = tuple(i for i in range(own.ndim) if i != axis)
        x, d = (np.where(known, a, 0) for a in (own, other - own))
        elements = known.sum(axes)
        n = np.maximum(elements, 1)
        mean, off = x.sum(axes) / n, d.sum(axes) / n
        power = np.maximum((x * x).sum(axes) - n * mean * mean, 0)
        some = np.where(power > 0, power, 1)
        slope = np.where(power > 0, ((x * d).sum(axes) - n * mean * off) / some, 0)
        left = np.maximum((d * d).sum(axes) - n * off * off - slope * slope * power, 0) / np.maximum(n - 2, 1)
        spread, varied = np.sqrt(left), np.sqrt(power / n)
        enough = elements >= _FEWEST
        if enough.any():
            enough &= varied > _LEAST_VARIED * float(np.maximum(varied, np.abs(mean))[enough].max())
        return Trends(
            axis,
            int(enough.sum()),
            elements,
            mean,
            slope,
            off - slope * mean,
            spread / np.sqrt(some),
            spread * np.sqrt(1 / n + mean * mean / some),
            spread,
            np.sqrt((noise * noise).sum(axes) / np.maximum(np.count_nonzero(noise, axes), 1)),
            varied,
            enough,
        )

    def why(self, step: Array, weights: int, fixed: bool) -> tuple[float, str]:
        """How many times as far as may be the furthest channel is, and in words.  step: of each channel's integers.
        weights: of a channel.  fixed: 8 bits are read, so that weights and biases need no more than to be rounded to
        the nearest.
        """
        part = np.maximum(self.spread, self.noise) / np.where(self.varied > 0, self.varied, 1)
        rounded = np.clip(_SURE / np.sqrt(weights), _OF_WEIGHTS, _ALL_WEIGHTS) * part
        sloping = _SURE * self.of_slope + rounded
        told = self.enough & (sloping < _VAGUE)
        found = [(0.0, "")]
        if told.any():
            most = sloping * (1 if fixed else _FREELY) + _LEAST_SLOPE
            text = "channel {at} is scaled by 1 + {found:.3g}, roundings do {most:.2g}"
            found.append(_furthest(self.slope, most, told, text))
        if told.any() and float(np.median(np.abs(self.bias[told]) - _COMMON * step[told])) <= 0:
            turned = rounded * np.abs(self.mean)  # a line that roundings turn has another intercept
            most = _SURE * self.of_bias + _LEAST_STEP * step + turned
            most = most + (0 if fixed else _MADE_UP * np.maximum(self.spread, self.noise))
            text = "the bias of channel {at} is off by {found:.3g}, roundings do {most:.2g}"
            found.append(_furthest(self.bias, most, told, text))
        return max(*found, self._of_weights(told, fixed), key=lambda one: one[0])

    def is_elsewhere(self, own: Array, other: Array, noise: Array, step: Array) -> bool:
        """Some channel, of which few elements may count, is not the same where either model's are cut off.  own: as the
        other's integers would end it.
        """
        axes = tuple(i for i in range(own.ndim) if i != self.axis)
        far, size, rounded = (np.sqrt(np.square(x).mean(axes)) for x in (own - other, own, noise))
        return bool(((far > _ELSEWHERE * size) & (far > _MUCH * rounded) & (far > step)).any())

    def _of_weights(self, told: Array, fixed: bool) -> tuple[float, str]:
        """The same of what is off about the line; where nothing is told of a channel that is, the product is none that
        is known to be the same.
        """
        known = self.enough & (self.noise > 0)
        if not known.any():
            return 0.0, ""
        if float(np.median(self.spread[known] / self.noise[known])) > (_FOR_ALL if fixed else _MUCH_FOR_ALL):
            self.told = 0
            return 0.0, ""
        text = "the weights of channel {at} change it by {found:.3g} (root mean square), roundings do {most:.2g}"
        many = known & told & (self.elements >= _MANY)
        if fixed and bool((self.spread > _MUCH * self.noise)[known & ~told].any()):
            self.told = 0
        return _furthest(self.spread, _MUCH * self.noise, many, text) if fixed else (0.0, "")


def _furthest(values: Array, most: Array, told: Array, text: str) -> tuple[float, str]:
    """Of the channel that is furthest beyond what may be."""
    over = np.where(told, np.abs(values) / np.where(most > 0, most, 1), 0)
    at = int(over.argmax())
    return float(over[at]), text.format(at=at, found=values[at], most=most[at])
