"""HLO ops over sizes with a range: which numbers of a result are valid, and masks where an op would mix them with what
lies behind.

Most ops work place by place: computed at the largest size, their results are valid as far as their operands are.  Those
that join places of a dynamic axis (reduce, dot over it, concatenate along it, ...) get operands of bounded dynamic size
by set-dimension-size, for which XLA's dynamic padder puts neutral numbers in; their results get the full size again.
All else is refused.  Source: xla/service/dynamic_padder.cc, dynamic_dimension_inference.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects.hlo import HloOp, hlo_op
from mlconv.dialects.hlo_table import BINARY, UNARY
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Op, Value, captures, walk
from mlconv.ir.dims import Dim, Size, product
from mlconv.ir.size_facts import simplify
from mlconv.ir.types import Shape
from mlconv.legalize.to_hlo.dynamic_sizes.symbols import Sizes, shape_text
from mlconv.rewrite import edit
from mlconv.rewrite.convert import diagnose

Derived = tuple["Size | None", ...]  # None: as wide as the op that asked for it says


def mask_padding(block: Block, sizes: Sizes, engine: DiagnosticEngine) -> None:
    """Go over the ops of the entry in order.  What cannot be told apart is refused, with the op's name."""
    masks = _Masks(sizes)
    for op in block.ops:
        if not isinstance(op, HloOp):
            continue
        try:
            _propagate(op, masks)
        except ConversionError as error:
            engine.add(diagnose(op, error))
            return


def _propagate(op: HloOp, masks: _Masks) -> None:
    sizes = masks.sizes
    if not any(
        v in sizes.shapes
        for v in (*op.inputs, *(v for region in op.regions for v in (*captures(region), *_made_in(region.block))))
    ):
        return
    rule = _RULES.get(op.opcode, _places if op.opcode in UNARY or op.opcode in BINARY else None)
    if rule is None:
        raise refuse(op, "has no form for it")
    for value, derived in zip(list(op.results), rule(op, masks), strict=True):
        derived = tuple(None if d is None else simplify(d, sizes.facts) for d in derived)
        shape = _agreed(op, derived, sizes.shapes.get(value), value.tensor.static_shape())
        if any(isinstance(d, Dim) for d in shape):
            sizes.shapes[value] = shape
    masks.close(op)


def _made_in(block: Block) -> list[Value]:
    return [
        *block.arguments,
        *(
            v
            for op in walk(block)
            for v in (*op.results, *(a for region in op.regions for a in region.block.arguments))
        ),
    ]


def refuse(op: HloOp, why: str) -> ConversionError:
    """The refusal of an op over a size that is not fixed."""
    what = op.attributes.get("op_type") or op.opcode
    return ConversionError(
        Code.TargetLacksOp,
        f"{what} over a size with a range: {op.opcode} {why}",
        help="pin the size with --shape NAME=D,D,...",
    )


def _agreed(op: HloOp, derived: Derived, want: Shape | None, largest: Sequence[int]) -> Shape:
    """What follows from the operands against what the core op promised; a part that is valid to its end holds any
    smaller one.
    """
    if want is None:
        if any(d is None for d in derived):
            raise refuse(op, "takes a part whose size is not known")
        return tuple(d for d in derived if d is not None)
    for d, w, n in zip(derived, want, largest, strict=True):
        if d is not None and d != w and d != n:
            raise refuse(
                op, f"gives {shape_text([n if x is None else x for x in derived])}, the model has {shape_text(want)}"
            )
    return want


class _Masks:
    """Values with bounded dynamic sizes."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.made: dict[tuple[Value, int], Value] = {}
        self.opened: list[int] = []
        self.loops = 0

    def operand(self, op: HloOp, i: int, axis: int, size: Size) -> None:
        """Give operand i a size along an axis, if that is not fixed."""
        if not isinstance(size, Dim):
            return
        if self.loops:
            raise refuse(op, "joins numbers along it in a loop")
        x = op.inputs[i]
        found = self.made.get((x, axis))
        if found is None:
            bounded = x.tensor.bounded | {axis}
            found = self.made[x, axis] = _with_size(op, x, axis, self.sizes.value(size), bounded, op)
        edit.set_operand(op, i, found)

    def result(self, axis: int) -> None:
        """The result of the op at hand has a bounded size along an axis; `close` gives it the full one again."""
        self.opened.append(axis)

    def close(self, op: HloOp) -> None:
        for axis in self.opened:
            y = op.results[0]
            edit.retype(y, y.tensor.with_bounded(y.tensor.bounded | {axis}))
            uses, largest = list(y.uses), self.sizes.value(y.tensor.static_shape()[axis])
            z = _with_size(op, y, axis, largest, y.tensor.bounded - {axis}, op.next)
            for user, i in uses:
                edit.set_operand(user, i, z)
            known = self.sizes.shapes.pop(y, None)
            if known is not None:
                self.sizes.shapes[z] = known
        self.opened = []


def _with_size(op: HloOp, x: Value, axis: int, size: Value, bounded: frozenset[int], before: Op | None) -> Value:
    """x with a size along an axis.  bounded: axes of the result whose sizes are bounds."""
    if op.block is None or op.location is None:
        raise ConversionError(Code.InternalError, f"{op.name} is in no block")
    attributes = {"dimensions": (axis,), "op_type": op.attributes.get("op_type", "")}
    return (
        Builder(op.block, op.location, before)
        .emit(hlo_op("set-dimension-size", [x, size], attributes, [x.tensor.with_bounded(bounded)]))
        .results[0]
    )


# -- the ops: valid sizes of results ---------------------------------------------------------------


def _joined(op: HloOp, parts: Sequence[Size]) -> Size:
    """One axis of several operands, place by place: valid as far as all are."""
    dynamic = list(dict.fromkeys(p for p in parts if isinstance(p, Dim)))
    if len(dynamic) > 1:
        raise refuse(op, f"meets the sizes {dynamic[0]} and {dynamic[1]}")
    return dynamic[0] if dynamic else parts[0]


def _places(op: HloOp, masks: _Masks) -> list[Derived]:
    """Elementwise ops; operands of rank 0 (of clamp, select) aside."""
    rank = len(op.results[0].tensor.static_shape())
    shapes = [s for s in map(masks.sizes.of, op.inputs) if len(s) == rank]
    return [tuple(_joined(op, [s[i] for s in shapes]) for i in range(rank))] * len(op.results)


def _broadcast(op: HloOp, masks: _Masks) -> list[Derived]:
    out: list[Size] = list(op.results[0].tensor.static_shape())
    for axis, size in zip(op.attributes["dimensions"], masks.sizes.of(op.inputs[0]), strict=True):
        out[axis] = size
    return [tuple(out)]


def _transpose(op: HloOp, masks: _Masks) -> list[Derived]:
    shape = masks.sizes.of(op.inputs[0])
    return [tuple(shape[p] for p in op.attributes["dimensions"])]


def _reshape(op: HloOp, masks: _Masks) -> list[Derived]:
    """Groups of axes with equal products: a dynamic size may lead its group, then the front of the data stays the
    front.
    """
    shape, have, want = (
        masks.sizes.of(op.inputs[0]),
        op.inputs[0].tensor.static_shape(),
        op.results[0].tensor.static_shape(),
    )
    out: list[Size] = list(want)
    for olds, news in _groups(have, want):
        dynamic = [i for i in olds if isinstance(shape[i], Dim)]
        if not dynamic:
            continue
        first = next(i for i in olds if have[i] != 1)
        target = next(i for i in news if want[i] != 1)
        if dynamic != [first]:
            raise refuse(op, f"from {shape_text(shape)} to {list(want)} would move rows together")
        inner = product(want[i] for i in news if i != target)
        total = product(shape[i] for i in olds)
        quotient = total // inner
        if quotient * inner != total:
            raise refuse(op, f"from {shape_text(shape)} to {list(want)} does not come out even")
        out[target] = quotient
    return [tuple(out)]


def _groups(have: Sequence[int], want: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """The finest runs of axes of both shapes that hold the same elements."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(have) or j < len(want):
        olds, news, a, b = [], [], 1, 1
        while True:
            if i < len(have) and (a <= b or j >= len(want)):
                olds.append(i)
                a, i = a * have[i], i + 1
            elif j < len(want):
                news.append(j)
                b, j = b * want[j], j + 1
            if (a == b and a > 1) or (i >= len(have) and j >= len(want)):
                break
        groups.append((olds, news))
    return groups


def _dot(op: HloOp, masks: _Masks) -> list[Derived]:
    a = op.attributes
    lhs, rhs = (masks.sizes.of(v) for v in op.inputs)
    batch = [_joined(op, [lhs[i], rhs[j]]) for i, j in zip(a["lhs_batch"], a["rhs_batch"], strict=True)]
    free = [n for i, n in enumerate(lhs) if i not in (*a["lhs_contracting"], *a["lhs_batch"])]
    free += [n for i, n in enumerate(rhs) if i not in (*a["rhs_contracting"], *a["rhs_batch"])]
    for i, j in zip(a["lhs_contracting"], a["rhs_contracting"], strict=True):
        size = _joined(op, [lhs[i], rhs[j]])
        masks.operand(op, 0, i, size)
        masks.operand(op, 1, j, size)
    return [(*batch, *free)]


def _convolution(op: HloOp, masks: _Masks) -> list[Derived]:
    a = op.attributes
    x, w = (masks.sizes.of(v) for v in op.inputs)
    if any(isinstance(d, Dim) for i, d in enumerate(x) if i != a["x_layout"].index("N")) or any(
        isinstance(d, Dim) for d in w
    ):
        raise refuse(op, "runs on XLA with a dynamic batch only")
    out: list[Size] = list(op.results[0].tensor.static_shape())
    out[a["y_layout"].index("N")] = x[a["x_layout"].index("N")]
    return [tuple(out)]


def _reduce(op: HloOp, masks: _Masks) -> list[Derived]:
    count = len(op.inputs) // 2
    axes = op.attributes["dimensions"]
    shapes = [masks.sizes.of(v) for v in op.inputs[:count]]
    whole = tuple(_joined(op, [s[i] for s in shapes]) for i in range(len(shapes[0])))
    for i in range(count):
        for axis in axes:
            masks.operand(op, i, axis, whole[axis])
    return [tuple(d for i, d in enumerate(whole) if i not in axes)] * count


def _reduce_window(op: HloOp, masks: _Masks) -> list[Derived]:
    shape = masks.sizes.of(op.inputs[0])
    out: list[Size] = list(op.results[0].tensor.static_shape())
    for i, (size, window) in enumerate(zip(shape, op.attributes["window"], strict=True)):
        if isinstance(size, Dim):
            if window != (1, 1, 0, 0, 1, 1):
                raise refuse(op, f"has a window along {size}")
            out[i] = size
    return [tuple(out)]


def _concatenate(op: HloOp, masks: _Masks) -> list[Derived]:
    (axis,) = op.attributes["dimensions"]
    shapes = [masks.sizes.of(v) for v in op.inputs]
    out: list[Size] = [_joined(op, [s[i] for s in shapes]) if i != axis else 0 for i in range(len(shapes[0]))]
    for s in shapes:
        out[axis] = out[axis] + s[axis]
    if any(isinstance(s[axis], Dim) for s in shapes):
        for i, s in enumerate(shapes):
            masks.operand(op, i, axis, s[axis])
        masks.result(axis)
    return [tuple(out)]


def _pad(op: HloOp, masks: _Masks) -> list[Derived]:
    """Elements in front move the rest; behind a dynamic size they must follow it."""
    shape = masks.sizes.of(op.inputs[0])
    out: list[Size] = list(op.results[0].tensor.static_shape())
    for i, (size, (low, high, inner)) in enumerate(zip(shape, op.attributes["padding"], strict=True)):
        if isinstance(size, Dim):
            if inner or low < 0:
                raise refuse(op, f"of {low}, {high} and {inner} between along {size}")
            out[i] = size + low + high
            if high > 0:
                masks.operand(op, 0, i, size)
                masks.result(i)
    return [tuple(out)]


def _slice(op: HloOp, masks: _Masks) -> list[Derived]:
    a, shape, have = op.attributes, masks.sizes.of(op.inputs[0]), op.inputs[0].tensor.static_shape()
    out: list[Size | None] = list(op.results[0].tensor.static_shape())
    for i, size in enumerate(shape):
        if isinstance(size, Dim):
            whole = a["starts"][i] == 0 and a["limits"][i] == have[i] and a["strides"][i] == 1
            out[i] = size if whole else None
    return [tuple(out)]


def _dynamic_slice(op: HloOp, masks: _Masks) -> list[Derived]:
    shape, have = masks.sizes.of(op.inputs[0]), op.inputs[0].tensor.static_shape()
    if any(
        isinstance(d, Dim) and n != have[i] for i, (d, n) in enumerate(zip(shape, op.attributes["sizes"], strict=True))
    ):
        raise refuse(op, "takes a part of it")
    out = op.results[0].tensor.static_shape()
    return [tuple(d if isinstance(d, Dim) else n for d, n in zip(shape, out, strict=True))]


def _reverse(op: HloOp, masks: _Masks) -> list[Derived]:
    shape = masks.sizes.of(op.inputs[0])
    for axis in op.attributes["dimensions"]:
        if isinstance(shape[axis], Dim):
            masks.operand(op, 0, axis, shape[axis])
            masks.result(axis)
    return [shape]


def _gather(op: HloOp, masks: _Masks) -> list[Derived]:
    """Axes that are taken whole, batch axes, and those of the indices."""
    a, x, have = op.attributes, masks.sizes.of(op.inputs[0]), op.inputs[0].tensor.static_shape()
    index = list(masks.sizes.of(op.inputs[1]))
    if a["index_vector_dim"] < len(index) and isinstance(index.pop(a["index_vector_dim"]), Dim):
        raise refuse(op, "has index tuples along it")
    batching = dict(zip(a["operand_batching_dims"], a["start_indices_batching_dims"], strict=True))
    for i, (size, n) in enumerate(zip(x, a["slice_sizes"], strict=True)):
        if isinstance(size, Dim) and i not in batching and n != have[i]:
            raise refuse(op, "picks along it")
    for i, j in batching.items():
        index[j] = _joined(op, [x[i], index[j]])
    gone = (*a["collapsed_slice_dims"], *a["operand_batching_dims"])
    window = iter([x[i] if n == have[i] else n for i, n in enumerate(a["slice_sizes"]) if i not in gone])
    spots = iter(index)
    rank = len(op.results[0].tensor.static_shape())
    return [tuple(next(window) if i in a["offset_dims"] else next(spots) for i in range(rank))]


def _sort(op: HloOp, masks: _Masks) -> list[Derived]:
    (axis,) = op.attributes["dimensions"]
    shapes = [masks.sizes.of(v) for v in op.inputs]
    whole = tuple(_joined(op, [s[i] for s in shapes]) for i in range(len(shapes[0])))
    if isinstance(whole[axis], Dim):
        raise refuse(op, "sorts along it")
    return [whole] * len(op.results)


def _write(op: HloOp, masks: _Masks, data: Value, piece: Value, window: Sequence[tuple[int, int]]) -> list[Derived]:
    """A piece put into a tensor.  window: the axes that both have; along dynamic ones the piece is as wide as the
    tensor.
    """
    have, cut = masks.sizes.of(data), masks.sizes.of(piece)
    out: list[Size] = list(have)
    for i, j in window:
        if isinstance(have[i], Dim) or isinstance(cut[j], Dim):
            if data.tensor.static_shape()[i] != piece.tensor.static_shape()[j]:
                raise refuse(op, "writes a part of it")
            out[i] = _joined(op, [have[i], cut[j]])
    spots = [d for i, d in enumerate(have) if i not in {i for i, _ in window}] + [
        d for j, d in enumerate(cut) if j not in {j for _, j in window}
    ]
    if any(isinstance(d, Dim) for d in spots):
        raise refuse(op, "writes at places along it")
    return [tuple(out)]


def _dynamic_update_slice(op: HloOp, masks: _Masks) -> list[Derived]:
    data, piece = op.inputs[:2]
    return _write(op, masks, data, piece, [(i, i) for i in range(len(data.tensor.static_shape()))])


def _scatter(op: HloOp, masks: _Masks) -> list[Derived]:
    data, indices, updates = op.inputs
    if indices in masks.sizes.shapes:
        raise refuse(op, "has index tuples along it")
    kept = [i for i in range(len(data.tensor.static_shape())) if i not in op.attributes["inserted_window_dims"]]
    return _write(op, masks, data, updates, list(zip(kept, op.attributes["update_window_dims"], strict=True)))


def _while(op: HloOp, masks: _Masks) -> list[Derived]:
    """What a loop carries is valid as far as all that goes in and all that comes back.  Its body works place by place,
    or is refused.
    """
    sizes, blocks = masks.sizes, [region.block for region in op.regions]
    inside = [v for block in blocks for v in _made_in(block)]
    wanted = {v: sizes.shapes[v] for v in inside if v in sizes.shapes}
    carried = [sizes.of(v) for v in op.inputs]
    masks.loops += 1
    while True:  # each turn lets at least one more size move
        for v in inside:
            sizes.shapes.pop(v, None)
        sizes.shapes.update(wanted)
        for argument, shape in ((a, s) for block in blocks for a, s in zip(block.arguments, carried, strict=True)):
            joined = _meet(op, shape, sizes.of(argument))
            if any(isinstance(d, Dim) for d in joined):
                sizes.shapes[argument] = joined
        for inner in (o for block in blocks for o in block.ops if isinstance(o, HloOp)):
            _propagate(inner, masks)
        back = [_meet(op, a, sizes.of(v)) for a, v in zip(carried, blocks[1].outputs, strict=True)]
        if back == carried:
            break
        carried = back
    masks.loops -= 1
    return list(carried)


def _meet(op: HloOp, a: Shape, b: Shape) -> Shape:
    return tuple(_joined(op, pair) for pair in zip(a, b, strict=True))


_RULES: dict[str, Callable[[HloOp, _Masks], list[Derived]]] = {
    **dict.fromkeys(("clamp", "compare", "complex", "convert", "copy", "imag", "is-finite", "real", "select"), _places),
    "broadcast": _broadcast,
    "transpose": _transpose,
    "reshape": _reshape,
    "dot": _dot,
    "convolution": _convolution,
    "reduce": _reduce,
    "reduce-window": _reduce_window,
    "concatenate": _concatenate,
    "pad": _pad,
    "slice": _slice,
    "dynamic-slice": _dynamic_slice,
    "reverse": _reverse,
    "gather": _gather,
    "sort": _sort,
    "dynamic-update-slice": _dynamic_update_slice,
    "scatter": _scatter,
    "while": _while,
}
