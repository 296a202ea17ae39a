"""What the table of HLO ops does not say: shapes of operands and results agree, op by op.

XLA aborts the process on some malformed modules, so nothing may leave here that its shape inference would refuse.
Source: xla/service/shape_inference.cc.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.window import spatial
from mlconv.dialects.hlo_table import BINARY, UNARY
from mlconv.ir.dtypes import DType
from mlconv.ir.target_op import TargetOp
from mlconv.ir.types import TensorType

Ints = tuple[int, ...]
_BITS = frozenset({"and", "or", "xor", "not"})
_SHIFTS = frozenset({"shift-left", "shift-right-arithmetic", "shift-right-logical"})


def check(op: TargetOp, opcode: str) -> None:
    """Raises ConversionError ArtifactInvalid when an op's types do not fit together."""
    for value in (*op.inputs, *op.results):
        if not isinstance(value.type, TensorType) or not value.type.is_static:
            raise _wrong(op, f"{value.type} is not a tensor of static shape")
    if len(op.inputs) != len(op.operands):
        raise _wrong(op, "an operand is missing")
    if opcode in UNARY or opcode in BINARY:
        _elementwise(op, opcode)
    elif opcode in _CHECKS:
        _CHECKS[opcode](op)


def _wrong(op: TargetOp, why: str) -> ConversionError:
    results = ", ".join(str(v.type) for v in op.results)
    return ConversionError(
        Code.ArtifactInvalid, f"{op.describe()} giving {results} is malformed: {why}", location=op.location
    )


def _shape(op: TargetOp, i: int = 0) -> Ints:
    return op.inputs[i].tensor.static_shape()


def _same(op: TargetOp, got: Ints, what: str = "result") -> None:
    want = op.results[0].tensor.static_shape()
    if got != want:
        raise _wrong(op, f"the {what} should be {list(got)}")


def _elementwise(op: TargetOp, opcode: str) -> None:
    if len(op.inputs) != (1 if opcode in UNARY else 2):
        raise _wrong(op, f"it has {len(op.inputs)} operands")
    dtype = op.inputs[0].tensor.dtype
    if (opcode in _BITS and not (dtype.is_int or dtype is DType.BOOL)) or (opcode in _SHIFTS and not dtype.is_int):
        raise _wrong(op, "it works on integers")
    for value in op.inputs:
        if value.tensor.dtype is not op.results[0].tensor.dtype and opcode != "abs":
            raise _wrong(op, "element types differ")
        _same(op, value.tensor.static_shape())


def _same_shapes(op: TargetOp) -> None:
    for value in op.inputs:
        _same(op, value.tensor.static_shape())


def _select(op: TargetOp) -> None:
    _same_shapes(op)
    if op.inputs[0].tensor.dtype is not DType.BOOL or op.inputs[1].tensor.dtype is not op.inputs[2].tensor.dtype:
        raise _wrong(op, "element types do not fit")


def _broadcast(op: TargetOp) -> None:
    have, want, at = _shape(op), op.results[0].tensor.static_shape(), op.attributes["dimensions"]
    if (
        list(at) != sorted(set(at))
        or len(at) != len(have)
        or any(not 0 <= i < len(want) or want[i] != n for i, n in zip(at, have, strict=True))
    ):
        raise _wrong(op, f"axes {list(at)} do not fit")


def _reshape(op: TargetOp) -> None:
    if math.prod(_shape(op)) != math.prod(op.results[0].tensor.static_shape()):
        raise _wrong(op, "sizes differ")


def _transpose(op: TargetOp) -> None:
    perm, shape = op.attributes["dimensions"], _shape(op)
    if sorted(perm) != list(range(len(shape))):
        raise _wrong(op, f"{list(perm)} is not a permutation")
    _same(op, tuple(shape[p] for p in perm))


def _concatenate(op: TargetOp) -> None:
    (axis,) = op.attributes["dimensions"]
    shapes = [v.tensor.static_shape() for v in op.inputs]
    if any(s[:axis] != shapes[0][:axis] or s[axis + 1 :] != shapes[0][axis + 1 :] for s in shapes):
        raise _wrong(op, "shapes differ")
    _same(op, (*shapes[0][:axis], sum(s[axis] for s in shapes), *shapes[0][axis + 1 :]))


def _slice(op: TargetOp) -> None:
    a, shape = op.attributes, _shape(op)
    out = []
    for n, start, limit, stride in zip(shape, a["starts"], a["limits"], a["strides"], strict=True):
        if not (0 <= start <= limit <= n and stride > 0):
            raise _wrong(op, f"[{start}:{limit}:{stride}] leaves the size {n}")
        out.append(-(-(limit - start) // stride))
    _same(op, tuple(out))


def _pad(op: TargetOp) -> None:
    _same(
        op,
        tuple(
            n + lo + hi + max(n - 1, 0) * inner
            for n, (lo, hi, inner) in zip(_shape(op), op.attributes["padding"], strict=True)
        ),
    )


def _dot(op: TargetOp) -> None:
    a, lhs, rhs = op.attributes, _shape(op, 0), _shape(op, 1)
    for x, y in ((a["lhs_contracting"], a["rhs_contracting"]), (a["lhs_batch"], a["rhs_batch"])):
        if [lhs[i] for i in x] != [rhs[i] for i in y]:
            raise _wrong(op, "sizes of joined axes differ")
    free = [n for i, n in enumerate(lhs) if i not in (*a["lhs_contracting"], *a["lhs_batch"])]
    free += [n for i, n in enumerate(rhs) if i not in (*a["rhs_contracting"], *a["rhs_batch"])]
    _same(op, (*(lhs[i] for i in a["lhs_batch"]), *free))


def _windowed(op: TargetOp, sizes: Ints) -> Ints:
    out = []
    for n, (k, s, lo, hi, d, base) in zip(sizes, op.attributes["window"], strict=True):
        room = max(0, (n - 1) * base + 1) + lo + hi - ((k - 1) * d + 1)
        if min(k, s, d, base) < 1:
            raise _wrong(op, "a window size, stride or dilation is not positive")
        out.append(room // s + 1 if room >= 0 else 0)
    return tuple(out)


def _convolution(op: TargetOp) -> None:
    a, x, w = op.attributes, _shape(op, 0), _shape(op, 1)
    xl, wl, yl = a["x_layout"], a["w_layout"], a["y_layout"]
    channels, inner, outer = x[xl.index("C")], w[wl.index("I")], w[wl.index("O")]
    if channels != inner * a["groups"] or outer % a["groups"]:
        raise _wrong(op, f"{channels} channels in {a['groups']} groups against a kernel of {inner} x {outer}")
    taps = tuple(w[i] for i in spatial(wl))
    if taps != tuple(k for k, *_ in a["window"]):
        raise _wrong(op, f"the window is not {list(taps)}")
    sizes = dict(zip((str(i) for i in range(len(taps))), _windowed(op, tuple(x[i] for i in spatial(xl))), strict=True))
    sizes |= {"N": x[xl.index("N")], "C": outer}
    _same(op, tuple(sizes[c] for c in yl))


def _reduce(op: TargetOp) -> None:
    count = len(op.inputs) // 2
    axes = op.attributes["dimensions"]
    for x, init, y in zip(op.inputs[:count], op.inputs[count:], op.results, strict=True):
        left = tuple(n for i, n in enumerate(x.tensor.static_shape()) if i not in axes)
        if init.tensor.static_shape() or y.tensor.static_shape() != left:
            raise _wrong(op, f"a result should be {list(left)}")


def _reduce_window(op: TargetOp) -> None:
    _same(op, _windowed(op, _shape(op)))


def _gather(op: TargetOp) -> None:
    a, shape, index = op.attributes, _shape(op, 0), list(_shape(op, 1))
    if a["index_vector_dim"] < len(index):
        index.pop(a["index_vector_dim"])
    if any(not 0 <= s <= n for s, n in zip(a["slice_sizes"], shape, strict=True)):
        raise _wrong(op, f"slices of {list(a['slice_sizes'])} leave the operand")
    gone = (*a["collapsed_slice_dims"], *a["operand_batching_dims"])
    window = [n for i, n in enumerate(a["slice_sizes"]) if i not in gone]
    rank = len(index) + len(window)
    parts = {True: iter(window), False: iter(index)}
    if len(window) != len(a["offset_dims"]):
        raise _wrong(op, f"{len(window)} window axes for offset_dims {list(a['offset_dims'])}")
    _same(op, tuple(next(parts[i in a["offset_dims"]]) for i in range(rank)))


def _scatter(op: TargetOp) -> None:
    a, data, index, updates = op.attributes, _shape(op, 0), list(_shape(op, 1)), _shape(op, 2)
    if a["index_vector_dim"] < len(index):
        index.pop(a["index_vector_dim"])
    spots = [n for i, n in enumerate(updates) if i not in a["update_window_dims"]]
    window = [updates[i] for i in a["update_window_dims"] if i < len(updates)]
    room = [n for i, n in enumerate(data) if i not in a["inserted_window_dims"]]
    if spots != index or len(window) != len(room) or any(w > n for w, n in zip(window, room, strict=True)):
        raise _wrong(op, "the updates do not fit")
    _same(op, data)


def _dynamic_slice(op: TargetOp) -> None:
    sizes, shape = tuple(op.attributes["sizes"]), _shape(op)
    if len(op.inputs) != 1 + len(shape) or any(s > n for s, n in zip(sizes, shape, strict=True)):
        raise _wrong(op, f"a slice of {list(sizes)} does not fit")
    _same(op, sizes)


def _dynamic_update_slice(op: TargetOp) -> None:
    _same(op, _shape(op))
    if len(op.inputs) != 2 + len(_shape(op)) or any(u > n for u, n in zip(_shape(op, 1), _shape(op), strict=True)):
        raise _wrong(op, "the update does not fit")


def _set_size(op: TargetOp) -> None:
    _same(op, _shape(op))
    if (
        len(op.inputs) != 2
        or op.inputs[1].tensor != TensorType(DType.I32, ())
        or not 0 <= op.attributes["dimensions"][0] < len(_shape(op))
    ):
        raise _wrong(op, "it takes an int32 scalar and one axis")


def _while(op: TargetOp) -> None:
    types = [v.type for v in op.results]
    cond, body = (region.block for region in op.regions)
    lists = (
        [v.type for v in op.inputs],
        [v.type for v in cond.arguments],
        [v.type for v in body.arguments],
        [v.type for v in body.outputs],
    )
    if any(types != other for other in lists):
        raise _wrong(op, "the loop's variables change their types")
    if [v.type for v in cond.outputs] != [TensorType(DType.BOOL, ())]:
        raise _wrong(op, "the condition is not a bool scalar")


def _conditional(op: TargetOp) -> None:
    if any([v.type for v in r.block.outputs] != [v.type for v in op.results] for r in op.regions) or _shape(op):
        raise _wrong(op, "a branch gives other types")


_CHECKS: dict[str, Callable[[TargetOp], None]] = {
    "compare": _same_shapes,
    "select": _select,
    "convert": _same_shapes,
    "is-finite": _same_shapes,
    "complex": _same_shapes,
    "real": _same_shapes,
    "imag": _same_shapes,
    "broadcast": _broadcast,
    "reshape": _reshape,
    "transpose": _transpose,
    "concatenate": _concatenate,
    "slice": _slice,
    "pad": _pad,
    "dot": _dot,
    "convolution": _convolution,
    "reduce": _reduce,
    "reduce-window": _reduce_window,
    "gather": _gather,
    "scatter": _scatter,
    "dynamic-slice": _dynamic_slice,
    "dynamic-update-slice": _dynamic_update_slice,
    "reverse": _same_shapes,
    "while": _while,
    "conditional": _conditional,
    "set-dimension-size": _set_size,
}
