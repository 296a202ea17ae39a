"""Functions of one int8 tensor as tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.rounding_tables import (
    LIMITS,
    hard_swish,
    leaky_relu,
    limit,
    looked_up,
    stored_numbers,
)
from mlconv.dialects.core.rounding_wide import wide_table
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array, make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Elementwise, has_trait
from mlconv.passes.quantized.borders import (
    Rounding,
    as_made,
    has_one_live_use,
    is_computed,
    is_int8,
    is_int16,
    is_signed,
    is_wide,
    quant_of_stored,
    rounding_of,
    stored,
)
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Pattern, Replacement

_FUNCTIONS: dict[type[OpDef], str] = {
    core.Elu: "elu",
    core.Exp: "exp",
    core.Gelu: "gelu",
    core.HardSwish: "hard_swish",
    core.LeakyRelu: "leaky_relu",
    core.Log: "log",
    core.Sigmoid: "sigmoid",
    core.Tanh: "tanh",
}
_LONGEST = 64
"""Ops of a chain that becomes one table."""


@rewrite(core.Quantize)
def function_as_table(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
    """A function that kernels have for int8."""
    found = rounding_of(op)
    maker = found.value.producer
    function = _function_of(maker) if isinstance(maker, OpDef) else None
    if function is None or not isinstance(maker, OpDef) or not is_computed(op.element):
        return NOT_MEANT
    x = stored(maker.inputs[0])
    if (
        x is None
        or not (is_int8(x) or is_int16(x))
        or x.tensor.dtype is not op.element.storage
        or not has_one_live_use(found.value)
    ):
        return NoMatch("the operand is no tensor of that storage, or something else wants the numbers")
    if function == "gelu" and maker.attributes["approximate"]:
        function = "gelu_tanh"
    alpha = float(maker.attributes.get("alpha", 0.0))
    made = _kernel_table(function, alpha, quant_of_stored(x), op.element)
    if made is None:
        return NoMatch(f"no kernel takes {function} of {x.type} to {op.element}")
    x = as_made(x, lambda quant: _is_table(made, _kernel_table(function, alpha, quant, op.element)))
    return _table(rw, found, x, made, function=function, alpha=alpha if function == "leaky_relu" else 0.0)


def _function_of(op: OpDef) -> str | None:
    """By what name tables know it."""
    return op.kernel if isinstance(op, core.Clamp) else _FUNCTIONS.get(type(op))


def _is_table(made: Array, other: Array | None) -> bool:
    return other is not None and np.array_equal(made, other)


def _kernel_table(function: str, alpha: float, quant: QuantType, y: QuantType) -> Array | None:
    """What the kernel of a function gives; None for scales that it does not take."""
    fixed = {"sigmoid": core.Sigmoid, "tanh": core.Tanh}.get(function)
    if fixed is not None and (y.storage, float(y.scales.view()), int(y.zero_array())) not in fixed.spec.quant.fixed:
        return None
    if function in LIMITS:
        return limit(function, quant, y)
    if is_wide(quant):
        return wide_table(function, alpha, quant, y)
    if function == "leaky_relu":
        return leaky_relu(alpha, quant, y)
    if function == "hard_swish":
        return hard_swish(quant, y)
    return None if function == "elu" and alpha != 1.0 else looked_up(function, quant, y)


def chains(least: int) -> tuple[Pattern, ...]:
    """Patterns for functions of tensors of at least so many elements, to which a table of 256 is little."""

    @rewrite(core.Quantize)
    def chain_as_table(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
        """Elementwise ops over one int8 tensor and scalars."""
        known = math.prod(d for d in op.y.tensor.shape or () if isinstance(d, int))
        return NOT_MEANT if known < least else _of_chain(op, rw)

    return (chain_as_table,)


def _of_chain(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
    found = rounding_of(op)
    if not is_signed(op.element) or stored(found.value) is not None or not has_one_live_use(found.value):
        return NOT_MEANT
    chain = Chain()
    numbers = chain.of(found.value)
    if (
        numbers is None
        or chain.x is None
        or numbers.shape != (256,)
        or found.value.tensor.shape != chain.x.tensor.shape
    ):
        return NOT_MEANT
    made = op.element.quantize(numbers).astype(np.int64)
    rw.fuse(*chain.ops, by="quant-lower")
    return _table(rw, found, chain.x, made)


class Chain:
    """Follows elementwise ops back to the one int8 tensor x that they compute with."""

    def __init__(self) -> None:
        self.x: Value | None = None
        self.ops: list[Op] = []

    def of(self, value: Value) -> Array | None:
        """The value for each integer that x may have, or a scalar; None where it depends on more."""
        source, constant, op = stored(value), const_of(value), value.producer
        if source is not None and is_int8(source) and source.tensor.quant is not None:
            self.x = self.x or source
            return source.tensor.quant.dequantize(stored_numbers(source.tensor.quant)) if self.x is source else None
        if constant is not None:
            return constant.view().reshape(()) if constant.size == 1 else None
        if not isinstance(op, OpDef) or not has_trait(op, Elementwise) or len(self.ops) >= _LONGEST:
            return None
        self.ops.append(op)
        operands = [None if v is None else self.of(v) for v in op.operands]
        if len(op.results) != 1 or any(v is None for v in operands):
            return None
        with np.errstate(all="ignore"):
            return np.asarray(op.eval(*operands))


def _table(rw: Rewriter, found: Rounding, x: Value, made: Array, **attributes: Any) -> Value:
    limits = np.clip(made, found.lo, found.hi).astype(found.element.storage.numpy)
    op = found.value.producer
    assert op is not None
    rw.fuse(*found.ops, op, by="quant-lower")
    table = rw.emit(core.Constant(value=make_const(limits), element=found.element)).y
    return rw.emit(core.QuantTable(x, table, element=found.element, lo=found.lo, hi=found.hi, **attributes)).y


FUNCTIONS = (function_as_table,)
