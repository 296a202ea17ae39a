"""Operations that order, pick, round and divide.  Source: keras/src/ops/numpy.py, math.py, nn.py, image.py."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Results, Rules
from mlconv.importers.keras.layers.images import MODES, resized
from mlconv.importers.keras.layers.shape import repeated
from mlconv.importers.keras.layers.windows import layout_of, sizes_of
from mlconv.importers.keras.operations.operands import NUMPY_TYPES, floats, pair, tensor, whole_axis
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType

RULES: Final = Rules()
_INTEGERS: Final = (DType.I32, DType.I64)


@RULES.rule("Round", keeps_mask=False)
def rounded(n: Call) -> Value:
    """To whole numbers, halves to even ones."""
    n.fields.absent("decimals")
    return n.y(core.Round(floats(n)))


@RULES.rule("Log2", "Log10", keeps_mask=False)
def logarithm(n: Call) -> Value:
    return n.div(n.y(core.Log(floats(n))), math.log(2.0 if n.kind == "Log2" else 10.0))


@RULES.rule("Isnan", "Isfinite", keeps_mask=False)
def is_number(n: Call) -> Value:
    x = floats(n)
    return n.y(core.IsNan(x) if n.kind == "Isnan" else core.IsFinite(x))


@RULES.rule("Mod", "FloorDivide", keeps_mask=False)
def whole_division(n: Call) -> Value:
    """The remainder has the sign of the divisor, the quotient is rounded down."""
    a, b = pair(n)
    if not (a.tensor.dtype.is_float or a.tensor.dtype in _INTEGERS):
        raise n.unknown(f"its operands are of {a.tensor.dtype.display}")
    return n.y(core.FloorMod(a, b) if n.kind == "Mod" else core.FloorDiv(a, b))


@RULES.rule("OneHot", keeps_mask=False)
def one_hot(n: Call) -> Value:
    x = tensor(n)
    n.fields.absent("sparse")
    if x.tensor.dtype not in _INTEGERS:
        raise n.unknown(f"x is of {x.tensor.dtype.display}")
    dtype = DType.from_numpy(np.dtype(n.fields.text("dtype", "float32", NUMPY_TYPES)))
    depth, axis = n.fields.integer("num_classes", None, 1), whole_axis(n, x, -1, n.rank(x) + 1)
    parts = n.constant(depth, DType.I64), n.constant(1, dtype), n.constant(0, dtype)
    return n.y(core.OneHot(x, *parts, axis=axis))


@RULES.rule("TopK", keeps_mask=False)
def top_k(n: Call) -> Results:
    """The largest along the last axis, and their places, int32."""
    x = floats(n)
    if not n.fields.flag("sorted", True):
        raise n.fields.wrong("sorted")
    count = n.constant(n.fields.integer("k", None, 1), DType.I64)
    made = n.emit(core.TopK(x, count, axis=n.rank(x) - 1, index_dtype=DType.I32))
    return [made.values, made.indices]


@RULES.rule("Sort", "Argsort", keeps_mask=False)
def sort(n: Call) -> Value:
    x = floats(n)
    axis = whole_axis(n, x, -1)
    count = n.constant(n.size(x, axis), DType.I64)
    made = n.emit(core.TopK(x, count, axis=axis, largest=False, index_dtype=DType.I32))
    return made.values if n.kind == "Sort" else made.indices


@RULES.rule("Tril", "Triu", keeps_mask=False)
def triangle(n: Call) -> Value:
    """Zeros above, or below, a diagonal of the last two axes."""
    x, shift = floats(n), n.fields.integer("k", 0)
    rank = n.rank(x)
    if rank < 2:
        raise n.unknown(f"x is {x.tensor}")
    row, column = n.expand_dims(n.arange(n.dim(x, rank - 2)), 1), n.expand_dims(n.arange(n.dim(x, rank - 1)), 0)
    ahead = n.sub(column, row)
    kept = n.less_equal(ahead, shift) if n.kind == "Tril" else n.less_equal(shift, ahead)
    return n.where(kept, x, 0.0)


@RULES.rule("Repeat", keeps_mask=False)
def repeat(n: Call) -> Value:
    """Each element along an axis several times."""
    x, times = tensor(n), n.fields.listed("repeats")
    if n.fields.get("axis") is None or len(times) != 1 or times[0] < 1:
        raise n.fields.wrong("repeats")
    return repeated(n, x, [whole_axis(n, x)], list(times))


@RULES.rule("Unstack", keeps_mask=False)
def unstack(n: Call) -> Results:
    x = tensor(n)
    axis = whole_axis(n, x, 0)
    n.fields.unused("num")
    return [n.squeeze(part, axis) for part in n.split(x, (1,) * n.size(x, axis), axis)]


@RULES.rule("Resize", keeps_mask=False)
def resize(n: Call) -> Value:
    """Source: `resize` of keras/src/backend/tensorflow/image.py."""
    x = tensor(n)
    layout = layout_of(n, 2)
    sizes_of(n, x, layout)
    n.fields.absent("crop_to_aspect_ratio", "pad_to_aspect_ratio")
    n.fields.unused("fill_mode", "fill_value")
    if x.tensor.dtype is not DType.F32:
        raise n.unknown(f"x is of {x.tensor.dtype.display}")
    mode, antialias = n.fields.text("interpolation", "bilinear", MODES), n.fields.flag("antialias")
    axes = layout.index("0"), layout.index("1")
    return resized(n, x, axes, [*n.fields.integers("size", 2)], mode, antialias)
