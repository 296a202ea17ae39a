"""What was measured of layers and of values that are rounded: sums over samples."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mlconv.ir.constants import Array
from mlconv.ir.core import Op


@dataclass(frozen=True, slots=True)
class ValueLoss:
    """Sums over all numbers of a value: of squares (signal), of squared errors of rounding and of clipping alone.
    count: of numbers.  low, high: by channel.  bounds: what the outermost integers stand for.
    """

    signal: float
    rounding: float
    clipping: float
    count: float
    low: Array
    high: Array
    bounds: tuple[float, float]

    @property
    def reach(self) -> float:
        """How much further than the numbers the integers go."""
        low, high = min(float(np.min(self.low)), 0.0), max(float(np.max(self.high)), 0.0)
        bottom, top = self.bounds
        if -bottom < 1.1 * top and top < -1.1 * bottom:  # symmetric, or next to it
            low, high = -self.peak, self.peak
        return (top - bottom) / (high - low) if high > low else 1.0

    @property
    def rms(self) -> float:
        return math.sqrt(self.signal / self.count) if self.count else 0.0

    @property
    def peak(self) -> float:
        return float(max(np.max(self.high), -np.min(self.low)))

    @property
    def channel_ratio(self) -> float | None:
        """The largest absolute value of all channels over the median of those that have any; None without channels."""
        largest = np.maximum(self.high, -self.low).reshape(-1)
        live = largest[largest > 0]
        return None if live.size < 2 else float(live.max() / np.median(live))


@dataclass(frozen=True, slots=True)
class SiteLoss:
    """Sums of squares: signal, and errors: own, of what is read (None where that is not told apart), and in the
    network.  limits: how many more of the network's integers are outermost than numbers lie there before, unclipped:
    a clamp such as ReLU puts some there.  result: what is known of the result; reads: of what is rounded in front of
    the layer.
    """

    signal: float
    own: float
    inputs: float | None
    network: float
    limits: float
    result: ValueLoss | None
    reads: tuple[ValueLoss, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """sites: by op.  outputs: signal and error of each output of floats, by its place.  samples: that sums are over."""

    sites: dict[Op, SiteLoss]
    outputs: dict[int, tuple[float, float]]
    samples: int
