"""Layer normalization, which is several ops in core, as one operator.  Source: ONNX LayerNormalization-17."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Splat
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.legalize.to_onnx.builder import OnnxBuilder
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, Rules

FIRST = Rules()


class Layer(NamedTuple):
    """What is normalized along all axes from `axis` on, and multiplied by `scale`.  fused: an op that goes with it."""

    x: Value
    scale: Value
    axis: int
    epsilon: float
    fused: Op


@FIRST.rule(core.Add)
def shifted_layer(op: core.Add, e: OnnxBuilder) -> Value | NoMatch:
    """LayerNormalization with a bias."""
    for product, bias in ((op.a, op.b), (op.b, op.a)):
        made = product.producer
        if not isinstance(made, core.Mul) or not product.has_one_use:
            continue
        found = _layer(made)
        if found is not None and _spans(found.x, bias, found.axis) and op.y.tensor == found.x.tensor:
            return _emitted(e, found, [found.x, found.scale, bias], made)
    return NOT_MEANT


@FIRST.rule(core.Mul)
def layer(op: core.Mul, e: OnnxBuilder) -> Value | NoMatch:
    """LayerNormalization without one."""
    found = _layer(op)
    return NOT_MEANT if found is None else _emitted(e, found, [found.x, found.scale], op)


@FIRST.rule(core.Div)
def plain_layer(op: core.Div, e: OnnxBuilder) -> Value | NoMatch:
    """LayerNormalization by ones: the operator wants a scale."""
    root = op.b.producer
    found = _variance(root.x) if isinstance(root, core.Sqrt) else None
    if found is None or found.centred is not op.a or op.y.tensor != found.x.tensor:
        return NOT_MEANT
    own = static((found.x.tensor.shape or ())[found.axis :])
    if own is None:
        return NoMatch("the sizes of what is normalized are known at run time only")
    ones = e.constant(Splat(1, DType.F32, own))
    return _emitted(e, Layer(found.x, ones, found.axis, found.epsilon, op), [found.x, ones], op)


def _emitted(e: OnnxBuilder, layer: Layer, operands: Sequence[Value], product: Op) -> Value:
    if isinstance(e.builder, Rewriter):
        e.builder.fuse(product, layer.fused)
    rank = (layer.x.tensor.rank or 0) - layer.axis
    x, *others = operands
    parameters = [_squeezed(e, v, rank) for v in others]
    return e.one("LayerNormalization", [x, *parameters], layer.x.tensor, axis=layer.axis, epsilon=layer.epsilon)


def _layer(product: core.Mul) -> Layer | None:
    """What a product makes of (x - mean) / sqrt(mean of squares of that + epsilon)."""
    for part in _parts(product):
        found = _variance(part.total)
        if found is not None and found.centred is part.centred and _is_whole(found, part.scale, product):
            return Layer(found.x, part.scale, found.axis, found.epsilon, part.fused)
    return None


class _Part(NamedTuple):
    """centred / sqrt(total) * scale, in which `fused` has the root."""

    centred: Value
    scale: Value
    total: Value
    fused: Op


def _parts(product: core.Mul) -> Iterator[_Part]:
    """As (centred / root) * scale, and as centred * (scale / root)."""
    for left, right in ((product.a, product.b), (product.b, product.a)):
        ratio, factor = left.producer, right.producer
        root = ratio.b.producer if isinstance(ratio, core.Div) else None
        if isinstance(ratio, core.Div) and isinstance(root, core.Sqrt):
            yield _Part(ratio.a, right, root.x, ratio)
        for inverse, scale in ((factor.a, factor.b), (factor.b, factor.a)) if isinstance(factor, core.Mul) else ():
            total = _under_root(inverse)
            if total is not None and factor is not None:
                yield _Part(left, scale, total, factor)


def _under_root(value: Value) -> Value | None:
    """What 1 / sqrt is taken of."""
    made = value.producer
    if isinstance(made, core.Rsqrt):
        return made.x
    one = const_of(made.a) if isinstance(made, core.Div) else None
    root = made.b.producer if isinstance(made, core.Div) else None
    if one is None or one.size != 1 or float(one.view().reshape(-1)[0]) != 1.0 or not isinstance(root, core.Sqrt):
        return None
    return root.x


class _Variance(NamedTuple):
    """The mean of squares of `x - mean`, which is `centred`, along all axes from `axis` on, plus epsilon."""

    x: Value
    mean: Value
    centred: Value
    axis: int
    epsilon: float


def _variance(total: Value | None) -> _Variance | None:
    made = None if total is None else total.producer
    for part, constant in ((made.a, made.b), (made.b, made.a)) if isinstance(made, core.Add) else ():
        variance, epsilon = part.producer, const_of(constant)
        if not isinstance(variance, core.ReduceMean) or epsilon is None or epsilon.size != 1:
            continue
        square = variance.x.producer
        centred = square.a.producer if isinstance(square, core.Mul) and square.a is square.b else None
        mean = centred.b.producer if isinstance(centred, core.Sub) else None
        if not isinstance(centred, core.Sub) or not isinstance(mean, core.ReduceMean) or mean.x is not centred.a:
            continue
        axis, rank = min(mean.axes, default=0), mean.x.tensor.rank or 0
        along = mean.axes == variance.axes == tuple(range(axis, rank)) and mean.keepdims and variance.keepdims
        if along and mean.x.tensor.dtype is DType.F32:
            return _Variance(mean.x, mean.y, centred.y, axis, float(epsilon.view().reshape(-1)[0]))
    return None


def _is_whole(found: _Variance, scale: Value, product: core.Mul) -> bool:
    return _spans(found.x, scale, found.axis) and product.y.tensor == found.x.tensor


def _spans(x: Value, scale: Value, axis: int) -> bool:
    """One number for each element of what is normalized together, perhaps with axes of 1 in front, of a constant."""
    shape, own = x.tensor.shape, scale.tensor.shape
    if shape is None or own is None:
        return False
    extra = len(own) - len(shape[axis:])
    return own == shape[axis:] or (extra > 0 and own == (1,) * extra + shape[axis:] and const_of(scale) is not None)


def _squeezed(e: OnnxBuilder, scale: Value, rank: int) -> Value:
    constant = const_of(scale)
    if scale.tensor.rank == rank or constant is None:
        return scale
    return e.constant(constant.reshape(constant.shape[-rank:]))
