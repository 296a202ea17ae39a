"""Which element types an op of TensorFlow takes: those that it has kernels for on CPUs.

A type that is not taken is computed with in a wider one that holds all of its numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tf import ArgDef, OpDef
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType, Type
from mlconv.legalize.kernel_letters import LISTED, read
from mlconv.legalize.to_tf.kernels_table import KERNELS

_FLOATS = (DType.F32, DType.F64)
_WIDER: dict[DType, tuple[DType, ...]] = {
    DType.F16: _FLOATS,
    DType.BF16: _FLOATS,
    DType.F32: (DType.F64,),
    DType.I8: (DType.I32, DType.I64, *_FLOATS),
    DType.U8: (DType.I32, DType.I64, *_FLOATS),
    DType.I16: (DType.I32, DType.I64, *_FLOATS),
    DType.U16: (DType.I32, DType.I64, *_FLOATS),
    DType.BOOL: (DType.U8, DType.I32, DType.I64, *_FLOATS),
    DType.I32: (DType.I64, DType.F64),
    DType.U32: (DType.I64, DType.F64),
    DType.C64: (DType.C128,),
    DType.F8E4M3FN: _FLOATS,
    DType.F8E4M3FNUZ: _FLOATS,
    DType.F8E5M2: _FLOATS,
    DType.F8E5M2FNUZ: _FLOATS,
    DType.F4E2M1: _FLOATS,
}
UNLISTED = frozenset(DType) - LISTED
"""Types of less than 8 bits and floats of 8: the table does not have them."""


@lru_cache(maxsize=1)
def _kernels() -> dict[str, dict[str, frozenset[DType]]]:
    """The table by op and attribute."""
    found: dict[str, dict[str, frozenset[DType]]] = {}
    for line in KERNELS.split("\n"):
        name, *rest = line.split() or [""]
        if name:
            found[name] = dict(map(read, rest))
    return found


def taken_types(name: str, attribute: str) -> frozenset[DType]:
    """The element types that an op has kernels for.  Raises ConversionError InternalError for an op that is not in the
    table.
    """
    known = _kernels().get(name)
    if known is None or attribute not in known:
        raise ConversionError(Code.InternalError, f"no kernels are listed for {name}, attribute {attribute}")
    return known[attribute]


def chosen_types(
    spec: OpDef, operands: Sequence[Value], types: Sequence[Type], given: Sequence[str]
) -> dict[str, DType]:
    """The element type of each attribute of an op that operands or results decide; `given` attributes are set already.
    Raises ConversionError TargetLacksType where nothing wide enough is taken.
    """
    found: dict[str, DType] = {}
    pairs = (
        *zip(spread(spec.inputs, len(operands)), (v.type for v in operands), strict=False),
        *zip(spread(spec.outputs, len(types)), types, strict=False),
    )
    for argument, type_ in pairs:
        name = argument.element
        if name not in spec.attrs or name in given or name in found or not isinstance(type_, TensorType):
            continue
        found[name] = _chosen(spec.name, name, type_.dtype)
    return found


def _chosen(op: str, attribute: str, dtype: DType) -> DType:
    taken = taken_types(op, attribute)
    if dtype in taken:
        return dtype
    for wider in _WIDER.get(dtype, ()):
        if wider in taken:
            return wider
    kinds = ", ".join(sorted(d.display for d in taken))
    raise ConversionError(Code.TargetLacksType, f"TensorFlow's {op} takes {kinds} on CPUs, not {dtype.display}")


def spread(formals: Sequence[ArgDef], count: int) -> list[ArgDef]:
    """A formal for each of `count` values: one that stands for several is repeated."""
    single = sum(1 for f in formals if not (f.number or f.types))
    out: list[ArgDef] = []
    for formal in formals:
        out += [formal] * (count - single if formal.number or formal.types else 1)
    return out
