"""Convolutions of random numbers, as rows that LiteRT is asked for."""

from __future__ import annotations

from typing import Any

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from tests.support.litert import Row, data
from tests.support.modules import const

F = "float32"


def conv(x: tuple[int, ...], w: tuple[int, ...], x_layout: str = "N01C", w_layout: str = "01IO", **given: Any) -> Row:
    rank = len(x) - 2
    attributes = {"strides": (1,) * rank, "pads": ((0, 0),) * rank, "dilations": (1,) * rank, "groups": 1, **given}
    shapes, tfl, run_time = attributes.pop("shapes", None), attributes.pop("tfl", ()), attributes.pop("run_time", False)
    weights, outs = data(F, *w, seed=1), w[w_layout.index("O")]

    def make(b: Builder, v: Value, *ws: Value) -> Value:
        kernel = ws[0] if ws else const(b, weights)
        layouts = {"x_layout": x_layout, "w_layout": w_layout, "y_layout": x_layout}
        y: Value = b.emit(core.Conv(v, kernel, const(b, data(F, outs, seed=2)), **attributes, **layouts)).y
        return y

    return Row("conv", make, (data(F, *x), weights) if run_time else (data(F, *x),), shapes, tfl)
