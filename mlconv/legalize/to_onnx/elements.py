"""Which element types an operator takes: by its schema, and by the kernels of ONNX Runtime where the file is for it.

A type that is not taken is computed with in a wider one that holds all of its numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.onnx import PREFIX
from mlconv.dialects.onnx_schemas import schema
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.schema import Formal
from mlconv.ir.types import TensorType, Type
from mlconv.legalize.kernel_letters import LISTED, read
from mlconv.legalize.to_onnx.kernels_table import KERNELS

_WIDER = {
    DType.F16: (DType.F32,),
    DType.BF16: (DType.F32,),
    DType.I8: (DType.I32, DType.I64, DType.F32),
    DType.U8: (DType.I32, DType.I64, DType.F32),
    DType.I16: (DType.I32, DType.I64, DType.F32),
    DType.U16: (DType.I32, DType.I64, DType.F32),
    DType.I4: (DType.I8, DType.I32, DType.F32),
    DType.U4: (DType.U8, DType.I32, DType.F32),
    DType.I2: (DType.I8, DType.I32, DType.F32),
    DType.U2: (DType.U8, DType.I32, DType.F32),
    DType.BOOL: (DType.U8, DType.I32, DType.I64, DType.F32),
    DType.I32: (DType.I64, DType.F64),
    DType.U32: (DType.I64, DType.F64),
    DType.F8E4M3FN: (DType.F32,),
    DType.F8E4M3FNUZ: (DType.F32,),
    DType.F8E5M2: (DType.F32,),
    DType.F8E5M2FNUZ: (DType.F32,),
    DType.F4E2M1: (DType.F32,),
    DType.F8E8M0: (DType.F32,),
}
_BY_SCHEMA = frozenset({DType.F16, DType.F64, DType.U64}) | (frozenset(DType) - LISTED)
"""Types that are left as the schema allows them: ONNX Runtime puts casts around float16 itself, nothing is wider than
float64 and uint64, and the table does not list the others."""


@lru_cache(maxsize=1)
def _kernels() -> dict[str, list[tuple[int, int, dict[str, frozenset[DType]]]]]:
    """The table by operator."""
    found: dict[str, list[tuple[int, int, dict[str, frozenset[DType]]]]] = {}
    for line in KERNELS.split("\n"):
        name, *rest = line.split()[:3] or [""]
        if name:
            variables = dict(map(read, line.split()[3:]))
            found.setdefault(name, []).append((int(rest[0]), int(rest[1]), variables))
    return found


def kernel_types(name: str, opset: int, variable: str) -> frozenset[DType] | None:
    """The element types of a type variable that ONNX Runtime has kernels for; None where it has none of that name: the
    operator is a function of others there, or the type is fixed.
    """
    for first, last, variables in _kernels().get(name, ()):
        if first <= opset <= last and variable in variables:
            return variables[variable]
    return None


def chosen_types(
    name: str, opset: int, operands: Sequence[Value | None], types: Sequence[Type], runs_on_ort: bool
) -> dict[str, DType]:
    """The element type for each type variable of the operator whose own is not taken.  Raises ConversionError
    TargetLacksType when there is none, VersionUnsupported for an operator that the operator set does not have.
    """
    known = schema(PREFIX + name, opset)
    if known is None:
        raise ConversionError(Code.TargetLacksOp, f"opset {opset} has no operator {name}")
    found: dict[str, DType] = {}
    for formal, type_ in (
        *zip(_spread(known.operands, len(operands)), (None if v is None else v.type for v in operands), strict=False),
        *zip(_spread(known.results, len(types)), types, strict=False),
    ):
        if not isinstance(type_, TensorType) or not formal.elements or not formal.variable:
            continue
        if not type_.dtype.is_complex:
            _choose(name, opset, formal, type_.dtype, runs_on_ort, found)
    return found


def _choose(name: str, opset: int, formal: Formal, dtype: DType, runs_on_ort: bool, found: dict[str, DType]) -> None:
    kernels = kernel_types(name, opset, formal.variable) if runs_on_ort else None
    if dtype.display in formal.elements and (kernels is None or dtype in kernels or dtype in _BY_SCHEMA):
        return
    for wider in _WIDER.get(dtype, ()):
        if wider.display in formal.elements and (kernels is None or wider in kernels):
            found[formal.variable] = wider
            return
    if dtype.display not in formal.elements:
        kinds = ", ".join(sorted(formal.elements))
        raise ConversionError(
            Code.TargetLacksType, f"ONNX's {name} takes {kinds} in opset {opset}, not {dtype.display}"
        )


def variables_of(name: str, opset: int, operands: int, results: int) -> tuple[list[str], list[str]]:
    """The type variable of each operand and each result."""
    known = schema(PREFIX + name, opset)
    if known is None:
        return [""] * operands, [""] * results
    return (
        [f.variable for f in _spread(known.operands, operands)],
        [f.variable for f in _spread(known.results, results)],
    )


def _spread(formals: Sequence[Formal], count: int) -> list[Formal]:
    """A formal for each value: the last one repeated where it is variadic."""
    listed = list(formals)[:count]
    if listed and listed[-1].variadic:
        listed += [listed[-1]] * (count - len(listed))
    return listed
