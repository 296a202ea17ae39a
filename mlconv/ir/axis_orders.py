"""Names of axis orders of images, and what is kept of inputs and outputs that a user asked for in another form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.attributes import attribute
from mlconv.ir.constants import Array
from mlconv.ir.dtypes import DType

CHANNELS_FIRST = ("nchw", "ncw", "ncdhw", "chw")
CHANNELS_LAST = ("nhwc", "nwc", "ndhwc", "hwc")
ORDERS = (*CHANNELS_FIRST, *CHANNELS_LAST)
"""One letter an axis, outermost first: n images, c channels, d planes, h rows, w columns."""


@attribute("fact.input_form")
class InputForm(NamedTuple):
    """How an input differs from the source's.  perm: for each of its axes, which one of the source it is; empty where
    they are the source's.  mean, std: what the source takes is (x - mean) / std: one number, or one for each channel;
    empty for 0 and 1.  axis: of the channels, in the source's order.  dtype: of the source, where that takes another
    type.
    """

    perm: tuple[int, ...] = ()
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    axis: int = 0
    dtype: DType | None = None

    def normalized(self, x: Array) -> Array:
        """What the source takes of an input in its order of axes."""
        wanted = x.dtype if self.dtype is None else self.dtype.numpy
        if not (self.mean or self.std):
            return x.astype(wanted)
        shape = [-1 if axis == self.axis else 1 for axis in range(x.ndim)]
        mean, std = (np.reshape(v or (d,), shape if v else 1) for v, d in ((self.mean, 0.0), (self.std, 1.0)))
        return np.asarray((x.astype(np.float64) - mean) / std).astype(wanted)


@attribute("fact.forms")
class Forms(NamedTuple):
    """Inputs, and permutations of outputs, whose form was asked for, by name."""

    inputs: Mapping[str, InputForm]
    outputs: Mapping[str, tuple[int, ...]]


class Layout(NamedTuple):
    """before: the order that the source has; after: the one that was asked for."""

    before: str
    after: str

    @property
    def perm(self) -> tuple[int, ...]:
        """For each axis after, where it was before."""
        return tuple(map(self.before.index, self.after))

    @staticmethod
    def parse(name: str, text: str, channels_first: bool) -> Layout:
        """`nhwc`, or `nchw:nhwc` where the source's order is told.  name: of the input or output.  channels_first: the
        order that the source has otherwise.  Raises ConversionError UsageError.
        """
        told, colon, after = text.partition(":")
        after = after if colon else told
        for order in (told, after):
            if order not in ORDERS:
                raise ConversionError(
                    Code.UsageError, f"layout of {name!r} is {order!r}, expected one of {', '.join(ORDERS)}"
                )
        alike = CHANNELS_FIRST if channels_first else CHANNELS_LAST
        before = told if colon else next(order for order in alike if sorted(order) == sorted(after))
        if sorted(before) != sorted(after):
            raise ConversionError(Code.UsageError, f"layout of {name!r}: {before} and {after} have other axes")
        return Layout(before, after)
