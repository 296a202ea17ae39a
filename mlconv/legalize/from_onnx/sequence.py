"""Sequences and optionals whose contents are known at conversion time.

A sequence is an `mlconv.sequence` op over its elements, an empty optional an `mlconv.none` op; both vanish once they
were read.  An optional that holds something is that thing.  The slices of a tensor along an axis of unknown size are an
`mlconv.rows` op, and so is what a loop appends to: elements are read from the tensor.  Other sequences whose length is
data, and those that come in as inputs, have no form in core and are refused.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.source import SourceOp
from mlconv.ir.core import Block, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.types import OpaqueType
from mlconv.legalize.from_onnx.loop_sequences import NONE, ROWS, SEQUENCE, rows
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.operands import known_list
from mlconv.legalize.from_onnx.spliced import splice
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.legalize.limits import check_table
from mlconv.provenance.locations import first_name
from mlconv.rewrite import constant_array, edit

RULES = OnnxRules()
_MAX_ITEMS = 1024


def make(n: Node, items: list[Value]) -> Value:
    """A sequence of known elements."""
    if len(items) > _MAX_ITEMS:
        raise n.refuse(f"a sequence of {len(items)} elements; at most {_MAX_ITEMS} are expanded")
    return n.builder.emit(SourceOp(SEQUENCE, items, {}, [OpaqueType("onnx.sequence")])).result


def items_of(n: Node, i: int) -> list[Value]:
    """The elements of the sequence that is input i.  Raises ConversionError WrongArity, VariantUnsupported."""
    value = n.opt(i)
    if value is None:
        raise ConversionError(Code.WrongArity, f"{n.op_type} needs the sequence that is its input {i}", operand=i)
    producer = value.producer
    if producer is None or producer.name != SEQUENCE:
        raise n.refuse(
            f"input {i} is a {value.type} whose elements are not known at conversion time",
            "build the sequence inside of the model, or use tensors",
        )
    return producer.inputs


def _place(n: Node, i: int, count: int, what: str) -> int:
    """A constant position in a sequence, counted from the front."""
    at = known_list(n.opt(i), f"the position of {n.op_type}")[0]
    if not -count <= at < count:
        raise ConversionError(
            Code.ShapeMismatch, f"{n.op_type}: position {at} is outside of a sequence of {count} {what}"
        )
    return at + count if at < 0 else at


@RULES.rule("SequenceConstruct")
def construct(n: Node) -> Value:
    return make(n, n.xs())


@RULES.rule("SequenceEmpty")
def empty(n: Node) -> Value:
    return make(n, [])


class _Rows(NamedTuple):
    """The tensor whose slices a sequence is, the axis, whether slices keep it, and how long they are along it, but for
    the last.
    """

    x: Value
    axis: int
    keep: bool
    step: int


def _rows_of(n: Node) -> _Rows | None:
    """What input 0 is the slices of."""
    value = n.opt(0)
    op = None if value is None else value.producer
    if op is None or op.name != ROWS:
        return None
    return _Rows(op.inputs[0], *(op.attributes[k] for k in ("axis", "keep", "step")))


@RULES.rule("SequenceAt")
def at(n: Node) -> Value:
    slices = _rows_of(n)
    if slices is not None:
        if slices.step > 1:
            return _part_at(n, slices)
        place = n.y(core.Reshape(n.x(1), n.vector([1] if slices.keep else [])))
        return n.y(core.Gather(slices.x, place, axis=slices.axis))
    items = items_of(n, 0)
    if constant_array(n.x(1)) is None and len(items) > 1:
        return _one_of(n, items)
    return items[_place(n, 1, len(items), "elements")]


def _one_of(n: Node, items: list[Value]) -> Value:
    """An element whose place a run tells: all are stacked, which are of one shape."""
    shapes = {v.tensor.shape for v in items}
    if len(shapes) > 1 or None in shapes:
        kinds = ", ".join(sorted({str(v.type) for v in items})[:3])
        raise n.refuse(f"which element is taken follows from data, and the elements are {kinds}")
    stacked = n.concat([n.expand_dims(v, 0) for v in items], 0)
    return n.y(core.Gather(stacked, n.scalar(n.x(1)), axis=0))


def _part_at(n: Node, slices: _Rows) -> Value:
    """Several rows; of the last part, as many as there are."""
    place = n.cast(n.reshape(n.x(1), [1]), DType.I64)
    known = constant_array(n.x(1))
    if known is None:
        place = n.where(n.less(place, 0), n.add(place, _count(n, slices)), place)
    elif int(known.reshape(())) < 0:
        place = n.add(place, _count(n, slices))
    begin = n.mul(place, slices.step)
    return n.slice_axis(slices.x, slices.axis, begin, n.add(begin, slices.step))


def _count(n: Node, slices: _Rows) -> Value:
    """How many elements there are, int64 [1]."""
    size = n.vector([n.dim(slices.x, slices.axis)])
    if slices.step == 1:
        return size
    return n.y(core.FloorDiv(n.add(size, slices.step - 1), n.constant([slices.step], DType.I64)))


@RULES.rule("SequenceLength")
def length(n: Node) -> Value:
    slices = _rows_of(n)
    if slices is not None:
        return n.scalar(_count(n, slices))
    return n.constant(len(items_of(n, 0)), DType.I64)


@RULES.rule("SequenceInsert")
def insert(n: Node) -> Value:
    slices = _rows_of(n)
    if slices is not None and not slices.keep and n.opt(2) is None:
        return rows(n, n.concat([slices.x, n.expand_dims(n.x(1), slices.axis)], slices.axis), slices.axis, False)
    items = list(items_of(n, 0))
    place = _place(n, 2, len(items) + 1, "places") if n.opt(2) is not None else len(items)
    if n.opt(2) is not None and known_list(n.opt(2), "the position")[0] < 0:
        place -= 1  # -1 inserts before the last element
    items.insert(place, n.x(1))
    return make(n, items)


@RULES.rule("SequenceErase")
def erase(n: Node) -> Value:
    items = list(items_of(n, 0))
    place = _place(n, 1, len(items), "elements") if n.opt(1) is not None else len(items) - 1
    del items[place]
    return make(n, items)


@RULES.rule("ConcatFromSequence")
def concat(n: Node) -> Value:
    slices = _rows_of(n)
    if slices is not None and not slices.keep:
        return _joined_rows(n, slices.x, slices.axis)
    if slices is not None and not n.flag("new_axis") and n.axis(n.i("axis"), n.rank(slices.x)) == slices.axis:
        return slices.x
    items = items_of(n, 0)
    if not items:
        raise ConversionError(Code.ShapeMismatch, "ConcatFromSequence: the sequence is empty")
    rank = n.rank(items[0])
    if n.flag("new_axis"):
        axis = n.axis(n.i("axis"), rank + 1)
        return n.concat([n.expand_dims(v, axis) for v in items], axis)
    return n.concat(items, n.axis(n.i("axis"), rank))


def _joined_rows(n: Node, x: Value, axis: int) -> Value:
    """The slices of a tensor along an axis, which they lack, put together along another one or along a new one."""
    rank, is_new = n.rank(x), n.flag("new_axis")
    place = n.axis(n.i("axis"), rank if is_new else rank - 1)
    others = [i for i in range(rank) if i != axis]
    moved = n.transpose(x, [*others[:place], axis, *others[place:]])
    if is_new:
        return moved
    sizes = n.dims(moved)
    return n.reshape(moved, [*sizes[:place], n.prod(sizes[place : place + 2]), *sizes[place + 2 :]])


@RULES.rule("SplitToSequence")
def split(n: Node) -> Value:
    x = n.x(0)
    axis = n.axis(n.i("axis", 0), n.rank(x))
    size, given = n.dim(x, axis), [1]
    alike = None if n.opt(1) is None else _alike(n.x(1))
    if alike is not None:
        return rows(n, x, axis, True, alike)
    if n.opt(1) is not None:
        given = known_list(n.opt(1), "the sizes of SplitToSequence")
    is_even = n.opt(1) is None or n.x(1).tensor.rank == 0
    # with parts of one row ONNX Runtime takes the axis away, too, as torch's unbind wants it
    keep = n.flag("keepdims", True) or not is_even or given[0] != 1
    if is_even and given[0] < 1:
        raise ConversionError(Code.ShapeMismatch, f"SplitToSequence: the part size is {given[0]}")
    if not isinstance(size, int) and is_even:
        return rows(n, x, axis, keep, given[0])
    if not isinstance(size, int):
        raise ConversionError(
            Code.ShapeNotStatic,
            f"SplitToSequence: the size of axis {axis} must be known at conversion time, the input is {x.type}",
        )
    parts = given
    if is_even:
        step = given[0]
        check_table([-(-size // step), 1 << 8], "the list of parts of SplitToSequence")
        parts = [min(step, size - i) for i in range(0, size, step)]
    items = list(n.split(x, parts, axis))
    return make(n, items if keep else [n.squeeze(v, axis) for v in items])


def _alike(sizes: Value) -> int | None:
    """The number that all sizes are, of which there are as many as a run tells."""
    made = sizes.producer
    number = constant_array(made.x) if isinstance(made, core.BroadcastTo) and not sizes.tensor.is_static else None
    size = int(number.reshape(())) if number is not None and number.size == 1 else 0
    return size if size > 0 else None


@RULES.rule("SequenceMap")
def sequence_map(n: Node) -> list[Value]:
    """The body once for each element; further inputs are sequences of the same length, or tensors that every step
    sees.
    """
    body = n.region("body")
    if body is None:
        raise ConversionError(Code.AttributeInvalid, "SequenceMap needs the attribute 'body'")
    count = len(items_of(n, 0))
    columns: list[list[Value]] = []
    for i in range(n.count):
        value = n.opt(i)
        is_sequence = value is not None and value.producer is not None and value.producer.name == SEQUENCE
        columns.append(items_of(n, i) if is_sequence else [n.x(i)] * count)
    if any(len(c) != count for c in columns):
        raise ConversionError(
            Code.ShapeMismatch, f"SequenceMap: sequences of {sorted({len(c) for c in columns})} elements"
        )
    steps = [splice(n, body.block, [c[i] for c in columns]) for i in range(count)]
    return [make(n, [step[k] for step in steps]) for k in range(n.outputs)]


@RULES.rule("Optional")
def optional(n: Node) -> Value:
    value = n.opt(0)
    return value if value is not None else n.builder.emit(SourceOp(NONE, [], {}, [OpaqueType("onnx.optional")])).result


def _is_none(n: Node) -> bool:
    value = n.opt(0)
    if value is None:
        return True
    if value.producer is None and isinstance(value.type, OpaqueType) and value.type.name.startswith("onnx.optional"):
        raise n.refuse("whether an optional input of the model holds anything is not known at conversion time")
    return value.producer is not None and value.producer.name == NONE


@RULES.rule("OptionalHasElement")
def has_element(n: Node) -> Value:
    return n.constant(np.asarray(not _is_none(n)))


@RULES.rule("OptionalGetElement")
def get_element(n: Node) -> Value | None:
    if _is_none(n):
        raise ConversionError(Code.ShapeMismatch, "OptionalGetElement: the optional is empty")
    return n.opt(0)


def give_elements(function: Function) -> None:
    """A sequence that a function gives is given as its elements: outputs `NAME_0`, `NAME_1`, ..."""
    end, names, values = function.block.terminator, list[str](), list[Value]()
    for name, value in zip(function.output_names, function.outputs, strict=True):
        made = value.producer
        elements = made.inputs if made is not None and made.name == SEQUENCE else []
        values += elements or [value]
        names += [f"{name}_{i}" for i in range(len(elements))] or [name]
    if len(set(names)) == len(names) and names != function.output_names:
        edit.set_operands(end, values)
        function.output_names = names


def sweep(block: Block, engine: DiagnosticEngine) -> None:
    """Erase sequences and empty optionals that were read; one that is still used is reported."""
    for op in reversed([op for op in walk(block) if op.name in (SEQUENCE, ROWS, NONE)]):
        if op.result.uses:
            name = first_name(op.location)
            engine.error(
                ConversionError(
                    Code.VariantUnsupported,
                    "a sequence or an empty optional is given out of the model or carried by a loop",
                ),
                op.location,
                name,
            )
        else:
            edit.erase(op)
