"""Tensor lists and tensor arrays as dense tensors [length, *element].

A list whose element shape is not known yet is an `mlconv.empty_list` op (all elements are zeros); the first write makes
it a tensor.
Source: tensorflow/core/ops/list_ops.cc, data_flow_ops.cc (TensorArray*V3), tensorflow/core/kernels/list_kernels.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.source import SourceOp
from mlconv.ir.core import Block, Op, Value, walk
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.types import OpaqueType, TensorType
from mlconv.legalize.from_tf.operands import (
    shape_of,
    tf_rules,
)
from mlconv.legalize.from_tf.sizes import size_vector
from mlconv.legalize.source import SourceNode
from mlconv.rewrite import edit

RULES: Final = tf_rules()
EMPTY: Final = "mlconv.empty_list"
_LIST: Final = OpaqueType("tf.variant")


def empty_list(n: SourceNode, length: Value, dtype: DType, hint: tuple[int, ...] | None) -> Value:
    """A list of `length` (integer scalar) elements of a shape that is not known yet.  hint: sizes of the element, -1
    unknown.
    """
    if not isinstance(dtype, DType) or dtype is DType.STRING:
        raise n.unsupported(f"a list of {dtype.display if isinstance(dtype, DType) else dtype} has no dense form")
    return n.emit(SourceOp(EMPTY, [length], {"dtype": dtype, "element_shape": hint}, [_LIST])).result


def is_empty(value: Value) -> bool:
    return value.producer is not None and value.producer.name == EMPTY


def sweep_empty(block: Block) -> None:
    """Erase empty lists that were never read.  Raises ConversionError VariantUnsupported when one is still used."""
    for op in [op for op in walk(block) if op.name == EMPTY]:
        if op.result.uses:
            raise ConversionError(
                Code.VariantUnsupported,
                "a tensor list whose element shape cannot be deduced is used",
                location=op.location,
            )
        edit.erase(op)


def allocate(n: SourceNode, empty: Op, element: Sequence[Size]) -> Value:
    """The zeros that an empty list stands for, once its element shape is known."""
    length = empty.operands[0]
    if length is None:
        raise ConversionError(Code.WrongArity, "a tensor list has no length")
    sizes = size_vector(n, element, f"the element shape {[str(s) for s in element]} of a tensor list")
    shape = n.concat([n.stack([length]), sizes], 0) if element else n.stack([length])
    return n.emit(core.BroadcastTo(n.constant(0, empty.attributes["dtype"]), shape)).y


def as_dense(n: SourceNode, value: Value, item: Value | None = None) -> Value:
    """A list as a tensor; an empty one takes its element shape from its hint or from an item."""
    if not is_empty(value):
        if not isinstance(value.type, TensorType):
            raise n.unsupported("the list comes from an op that gives no dense tensor")
        return value
    empty = value.producer
    if empty is None:
        raise n.unsupported("the list has no origin")
    if item is not None:
        return allocate(n, empty, shape_of(item, "the item"))
    hint = empty.attributes["element_shape"]
    if hint is None or any(s < 0 for s in hint):
        raise n.unsupported("the list is read before anything was written to it, and its element shape is not known")
    return allocate(n, empty, hint)


def _hint(n: SourceNode, operand: int) -> tuple[int, ...] | None:
    """An element_shape operand: sizes with -1 for unknown ones; None for unknown rank (a scalar -1)."""
    array = n.const_or_none(operand)
    if array is not None:
        return None if array.ndim == 0 else tuple(int(v) for v in array)
    known = n.known(operand)
    return None if known is None else tuple(k if isinstance(k, int) else -1 for k in known)


def _create(n: SourceNode, length: Value, dtype: DType, hint: tuple[int, ...] | None) -> Value:
    value = empty_list(n, n.scalar(length), dtype, hint)
    if hint is not None and all(s >= 0 for s in hint):
        return as_dense(n, value)
    return value


def set_item(n: SourceNode, value: Value, index: Value, item: Value, may_grow: bool = False) -> Value:
    """The list with one element replaced."""
    dense = as_dense(n, value, item)
    place = n.scalar(index)
    if may_grow:
        dense = _grown(n, dense, place)
    at = n.emit(core.Reshape(place, n.vector([1, 1]))).y
    return n.emit(core.ScatterNd(dense, at, n.expand_dims(item, 0), from_start=True)).y


def _length(n: SourceNode, dense: Value, dtype: DType) -> Value:
    shape = n.emit(core.ShapeOf(dense, dtype=dtype)).y
    return n.emit(core.Gather(shape, n.constant(0, DType.I32), axis=0)).y


def _resized(n: SourceNode, dense: Value, length: Value) -> Value:
    """Zeros behind the list up to `length` elements; longer lists stay."""
    missing = n.emit(
        core.Maximum(n.sub(n.cast(length, DType.I64), _length(n, dense, DType.I64)), n.constant(0, DType.I64))
    ).y
    rank = len(shape_of(dense))
    flat = n.stack([0, missing, *[0] * (2 * rank - 2)])
    return n.emit(core.Pad(dense, n.emit(core.Reshape(flat, n.vector([rank, 2]))).y, n.asarray(0, dense))).y


def _grown(n: SourceNode, dense: Value, index: Value) -> Value:
    return _resized(n, dense, n.add(n.cast(index, DType.I64), n.constant(1, DType.I64)))


def get_item(n: SourceNode, value: Value, index: Value) -> Value:
    return n.emit(core.Gather(as_dense(n, value), n.scalar(index), axis=0)).y


def is_whole_range(indices: Value, length: Size | None) -> bool:
    """True for 0, 1, ..., length - 1."""
    op = indices.producer
    if indices.known is not None:
        return (
            length is not None
            and list(indices.known) == list(range(len(indices.known)))
            and len(indices.known) == length
        )
    if not isinstance(op, core.Range) or length is None:
        return False
    start, limit, step = (v.known for v in (op.start, op.limit, op.step))
    return start == (0,) and step == (1,) and limit == (length,)


@RULES.rule("TensorListReserve")
def reserve(n: SourceNode) -> Value:
    return _create(n, n.operand(1), n.attr("element_dtype"), _hint(n, 0))


@RULES.rule("EmptyTensorList")
def empty_tensor_list(n: SourceNode) -> Value:
    return _create(n, n.constant(0, DType.I32), n.attr("element_dtype"), _hint(n, 0))


@RULES.rule("TensorListFromTensor")
def from_tensor(n: SourceNode) -> Value:
    return n.operand(0)


@RULES.rule("TensorListSetItem")
def list_set_item(n: SourceNode) -> Value:
    return set_item(n, n.operand(0), n.operand(1), n.operand(2), n.attr("resize_if_index_out_of_bounds", False))


@RULES.rule("TensorListGetItem")
def list_get_item(n: SourceNode) -> Value:
    if is_empty(n.operand(0)) and n.has(2):
        _take_hint(n.operand(0), _hint(n, 2))
    return get_item(n, n.operand(0), n.operand(1))


def _take_hint(value: Value, hint: tuple[int, ...] | None) -> None:
    """A later op may know the element shape of a list that nothing was written to."""
    op = value.producer
    if op is not None and hint is not None and all(s >= 0 for s in hint):
        edit.set_attribute(op, "element_shape", hint)


@RULES.rule("TensorListStack")
def stack(n: SourceNode) -> Value:
    if is_empty(n.operand(0)):
        _take_hint(n.operand(0), _hint(n, 1))
    return as_dense(n, n.operand(0))


@RULES.rule("TensorListGather")
def list_gather(n: SourceNode) -> Value:
    if is_empty(n.operand(0)):
        _take_hint(n.operand(0), _hint(n, 2))
    dense = as_dense(n, n.operand(0))
    indices = n.operand(1)
    return dense if is_whole_range(indices, shape_of(dense)[0]) else n.emit(core.Gather(dense, indices, axis=0)).y


@RULES.rule("TensorListScatter", "TensorListScatterV2", "TensorListScatterIntoExistingList")
def list_scatter(n: SourceNode) -> Value:
    """Operands: rows, indices, element shape [, number of elements]; or list, rows, indices."""
    if n.kind == "TensorListScatterIntoExistingList":
        return scatter(n, n.operand(0), n.operand(1), n.operand(2))
    rows, indices = n.operand(0), n.operand(1)
    length = n.scalar(n.operand(3)) if n.has(3) else None
    if length is None or (known := length.known) is None or known == (-1,):
        top = n.emit(core.ReduceMax(indices, axes=(0,))).y
        length = n.add(top, n.asarray(1, top))
    return scatter(n, empty_list(n, length, rows.tensor.dtype, None), indices=indices, rows=rows)


def scatter(n: SourceNode, value: Value, rows: Value, indices: Value) -> Value:
    if is_whole_range(indices, shape_of(rows)[0]) and is_empty(value):
        return rows
    if is_empty(value) and value.producer is not None:
        value = allocate(n, value.producer, shape_of(rows)[1:])
    return n.emit(core.ScatterNd(value, n.expand_dims(indices, 1), rows, from_start=True)).y


def joined(n: SourceNode, dense: Value) -> Sequence[Value]:
    """All elements joined along their first axis, and the size of that axis for each of them: int64."""
    shape = shape_of(dense, "the list")
    if len(shape) < 2:
        raise ConversionError(
            Code.ShapeMismatch, f"elements of a list of {dense.tensor} cannot be joined: they are scalars"
        )
    whole = n.emit(core.ShapeOf(dense)).y
    rest = n.emit(core.Slice(whole, n.vector([2]), n.vector([0]), n.vector([1]), end_mask=1)).y
    joined = n.emit(core.Reshape(dense, n.concat([n.vector([-1]), rest], 0))).y
    count, rows = (n.emit(core.DynamicSlice(whole, n.vector([i]), n.vector([1]))).y for i in (0, 1))
    return [joined, n.emit(core.BroadcastTo(rows, count)).y]


@RULES.rule("TensorListConcat", "TensorListConcatV2")
def list_concat(n: SourceNode) -> Sequence[Value]:
    if is_empty(n.operand(0)) and n.has(1):
        _take_hint(n.operand(0), _hint(n, 1))
    return joined(n, as_dense(n, n.operand(0)))


@RULES.rule("TensorListSplit")
def list_split(n: SourceNode) -> Value:
    """Operands: tensor, element shape, lengths, which must be equal."""
    return equal_parts(n, n.operand(0), n.ints(2))


def equal_parts(n: SourceNode, x: Value, lengths: tuple[int, ...]) -> Value:
    if len(set(lengths)) != 1:
        raise n.unsupported(f"elements of the different lengths {sorted(set(lengths))[:4]} have no dense form")
    rest = n.emit(core.Slice(n.emit(core.ShapeOf(x)).y, n.vector([1]), n.vector([0]), n.vector([1]), end_mask=1)).y
    return n.emit(core.Reshape(x, n.concat([n.vector([len(lengths), lengths[0]]), rest], 0))).y


@RULES.rule("TensorListPushBack")
def push_back(n: SourceNode) -> Value:
    value, item = n.operand(0), n.operand(1)
    row = n.expand_dims(item, 0)
    if (
        is_empty(value)
        and value.producer is not None
        and value.producer.operands[0] is not None
        and value.producer.operands[0].known == (0,)
    ):
        return row
    return n.concat([as_dense(n, value, item), row], 0)


@RULES.rule("TensorListPopBack")
def pop_back(n: SourceNode) -> Sequence[Value]:
    dense = as_dense(n, n.operand(0))
    rank = len(shape_of(dense))
    ends = n.vector([-1, *[0] * (rank - 1)])
    others = ((1 << rank) - 1) & ~1
    zeros, ones = n.vector([*[0] * rank]), n.vector([*[1] * rank])
    rest = n.emit(core.Slice(dense, zeros, ends, ones, begin_mask=others | 1, end_mask=others)).y
    last = n.emit(core.Slice(dense, ends, zeros, ones, begin_mask=others, end_mask=others | 1)).y
    return [rest, n.squeeze(last, 0)]


@RULES.rule("TensorListLength")
def list_length(n: SourceNode) -> Value:
    return length(n, n.operand(0))


def length(n: SourceNode, value: Value) -> Value:
    """Number of elements: int32 scalar."""
    if is_empty(value) and value.producer is not None and value.producer.operands[0] is not None:
        return n.cast(value.producer.operands[0], DType.I32)
    return _length(n, value, DType.I32)


@RULES.rule("TensorListResize")
def list_resize(n: SourceNode) -> Value:
    value, size = n.operand(0), n.scalar(n.operand(1))
    if is_empty(value) and value.producer is not None:
        attributes = value.producer.attributes
        return empty_list(n, size, attributes["dtype"], attributes["element_shape"])
    grown = _resized(n, value, size)
    rank = len(shape_of(value))
    return n.emit(core.DynamicSlice(grown, n.vector([*[0] * rank]), n.stack([size, *[-1] * (rank - 1)]))).y


@RULES.rule("TensorListElementShape")
def element_shape(n: SourceNode) -> Value:
    shape = n.emit(core.ShapeOf(as_dense(n, n.operand(0)), dtype=n.attr("shape_type"))).y
    return n.emit(core.Slice(shape, n.vector([1]), n.vector([0]), n.vector([1]), end_mask=1)).y


@RULES.rule("TensorListConcatLists")
def concat_lists(n: SourceNode) -> Value:
    return n.concat([as_dense(n, v) for v in n.operands()], 0)
