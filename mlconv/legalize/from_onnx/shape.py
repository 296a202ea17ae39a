"""Operators that reorder, join, repeat and make tensors."""

from __future__ import annotations

import math

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.places import check_places
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Splat, check_size
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.limits import MAX_RANK
from mlconv.ir.shapes import is_one_at_most, is_told, static
from mlconv.ir.spec import known_ints
from mlconv.ir.types import TensorType
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.operands import sizes_of
from mlconv.legalize.from_onnx.slicing import picked
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.provenance.locations import first_name
from mlconv.rewrite import constant_array
from mlconv.rewrite.core_builder import Part

RULES = OnnxRules()


@RULES.rule("Constant")
def constant(n: Node) -> Value:
    for name, dtype in (
        ("value_int", DType.I64),
        ("value_ints", DType.I64),
        ("value_float", DType.F32),
        ("value_floats", DType.F32),
    ):
        if n.has(name):
            return n.constant(np.asarray(n.op.attributes[name], dtype.numpy))
    for name in ("value", "sparse_value"):
        tensor = n.tensor(name)
        if tensor is not None:
            return n.constant(tensor)
    if n.has("value_string") or n.has("value_strings"):
        strings = n.op.attributes.get("value_strings", n.op.attributes.get("value_string"))
        return n.constant(np.asarray(strings, object), DType.STRING)
    raise ConversionError(Code.AttributeInvalid, "Constant has no value")


@RULES.rule("ConstantOfShape")
def constant_of_shape(n: Node) -> Value:
    shape = n.x()
    tensor = n.tensor("value")
    fill = tensor.view().reshape(-1)[:1] if tensor is not None else np.zeros(1, np.float32)
    dtype = tensor.dtype if tensor is not None else DType.F32
    if fill.size != 1:
        raise ConversionError(Code.AttributeInvalid, "ConstantOfShape: the attribute 'value' must have one element")
    sizes = static(known_ints(shape))
    if sizes is not None:
        if any(s < 0 for s in sizes):
            raise ConversionError(Code.ShapeMismatch, f"ConstantOfShape: negative dim in {list(sizes)}")
        check_size(sizes, dtype, "the result of ConstantOfShape")
        return n.constant(Splat(fill.reshape(()), dtype, sizes))
    return n.broadcast_to(n.constant(fill.reshape(()), dtype), n.cast(shape, DType.I64))


@RULES.rule("Shape")
def shape(n: Node) -> Value:
    x = n.x()
    start, end = n.i("start", 0), n.i("end", 1 << 31)
    rank = x.tensor.rank
    if rank is None or (start == 0 and end >= rank):
        return n.y(core.ShapeOf(x))
    low, high, _ = slice(start, end).indices(rank)
    return n.slice_axis(n.y(core.ShapeOf(x)), 0, low, max(high, low))


@RULES.rule("Size")
def size(n: Node) -> Value:
    return n.y(core.ReduceProd(n.y(core.ShapeOf(n.x())), axes=(0,)))


@RULES.rule("Reshape")
def reshape(n: Node) -> Value:
    x = n.x()
    target = n.value_of("shape", 1)
    if n.flag("allowzero"):
        return n.reshape(x, target)
    known = known_ints(target)
    if known is None or 0 in known or None in known:
        target = _copied_zeros(n, x, target)
    return n.reshape(x, target)


def _copied_zeros(n: Node, x: Value, target: Value) -> Value:
    """A target shape whose zeros are the sizes of x at the same place (ONNX Reshape-14)."""
    known = known_ints(target)
    count = target.tensor.shape[0] if target.tensor.shape else None
    if known is not None and None not in known:
        parts: list[Part] = []
        for i, k in enumerate(known):
            if k == 0 and i >= n.rank(x):
                raise ConversionError(
                    Code.ShapeMismatch, f"Reshape: the 0 at place {i} of the shape has no counterpart in {x.type}"
                )
            parts.append(n.dim(x, i) if k == 0 else k if isinstance(k, int) else n.slice_axis(target, 0, i, i + 1))
        return n.vector(parts)
    if x.tensor.rank is None or (isinstance(count, int) and count > MAX_RANK):
        return target
    sizes, rank = n.shape_of(x), n.rank(x)
    if not isinstance(count, int):  # as long as no shape is
        same = n.slice(n.concat([sizes, n.vector([1] * (MAX_RANK - rank))], 0), {0: (None, n.shape_of(target), 1)})
    else:
        same = (
            sizes
            if rank == count
            else n.slice_axis(sizes, 0, 0, count)
            if rank > count
            else n.concat([sizes, n.vector([1] * (count - rank))], 0)
        )
    return n.where(n.equal(target, 0), same, target)


@RULES.rule("Flatten")
def flatten(n: Node) -> Value:
    x = n.x()
    axis, rank = n.i("axis", 1), n.rank(x)
    axis = axis + rank if axis < 0 else axis
    if not 0 <= axis <= rank:
        raise ConversionError(Code.ShapeMismatch, f"Flatten: axis {n.i('axis', 1)} is out of range for rank {rank}")
    sizes = n.dims(x)
    left, right = n.prod(sizes[:axis]), n.prod(sizes[axis:])
    if isinstance(left, int) != isinstance(right, int) and 0 not in (left, right):
        left, right = (left, -1) if isinstance(left, int) else (-1, right)
    return n.reshape(x, [left, right])


@RULES.rule("Transpose")
def transpose(n: Node) -> Value:
    x = n.x()
    perm = n.ints("perm", tuple(reversed(range(n.rank(x))))) if n.has("perm") or x.tensor.rank is not None else ()
    return n.transpose(x, [n.axis(p, len(perm)) for p in perm])


@RULES.rule("Concat")
def concat(n: Node) -> Value:
    values = n.xs()
    rank = next((v.tensor.rank for v in values if v.tensor.rank is not None), 1)
    return n.concat(values, n.axis(n.i("axis", 1 if n.version < 4 else None), rank))


@RULES.rule("Squeeze")
def squeeze(n: Node) -> Value:
    x = n.x()
    axes, rank = n.list_of("axes", 1), n.rank(x)
    if axes is None:
        axes = _unit_axes(n, x)
    places = sorted({n.axis(a, rank) for a in axes})
    return n.squeeze(picked(n, x, places), *places)


def _unit_axes(n: Node, x: Value) -> list[int]:
    """Axes of size 1.  Of those that may be, none are, or all, or those that the file does not name in the shape of the
    result; sizes must be so then.  Raises ConversionError ShapeNotStatic.
    """
    from mlconv.legalize.from_onnx.branch_ranks import takes_rank
    from mlconv.legalize.from_onnx.branches import Question

    shape, result, asking = x.tensor.shape or (), n.op.results[0], n.source.conversion.asking
    questions = {i: Question(d, "==", 1) for i, d in enumerate(shape)}
    certain = [i for i, q in questions.items() if q.answer(asking)]
    open_axes = [i for i, q in questions.items() if q.answer(asking) is None]
    if not open_axes:
        return certain
    declared = result.type.shape or () if isinstance(result.type, TensorType) else ()
    for gone in ([], open_axes, [i for i in open_axes if shape[i] not in declared]):
        if asking is None or not is_told(shape):
            break
        if takes_rank(result, len(shape) - len(certain) - len(gone)):
            for i in open_axes:
                questions[i].ask(i in gone, asking, first_name(n.op.location))
            return [*certain, *gone]
    raise ConversionError(Code.ShapeNotStatic, f"Squeeze without axes needs a static shape, the input is {x.type}")


@RULES.rule("Unsqueeze")
def unsqueeze(n: Node) -> Value:
    x = n.x()
    axes = n.list_of("axes", 1)
    if axes is None:
        raise ConversionError(Code.WrongArity, "Unsqueeze needs axes")
    rank = n.rank(x) + len(axes)
    places = sorted({n.axis(a, rank) for a in axes})
    if len(places) != len(axes):
        raise ConversionError(Code.ShapeMismatch, f"Unsqueeze: axes {axes} name a place twice")
    return n.expand_dims(x, *places)


@RULES.rule("Expand")
def expand(n: Node) -> Value:
    """Broadcasting in both directions: also x's sizes count where the shape says 1."""
    x, target = n.x(0), n.cast(n.x(1), DType.I64)
    known = known_ints(target)
    sizes = x.tensor.shape
    if known is not None and sizes is not None and None not in known:
        rank = max(len(known), len(sizes))
        parts: list[Part] = []
        for i in range(rank):
            j, k = i - rank + len(known), i - rank + len(sizes)
            want = known[j] if j >= 0 else 1
            have = sizes[k] if k >= 0 else 1
            if want in (have, 1) or (isinstance(want, Dim) and is_one_at_most(want) and have != 1):
                parts.append(n.dim(x, k) if k >= 0 else 1)
            elif isinstance(want, int):
                parts.append(want)
            elif is_one_at_most(have):
                parts.append(n.slice_axis(target, 0, j, j + 1))
            else:
                parts.append(n.maximum(n.slice_axis(target, 0, j, j + 1), n.dim(x, k)))
        return n.broadcast_to(x, parts)
    # Multiplication by ones of the target shape broadcasts both ways; so does `or` with false.
    ones = n.broadcast_to(n.asarray(1, x) if x.tensor.dtype is not DType.BOOL else n.constant(False), target)
    return n.y((core.Or if x.tensor.dtype is DType.BOOL else core.Mul)(x, ones))


@RULES.rule("Tile")
def tile(n: Node) -> Value:
    x, repeats = n.x(0), n.x(1)
    known = known_ints(repeats)
    sizes = x.tensor.shape
    if known is not None and sizes is not None and len(known) == len(sizes):
        whole = [d * k for d, k in zip(sizes, known, strict=True) if isinstance(d, int) and isinstance(k, int)]
        if 0 not in whole:
            check_size(tuple(whole), x.tensor.dtype, "the result of Tile")
    return n.y(core.Tile(x, repeats))


@RULES.rule("DepthToSpace")
def depth_to_space(n: Node) -> Value:
    mode = n.s("mode", "DCR").lower()
    if mode not in ("dcr", "crd"):
        raise ConversionError(Code.AttributeInvalid, f"DepthToSpace: mode is {mode!r}, expected DCR or CRD")
    return n.y(core.DepthToSpace(n.x(), block_size=n.i("blocksize"), layout="NCHW", mode=mode))


@RULES.rule("SpaceToDepth")
def space_to_depth(n: Node) -> Value:
    mode = n.s("mode", "DCR").lower()
    if mode == "crd":
        return _space_to_depth_crd(n, n.x(), n.i("blocksize"))
    return n.y(core.SpaceToDepth(n.x(), block_size=n.i("blocksize"), layout="NCHW"))


def _space_to_depth_crd(n: Node, x: Value, block: int) -> Value:
    """[n, c, h*b, w*b] to [n, c*b*b, h, w] with the channel outermost."""
    batch, channels, height, width = n.dims_of(x, 4)
    rows = _quotient(n, height, block)
    columns = _quotient(n, width, block)
    blocks = n.reshape(x, [batch, channels, rows, block, columns, block])
    return n.reshape(n.transpose(blocks, (0, 1, 3, 5, 2, 4)), [batch, n.prod([channels, block * block]), rows, columns])


def _quotient(n: Node, size: Part, by: int) -> Part:
    return size // by if isinstance(size, int) else n.div(size, by)


@RULES.rule("EyeLike")
def eye_like(n: Node) -> Value:
    x = n.x()
    dtype = n.dtype("dtype", x.tensor.dtype)
    rows, columns = n.dims_of(x, 2)
    k = n.i("k", 0)
    if isinstance(rows, int) and isinstance(columns, int) and rows * columns <= 1 << 20:
        return n.constant(np.eye(rows, columns, k), dtype)
    here = n.expand_dims(n.add(n.arange(rows), k), 1)
    return n.cast(n.equal(here, n.expand_dims(n.arange(columns), 0)), dtype)


@RULES.rule("Trilu")
@RULES.rule("Trilu", domain="com.microsoft")
def trilu(n: Node) -> Value:
    """x with zeros below (upper) or above the k-th diagonal of its last two axes."""
    x = n.x(0)
    k: Value | int = n.opt(1) or 0
    known = constant_array(n.opt(1))
    if known is not None:
        k = int(np.clip(int(known.reshape(-1)[0]), -(2**31), 2**31))
    elif isinstance(k, Value) and k.tensor.rank != 0:
        k = n.reshape(k, [])
    rank = n.rank(x)
    rows = n.expand_dims(n.arange(n.dim(x, rank - 2)), 1)
    columns = n.expand_dims(n.arange(n.dim(x, rank - 1)), 0)
    diagonal = n.add(rows, k)
    keep = n.less_equal(diagonal, columns) if n.flag("upper", True) else n.less_equal(columns, diagonal)
    return n.where(keep, x, False if x.tensor.dtype is DType.BOOL else 0)


@RULES.rule("CenterCropPad")
def center_crop_pad(n: Node) -> Value:
    """x cropped or padded around its centre to the target sizes of some axes (ONNX CenterCropPad-18)."""
    x, target = n.x(0), n.cast(n.x(1), DType.I64)
    rank = n.rank(x)
    axes = [n.axis(a, rank) for a in n.ints("axes", tuple(range(rank)))]
    pairs: list[tuple[Part, Part]] = [(0, 0)] * rank
    crops: dict[int, tuple[Part | None, Part | None, int]] = {}
    for axis, want in zip(axes, sizes_of(n, target, len(axes), "shape of CenterCropPad (input 1)"), strict=True):
        have = n.dim(x, axis)
        if isinstance(want, int) and isinstance(have, int):
            excess = have - want
            if excess > 0:
                crops[axis] = (excess // 2, excess // 2 + want, 1)
            else:
                pairs[axis] = (-excess // 2, -excess - (-excess // 2))
            continue
        want_, have_ = (v if isinstance(v, Value) else n.vector([v]) for v in (want, have))
        crop = n.clamp(n.sub(have_, want_), 0)
        start = n.div(crop, 2)
        crops[axis] = (start, n.sub(n.add(start, have_), crop), 1)
        lack = n.clamp(n.sub(want_, have_), 0)
        pairs[axis] = (n.div(lack, 2), n.sub(lack, n.div(lack, 2)))
    return n.pad(n.slice(x, crops) if crops else x, pairs)


@RULES.rule("ReverseSequence")
def reverse_sequence(n: Node) -> Value:
    x, time = n.x(0), n.i("time_axis", 0)
    sizes = x.tensor.shape or ()
    if 0 <= time < len(sizes):
        check_places(n.x(1), sizes[time] + 1, "lengths", low=0)
    return n.y(core.ReverseSequence(x, n.x(1), time_axis=time, batch_axis=n.i("batch_axis", 1)))


@RULES.rule("Range")
def range_(n: Node) -> Value:
    start, limit, delta = (v if v.tensor.rank == 0 else n.reshape(v, []) for v in (n.x(0), n.x(1), n.x(2)))
    dtype = start.tensor.dtype
    if dtype.is_half and n.version >= 27 and n.i("stash_type", 1) == 1:
        wide = [n.cast(v, DType.F32) for v in (start, limit, delta)]
        return n.cast(n.y(counted(*wide)), dtype)
    return n.y(counted(start, limit, delta))


def counted(start: Value, limit: Value, delta: Value) -> core.Range:
    """A range of as many elements as ONNX Runtime makes (`ComputeRange` in range.cc), which counts in float64: 0.3 by
    0.1, both rounded to float32, is 3.00000004, and 4 elements.  From 0 by a power of two it is the same.
    """
    first, step = (
        None if (c := const_of(v)) is None or c.size != 1 else float(c.view().reshape(())) for v in (start, delta)
    )
    is_exact = first == 0 and step is not None and abs(math.frexp(step)[0]) == 0.5
    return core.Range(start, limit, delta, wide=start.tensor.dtype is DType.F32 and not is_exact)
