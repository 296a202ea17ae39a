"""Images resampled by weights of a kernel and under projective maps.

Source: tensorflow/core/kernels/image (scale_and_translate_op.cc, sampling_kernels.h, image_ops.h).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import known_ints
from mlconv.legalize.from_tf.image import separable
from mlconv.legalize.from_tf.operands import folded, tf_rules
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode
from mlconv.passes.patterns.algebra import uniform
from mlconv.rewrite.core_builder import Part

RULES: Final = tf_rules()
_PI: Final = 3.14159265359  # as sampling_kernels.h has it
_FAINT: Final = 1000 * 2.0**-126  # weights whose sum is less give zeros


class Sampling(NamedTuple):
    """A kernel: its weight at a distance that is not negative, and how far it reaches.  is_positive: there is no weight
    below 0, and one above for what is nearest.
    """

    weight: Callable[[SourceNode, Value], Value]
    radius: float
    is_positive: bool = False


def _polynomial(n: SourceNode, x: Value, *coefficients: float) -> Value:
    """Highest power first."""
    total = n.mul(x, coefficients[0])
    for c in coefficients[1:-1]:
        total = n.mul(n.add(total, c), x)
    return n.add(total, coefficients[-1])


def _lanczos(radius: float) -> Sampling:
    def weight(n: SourceNode, x: Value) -> Value:
        angle = n.mul(x, _PI)
        waves = n.mul(n.y(core.Sin(angle)), n.y(core.Sin(n.div(angle, radius))))
        near = n.less_equal(x, 1e-3)
        square = n.where(near, n.asarray(1, x), n.mul(angle, angle))
        return n.where(n.less(radius, x), 0.0, n.where(near, n.asarray(1, x), n.div(n.mul(waves, radius), square)))

    return Sampling(weight, radius)


def _gaussian(n: SourceNode, x: Value) -> Value:
    return n.where(n.less(x, 1.5), n.exp(n.mul(n.mul(x, x), -2.0)), 0.0)


def _box(n: SourceNode, x: Value) -> Value:
    return n.where(n.less(x, 0.5), n.asarray(1, x), n.where(n.equal(x, 0.5), n.asarray(0.5, x), 0.0))


def _triangle(n: SourceNode, x: Value) -> Value:
    return n.maximum(n.sub(1.0, x), 0.0)


def _cubic(inner: tuple[float, ...], outer: tuple[float, ...]) -> Sampling:
    def weight(n: SourceNode, x: Value) -> Value:
        far = n.where(n.less(x, 2.0), _polynomial(n, x, *outer), 0.0)
        return n.where(n.less(x, 1.0), _polynomial(n, x, *inner), far)

    return Sampling(weight, 2.0)


KERNELS: Final = {
    "lanczos1": _lanczos(1.0),
    "lanczos3": _lanczos(3.0),
    "lanczos5": _lanczos(5.0),
    "gaussian": Sampling(_gaussian, 1.5, True),
    "box": Sampling(_box, 1.0, True),
    "triangle": Sampling(_triangle, 1.0, True),
    "keyscubic": _cubic((1.5, -2.5, 0, 1), (-0.5, 2.5, -4, 2)),
    "mitchellcubic": _cubic((7 / 6, -2, 0, 8 / 9), (-7 / 18, 2, -10 / 3, 16 / 9)),
}


@RULES.rule("ScaleAndTranslate")
def scale_and_translate(n: SourceNode) -> Value:
    """Operands: images [n, h, w, c], size [2], scale [2], translation [2].  Result: float32."""
    name = n.attr("kernel_type", "lanczos3")
    kernel = KERNELS.get(name)
    if kernel is None:
        raise n.unsupported(f"the kernel {name}")
    x = n.cast(n.operand(0), DType.F32)
    n.dims_of(x, 4)
    weights = [_weights(n, x, i, kernel) for i in (0, 1)]
    return separable(n, x, weights[0], weights[1])


def _weights(n: SourceNode, x: Value, side: int, kernel: Sampling) -> Value:
    """[wanted, size] of one side: each row is the kernel around a place of the image, and sums up to 1.  A place
    outside of the image has no weights.  Where the image grows, or without `antialias`, the kernel is not widened.
    """
    size, wanted = n.dim(x, 1 + side), _element(n, 1, side)
    if isinstance(size, int) and isinstance(wanted, int):
        check_table((wanted, size), "table of resizing weights")
    inverse = n.div(1.0, n.scalar(n.slice_axis(n.operand(2), 0, side, side + 1)))
    places = n.mul(n.add(_steps(n, wanted), 0.5), inverse)
    is_moved = uniform(n.operand(3)) != 0
    if is_moved:
        by = n.scalar(n.slice_axis(n.operand(3), 0, side, side + 1))
        places = n.add(places, n.mul(n.neg(inverse), by))
    width = n.maximum(inverse, 1.0) if n.attr("antialias", True) else n.asarray(1, inverse)
    spots, steps = n.expand_dims(places, 1), n.expand_dims(_steps(n, size), 0)
    distance = n.y(core.Abs(n.mul(n.sub(n.add(steps, 0.5), spots), n.div(1.0, width))))
    weights = kernel.weight(n, distance)
    total = n.sum(weights, (1,), keepdims=True)
    if kernel.is_positive and not is_moved and _is_ratio(n.operand(2), side, wanted, (x.tensor.shape or ())[1 + side]):
        return n.div(weights, total)  # all places are inside
    last = n.constant(float(size), DType.F32) if isinstance(size, int) else n.cast(n.scalar(size), DType.F32)
    inside = n.logical_and(n.less_equal(0.0, spots), n.less_equal(spots, last))
    used = n.logical_and(inside, n.less_equal(_FAINT, n.y(core.Abs(total))))
    return n.where(used, n.div(weights, n.where(used, total, n.asarray(1, total))), 0.0)


def _is_ratio(scale: Value, side: int, wanted: Part, size: Size) -> bool:
    """Whether the scale is what is wanted over what there is, so that places lie half a result from the ends."""
    made = scale.producer
    if not isinstance(made, core.Div) or not isinstance(wanted, int):
        return False
    over, under = (_whole(v, side) for v in (made.a, made.b))
    return over == wanted and under == size


def _whole(value: Value, i: int) -> Size | None:
    """A size that a float is cast from."""
    known = known_ints(value.producer.x) if isinstance(value.producer, core.Cast) else None
    return None if known is None else known[i]


def _element(n: SourceNode, operand: int, i: int) -> Part:
    """A size out of an integer operand."""
    known = n.known(operand)
    if known is not None and isinstance(known[i], int):
        return int(str(known[i]))
    return n.slice_axis(n.cast(folded(n, operand), DType.I64), 0, i, i + 1)


def _steps(n: SourceNode, count: Part) -> Value:
    return n.cast(n.arange(count), DType.F32)


@RULES.rule("ImageProjectiveTransformV2", "ImageProjectiveTransformV3")
def image_projective_transform(n: SourceNode) -> Value:
    """Operands: images [n, h, w, c], transforms [1 or n, 8], size [2], and from the third version on the value outside.

    The place (x, y) of the result has the value at (a x + b y + c, d x + e y + f) / (g x + h y + 1) of the image.
    """
    x = n.operand(0)
    sizes = n.dims_of(x, 4)
    fill = n.cast(n.scalar(n.operand(3)), x.tensor.dtype) if n.has(3) else n.asarray(0, x)
    height, width = (_element(n, 2, i) for i in (0, 1))
    y_out = n.reshape(_steps(n, height), [1, -1, 1])
    x_out = n.reshape(_steps(n, width), [1, 1, -1])
    a = [n.reshape(n.slice_axis(n.operand(1), 1, i, i + 1), [-1, 1, 1]) for i in range(8)]
    divisor = n.add(n.add(n.mul(a[6], x_out), n.mul(a[7], y_out)), 1.0)
    lost = n.equal(divisor, 0.0)
    safe = n.where(lost, n.asarray(1, divisor), divisor)
    spots = [n.div(n.add(n.add(n.mul(a[i], x_out), n.mul(a[i + 1], y_out)), a[i + 2]), safe) for i in (3, 0)]
    mode = str(n.attr("fill_mode", "CONSTANT")).upper()
    ends = [_real(n, sizes[1 + side]) for side in (0, 1)]
    spots = [_mapped(n, spot, end, mode) for spot, end in zip(spots, ends, strict=True)]
    spots = [n.broadcast_to(v, [sizes[0], height, width]) for v in spots]
    if str(n.attr("interpolation")).upper() == "NEAREST":
        value = _read(n, x, _half_away(n, spots[0]), _half_away(n, spots[1]), ends, fill)
    else:
        value = _between(n, x, spots, ends, fill)
    return n.where(n.expand_dims(lost, 3), fill, value)


def _real(n: SourceNode, size: Part) -> Value:
    return n.constant(float(size), DType.F32) if isinstance(size, int) else n.cast(n.scalar(size), DType.F32)


def _half_away(n: SourceNode, x: Value) -> Value:
    """std::round."""
    size = n.floor(n.add(n.y(core.Abs(x)), 0.5))
    return n.where(n.less(x, 0.0), n.neg(size), size)


def _mapped(n: SourceNode, x: Value, length: Value, mode: str) -> Value:
    """A coordinate brought into [0, length - 1] by reflection (dcba|abcd|dcba), wrapping or clipping."""
    if mode == "CONSTANT":
        return x
    last = n.sub(length, 1.0)
    if mode == "REFLECT":
        around = n.mul(length, 2.0)
        turns = _trunc(n, n.div(n.y(core.Abs(x)), around))
        below = n.add(x, n.mul(turns, around))
        below = n.where(n.less(below, n.neg(length)), n.add(below, around), n.sub(n.neg(below), 1.0))
        above = n.sub(x, n.mul(turns, around))
        above = n.where(n.less_equal(length, above), n.sub(n.sub(around, above), 1.0), above)
        x = _by_side(n, x, last, below, above)
    elif mode == "WRAP":
        turns = _trunc(n, n.div(n.y(core.Abs(x)), n.maximum(last, 1.0)))
        below, above = n.add(x, n.mul(n.add(turns, 1.0), length)), n.sub(x, n.mul(turns, length))
        x = _by_side(n, x, last, below, above)
    elif mode != "NEAREST":
        raise n.unsupported(f"the fill mode {mode}")
    return n.minimum(n.maximum(x, 0.0), last)


def _trunc(n: SourceNode, x: Value) -> Value:
    return n.floor(x)  # of numbers that are not negative


def _by_side(n: SourceNode, x: Value, last: Value, below: Value, above: Value) -> Value:
    """Coordinates outside, and those of an image of one row, which are all 0."""
    moved = n.where(n.less(x, 0.0), below, n.where(n.less(last, x), above, x))
    return n.where(n.less(0.0, last), moved, n.mul(last, 0.0))


def _read(n: SourceNode, image: Value, y: Value, x: Value, ends: list[Value], fill: Value) -> Value:
    """Pixels [n, rows, columns, channels] at whole coordinates [n, rows, columns], `fill` outside."""
    inside: Value | None = None
    index: list[Value] = []
    for spot, end in zip((y, x), ends, strict=True):
        here = n.logical_and(n.less_equal(0.0, spot), n.less(spot, end))
        inside = here if inside is None else n.logical_and(inside, here)
        index.append(n.cast(n.where(here, spot, 0.0), DType.I32))
    owner = n.reshape(n.cast(n.arange(n.dim(image, 0)), DType.I32), [-1, 1, 1])
    places = [n.broadcast_to(owner, n.y(core.ShapeOf(y))), *index]
    found = n.y(core.GatherNd(image, n.concat([n.expand_dims(v, 3) for v in places], 3)))
    return found if inside is None else n.where(n.expand_dims(inside, 3), found, fill)


def _between(n: SourceNode, image: Value, spots: list[Value], ends: list[Value], fill: Value) -> Value:
    """Bilinear interpolation in float32, as the element type of the image."""
    low = [n.floor(v) for v in spots]
    share = [n.expand_dims(n.sub(v, f), 3) for v, f in zip(spots, low, strict=True)]
    rows: list[Value] = []
    for dy in (0.0, 1.0):
        pair = [
            n.cast(_read(n, image, n.add(low[0], dy), n.add(low[1], dx), ends, fill), DType.F32) for dx in (0.0, 1.0)
        ]
        rows.append(n.add(n.mul(n.sub(1.0, share[1]), pair[0]), n.mul(share[1], pair[1])))
    mixed = n.add(n.mul(n.sub(1.0, share[0]), rows[0]), n.mul(share[0], rows[1]))
    return n.cast(mixed, image.tensor.dtype)
