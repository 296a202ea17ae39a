"""Names of axis orders of images, and what is kept of inputs and outputs that a user asked for in another form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.attributes import attribute

CHANNELS_FIRST = ("nchw", "ncw", "ncdhw", "chw")
CHANNELS_LAST = ("nhwc", "nwc", "ndhwc", "hwc")
ORDERS = (*CHANNELS_FIRST, *CHANNELS_LAST)
"""One letter an axis, outermost first: n images, c channels, d planes, h rows, w columns."""


@attribute("fact.input_form")
class InputForm(NamedTuple):
    """How an input differs from the source's.  perm: for each of its axes, which one of the source it is; empty where
    they are the source's.
    """

    perm: tuple[int, ...] = ()


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
