"""Biases and activations fused into the op before them, where its kernel takes one.

FULLY_CONNECTED adds a vector over its last axis, also where a TRANSPOSE stands behind it; one number becomes such a
vector where that is short.
Source: the `fused_activation_function` option and the kernels' CalculateActivationRange (kernels/kernel_util.cc): NONE,
RELU, RELU_N1_TO_1 and RELU6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.dialects.core import Constant
from mlconv.dialects.tfl import FusesActivation, TflOp, option_kinds
from mlconv.dialects.tfl_checks.base import given
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_tfl.one_op import feeds_one, ints_of, made_by
from mlconv.legalize.to_tfl.unit_axes import SHAPE_VIEWS
from mlconv.rewrite import edit

_COLUMNS = 256
"""Of a product that one number is added to as a vector."""
_ACTIVATIONS = ("RELU", "RELU6", "RELU_N1_TO_1")


def fuse_biases(block: Block) -> int:
    """Make ADD of a constant vector, or number, the bias of the FULLY_CONNECTED whose only use it is, or the TRANSPOSE
    of it; returns how many.
    """
    fused = 0
    for op in list(walk(block)):
        if not isinstance(op, TflOp) or op.builtin != "ADD":
            continue
        bias = _bias(op) if op.attributes.get("fused_activation_function", "NONE") == "NONE" else None
        if bias is not None:
            _take_bias(bias, op)
            fused += 1
    return fused


class _Bias(NamedTuple):
    """What an ADD adds to a product.  turn: the TRANSPOSE between, if any."""

    product: TflOp
    turn: TflOp | None
    constant: Constant


def _bias(add: TflOp) -> _Bias | None:
    """x is a product without bias whose numbers nothing else uses, and the other operand has one constant a column, or
    for all of a few.
    """
    for x, vector in (add.operands, add.operands[::-1]):
        turn = made_by(x, "TRANSPOSE") if x is not None and feeds_one(x) else None
        y = x if turn is None else turn.operands[0]
        product, constant = (v.producer if v is not None else None for v in (y, vector))
        if y is None or not isinstance(product, TflOp) or not isinstance(constant, Constant):
            continue
        order = ints_of(turn.inputs[1]) if turn is not None else [*range(y.tensor.rank or 0)]
        if order and _takes_bias(product, add.block) and _fits(constant.value, y, order):
            return _Bias(product, turn, constant)
    return None


def _takes_bias(product: TflOp, block: Block | None) -> bool:
    fits = product.builtin == "FULLY_CONNECTED" and product.block is block and given(product, 2) is None
    return fits and feeds_one(product.result) and product.result.tensor.quant is None


def _fits(c: Const, y: Value, order: Sequence[int]) -> bool:
    """Whether c, broadcast to y with its axes in an order, has one number for each of the columns of y."""
    columns, rank = (y.tensor.shape or (None,))[-1], len(order)
    if not isinstance(columns, int) or len(c.shape) > rank:
        return False
    if c.size == 1:
        return 0 < columns <= _COLUMNS
    behind = rank - order.index(rank - 1)  # from the end
    return c.size == columns and len(c.shape) >= behind and c.shape[-behind] == columns


def _take_bias(bias: _Bias, add: TflOp) -> None:
    """Give the product its bias and let it stand for the sum."""
    product, turn, constant = bias
    flat = Constant(value=_spread(constant.value, product))
    edit.relocate(flat, constant.location)
    edit.rename(flat.y, constant.y.name)
    edit.insert(flat, before=product)
    edit.set_operands(product, [*product.operands[:2], flat.y])
    if turn is None:
        _stand_for(product, add, "bias")
        return
    edit.absorb(product, add, by="bias")
    edit.rename(product.result, "")
    _stand_for(turn, add, "bias")


def _spread(vector: Const, product: TflOp) -> Const:
    """One number for each column."""
    columns = (product.result.tensor.shape or ())[-1]
    flat = vector.reshape((vector.size,))
    if vector.size == columns or not isinstance(columns, int):
        return flat
    return recipes.Derived("broadcast", (columns,), (flat,), vector.dtype, (columns,))


def _stand_for(op: TflOp, later: TflOp, by: str) -> None:
    """Let the only result of `op` replace that of `later`, which goes."""
    name = later.result.name
    edit.merge(later, into=op, by=by)
    edit.rename(op.result, name)  # the name of what it was tells another number


def fuse_activations(block: Block) -> int:
    """Fuse every activation whose operand has no other use but its shape's; returns how many."""
    fused = 0
    for op in list(walk(block)):
        if not isinstance(op, TflOp) or op.builtin not in _ACTIVATIONS:
            continue
        (x,) = op.inputs
        before = _maker_of_numbers(x)
        if before is None or FusesActivation not in before.spec.traits or before.block is not op.block:
            continue
        if x.tensor.dtype is not DType.F32 or before.attributes.get("fused_activation_function", "NONE") != "NONE":
            continue
        if "fused_activation_function" not in option_kinds(before.builtin):
            continue
        edit.set_attribute(before, "fused_activation_function", op.builtin)
        if before is x.producer:
            _stand_for(before, op, "activation")
        else:
            edit.absorb(before, op, by="activation")
            edit.rename(x, op.result.name)
            edit.replace(op, [x])
        fused += 1
    return fused


def _maker_of_numbers(x: Value) -> TflOp | None:
    """The op that computes x, behind those that give it another shape; None where numbers have another use."""
    while feeds_one(x):
        maker = x.producer
        if not isinstance(maker, TflOp):
            return None
        if maker.builtin not in SHAPE_VIEWS:
            return maker
        x = maker.inputs[0]
    return None
