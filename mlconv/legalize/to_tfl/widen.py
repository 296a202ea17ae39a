"""Element types: an op whose kernel lacks its operands' type is made anew in a type that the kernel has and in which
the result is exact.

float16 and bfloat16 are computed in float32 and small integers in wider ones; 64-bit unsigned integers travel as signed
ones of the same bits where only the bits matter.  float64 has no arithmetic kernel: it is refused unless float32 was
allowed for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant_rules import has_quantized, quant_of
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.legalize.to_tfl.dtypes_table import BITWISE, KERNEL_TYPES, SAME_BITS, WIDER
from mlconv.rewrite import NOT_MEANT, NoMatch, remake

_DATA_MOVEMENT = frozenset(
    {
        "concat",
        "split",
        "pad",
        "gather",
        "gather_nd",
        "gather_elements",
        "update_slice",
        "reverse",
        "reverse_sequence",
        "depth_to_space",
        "space_to_depth",
        "one_hot",
    }
)

_NOT_QUANTIZED = frozenset({"reverse_sequence", "top_k"})
"""What moves quantized tensors, and has no kernel for those of int8."""
_NOT_WIDE = frozenset({"depth_to_space", "space_to_depth"})
"""And none for those of int16."""


def widen(op: OpDef, e: TflBuilder) -> list[Value] | NoMatch:
    """The results of `op` computed in another element type, where its own will not do.  Raises ConversionError
    TargetLacksType when none does.
    """
    name = op.name.removeprefix("core.")
    if has_quantized(op.operands):
        wide = any(q is not None and q.storage is DType.I16 for q in map(quant_of, op.operands))
        return _on_numbers(op, e) if name in _NOT_QUANTIZED or (wide and name in _NOT_WIDE) else NOT_MEANT
    row = KERNEL_TYPES.get(name)
    if row is None or isinstance(op, core.Quantize):  # its own rule casts: an element type says what it is made of
        return NOT_MEANT
    native, positions = row
    where = positions or tuple(range(len(op.operands)))
    dtype = next((v.tensor.dtype for i in where if i < len(op.operands) and (v := op.operands[i]) is not None), None)
    if dtype is None or dtype.value in native:
        return NOT_MEANT
    target, by_bits = _choose(name, dtype, native, e, op.attributes.get("reduction") == "none")
    if by_bits:
        return _rebuild(op, e, where, dtype, target, _bitcast)
    return _rebuild(op, e, where, dtype, target, _cast)


def _on_numbers(op: OpDef, e: TflBuilder) -> list[Value]:
    """Numbers of the integers are moved, which become the same integers again."""
    numbers = [v if quant_of(v) is None or v is None else e.y(core.Dequantize(v)) for v in op.operands]
    made = e.emit(remake(op, numbers)).results
    quants = map(quant_of, op.results)
    return [v if q is None else e.y(core.Quantize(v, element=q)) for v, q in zip(made, quants, strict=True)]


def _choose(name: str, dtype: DType, native: Sequence[str], e: TflBuilder, copies: bool) -> tuple[DType, bool]:
    """The type to compute in, and whether to get there by reinterpreting bits."""
    if name in BITWISE and dtype.is_unsigned_int and SAME_BITS[dtype.value] in native:
        return DType(SAME_BITS[dtype.value]), True
    if (name in _DATA_MOVEMENT or copies) and dtype.value in SAME_BITS and SAME_BITS[dtype.value] in native:
        return DType(SAME_BITS[dtype.value]), True
    for wider in WIDER.get(dtype.value, ()):
        if wider in native:
            return DType(wider), False
    if dtype is DType.F64 and e.reduce_f64 and "f32" in native:
        return DType.F32, False
    help_ = "--reduce-float64 computes float64 in float32" if dtype is DType.F64 else ""
    kernels = ", ".join(DType(n).display for n in native)
    raise ConversionError(
        Code.TargetLacksType, f"TFLite computes core.{name} on {kernels}, not on {dtype.display}", help=help_
    )


def _cast(e: TflBuilder, x: Value, dtype: DType) -> Value:
    return e.cast(x, dtype)


def _bitcast(e: TflBuilder, x: Value, dtype: DType) -> Value:
    return x if x.tensor.dtype is dtype else e.y(core.Bitcast(x, dtype=dtype))


def _rebuild(
    op: OpDef,
    e: TflBuilder,
    where: Sequence[int],
    old: DType,
    new: DType,
    convert: Callable[[TflBuilder, Value, DType], Value],
) -> list[Value]:
    operands = list(op.operands)
    for i in where:
        value = operands[i] if i < len(operands) else None
        if value is not None and value.tensor.dtype is old:
            operands[i] = convert(e, value, new)
    again = e.emit(remake(op, operands))
    out = []
    for before, after in zip(op.results, again.results, strict=True):
        wanted = before.tensor.dtype
        out.append(after if after.tensor.dtype is wanted else convert(e, after, wanted))
    return out


def result_type(op: Op, i: int = 0) -> TensorType:
    """The type of a result, for ops of core (all tensors)."""
    return op.results[i].tensor
