"""What expressions and steps of kernel ops mean, in numpy: one place at a time is what generated code does, all at once
what this does.

Buffers are flat arrays.  Numbers are computed with in the type that an instruction states; floats of 16 bits by way of
float32, sums of floats by way of float64, so that a result is at least as near as that of any order of summation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core import math as cmath
from mlconv.dialects.kernel.attributes import Instr, Program, Step, View, known
from mlconv.ir.constants import Array
from mlconv.ir.dtypes import DType

Numbers = tuple[int, ...]
_SMALL = (DType.F16, DType.BF16)


def places(view: View, extents: Sequence[int]) -> Array:
    """Positions in a flat buffer, for each point of some extents; axes along which it stays are of size 1."""
    (offset,), strides = known((view.offset,)), known(view.strides)
    at = np.asarray(offset)
    for axis, (n, stride) in enumerate(zip(extents, strides, strict=True)):
        if stride:
            at = at + (np.arange(n) * stride).reshape(-1, *(1,) * (len(extents) - axis - 1))
    return at.reshape((1,) * (len(extents) - at.ndim) + at.shape)


def evaluated(program: Program, buffers: Sequence[Array], extents: Sequence[int], first: Array | None = None) -> Array:
    """The last value of an expression at each point.  first: value 0, where there is one when it begins."""
    values = [] if first is None else [first]
    for instr in program:
        values.append(_value(instr, values, buffers, extents))
    return np.broadcast_to(values[-1], tuple(extents))


def run_step(step: Step, buffers: Sequence[Array], out: Array) -> None:
    """Write what a step makes to the places of its result."""
    extents, kept = known(step.extents), known(step.kept)
    total = evaluated(step.body, buffers, extents)
    if step.reduced:
        total = _combined(step.combine, total, tuple(range(len(kept), len(extents))))
    if step.after:
        total = evaluated(step.after, buffers, kept, total)
    store(out, step.out, kept, total)


def store(out: Array, view: View, extents: Sequence[int], values: Array) -> None:
    """Write values to the places of a view."""
    at = np.broadcast_to(places(view, extents), tuple(extents))
    out[at] = values if values.dtype == out.dtype else values.astype(out.dtype)


def sum_of(values: Array, axes: Numbers) -> Array:
    """The sum, of the type of the values."""
    dtype = np.float64 if values.dtype.kind not in "biuc" and values.dtype != np.float64 else values.dtype
    return np.asarray(values.astype(dtype).sum(axes)).astype(values.dtype)


def _combined(combine: str, values: Array, axes: Numbers) -> Array:
    if combine == "add_wide":
        return np.asarray(values.astype(np.float64).sum(axes))
    if combine == "add":
        return sum_of(values, axes)
    make = _COMBINES.get(combine)
    if make is None or (combine in ("maximum", "minimum", "greatest") and 0 in [values.shape[a] for a in axes]):
        raise _unknown(f"a reduction by {combine}")
    return np.asarray(make(values, axis=axes)).astype(values.dtype)


def _value(instr: Instr, values: Sequence[Array], buffers: Sequence[Array], extents: Sequence[int]) -> Array:
    opcode, dtype = instr.opcode, instr.dtype
    if opcode == "load":
        return buffers[instr.args[0]][places(instr.value, extents)]
    if opcode == "load_at":
        view, stride, count = instr.value
        index = values[instr.args[1]].astype(np.int64)
        index = np.where(index < 0, index + known((count,))[0], index)
        return buffers[instr.args[0]][places(view, extents) + index * known((stride,))[0]]
    if opcode in ("const", "size"):
        return np.asarray(instr.value).astype(dtype.numpy)
    args = [values[i] for i in instr.args]
    if opcode == "select":
        return np.where(*args)
    if opcode in _TYPED:
        return _TYPED[opcode](args, dtype)
    small = [a.dtype for a in args if a.dtype in [t.numpy for t in _SMALL]]
    args = [a.astype(np.float32) for a in args] if small else args
    family = _INTEGERS if args[0].dtype.kind in "iub" else _NUMBERS
    function = family.get(opcode) or _NUMBERS.get(opcode)
    if function is None:
        raise _unknown(f"{opcode} of {dtype.display}")
    return np.asarray(function(*args)).astype(dtype.numpy)


def _unknown(what: str) -> ConversionError:
    return ConversionError(Code.VerificationImpossible, f"{what} of a kernel is not interpreted")


def _cast(args: Sequence[Array], dtype: DType) -> Array:
    return args[0].astype(dtype.numpy)


def _saturated(args: Sequence[Array], dtype: DType) -> Array:
    return _clipped(np.trunc(args[0].astype(np.float64)), dtype)


def _small(args: Sequence[Array], dtype: DType) -> Array:
    return _clipped(np.trunc(args[0].astype(np.float64)), DType.I32).astype(dtype.numpy)


def _nearest(args: Sequence[Array], dtype: DType) -> Array:
    return np.rint(args[0]).astype(np.int64).astype(dtype.numpy)


def _complex(args: Sequence[Array], dtype: DType) -> Array:
    return (args[0] + 1j * args[1]).astype(dtype.numpy)


def _clipped(x: Array, dtype: DType) -> Array:
    """The nearest number that an integer type has; NaN is 0."""
    ends = np.iinfo(dtype.numpy)
    inside = np.where(np.isnan(x), 0, np.clip(x, ends.min, ends.max))
    whole = np.where(inside >= float(ends.max), 0, inside).astype(dtype.numpy)
    return np.where(inside >= float(ends.max), dtype.numpy.type(ends.max), whole)


_COMBINES: Mapping[str, Callable[..., Array]] = MappingProxyType(
    {"mul": np.prod, "maximum": np.max, "greatest": np.max, "minimum": np.min, "and": np.all, "or": np.any}
)
_TYPED: Mapping[str, Callable[[Sequence[Array], DType], Array]] = MappingProxyType(
    {
        "cast": _cast,
        "factor": _cast,
        "saturate": _saturated,
        "cast_small": _small,
        "nearest": _nearest,
        "complex": _complex,
    }
)


_INTEGERS: Mapping[str, Callable[..., Array]] = MappingProxyType(
    {
        "div": cmath.truncated_div,
        "floor_div": cmath.floor_div,
        "floor_mod": cmath.floor_mod,
        "shl": np.left_shift,
        "shr": np.right_shift,
    }
)
_NUMBERS: Mapping[str, Callable[..., Array]] = MappingProxyType(
    {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "div": np.divide,
        "maximum": np.maximum,
        "minimum": np.minimum,
        "less": np.less,
        "less_equal": np.less_equal,
        "greater": np.greater,
        "greater_equal": np.greater_equal,
        "equal": np.equal,
        "not_equal": np.not_equal,
        "abs": np.abs,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
        "not": np.invert,
        "neg": np.negative,
        "pow": np.power,
        "rem": np.fmod,
        "floor_div": np.floor_divide,
        "floor_mod": np.mod,
        "floor": np.floor,
        "ceil": np.ceil,
        "round": np.rint,
        "trunc": np.trunc,
        "sqrt": np.sqrt,
        "sign": np.sign,
        "sigmoid": cmath.sigmoid,
        "atan2": np.arctan2,
        "erf": cmath.erf,
        "erfc": cmath.erfc,
        "lgamma": cmath.lgamma,
        "digamma": cmath.digamma,
        "exp_moderate": np.exp,
        "real": np.real,
        "imag": np.imag,
        "asin": np.arcsin,
        "acos": np.arccos,
        "atan": np.arctan,
        "asinh": np.arcsinh,
        "acosh": np.arccosh,
        "atanh": np.arctanh,
        **{name: getattr(np, name) for name in ("exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
        **{name: getattr(np, name) for name in ("expm1", "log1p")},
    }
)
