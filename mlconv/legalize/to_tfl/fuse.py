"""Biases and activations fused into the op before them, where its kernel takes one.

FULLY_CONNECTED adds a vector over its last axis; one number becomes such a vector where that is short.
Source: the `fused_activation_function` option and the kernels' CalculateActivationRange (kernels/kernel_util.cc): NONE,
RELU, RELU_N1_TO_1 and RELU6.
"""

from __future__ import annotations

from mlconv.dialects.core import Constant
from mlconv.dialects.tfl import FusesActivation, TflOp, option_kinds
from mlconv.dialects.tfl_checks.base import given
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Op, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_tfl.unit_axes import SHAPE_VIEWS
from mlconv.rewrite import edit

_COLUMNS = 256
"""Of a product that one number is added to as a vector."""
_ACTIVATIONS = ("RELU", "RELU6", "RELU_N1_TO_1")


def fuse_biases(block: Block) -> int:
    """Make ADD of a constant vector, or number, the bias of the FULLY_CONNECTED whose only use it
    is; returns how many.
    """
    fused = 0
    for op in list(walk(block)):
        if (
            not isinstance(op, TflOp)
            or op.builtin != "ADD"
            or op.attributes.get("fused_activation_function", "NONE") != "NONE"
        ):
            continue
        for x, vector in (op.operands, op.operands[::-1]):
            if x is not None and vector is not None and _is_bias(op, x, vector):
                _take_bias(x.producer, vector, op)
                fused += 1
                break
    return fused


def _is_bias(add: TflOp, x: Value, vector: Value) -> bool:
    """x is a product without bias whose numbers nothing else uses, and `vector` has one constant a column, or for all
    of a few.
    """
    product, constant = x.producer, vector.producer
    if (
        not isinstance(product, TflOp)
        or product.builtin != "FULLY_CONNECTED"
        or product.block is not add.block
        or not _feeds_one(x)
        or x.tensor.quant is not None
    ):
        return False
    if given(product, 2) is not None or not isinstance(constant, Constant) or x.tensor.shape is None:
        return False
    columns = x.tensor.shape[-1]
    shape = constant.value.shape
    if constant.value.size == 1 and len(shape) <= len(x.tensor.shape):
        return isinstance(columns, int) and 0 < columns <= _COLUMNS
    return bool(shape) and shape[-1] == columns and constant.value.size == columns and len(shape) <= len(x.tensor.shape)


def _take_bias(product: Op | None, vector: Value, add: TflOp) -> None:
    """Give the product its bias and let it stand for the sum."""
    constant = vector.producer
    if isinstance(product, TflOp) and isinstance(constant, Constant):
        flat = Constant(value=_spread(constant.value, product))
        edit.relocate(flat, constant.location)
        edit.rename(flat.y, vector.name)
        edit.insert(flat, before=product)
        edit.set_operands(product, [*product.operands[:2], flat.y])
        _stand_for(product, add, "bias")


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


def _feeds_one(x: Value) -> bool:
    """One op reads the numbers of x; what reads its shape may read that of the result as well."""
    return sum(not (isinstance(user, TflOp) and user.builtin == "SHAPE") for user, _ in x.uses) == 1


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
    while _feeds_one(x):
        maker = x.producer
        if not isinstance(maker, TflOp):
            return None
        if maker.builtin not in SHAPE_VIEWS:
            return maker
        x = maker.inputs[0]
    return None
