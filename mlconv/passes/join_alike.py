"""What a model does alike with every step of a tensor is done once, with the tensor: loops over time that exporters
write out, `TimeDistributed` of Keras.

A concatenation of results is followed back through ops that are the same for all steps, and that look at no other
step, to the elements of one tensor along one axis.  The same ops on the tensor give what was concatenated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, NamedTuple, TypeAlias

from mlconv.dialects import core
from mlconv.dialects.core.reduce import REDUCTIONS
from mlconv.dialects.core.shape import ints_of
from mlconv.ir.core import Op, Value
from mlconv.ir.module import Function
from mlconv.ir.shapes import MATRIX, static
from mlconv.ir.spec import OpDef, known_ints
from mlconv.ir.traits import Elementwise, Impure, has_trait
from mlconv.ir.types import Shape, TensorType
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.passes.patterns.slices import cut_axes
from mlconv.rewrite import Rewriter, edit
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import remake

_DEEPEST = 64  # ops between a concatenation and the tensor
Steps: TypeAlias = tuple[Value, ...]
Column: TypeAlias = tuple[Value | None, ...]


class JoinAlike(Pass):
    """What is done alike with every step of a tensor is done with the tensor."""

    name: ClassVar[str] = "join-alike"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        pending, joined = [function.block], 0
        while pending:
            block = pending.pop()
            pending.extend(region.block for op in block.ops for region in op.regions)
            joined += sum(_join(op) for op in list(block.ops) if isinstance(op, core.Concat))
        context.count(self.name, joined)
        if joined:
            eliminate_dead_code(function.block)


class _Place(NamedTuple):
    """Where the steps are in the tensor.  is_there: each step has the axis, with size 1; else it has no such axis."""

    axis: int
    is_there: bool


def _join(op: core.Concat) -> bool:
    """Whether what is concatenated is computed of a tensor now."""
    steps = tuple(op.xs)
    wholes = _Wholes(takes_some=op.y.tensor.dtype.is_float)  # of integers, sizes are followed one by one
    place = wholes.find(steps) if len(steps) > 1 else None
    after = op.y.tensor.shape
    if place is None or after is None or not wholes.are_read_by(op):
        return False
    if all(isinstance(inner[0].producer, core.Reshape) for inner in wholes.inner):
        return False
    rw = Rewriter(op)
    y = _moved(wholes.make(steps, rw), place.axis, op.axis, rw)
    if not place.is_there:
        sizes = [n if isinstance(n, int) else -1 for n in after]
        y = CoreBuilder(rw).reshape(y, sizes) if sizes.count(-1) <= 1 else y
    if y.type != op.y.type:
        rw.undo()
        return False
    edit.replace(op, [y])
    return True


def _moved(x: Value, axis: int, to: int, rw: Rewriter) -> Value:
    """A value with an axis at another place."""
    order = [i for i in range(len(x.tensor.shape or ())) if i != axis]
    order.insert(to, axis)
    return x if axis == to else rw.emit(core.Transpose(x, perm=tuple(order))).y


class _Wholes:
    """What the steps of values are steps of.  inner: those that ops compute; the first was found last.  takes_some:
    they may be some elements of a vector, as height and width are of a shape.
    """

    def __init__(self, takes_some: bool) -> None:
        self.takes_some = takes_some
        self.some: dict[Steps, tuple[Value, list[int]]] = {}
        self.places: dict[Steps, _Place | None] = {}
        self.sources: dict[Steps, Value] = {}
        self.inner: list[Steps] = []

    def find(self, steps: Steps, depth: int = 0) -> _Place | None:
        if steps not in self.places:
            self.places[steps] = self._leaf(steps) or (self._behind(steps, depth) if depth < _DEEPEST else None)
        return self.places[steps]

    def _leaf(self, steps: Steps) -> _Place | None:
        """All elements of a tensor along an axis, in order, or some of a vector."""
        found = [f for f in map(_element, steps) if f is not None]
        if len(found) < len(steps) or any(f.x is not found[0].x or f.place != found[0].place for f in found):
            return None
        x, numbers, place = found[0].x, [f.number for f in found], found[0].place
        size = (x.tensor.shape or ())[place.axis]
        if numbers == list(range(len(steps))) and size == len(steps):
            self.sources[steps] = x
            return place
        is_some = self.takes_some and x.tensor.rank == 1 and not place.is_there
        if not is_some or not isinstance(size, int) or not all(0 <= n < size for n in numbers):
            return None
        self.some[steps] = x, numbers
        return place

    def _behind(self, steps: Steps, depth: int) -> _Place | None:
        """What one op after the other computes alike."""
        ops = [value.producer for value in steps]
        op = ops[0]
        if not isinstance(op, OpDef) or not all(_is_alike(value, op) for value in steps):
            return None
        inside, columns = list[_Place](), list(_columns(ops))
        for operands in columns:
            values = tuple(v for v in operands if v is not None)
            if any(v is not operands[0] for v in operands):
                place = self.find(values, depth + 1) if len(values) == len(operands) else None
                if place is None or (inside and place != inside[0]):
                    return None
                inside.append(place)
        result = _place_behind(op, inside[0], columns) if inside else None
        if result is not None:
            self.inner.append(steps)
        return result

    def are_read_by(self, last: Op) -> bool:
        """Whether nothing else reads what is computed for steps."""
        members = {value.producer for inner in self.inner for value in inner}
        return all(u is last or u in members for inner in self.inner for value in inner for u in value.users)

    def make(self, steps: Steps, rw: Rewriter) -> Value:
        """The tensor that has all the steps."""
        made = dict(self.sources)
        made |= {some: CoreBuilder(rw).gather(x, numbers) for some, (x, numbers) in self.some.items()}
        for inner in self.inner:
            made[inner] = self._made(inner, made, rw)
        return made[steps]

    def _made(self, steps: Steps, made: dict[Steps, Value], rw: Rewriter) -> Value:
        ops = [op for value in steps if isinstance(op := value.producer, OpDef)]
        first, place = ops[0], self.places[steps]
        columns = [tuple(v for v in column if v is not None) for column in _columns(ops)]
        wholes = [made.get(column) for column in columns]
        before = next(self.places[c] for c, whole in zip(columns, wholes, strict=True) if whole is not None)
        if place is None or before is None:
            raise ValueError(f"{first.name} has no place for the steps")
        if isinstance(first, core.Reshape):
            return _moved(next(w for w in wholes if w is not None), before.axis, place.axis, rw)
        rank = len(first.results[0].tensor.shape or ()) if has_trait(first, Elementwise) else 0
        operands = [
            whole if whole is not None else _beside(column[0] if column else None, rank, before, rw)
            for column, whole in zip(columns, wholes, strict=True)
        ]
        changes: dict[str, object] = {}
        if isinstance(first, REDUCTIONS):
            changes["axes"] = _shifted(first.axes, before)
        elif isinstance(first, (core.Softmax, core.LogSoftmax)):
            changes["axis"] = _shifted((first.axis,), before)[0]
        return rw.emit_at(remake(first, operands, **changes), *ops, by="join-alike").results[0]


def _shifted(axes: tuple[int, ...], place: _Place) -> tuple[int, ...]:
    """Axes of a step as those of the tensor."""
    return axes if place.is_there else tuple(a + (a >= place.axis) for a in axes)


class _Element(NamedTuple):
    x: Value
    number: int
    place: _Place


def _element(value: Value) -> _Element | None:
    """Which element of a tensor along one axis a value is."""
    op = value.producer
    if isinstance(op, core.Gather):
        number = ints_of(op.indices)
        fits = number is not None and op.indices.tensor.shape == () and not op.batch_dims
        return _Element(op.x, number[0], _Place(op.axis, False)) if fits and number else None
    if isinstance(op, core.Split):
        axis = op.axis % max(len(op.x.tensor.shape or ()), 1)
        is_each = all(n == 1 for n in op.sizes)
        return _Element(op.x, op.results.index(value), _Place(axis, True)) if is_each else None
    axes = cut_axes(op) if isinstance(op, core.Slice) else None
    if not isinstance(op, core.Slice) or axes is None or len(axes) != 1:
        return None
    (axis,), steps, begins = axes, known_ints(op.strides), known_ints(op.begin)
    size, begin = (op.x.tensor.shape or ())[axis], None if begins is None else begins[axis]
    if (op.y.tensor.shape or ())[axis] != 1 or steps is None or steps[axis] != 1 or not isinstance(size, int):
        return None
    if not op.begin_mask >> axis & 1 and not isinstance(begin, int):
        return None
    first = None if op.begin_mask >> axis & 1 or not isinstance(begin, int) else begin
    return _Element(op.x, slice(first, None).indices(size)[0], _Place(axis, True))


def _is_alike(value: Value, op: OpDef) -> bool:
    """A value made by an op like another one, of floats or integers as they are."""
    other = value.producer
    if type(other) is not type(op) or other.attributes != op.attributes or other.regions or len(other.results) != 1:
        return False
    if len(other.operands) != len(op.operands):
        return False
    plain = all(isinstance(v.type, TensorType) and v.tensor.quant is None for v in (*other.inputs, value))
    return plain and value.tensor.shape is not None and value.type == op.results[0].type and not has_trait(op, Impure)


def _columns(ops: Iterable[Op | None]) -> Iterator[Column]:
    """What ops read, place by place; the sizes of a reshape are those of its result."""
    rows = ([op.x] if isinstance(op, core.Reshape) else op.operands for op in ops if op is not None)
    return zip(*rows, strict=True)


def _place_behind(op: OpDef, place: _Place, columns: list[Column]) -> _Place | None:
    """Where the steps are in what an op gives; None where it looks at other steps, too.  columns: what the ops of all
    steps read, by place.
    """
    shared = [c[0] if all(v is c[0] for v in c) else None for c in columns]
    own = [
        c[0].tensor.shape or () for c, same in zip(columns, shared, strict=True) if same is None and c[0] is not None
    ]
    after, before = op.results[0].tensor.shape or (), own[0]
    if isinstance(op, core.Reshape):
        return _reshaped(before, after, place)
    if isinstance(op, core.MatMul):
        last, b = len(before) - place.is_there, shared[1]
        fits = shared[0] is None and b is not None and len(b.tensor.shape or ()) == MATRIX and not op.transpose_a
        return place if fits and place.axis < last and len(before) >= MATRIX else None
    if isinstance(op, (core.Softmax, core.LogSoftmax)):
        return place if op.axis >= 0 and not (place.is_there and op.axis == place.axis) else None
    if isinstance(op, REDUCTIONS):
        if min(op.axes, default=0) < 0 or (place.is_there and place.axis in op.axes):
            return None
        gone = 0 if op.keepdims else sum(a < place.axis for a in op.axes)
        return place._replace(axis=place.axis - gone)
    if not has_trait(op, Elementwise) or any(len(shape) != len(after) for shape in own):
        return None
    return place if all(v is None or _is_free(v, len(after), place) for v in shared) else None


def _reshaped(before: Shape, after: Shape, place: _Place) -> _Place | None:
    """A reshape that takes the axis of the steps out, or puts it in, at whatever place."""
    if place.is_there:
        return place._replace(is_there=False) if (*before[: place.axis], *before[place.axis + 1 :]) == after else None
    for axis in sorted(range(len(after)), key=lambda a: (a != place.axis, a)):
        if after[axis] == 1 and (*after[:axis], *after[axis + 1 :]) == before:
            return _Place(axis, True)
    return None


def _is_free(value: Value, rank: int, place: _Place) -> bool:
    """What every step reads is the same for all: it has no axis, or one of size 1, where the steps are."""
    shape = value.tensor.shape
    if shape is None or len(shape) > rank:
        return False
    at = place.axis - (rank - len(shape))
    return at < 0 or shape[at] == 1 if place.is_there else at <= 0 or static(shape) is not None


def _beside(value: Value | None, rank: int, place: _Place, rw: Rewriter) -> Value | None:
    """What every step reads, for all of them.  rank: of what is broadcast; 0 where nothing is."""
    shape = () if value is None else static(value.tensor.shape)
    at = place.axis - (rank - len(shape or ()))
    if value is None or not rank or place.is_there or at <= 0 or shape is None:
        return value
    return CoreBuilder(rw).reshape(value, [*shape[:at], 1, *shape[at:]])
