"""Windows and normalizations.  Source: tensorflow/lite/kernels/pooling.cc, l2norm.cc, local_response_norm.cc,
reduce_window.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant_rules import quant_of
from mlconv.ir.spec import OpDef
from mlconv.legalize.from_tfl.elementwise import activated
from mlconv.legalize.from_tfl.node import TflNode, tfl_rules

RULES: Final = tfl_rules()
LEAST_NORM: Final = 1e-6


def spatial_pads(n: TflNode, count: int = 2) -> str | tuple[tuple[int, int], ...]:
    """Padding as core has it."""
    return "SAME_UPPER" if n.attr("padding") == "SAME" else ((0, 0),) * count


def _window(n: TflNode) -> tuple[tuple[int, int], tuple[int, int]]:
    """The window and its strides.  Raises ConversionError AttributeInvalid."""
    window = (n.attr("filter_height"), n.attr("filter_width"))
    strides = (n.attr("stride_h"), n.attr("stride_w"))
    if min(*window, *strides) < 1:
        raise ConversionError(Code.AttributeInvalid, f"a window of {window} with strides {strides}")
    return window, strides


def _pooled(n: TflNode, x: Value, make: Callable[..., OpDef]) -> Value:
    window, strides = _window(n)
    return n.y(make(x, window=window, strides=strides, pads=spatial_pads(n), dilations=(1, 1), layout="N01C"))


@RULES.rule("MAX_POOL_2D")
def max_pool(n: TflNode) -> Value:
    return activated(n, _pooled(n, n.number(0), core.MaxPool))


@RULES.rule("AVERAGE_POOL_2D")
def average_pool(n: TflNode) -> Value:
    """What lies outside does not count.  Integers of uint8 are those of int8 and 128, halves of which go up."""
    quant = quant_of(n.operand(0))
    halves = "up" if quant is not None and quant.storage is DType.U8 else None
    return activated(n, _pooled(n, n.number(0), partial(core.AvgPool, halves=halves)))


@RULES.rule("L2_POOL_2D")
def l2_pool(n: TflNode) -> Value:
    """The root of the mean of squares."""
    x = n.number(0)
    return activated(n, n.sqrt(_pooled(n, n.mul(x, x), core.AvgPool)))


@RULES.rule("L2_NORMALIZATION")
def l2_normalization(n: TflNode) -> Value:
    """x / max(sqrt(sum of squares along the last axis), 1e-6)."""
    x = n.number(0)
    norm = n.sqrt(n.sum(n.mul(x, x), [n.rank(x) - 1], keepdims=True))
    return activated(n, n.div(x, n.maximum(norm, LEAST_NORM)))


@RULES.rule("LOCAL_RESPONSE_NORMALIZATION")
def local_response_normalization(n: TflNode) -> Value:
    return n.tf1(
        "LRN",
        [n.number(0)],
        depth_radius=n.attr("radius"),
        alpha=n.attr("alpha"),
        beta=n.attr("beta"),
        bias=n.attr("bias"),
    )
