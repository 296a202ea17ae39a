"""Which numbers of the results of HLO ops are valid, from those of their operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.dialects.hlo import HloOp
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size, floordiv, product
from mlconv.legalize.to_hlo.dynamic_sizes.masks import Derived, Masks, refuse
from mlconv.legalize.to_hlo.dynamic_sizes.symbols import shape_text

# -- the ops: valid sizes of results ---------------------------------------------------------------


def joined(op: HloOp, parts: Sequence[Size]) -> Size:
    """One axis of several operands, place by place: valid as far as all are."""
    dynamic = list(dict.fromkeys(p for p in parts if isinstance(p, Dim)))
    if len(dynamic) > 1:
        raise refuse(op, f"meets the sizes {dynamic[0]} and {dynamic[1]}")
    return dynamic[0] if dynamic else parts[0]


def places(op: HloOp, masks: Masks) -> list[Derived]:
    """Elementwise ops; operands of rank 0 (of clamp, select) aside."""
    rank = len(op.results[0].tensor.static_shape())
    shapes = [s for s in map(masks.sizes.of, op.inputs) if len(s) == rank]
    return [tuple(joined(op, [s[i] for s in shapes]) for i in range(rank))] * len(op.results)


def _broadcast(op: HloOp, masks: Masks) -> list[Derived]:
    out: list[Size] = list(op.results[0].tensor.static_shape())
    for axis, size in zip(op.attributes["dimensions"], masks.sizes.of(op.inputs[0]), strict=True):
        out[axis] = size
    return [tuple(out)]


def _transpose(op: HloOp, masks: Masks) -> list[Derived]:
    shape = masks.sizes.of(op.inputs[0])
    return [tuple(shape[p] for p in op.attributes["dimensions"])]


def _reshape(op: HloOp, masks: Masks) -> list[Derived]:
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
        out[target] = floordiv(product(shape[i] for i in olds), inner)
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


def _dot(op: HloOp, masks: Masks) -> list[Derived]:
    a = op.attributes
    lhs, rhs = (masks.sizes.of(v) for v in op.inputs)
    batch = [joined(op, [lhs[i], rhs[j]]) for i, j in zip(a["lhs_batch"], a["rhs_batch"], strict=True)]
    free = [n for i, n in enumerate(lhs) if i not in (*a["lhs_contracting"], *a["lhs_batch"])]
    free += [n for i, n in enumerate(rhs) if i not in (*a["rhs_contracting"], *a["rhs_batch"])]
    for i, j in zip(a["lhs_contracting"], a["rhs_contracting"], strict=True):
        for k, axis, size, other in ((0, i, lhs[i], rhs[j]), (1, j, rhs[j], lhs[i])):
            masks.fill(op, k, axis, size if isinstance(size, Dim) else other, 0)
    return [(*batch, *free)]


def _convolution(op: HloOp, masks: Masks) -> list[Derived]:
    """Zeros behind the image; how many places the result has, the core op says."""
    a = op.attributes
    x, w = (masks.sizes.of(v) for v in op.inputs)
    if isinstance(x[a["x_layout"].index("C")], Dim) or any(isinstance(d, Dim) for d in w):
        raise refuse(op, "takes it for channels or a kernel")
    out: list[Size | None] = list(op.results[0].tensor.static_shape())
    for letter, size in zip(a["x_layout"], x, strict=True):
        if isinstance(size, Dim):
            out[a["y_layout"].index(letter)] = size if letter == "N" else None
            if letter != "N":
                masks.fill(op, 0, a["x_layout"].index(letter), size, 0)
    return [tuple(out)]


def _reduce(op: HloOp, masks: Masks) -> list[Derived]:
    """What a reduction begins with stands behind the valid part."""
    count = len(op.inputs) // 2
    axes = op.attributes["dimensions"]
    shapes = [masks.sizes.of(v) for v in op.inputs[:count]]
    whole = tuple(joined(op, [s[i] for s in shapes]) for i in range(len(shapes[0])))
    for i in range(count):
        for axis in axes:
            masks.fill(op, i, axis, whole[axis], op.inputs[count + i])
    return [tuple(d for i, d in enumerate(whole) if i not in axes)] * count


def _reduce_window(op: HloOp, masks: Masks) -> list[Derived]:
    shape = masks.sizes.of(op.inputs[0])
    out: list[Size | None] = list(op.results[0].tensor.static_shape())
    for i, (size, window) in enumerate(zip(shape, op.attributes["window"], strict=True)):
        if isinstance(size, Dim):
            k, stride, low, high, dilation, _ = window
            if window != (1, 1, 0, 0, 1, 1):
                masks.fill(op, 0, i, size, op.inputs[1])
            out[i] = size if stride == 1 and low + high == (k - 1) * dilation else None
    return [tuple(out)]


def _concatenate(op: HloOp, masks: Masks) -> list[Derived]:
    """Along another axis, or where the last part alone has a size that is not fixed."""
    (axis,) = op.attributes["dimensions"]
    shapes = [masks.sizes.of(v) for v in op.inputs]
    out: list[Size] = [joined(op, [s[i] for s in shapes]) if i != axis else 0 for i in range(len(shapes[0]))]
    for s in shapes:
        out[axis] = out[axis] + s[axis]
    if any(isinstance(s[axis], Dim) for s in shapes[:-1]):
        raise refuse(op, "puts parts behind it")
    return [tuple(out)]


def _pad(op: HloOp, masks: Masks) -> list[Derived]:
    """Elements in front move the rest; behind a dynamic size they follow it at once."""
    shape = masks.sizes.of(op.inputs[0])
    out: list[Size] = list(op.results[0].tensor.static_shape())
    for i, (size, (low, high, inner)) in enumerate(zip(shape, op.attributes["padding"], strict=True)):
        if isinstance(size, Dim):
            if inner:
                raise refuse(op, f"puts {inner} between elements along {size}")
            out[i] = size + low + high
            if high > 0:
                masks.fill(op, 0, i, size, op.inputs[1])
    return [tuple(out)]


def _slice(op: HloOp, masks: Masks) -> list[Derived]:
    a, shape, have = op.attributes, masks.sizes.of(op.inputs[0]), op.inputs[0].tensor.static_shape()
    out: list[Size | None] = list(op.results[0].tensor.static_shape())
    for i, size in enumerate(shape):
        if isinstance(size, Dim):
            whole = a["starts"][i] == 0 and a["limits"][i] == have[i] and a["strides"][i] == 1
            out[i] = size if whole else None
    return [tuple(out)]


def _dynamic_slice(op: HloOp, masks: Masks) -> list[Derived]:
    """Parts lie inside of what is valid: rules see to it."""
    shape, have = masks.sizes.of(op.inputs[0]), op.inputs[0].tensor.static_shape()
    rows = zip(shape, have, op.attributes["sizes"], strict=True)
    return [tuple(d if isinstance(d, Dim) and n == whole else n for d, whole, n in rows)]


def _reverse(op: HloOp, masks: Masks) -> list[Derived]:
    shape = masks.sizes.of(op.inputs[0])
    if any(isinstance(shape[axis], Dim) for axis in op.attributes["dimensions"]):
        raise refuse(op, "turns it around")
    return [shape]


def _gather(op: HloOp, masks: Masks) -> list[Derived]:
    """Axes that are taken whole, batch axes, and those of the indices, which are valid places as far as they are valid
    themselves.
    """
    a, x, have = op.attributes, masks.sizes.of(op.inputs[0]), op.inputs[0].tensor.static_shape()
    index, spread = list(masks.sizes.of(op.inputs[1])), op.inputs[1].tensor.static_shape()
    if a["index_vector_dim"] < len(index) and isinstance(index[a["index_vector_dim"]], Dim):
        raise refuse(op, "has index tuples along it")
    for i, j in zip(a["operand_batching_dims"], a["start_indices_batching_dims"], strict=True):
        if isinstance(x[i], Dim) and not isinstance(index[j], Dim) and spread[j] == have[i]:
            index[j] = x[i]
    if a["index_vector_dim"] < len(index):
        index.pop(a["index_vector_dim"])
    gone = (*a["collapsed_slice_dims"], *a["operand_batching_dims"])
    window = iter([x[i] if n == have[i] else n for i, n in enumerate(a["slice_sizes"]) if i not in gone])
    spots = iter(index)
    rank = len(op.results[0].tensor.static_shape())
    return [tuple(next(window) if i in a["offset_dims"] else next(spots) for i in range(rank))]


def _sort(op: HloOp, masks: Masks) -> list[Derived]:
    (axis,) = op.attributes["dimensions"]
    shapes = [masks.sizes.of(v) for v in op.inputs]
    whole = tuple(joined(op, [s[i] for s in shapes]) for i in range(len(shapes[0])))
    if isinstance(whole[axis], Dim):
        raise refuse(op, "sorts along it")
    return [whole] * len(op.results)


def _write(op: HloOp, masks: Masks, data: Value, piece: Value, window: Sequence[tuple[int, int]]) -> list[Derived]:
    """A piece put into a tensor.  window: the axes that both have; a piece that is not valid to its end is as wide as
    the tensor.
    """
    have, cut = masks.sizes.of(data), masks.sizes.of(piece)
    out: list[Size] = list(have)
    for i, j in window:
        same = data.tensor.static_shape()[i] == piece.tensor.static_shape()[j]
        if isinstance(cut[j], Dim) and not same:
            raise refuse(op, "writes a part of it")
        if same:
            out[i] = joined(op, [have[i], cut[j]])
    return [tuple(out)]


def _dynamic_update_slice(op: HloOp, masks: Masks) -> list[Derived]:
    data, piece = op.inputs[:2]
    if op.results[0] in masks.sizes.stated:
        return [masks.sizes.stated[op.results[0]]]
    return _write(op, masks, data, piece, [(i, i) for i in range(len(data.tensor.static_shape()))])


def _scatter(op: HloOp, masks: Masks) -> list[Derived]:
    """Places outside, which nothing is written to, stand behind valid ones."""
    data, indices, updates = op.inputs
    a, dtype = op.attributes, indices.tensor.dtype
    places, pieces = masks.sizes.of(indices), masks.sizes.of(updates)
    tuples = a["index_vector_dim"]
    if tuples < len(places) and isinstance(places[tuples], Dim):
        raise refuse(op, "has index tuples along it")
    spots = [j for j in range(len(pieces)) if j not in a["update_window_dims"]]
    for i, j in zip((i for i in range(len(places)) if i != tuples), spots, strict=True):
        size = joined(op, [places[i], pieces[j]])
        masks.fill(op, 1, i, size, -1 if dtype.is_signed_int else (1 << dtype.bits) - 1)
    kept = [i for i in range(len(data.tensor.static_shape())) if i not in a["inserted_window_dims"]]
    window = list(zip(kept, a["update_window_dims"], strict=True))
    return _write(op, masks, data, updates, window)


def _bitcast_convert(op: HloOp, masks: Masks) -> list[Derived]:
    """Elements of another width are parts along a last axis."""
    shape, out = masks.sizes.of(op.inputs[0]), op.results[0].tensor.static_shape()
    if len(shape) > len(out) and isinstance(shape[-1], Dim):
        raise refuse(op, "joins numbers along it")
    return [(*shape, *out[len(shape) :])[: len(out)]]


def _fft(op: HloOp, masks: Masks) -> list[Derived]:
    shape = masks.sizes.of(op.inputs[0])
    count = len(op.attributes["fft_length"])
    if any(isinstance(d, Dim) for d in shape[len(shape) - count :]):
        raise refuse(op, "transforms it")
    return [(*shape[: len(shape) - count], *op.results[0].tensor.static_shape()[len(shape) - count :])]


RULES: dict[str, Callable[[HloOp, Masks], list[Derived]]] = {
    **dict.fromkeys(("clamp", "compare", "complex", "convert", "copy", "imag", "is-finite", "real", "select"), places),
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
    "bitcast-convert": _bitcast_convert,
    "fft": _fft,
    "while": places,
    "conditional": places,
}
