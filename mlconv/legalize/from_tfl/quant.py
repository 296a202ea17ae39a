"""Borders between numbers and integers.  Source: tensorflow/lite/kernels/quantize.cc, dequantize.cc, fake_quant.cc."""

from __future__ import annotations

from typing import Final

from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tfl.node import TflNode, tfl_rules

RULES: Final = tfl_rules()


@RULES.rule("QUANTIZE")
def quantize(n: TflNode) -> Value:
    """From numbers, or from another scale; the guard of the rules rounds to the result's."""
    return n.number(0)


@RULES.rule("DEQUANTIZE", "DENSIFY")
def dequantize(n: TflNode) -> Value:
    """Numbers of integers, or float32 of float16; what is sparse in the file is dense since it was read."""
    x = n.number(0)
    return n.cast(x, DType.F32) if n.kind == "DEQUANTIZE" else x


@RULES.rule("FAKE_QUANT")
def fake_quant(n: TflNode) -> Value:
    names = ("min", "max", "num_bits", "narrow_range")
    return n.tf1("FakeQuantWithMinMaxArgs", [n.number(0)], **{name: n.attr(name) for name in names})
