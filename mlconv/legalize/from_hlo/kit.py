"""What the handlers share: static shapes, small emissions, scalar computations applied to whole tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.source import SourceOp
from mlconv.ir.constants import Array
from mlconv.ir.core import Block, Region, Value, clone_op
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.legalize.source import Handler, SourceNode
from mlconv.rewrite import edit
from mlconv.rewrite.rules import Rules

Ints = tuple[int, ...]


def hlo_rules() -> Rules:
    """Rules that refuse numbers of the file that do not fit one another (an axis of another rank, lists of different
    lengths): they are an error of the file.
    """
    return Rules(guard=_guarded)


def _guarded(handler: Handler) -> Handler:
    def run(n: SourceNode) -> Value | Sequence[Value]:
        try:
            return handler(n)
        except (IndexError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            raise ConversionError(
                Code.AttributeInvalid, f"the attributes of {n.kind} do not fit its operands: {error}"
            ) from error

    return run


def dims(x: Value) -> Ints:
    """The static shape of a value."""
    return x.tensor.static_shape()


def result(n: SourceNode, i: int = 0) -> TensorType:
    """The type that the file states."""
    hint = n.result_hint(i) if i < n.n_results else None
    if hint is None:
        raise ConversionError(Code.AttributeInvalid, f"{n.kind} states no type")
    return hint


def region(n: SourceNode) -> Region:
    """The computation that an op calls.  Raises ConversionError WrongArity when there is not exactly one."""
    if len(n.op.regions) != 1:
        raise ConversionError(Code.WrongArity, f"{n.kind} calls {len(n.op.regions)} computations, expected 1")
    return n.op.regions[0]


def checked(handler: Handler) -> Handler:
    """A handler whose results must have the types that the file states.  Raises ConversionError ShapeMismatch
    otherwise.
    """

    def run(n: SourceNode) -> Value | Sequence[Value]:
        values = handler(n)
        listed = [values] if isinstance(values, Value) else values
        if len(listed) != n.n_results:
            raise ConversionError(
                Code.WrongArity, f"{n.kind} states {n.n_results} results, its operands give {len(listed)}"
            )
        for i, v in enumerate(listed):
            hint = n.result_hint(i)
            if (
                hint is not None
                and hint.shape is not None
                and (v.tensor.shape != hint.shape or v.tensor.dtype is not hint.dtype)
            ):
                raise ConversionError(
                    Code.ShapeMismatch, f"{n.kind} states the result {hint}, its operands give {v.tensor}"
                )
        return values

    return run


def axes_in(n: SourceNode, axes: Sequence[int], rank: int) -> Ints:
    """Axes from the file, checked and without repetition.  Raises ConversionError AttributeInvalid."""
    if any(not 0 <= a < rank for a in axes) or len(set(axes)) != len(axes):
        raise ConversionError(Code.AttributeInvalid, f"{n.kind} names the axes {list(axes)} of a tensor of rank {rank}")
    return tuple(axes)


def reshape(n: SourceNode, x: Value, shape: Sequence[int]) -> Value:
    return x if dims(x) == tuple(shape) else n.y(core.Reshape(x, n.vector(shape)))


def cut(
    n: SourceNode, x: Value, begin: Sequence[int], end: Sequence[int], strides: Sequence[int] | None = None
) -> Value:
    """x[begin:end:strides], bounds non-negative."""
    steps = tuple(strides or (1,) * len(begin))
    if all(b == 0 for b in begin) and tuple(end) == dims(x) and all(s == 1 for s in steps):
        return x
    return n.y(core.Slice(x, n.vector(begin), n.vector(end), n.vector(steps)))


def rows(n: SourceNode, x: Value, axis: int, begin: int, end: int, step: int = 1) -> Value:
    """x[begin:end:step] along one axis."""
    shape = dims(x)
    begins, ends, steps = [0] * len(shape), list(shape), [1] * len(shape)
    begins[axis], ends[axis], steps[axis] = begin, end, step
    return cut(n, x, begins, ends, steps)


def broadcast(n: SourceNode, x: Value, shape: Sequence[int]) -> Value:
    return x if dims(x) == tuple(shape) else n.y(core.BroadcastTo(x, n.vector(shape)))


def pad(n: SourceNode, x: Value, value: Value, amounts: Sequence[tuple[int, int]]) -> Value:
    """Elements around x; negative amounts crop."""
    if not any(any(a) for a in amounts):
        return x
    return n.y(core.Pad(x, n.constant(np.asarray(amounts, np.int64).reshape(-1, 2), DType.I64), value))


def pad_inside(n: SourceNode, x: Value, value: Value, axis: int, count: int) -> Value:
    """`count` elements between the elements of one axis."""
    shape = dims(x)
    if count == 0 or shape[axis] < 2:
        return x
    split = reshape(n, x, (*shape[: axis + 1], 1, *shape[axis + 1 :]))
    wide = pad(n, split, value, [(0, count if i == axis + 1 else 0) for i in range(len(shape) + 1)])
    joined = reshape(n, wide, (*shape[:axis], shape[axis] * (count + 1), *shape[axis + 1 :]))
    return rows(n, joined, axis, 0, (shape[axis] - 1) * (count + 1) + 1)


def opcode_of(region: Region) -> str:
    """The opcode when a computation is one op of its two parameters; `second` when it gives the second one; else
    empty.
    """
    block = region.block
    (root,) = block.outputs if len(block.outputs) == 1 else (None,)
    if root is None or len(block.arguments) != 2:
        return ""
    if root is block.arguments[1]:
        return "second"
    producer = root.producer
    if isinstance(producer, SourceOp) and set(producer.inputs) == set(block.arguments) and len(producer.inputs) == 2:
        return producer.name.removeprefix("hlo.")
    return ""


def apply(n: SourceNode, region: Region, values: Sequence[Value]) -> list[Value]:
    """A computation of scalars, on whole tensors of one shape."""
    block = region.block
    if len(values) != len(block.arguments):
        raise ConversionError(
            Code.WrongArity,
            f"{n.kind} calls a computation of {len(block.arguments)} parameters with {len(values)} values",
        )
    mapping = dict(zip(block.arguments, values, strict=True))
    inner = Block()
    for op in block.ops:
        copy = clone_op(op, mapping)
        if isinstance(copy, SourceOp):
            if copy.regions:
                raise n.unsupported(f"the computation contains {copy.name}")
            for v in copy.results:
                edit.retype(v, v.tensor.with_shape(None))
        inner.insert(copy)
    return n.inline(inner)


def simple(make: type[OpDef]) -> Handler:
    """A core op on all operands."""
    count = len(make.spec.operands)

    def run(n: SourceNode) -> Value:
        if n.n_operands != count:
            raise ConversionError(Code.WrongArity, f"{n.kind} has {n.n_operands} operands, expected {count}")
        return n.y(make(*n.operands()))

    return checked(run)


def vector(n: SourceNode, scalars: Sequence[Value], dtype: DType = DType.I64) -> Value:
    """Scalars as a vector."""
    parts = [n.emit(core.Reshape(n.cast(v, dtype), n.vector([1]))).y for v in scalars]
    return (
        parts[0]
        if len(parts) == 1
        else n.y(core.Concat(parts, axis=0))
        if parts
        else n.constant(np.zeros(0, np.int64), dtype)
    )


def clamped(n: SourceNode, index: Value, highest: Array | Sequence[int] | int) -> Value:
    """Indices limited to [0, highest], as HLO does."""
    low = n.y(core.Maximum(index, n.asarray(0, index)))
    return n.y(core.Minimum(low, n.constant(np.asarray(highest), index.tensor.dtype)))
