"""Windows over images whose sizes may be known at run time: what lies around an image, and where windows begin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.dialects.core.window import Pads, resolve_pads
from mlconv.dialects.kernel import Ints, Sizes
from mlconv.ir.dims import Size, ceildiv, floordiv, maximum, total


class Border(NamedTuple):
    """low, high: elements around an axis of an image.  shift: of them, those in front of the first window."""

    low: int
    high: int
    shift: Size = 0

    @property
    def amounts(self) -> tuple[int, int]:
        return self.low, self.high


def borders(
    pads: Pads, image: Sizes, window: Ints, strides: Ints, dilations: Ints, ceil_mode: bool = False
) -> list[Border]:
    """Around the axes of an image.  Where padding depends on a size that is known at run time, there is as much as any
    size asks for, and windows begin inside it.  ceil_mode: a last window may reach further.
    """
    spans = [(k - 1) * d + 1 for k, d in zip(window, dilations, strict=True)]
    more = [s - 1 if ceil_mode else 0 for s in strides]
    if not isinstance(pads, str):
        return [Border(lo, hi + extra) for (lo, hi), extra in zip(pads, more, strict=True)]
    return [_same(pads, n, k, s) for n, k, s in zip(image, spans, strides, strict=True)]


def _same(pads: str, image: Size, span: int, stride: int) -> Border:
    """As `resolve_pads` has it."""
    if isinstance(image, int):
        ((low, high),) = resolve_pads(pads, (image,), (span,), (stride,), (1,))
        return Border(low, high)
    most = span - 1
    low, high = _halves(pads, most)
    if stride == 1:
        return Border(low, high)
    padding = maximum((ceildiv(image, stride) - 1) * stride + span - image, 0)
    small = floordiv(padding, 2)
    return Border(low, high, low - (small if pads == "SAME_UPPER" else padding - small))


def _halves(pads: str, count: int) -> tuple[int, int]:
    small, large = count // 2, count - count // 2
    return (small, large) if pads == "SAME_UPPER" else (large, small)


def start_of(around: Sequence[Border], strides: Sequence[Size]) -> Size:
    """Where the first window begins in the image with its borders.  strides: of the axes."""
    return total(border.shift * stride for border, stride in zip(around, strides, strict=True))
