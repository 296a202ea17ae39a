"""Layers that move data, and those that do nothing outside of training.  Source: keras/src/layers/reshaping."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Rules
from mlconv.importers.keras.layers.images import MODES, resized
from mlconv.importers.keras.layers.windows import layout_of, sizes_of
from mlconv.ir.core import Value

RULES: Final = Rules()
_PAIRS: Final = "padding", "cropping"


@RULES.rule("StochasticDepth", keeps_mask=False)
def stochastic_depth(n: Call) -> Value:
    """Nothing outside of training.  Source: keras/src/applications/convnext.py."""
    n.fields.unused("drop_path_rate")
    return n.x


@RULES.rule(
    "Dropout",
    "AlphaDropout",
    "GaussianDropout",
    "GaussianNoise",
    "ActivityRegularization",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "SpatialDropout3D",
    "Identity",
    keeps_mask=True,
)
def identity(n: Call) -> Value:
    """Nothing is dropped and no noise is added outside of training."""
    n.fields.unused("rate", "noise_shape", "stddev", "l1", "l2", "data_format", "activity_regularizer")
    return n.x


def joined(n: Call, x: Value, sizes: Sequence[int | Value]) -> Value:
    """x under other sizes, of which one that is known at run time only is left to deduction."""
    if sum(isinstance(s, Value) for s in sizes) == 1 and -1 not in sizes:
        sizes = [-1 if isinstance(s, Value) else s for s in sizes]
    return n.reshape(x, sizes)


@RULES.rule("Flatten", keeps_mask=False)
def flatten(n: Call) -> Value:
    """All axes behind the batch become one; channels come last."""
    x = n.x
    rank = n.rank(x)
    first = n.fields.text("data_format", "channels_last", ("channels_last", "channels_first")) == "channels_first"
    if first and rank > 1:
        x = n.transpose(x, [0, *range(2, rank), 1])
    if rank < 1:
        raise n.unknown("its input has no batch")
    sizes = n.dims(x)
    if all(isinstance(s, int) for s in sizes[1:]):
        return joined(n, x, [sizes[0], math.prod(s for s in sizes[1:] if isinstance(s, int))])
    return n.reshape(x, [sizes[0], -1])


@RULES.rule("Reshape", keeps_mask=False)
def reshape(n: Call) -> Value:
    """A size of -1 or null is what is left."""
    x = n.x
    listed = n.fields.get("target_shape")
    if not isinstance(listed, (list, tuple)) or not all(
        s is None or (isinstance(s, int) and -1 <= s < 1 << 31) for s in listed
    ):
        raise n.fields.wrong("target_shape")
    target = [-1 if s is None else s for s in listed]
    rest = n.dims(x)[1:]
    if target.count(-1) == 1 and all(isinstance(s, int) for s in rest):
        whole, known = math.prod(s for s in rest if isinstance(s, int)), -math.prod(target)
        if not known or whole % known:
            raise n.fields.wrong("target_shape")
        target = [whole // known if s == -1 else s for s in target]
    return joined(n, x, [n.dim(x, 0), *target])


@RULES.rule("Permute", keeps_mask=False)
def permute(n: Call) -> Value:
    """Axes are counted from 1, the batch stays."""
    x, dims = n.x, n.fields.listed("dims")
    if sorted(dims) != list(range(1, n.rank(x))):
        raise n.fields.wrong("dims")
    return n.transpose(x, [0, *dims])


@RULES.rule("RepeatVector", keeps_mask=False)
def repeat_vector(n: Call) -> Value:
    x, count = n.x, n.fields.integer("n", None, 1)
    if n.rank(x) != 2:
        raise n.unknown(f"its input {x.tensor} is no batch of vectors")
    return n.y(core.Tile(n.expand_dims(x, 1), n.vector([1, count, 1])))


def _pairs(n: Call, name: str, count: int) -> list[tuple[int, int]]:
    """Amounts before and after each spatial axis."""
    given = n.fields.get(name, 1)
    listed: object = [given] * count if isinstance(given, int) else given
    if count == 1 and isinstance(given, (list, tuple)) and all(isinstance(v, int) for v in given):
        listed = [given]
    if not isinstance(listed, (list, tuple)) or len(listed) != count:
        raise n.fields.wrong(name)
    pairs = [[v, v] if isinstance(v, int) else v for v in listed]
    plain = all(
        isinstance(p, (list, tuple)) and len(p) == 2 and all(isinstance(v, int) and 0 <= v < 1 << 31 for v in p)
        for p in pairs
    )
    if not plain:
        raise n.fields.wrong(name)
    return [(p[0], p[1]) for p in pairs]


def _spatial_layout(n: Call, x: Value, count: int) -> str:
    layout = layout_of(n, count)
    sizes_of(n, x, layout)
    return layout


@RULES.rule("ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D", keeps_mask=False)
def zero_padding(n: Call) -> Value:
    x, count = n.x, int(n.kind[-2])
    layout, pairs = _spatial_layout(n, x, count), _pairs(n, "padding", count)
    return n.pad(x, [pairs[int(c)] if c.isdigit() else (0, 0) for c in layout])


@RULES.rule("Cropping1D", "Cropping2D", "Cropping3D", keeps_mask=False)
def cropping(n: Call) -> Value:
    x, count = n.x, int(n.kind[-2])
    layout, pairs = _spatial_layout(n, x, count), _pairs(n, "cropping", count)
    bounds: dict[int, tuple[int | Value | None, int | Value | None, int]] = {}
    for axis, c in enumerate(layout):
        begin, end = pairs[int(c)] if c.isdigit() else (0, 0)
        size = n.dim(x, axis)
        if isinstance(size, int) and begin + end >= size:
            raise n.fields.wrong("cropping")
        if begin or end:
            bounds[axis] = (begin, -end if end else None, 1)
    return n.slice(x, bounds) if bounds else x


@RULES.rule("UpSampling1D", "UpSampling2D", "UpSampling3D", keeps_mask=False)
def up_sampling(n: Call) -> Value:
    """Each element several times, or resized by a whole factor."""
    x, count = n.x, int(n.kind[-2])
    layout, factors = _spatial_layout(n, x, count), n.fields.integers("size", count, 2)
    mode = n.fields.text("interpolation", "nearest", MODES if count == 2 else ("nearest",))
    axes = tuple(layout.index(str(i)) for i in range(count))
    if count == 2:
        return resized(n, x, axes, [_times(n, n.dim(x, a), f) for a, f in zip(axes, factors, strict=True)], mode)
    return repeated(n, x, axes, factors)


def _times(n: Call, size: int | Value, factor: int) -> int | Value:
    return size * factor if isinstance(size, int) else n.mul(size, factor)


def repeated(n: Call, x: Value, axes: Sequence[int], factors: Sequence[int]) -> Value:
    """Each element along the axes several times."""
    sizes = n.dims(x)
    spread: list[int | Value] = []
    repeats: list[int] = []
    factor_of = dict(zip(axes, factors, strict=True))
    for axis, size in enumerate(sizes):
        spread += [size, 1] if axis in factor_of else [size]
        repeats += [1, factor_of[axis]] if axis in factor_of else [1]
    tiled = n.y(core.Tile(n.reshape(x, spread), n.vector(repeats)))
    return joined(n, tiled, [_times(n, s, factor_of.get(a, 1)) if a in factor_of else s for a, s in enumerate(sizes)])
