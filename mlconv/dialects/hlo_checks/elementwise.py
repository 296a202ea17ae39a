"""HLO ops that compute element by element."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mlconv.dialects.hlo_checks.base import dtype, has_shape, one_element_type, result_is, shape
from mlconv.dialects.hlo_table import BINARY, UNARY
from mlconv.ir.dtypes import DType
from mlconv.ir.target_op import TargetOp

_BITS = frozenset({"and", "or", "xor", "not"})
_SHIFTS = frozenset({"shift-left", "shift-right-arithmetic", "shift-right-logical"})
_FLOATS = frozenset({"ceil", "floor", "round-nearest-even", "erf"})
_ANALYTIC_NAMES = """
    cosine exponential exponential-minus-one log log-plus-one logistic rsqrt sine sqrt tan tanh atan2"""
_ANALYTIC = frozenset(_ANALYTIC_NAMES.split())
_SIGNED = frozenset({"abs", "negate", "sign"})
_PARTS = {DType.C64: DType.F32, DType.C128: DType.F64}
_WHOLES = {part: whole for whole, part in _PARTS.items()}


def _refused(opcode: str, element: DType) -> str:
    """What an op works on, where an element type is not that."""
    if opcode in _BITS:
        return "" if element.is_int or element is DType.BOOL else "integers"
    if opcode in _SHIFTS:
        return "" if element.is_int else "integers"
    if opcode in _FLOATS:
        return "" if element.is_float else "floats"
    if opcode in _ANALYTIC:
        return "" if element.is_float or element.is_complex else "floats and complex numbers"
    return "numbers" if opcode in _SIGNED and element is DType.BOOL else ""


def _same(op: TargetOp, opcode: str) -> None:
    element = one_element_type(op)
    takes = _refused(opcode, element)
    if takes:
        raise op.malformed(f"it works on {takes}")
    for value in op.inputs:
        made = _PARTS.get(element, element) if opcode == "abs" else element
        result_is(op, value.tensor.static_shape(), made)


def _select(op: TargetOp) -> None:
    if dtype(op) is not DType.BOOL:
        raise op.malformed("the predicate is not bool")
    if dtype(op, 1) is not dtype(op, 2):
        raise op.malformed(f"it selects from {dtype(op, 1).display} and {dtype(op, 2).display}")
    for i in range(3):
        result_is(op, shape(op, i), dtype(op, 1))


def _compare(op: TargetOp) -> None:
    element, direction = one_element_type(op), op.attributes["direction"]
    if element.is_complex and direction not in ("EQ", "NE"):
        raise op.malformed(f"complex numbers have no order: {direction}")
    for i in range(2):
        result_is(op, shape(op, i), DType.BOOL)


def _convert(op: TargetOp) -> None:
    made = op.results[0].tensor.dtype
    if dtype(op).is_complex and not made.is_complex:
        raise op.malformed(f"{dtype(op).display} does not become {made.display} but by `real`")
    has_shape(op, shape(op))


def _bitcast(op: TargetOp) -> None:
    """Elements of another width make, or take up, an axis at the end."""
    have, made, sizes = dtype(op), op.results[0].tensor.dtype, shape(op)
    if have.is_complex is not made.is_complex or not have.bits or not made.bits:
        raise op.malformed(f"{have.display} is not read as {made.display}")
    if have.bits > made.bits:
        sizes = (*sizes, have.bits // made.bits)
    elif have.bits < made.bits:
        ratio = made.bits // have.bits
        if sizes[-1:] != (ratio,):
            raise op.malformed(f"the last axis of the operand is not {ratio}")
        sizes = sizes[:-1]
    has_shape(op, sizes)


def _is_finite(op: TargetOp) -> None:
    if not dtype(op).is_float:
        raise op.malformed("it works on floats")
    result_is(op, shape(op), DType.BOOL)


def _part(op: TargetOp) -> None:
    made = _PARTS.get(dtype(op), dtype(op))
    if not made.is_float:
        raise op.malformed("it works on floats and complex numbers")
    result_is(op, shape(op), made)


def _complex(op: TargetOp) -> None:
    made = _WHOLES.get(one_element_type(op))
    if made is None:
        raise op.malformed("it works on float32 and float64")
    for i in range(2):
        result_is(op, shape(op, i), made)


def _clamp(op: TargetOp) -> None:
    element = one_element_type(op)
    for i in (0, 2):
        if shape(op, i) not in ((), shape(op, 1)):
            raise op.malformed(f"a bound is {list(shape(op, i))}, expected a scalar or {list(shape(op, 1))}")
    result_is(op, shape(op, 1), element)


def _copy(op: TargetOp) -> None:
    result_is(op, shape(op), dtype(op))


CHECKS: dict[str, Callable[[TargetOp], None]] = {
    **{opcode: partial(_same, opcode=opcode) for opcode in sorted(UNARY | BINARY)},
    "select": _select,
    "compare": _compare,
    "convert": _convert,
    "bitcast-convert": _bitcast,
    "is-finite": _is_finite,
    "real": _part,
    "imag": _part,
    "complex": _complex,
    "clamp": _clamp,
    "copy": _copy,
}
