"""What rules of HLO share: static shapes, checked results, computations of scalars applied to whole tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.hlo import PREFIX
from mlconv.ir.constants import Array
from mlconv.ir.core import Block, Op, Region, Value, clone_op
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType, shapes_compatible
from mlconv.legalize.source import Handler, SourceNode
from mlconv.rewrite import constant_array, edit
from mlconv.rewrite.core_builder import CoreBuilder, Part
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
    """The sizes of a value.  Raises ConversionError ShapeNotStatic where one is known at run time only."""
    shape = static(x.tensor.shape)
    if shape is None:
        raise ConversionError(Code.ShapeNotStatic, f"the sizes of {x.tensor} must be known at conversion time")
    return shape


def sizes_in(n: SourceNode, i: int) -> tuple[Value, int]:
    """Operand i as a shape, int64, and its length.  Raises ConversionError ShapeNotStatic where that is not known."""
    shape = n.operand(i)
    (length,) = dims(shape) if n.rank(shape) == 1 else (None,)
    if length is None:
        raise ConversionError(Code.ShapeMismatch, f"{n.kind}: the shape is a {shape.tensor}, not a vector", operand=i)
    return n.cast(shape, DType.I64), length


def parts_in(n: SourceNode, i: int) -> list[Part]:
    """Operand i, a vector, number by number: those that are known as numbers."""
    return parts_of(n, sizes_in(n, i)[0])


def parts_of(n: SourceNode, shape: Value) -> list[Part]:
    """The same of a vector of int64."""
    found = constant_array(shape)
    if found is not None:
        return [int(k) for k in found]
    return [n.slice_axis(shape, 0, k, k + 1) for k in range(dims(shape)[0])]


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
            if hint is not None and not (
                shapes_compatible(v.tensor.shape, hint.shape) and v.tensor.dtype is hint.dtype
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


def pad_inside(n: SourceNode, x: Value, value: Value, axis: int, count: int) -> Value:
    """`count` elements between the elements of one axis."""
    if count == 0:
        return x
    shape = n.dims(x)
    size = shape[axis]
    if isinstance(size, int) and size < 2:
        return x
    split = n.reshape(x, (*shape[: axis + 1], 1, *shape[axis + 1 :]))
    wide = n.pad(split, [(0, count if i == axis + 1 else 0) for i in range(len(shape) + 1)], value)
    stretched = size * (count + 1) if isinstance(size, int) else n.mul(size, count + 1)
    joined = n.reshape(wide, (*shape[:axis], stretched, *shape[axis + 1 :]))
    return n.slice_axis(joined, axis, 0, stretched - count if isinstance(stretched, int) else n.sub(stretched, count))


def end_behind(n: SourceNode, begin: int, count: Part, stride: int) -> Part:
    """Behind the last of so many places, a stride apart."""
    if isinstance(count, int):
        return begin + max((count - 1) * stride + 1, 0)
    if stride == 1:
        return n.add(count, begin)
    return n.maximum(n.add(n.mul(count, stride), begin - stride + 1), begin)


def minus(n: SourceNode, a: Part, b: Part) -> Part:
    """A difference of sizes."""
    return a - b if isinstance(a, int) and isinstance(b, int) else n.sub(a, b)


def is_instruction(op: Op) -> bool:
    """An op of HLO, of a file or made here."""
    return op.name.startswith(PREFIX)


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
    if (
        producer is not None
        and is_instruction(producer)
        and set(producer.inputs) == set(block.arguments)
        and len(producer.inputs) == 2
    ):
        return producer.name.removeprefix(PREFIX)
    return ""


def apply(n: SourceNode, region: Region, values: Sequence[Value]) -> list[Value]:
    """A computation of scalars, on whole tensors of one shape."""
    return n.inline(_on_tensors(n, region, values))


def apply_in(n: SourceNode, region: Region, e: CoreBuilder, values: Sequence[Value]) -> list[Value]:
    """The same in another block than that of the op."""
    return n.inline(_on_tensors(n, region, values), e.emit)


def _on_tensors(n: SourceNode, region: Region, values: Sequence[Value]) -> Block:
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
        if is_instruction(copy):
            if copy.regions:
                raise n.unsupported(f"the computation contains {copy.name}")
            for v in copy.results:
                edit.retype(v, v.tensor.with_shape(None))
        inner.insert(copy)
    return inner


def simple(make: type[OpDef]) -> Handler:
    """A core op on all operands."""
    count = len(make.spec.operands)

    def run(n: SourceNode) -> Value:
        if n.n_operands != count:
            raise ConversionError(Code.WrongArity, f"{n.kind} has {n.n_operands} operands, expected {count}")
        return n.y(make(*n.operands()))

    return checked(run)


def clamped(n: SourceNode, index: Value, highest: Value | Array | Sequence[int] | int) -> Value:
    """Indices limited to [0, highest], as HLO does."""
    low = n.y(core.Maximum(index, n.asarray(0, index)))
    if isinstance(highest, Value):
        return n.minimum(low, n.cast(highest, index.tensor.dtype))
    return n.y(core.Minimum(low, n.constant(np.asarray(highest), index.tensor.dtype)))


def highest_begins(
    n: SourceNode, x: Value, axes: Sequence[int], sizes: Sequence[Size], parts: Sequence[Part]
) -> Value | list[int]:
    """Where slices begin at most: numbers, or an int64 vector.  parts: their sizes, where a run tells some."""
    whole, shape = n.dims(x), x.tensor.shape or ()
    last: list[Part] = []
    for i in axes:
        last.append(0 if sizes[i] == shape[i] else minus(n, whole[i], parts[i]))
    known = [p for p in last if isinstance(p, int)]
    return known if len(known) == len(last) else n.vector(last)
