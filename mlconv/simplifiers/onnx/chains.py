"""Nodes in a row that are one: views, transpositions, slices, casts, concatenations."""

from __future__ import annotations

import numpy as np

from mlconv.ir.constants import make_const
from mlconv.ir.dtypes import DType
from mlconv.simplifiers.onnx.graph import Graph, Node
from mlconv.simplifiers.onnx.rules import Rules
from mlconv.simplifiers.onnx.shapes import replaced, reshape_to

RULES = Rules()
_VIEWS = ("Reshape", "Flatten", "Squeeze", "Unsqueeze")


@RULES.on(*_VIEWS, "Transpose")
def _view_of_view(g: Graph, n: Node) -> bool:
    """The last of several views says all, where numbers tell its sizes."""
    inner = g.sole(n.inputs[0], *_VIEWS, "Transpose")
    if inner is None or not (_is_view(g, n) and _is_view(g, inner)):
        return False
    return reshape_to(g, n, inner.inputs[0], n.output)


def _is_view(g: Graph, n: Node) -> bool:
    """The elements stay in order; with a Transpose, where only axes of size 1 move."""
    if n.op_type != "Transpose":
        return True
    shape = g.shape(n.inputs[0])
    if shape is None:
        return False
    perm = n.integers("perm") or tuple(reversed(range(len(shape))))
    moved = [a for a in perm if shape[a] != 1]
    return moved == sorted(moved)


@RULES.on("Unsqueeze", "Squeeze")
def _axes_of_both(g: Graph, n: Node) -> bool:
    """Two that add or take axes are one."""
    inner = g.sole(n.inputs[0], n.op_type)
    if inner is None:
        return False
    rank, middle = g.rank(n.output if n.op_type == "Unsqueeze" else inner.inputs[0]), g.rank(n.inputs[0])
    last, first = g.listed(n, "axes", 1), g.listed(inner, "axes", 1)
    if rank is None or middle is None or last is None or first is None:
        return False
    if n.op_type == "Unsqueeze":  # places among the axes of the result
        new = {a % rank for a in last}
        left = [a for a in range(rank) if a not in new]
        axes = sorted(new | {left[a % middle] for a in first})
    else:  # places among the axes of what is read
        gone = {a % rank for a in first}
        left = [a for a in range(rank) if a not in gone]
        axes = sorted(gone | {left[a % middle] for a in last})
    old = list(n.inputs)
    if g.model.opset() >= 13:
        operands = [inner.inputs[0], g.add(make_const(np.asarray(axes, np.int64)), f"{n.output}/axes")]
        g.emit(n.op_type, operands, [n.output], n)
    else:
        g.emit(n.op_type, [inner.inputs[0]], [n.output], n, axes=tuple(axes))
    replaced(g, n, old)
    return True


@RULES.on("Transpose")
def _transposed_again(g: Graph, n: Node) -> bool:
    inner = g.one(n.inputs[0], "Transpose")
    rank = g.rank(n.inputs[0])
    if inner is None or rank is None:
        return False
    last, first = (m.integers("perm") or tuple(reversed(range(rank))) for m in (n, inner))
    perm = tuple(first[i] for i in last)
    if perm == tuple(range(rank)):
        return g.forward(n, n.output, inner.inputs[0])
    if g.sole(n.inputs[0], "Transpose") is None:
        return False
    old = list(n.inputs)
    g.emit("Transpose", [inner.inputs[0]], [n.output], n, perm=perm)
    replaced(g, n, old)
    return True


@RULES.on("Slice")
def _slice_of_slice(g: Graph, n: Node) -> bool:
    """Along different axes."""
    inner = g.sole(n.inputs[0], "Slice")
    rank = g.rank(n.inputs[0])
    if inner is None or rank is None:
        return False
    one, other = _ranges(g, inner, rank), _ranges(g, n, rank)
    if one is None or other is None or one.keys() & other.keys():
        return False
    whole = {**one, **other}
    axes = sorted(whole)
    lists = [[whole[a][i] for a in axes] for i in range(3)]
    old = list(n.inputs)
    if g.model.opset() >= 10:
        names = [
            g.add(make_const(np.asarray(numbers, np.int64)), f"{n.output}/{word}")
            for word, numbers in (("s", lists[0]), ("e", lists[1]), ("a", axes), ("t", lists[2]))
        ]
        g.emit("Slice", [inner.inputs[0], *(names if set(lists[2]) != {1} else names[:3])], [n.output], n)
    else:
        g.emit("Slice", [inner.inputs[0]], [n.output], n, starts=lists[0], ends=lists[1], axes=axes)
    replaced(g, n, old)
    return True


def _ranges(g: Graph, n: Node, rank: int) -> dict[int, tuple[int, int, int]] | None:
    """Start, end and step by axis."""
    starts, ends = g.listed(n, "starts", 1), g.listed(n, "ends", 2)
    if starts is None or ends is None:
        return None
    axes = g.listed(n, "axes", 3) or (None if n.has(3) else list(range(len(starts))))
    steps = g.integers(n.inputs[4]) if n.has(4) else [1] * len(starts)
    if axes is None or steps is None:
        return None
    return {a % rank: (s, e, t) for a, s, e, t in zip(axes, starts, ends, steps, strict=True)}


@RULES.on("Cast")
def _cast_of_cast(g: Graph, n: Node) -> bool:
    """The first of two casts loses nothing."""
    inner = g.one(n.inputs[0], "Cast")
    if inner is None:
        return False
    types = g.type_of(inner.inputs[0]), g.type_of(n.inputs[0])
    if types[0] is None or types[1] is None or not _holds(types[1].dtype, types[0].dtype):
        return False
    last = g.type_of(n.output)
    if last is None or last.dtype is DType.STRING:  # a text says what type it was made of
        return False
    g.set_input(n, 0, inner.inputs[0])
    return True


def _holds(wide: DType, narrow: DType) -> bool:
    """Every number of one type is one of the other."""
    if narrow is wide or narrow is DType.BOOL:
        return wide.is_float or wide is not DType.STRING
    plain = {DType.F16: 11, DType.BF16: 8, DType.F32: 24, DType.F64: 53}
    if narrow in plain:
        return wide in plain and wide.bits > narrow.bits
    if narrow.numpy.kind not in "iu" or narrow.bits < 8:
        return False
    digits = narrow.bits - narrow.is_signed_int
    if wide in plain:
        return digits <= plain[wide] and wide is not DType.F16
    if wide.numpy.kind not in "iu":
        return False
    return wide.bits - wide.is_signed_int >= digits and (wide.is_signed_int or not narrow.is_signed_int)


@RULES.on("Concat")
def _concat_of_concat(g: Graph, n: Node) -> bool:
    rank = g.rank(n.output)
    for i, name in enumerate(n.inputs):
        inner = g.sole(name, "Concat")
        if inner is None or rank is None or inner.integer("axis", 1) % rank != n.integer("axis", 1) % rank:
            continue
        n.inputs = [*n.inputs[:i], *inner.inputs, *n.inputs[i + 1 :]]
        g.reread(n)
        g.remove(inner)
        return True
    return False
