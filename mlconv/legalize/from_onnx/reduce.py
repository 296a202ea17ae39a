"""Reductions, running sums and positions of extremes."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.reduce import Reduce
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.operands import known_list, widened
from mlconv.legalize.from_onnx.table import OnnxRules, Rule

RULES = OnnxRules()

REDUCTIONS: dict[str, type[Reduce]] = {
    "ReduceSum": core.ReduceSum,
    "ReduceMean": core.ReduceMean,
    "ReduceMax": core.ReduceMax,
    "ReduceMin": core.ReduceMin,
    "ReduceProd": core.ReduceProd,
}


def reduced_axes(n: Node, x: Value) -> tuple[int, ...]:
    """The axes to reduce, from the attribute or input; none given means all, or nothing with `noop_with_empty_axes`."""
    rank = n.rank(x)
    axes = n.list_of("axes", 1)
    if not axes:
        return () if n.flag("noop_with_empty_axes") else tuple(range(rank))
    places = sorted({n.axis(a, rank) for a in axes})
    return tuple(places) if rank else ()  # ONNX Runtime takes axis 0 of a number, which has none


def _reduction(make: type[Reduce]) -> Rule:
    def rule(n: Node) -> Value:
        x = n.x()
        axes = reduced_axes(n, x)
        keepdims = n.flag("keepdims", True)
        if x.tensor.dtype is DType.BOOL:  # ONNX ReduceMax-20, ReduceMin-20 on bool
            make_bool = core.ReduceAny if make is core.ReduceMax else core.ReduceAll
            return n.y(make_bool(x, axes=axes, keepdims=keepdims))
        return n.y(make(x, axes=axes, keepdims=keepdims))

    return rule


for _name, _make in REDUCTIONS.items():
    RULES.add(_name, _reduction(_make))


def _sum(n: Node, x: Value) -> Value:
    return n.sum(x, reduced_axes(n, x), keepdims=n.flag("keepdims", True))


@RULES.rule("ReduceL1")
def reduce_l1(n: Node) -> Value:
    return _sum(n, n.y(core.Abs(n.x())))


@RULES.rule("ReduceL2")
def reduce_l2(n: Node) -> Value:
    dtype = n.x().tensor.dtype
    total = _squares(n)
    return n.cast(n.sqrt(total if dtype.is_float else n.cast(total, DType.F64)), dtype)


@RULES.rule("ReduceSumSquare")
def reduce_sum_square(n: Node) -> Value:
    return n.cast(_squares(n), n.x().tensor.dtype)


def _squares(n: Node) -> Value:
    """The sum of squares, of 16-bit floats in float32: the squares of these overflow, or are denormal."""
    wide = widened(n, n.x())
    return _sum(n, n.mul(wide, wide))


@RULES.rule("ReduceLogSum")
def reduce_log_sum(n: Node) -> Value:
    x = n.x()
    dtype = x.tensor.dtype
    total = _sum(n, x)
    return n.y(core.Log(total)) if dtype.is_float else n.cast(n.y(core.Log(n.cast(total, DType.F64))), dtype)


@RULES.rule("ReduceLogSumExp")
def reduce_log_sum_exp(n: Node) -> Value:
    """max + log(sum(exp(x - max))); a maximum that is infinite is left out, so that -inf stays -inf."""
    x = n.x()
    dtype = x.tensor.dtype
    wide = x if dtype.is_float else n.cast(x, DType.F64)
    axes, keepdims = reduced_axes(n, x), n.flag("keepdims", True)
    top = n.max(wide, axes, keepdims=True)
    finite = n.where(n.y(core.IsFinite(top)), top, 0.0)
    total = n.sum(n.exp(n.sub(wide, finite)), axes, keepdims=True)
    result = n.add(n.y(core.Log(total)), finite)
    return n.cast(result if keepdims else n.squeeze(result, *axes), dtype)


@RULES.rule("ArgMax", "ArgMin")
def arg_extreme(n: Node) -> Value:
    x = n.x()
    make = core.ArgMax if n.op_type == "ArgMax" else core.ArgMin
    axis = n.axis(n.i("axis", 0), n.rank(x))
    return n.y(make(x, axis=axis, keepdims=n.flag("keepdims", True), select_last=n.flag("select_last_index")))


@RULES.rule("CumSum", "CumProd")
def cumulative(n: Node) -> Value:
    x = n.x(0)
    n.x(1)
    axis = n.axis(known_list(n.opt(1), f"the axis of {n.op_type}")[0], n.rank(x))
    make = core.CumSum if n.op_type == "CumSum" else core.CumProd
    return n.y(make(x, axis=axis, exclusive=n.flag("exclusive"), reverse=n.flag("reverse")))
