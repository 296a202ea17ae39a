"""Layer normalization, which is several ops in core, as one operator.  Source: ONNX LayerNormalization-17."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_onnx.builder import OnnxBuilder
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, Rules

FIRST = Rules()


class Layer(NamedTuple):
    """What is normalized along all axes from `axis` on, and multiplied by `scale`."""

    x: Value
    scale: Value
    axis: int
    epsilon: float
    div: core.Div


@FIRST.rule(core.Add)
def shifted_layer(op: core.Add, e: OnnxBuilder) -> Value | NoMatch:
    """LayerNormalization with a bias."""
    for product, bias in ((op.a, op.b), (op.b, op.a)):
        made = product.producer
        found = _layer(made) if isinstance(made, core.Mul) and product.has_one_use else None
        if made is None or found is None or not _spans(found.x, bias, found.axis) or op.y.tensor != found.x.tensor:
            continue
        return _emitted(e, found, [found.x, found.scale, bias], made)
    return NOT_MEANT


@FIRST.rule(core.Mul)
def layer(op: core.Mul, e: OnnxBuilder) -> Value | NoMatch:
    """LayerNormalization without one."""
    found = _layer(op)
    return NOT_MEANT if found is None else _emitted(e, found, [found.x, found.scale], op)


def _emitted(e: OnnxBuilder, layer: Layer, operands: Sequence[Value], product: Op) -> Value:
    if isinstance(e.builder, Rewriter):
        e.builder.fuse(product, layer.div)
    return e.one("LayerNormalization", operands, layer.x.tensor, axis=layer.axis, epsilon=layer.epsilon)


def _layer(product: core.Mul) -> Layer | None:
    """(x - mean) / sqrt(mean of squares of that + epsilon) * scale."""
    for ratio, scale in ((product.a, product.b), (product.b, product.a)):
        div = ratio.producer
        if not isinstance(div, core.Div) or div.a.tensor.dtype is not DType.F32:
            continue
        epsilon, variance = _deviation(div.b)
        centred = div.a.producer
        if variance is None or not isinstance(centred, core.Sub) or not _is_square(variance.x, div.a):
            continue
        mean, x = centred.b.producer, centred.a
        if not isinstance(mean, core.ReduceMean) or mean.x is not x or mean.axes != variance.axes:
            continue
        axis, rank = min(mean.axes, default=0), x.tensor.rank or 0
        trailing = mean.axes == tuple(range(axis, rank)) and mean.keepdims and variance.keepdims
        if trailing and _spans(x, scale, axis) and product.y.tensor == x.tensor:
            return Layer(x, scale, axis, epsilon, div)
    return None


def _deviation(value: Value) -> tuple[float, core.ReduceMean | None]:
    """Epsilon and the variance that it is added to under a root."""
    root = value.producer
    total = root.x.producer if isinstance(root, core.Sqrt) else None
    if not isinstance(total, core.Add):
        return 0.0, None
    for variance, epsilon in ((total.a, total.b), (total.b, total.a)):
        made, number = variance.producer, const_of(epsilon)
        if isinstance(made, core.ReduceMean) and number is not None and number.size == 1:
            return float(number.view().reshape(-1)[0]), made
    return 0.0, None


def _is_square(value: Value, root: Value) -> bool:
    made = value.producer
    return isinstance(made, core.Mul) and made.a is root and made.b is root


def _spans(x: Value, scale: Value, axis: int) -> bool:
    """One number for each element of what is normalized together."""
    shape = x.tensor.shape
    return shape is not None and scale.tensor.shape == shape[axis:]
