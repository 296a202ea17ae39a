"""Arithmetic with constants behind convolutions and products, and numbers that what they read is times, go into their
weights.

Weights are computed in float64 and rounded once.  Those that other nodes read stay, and have a copy,
where there is room for one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlconv.ir.constants import Array, make_const
from mlconv.ir.dtypes import DType
from mlconv.simplifiers.onnx.graph import Graph, Node
from mlconv.simplifiers.onnx.rules import Rules
from mlconv.simplifiers.onnx.shapes import replaced

RULES = Rules()
_LINEAR = ("Conv", "ConvTranspose", "Gemm", "MatMul")
_FLOATS = frozenset({DType.F16, DType.F32, DType.F64})
_NOTHING = 1e-30
"""Errors below it are none: trained channels of float32 may be as good as dead."""
_LEAST_STEP = 2.0**-10
"""Between numbers next to each other, from which on sums that cancel are taken to round on purpose."""
_COARSE_STEP = 0.25
"""The same of one sum; as a bias, such a number would round each product."""


class Linear(NamedTuple):
    """A node with weights of its own.  channels: of its result.  bias: None where it has none."""

    node: Node
    weights: Array
    bias: Array | None
    channels: int


def linear(g: Graph, name: str, *, own: bool = True) -> Linear | None:
    """The node that makes a value, if all of its weights are constants.  own: that only it reads, or that there
    may be another copy of.
    """
    n = g.sole(name, *_LINEAR)
    return None if n is None else _linear(g, n, own=own)


def _linear(g: Graph, n: Node, *, own: bool = True) -> Linear | None:
    """The same of a node."""
    if g.model.opset() < 7:
        return None
    weights = g.constant(n.inputs[1])
    if weights is None or weights.dtype not in _FLOATS:
        return None
    if own and not g.once(n.inputs[1]) and weights.nbytes > g.model.growth:
        return None
    if len(weights.shape) < 2 or (n.op_type in ("Gemm", "MatMul") and len(weights.shape) != 2):
        return None
    bias = g.constant(n.inputs[2]) if n.has(2) else None
    if n.has(2) and bias is None:
        return None
    if n.op_type == "ConvTranspose":
        channels = weights.shape[1] * n.integer("group", 1)
    elif n.op_type == "Conv" or (n.op_type == "Gemm" and n.integer("transB", 0)):
        channels = weights.shape[0]
    else:
        channels = weights.shape[1]
    if n.op_type == "Gemm" and (n.attribute("alpha", 1.0) != 1.0 or n.attribute("beta", 1.0) != 1.0):
        return None
    flat = None if bias is None else _by_channel(bias.view(), channels, 0)
    if bias is not None and flat is None:
        return None
    return Linear(n, weights.view(), flat, channels)


def _by_channel(array: Array, channels: int, behind: int) -> Array | None:
    """One number for each channel, float64 [channels].  behind: axes behind that of channels."""
    shape = array.shape
    at = len(shape) - 1 - behind
    if any(size != 1 for i, size in enumerate(shape) if i != at) or (at >= 0 and shape[at] not in (1, channels)):
        return None
    return np.broadcast_to(array.astype(np.float64).reshape(-1), (channels,))


def _behind(g: Graph, n: Node) -> int | None:
    """Axes behind that of channels in the result of a node with weights."""
    rank = g.rank(n.inputs[0])
    return 0 if n.op_type in ("Gemm", "MatMul") else None if rank is None else rank - 2


def _scaled(found: Linear, factors: Array) -> Array:
    """Weights times a factor for each channel of the result."""
    n, weights = found.node, found.weights.astype(np.float64)
    if n.op_type == "ConvTranspose":
        groups = n.integer("group", 1)
        split = weights.reshape(groups, weights.shape[0] // groups, *weights.shape[1:])
        by_group = factors.reshape(groups, 1, -1, *[1] * (weights.ndim - 2))
        return (split * by_group).reshape(weights.shape)
    first = n.op_type == "Conv" or (n.op_type == "Gemm" and n.integer("transB", 0))
    return weights * (factors.reshape(-1, *[1] * (weights.ndim - 1)) if first else factors)


def _keeps(exact: Array, given: Array, dtype: DType) -> bool:
    """Numbers keep their digits in a type: none that counts among the given ones falls below the normal numbers, or
    becomes infinite.  exact: float64, what became of the given ones.
    """
    eps = float(np.finfo(dtype.numpy).eps)
    with np.errstate(all="ignore"):
        error = np.abs(exact.astype(dtype.numpy).astype(np.float64) - exact)
        counts = np.abs(given) > eps * np.max(np.abs(given), initial=0.0)
    return not np.any((error > np.maximum(eps * np.abs(exact), _NOTHING)) & counts)


def _rounds(a: Array, b: Array, dtype: DType) -> bool:
    """(x + a) + b rounds x: a large number comes and goes, as 1.5 * 2 ** 23 does to give whole ones."""
    largest = np.maximum(np.abs(a), np.abs(b))
    cancels = np.abs(a + b) < largest / 2
    return bool(np.any(cancels & (largest * float(np.finfo(dtype.numpy).eps) >= _LEAST_STEP)))


def _absorb(g: Graph, n: Node, found: Linear, factors: Array | None, offsets: Array | None) -> bool:
    """Make the node with weights give factors * result + offsets in the place of n."""
    old, inner = list(n.inputs), found.node
    dtype = found.weights.dtype
    inputs = list(inner.inputs)
    bias = found.bias
    if factors is not None:
        inputs[1] = g.add(make_const(_scaled(found, factors).astype(dtype)), inner.inputs[1])
        bias = None if bias is None else bias * factors
    if offsets is not None:
        with np.errstate(invalid="ignore"):
            bias = offsets if bias is None else bias + offsets
    if bias is not None:
        base = inner.inputs[2] if inner.has(2) else f"{n.output}/bias"
        inputs = [*inputs[:2], g.add(make_const(bias.astype(dtype)), base)]
    if inner.op_type == "MatMul" and bias is not None:
        g.emit("Gemm", inputs, [n.output], inner)
    else:
        g.copy(inner, inputs, [n.output])
    replaced(g, n, old)
    return True


@RULES.on("BatchNormalization")
def _batch_norm_in_weights(g: Graph, n: Node) -> bool:
    """The statistics are constants of an inference."""
    if n.integer("training_mode", 0) or n.integer("spatial", 1) != 1 or any(g.uses[o] for o in n.outputs[1:] if o):
        return False
    found = linear(g, n.inputs[0])
    numbers = [g.constant(name) for name in n.inputs[1:5]]
    if found is None or len(numbers) < 4 or any(c is None or c.size != found.channels for c in numbers):
        return False
    if found.node.op_type == "MatMul" and g.rank(n.output) != 2:
        return False
    scale, shift, mean, var = (c.view().astype(np.float64).reshape(-1) for c in numbers if c is not None)
    epsilon = n.attribute("epsilon", 1e-5)
    factors = scale / np.sqrt(var + (epsilon if isinstance(epsilon, float) else 1e-5))
    if not np.isfinite(factors).all() or not _keeps(_scaled(found, factors), found.weights, _type_of(found)):
        return False
    return _absorb(g, n, found, factors, shift - mean * factors)


def _type_of(found: Linear) -> DType:
    return DType.from_numpy(found.weights.dtype)


def _is_harmless(found: Linear, factors: Array | None, offsets: Array | None) -> bool:
    """Weights and bias say as exactly what the arithmetic behind them does."""
    dtype = _type_of(found)
    if factors is not None:
        scaled = _scaled(found, factors)
        return bool(np.isfinite(scaled).all()) and _keeps(scaled, found.weights, dtype)
    if offsets is None:
        return True
    coarse = np.abs(offsets) * float(np.finfo(dtype.numpy).eps) >= _COARSE_STEP
    return not coarse.any() and (found.bias is None or not _rounds(found.bias, offsets, dtype))


@RULES.on("Add", "Sub", "Mul", "Div")
def _constant_in_weights(g: Graph, n: Node) -> bool:
    """A number, or one for each channel, that is added or multiplied with."""
    for value, other in ((0, 1), (1, 0)):
        array = g.array(n.inputs[other])
        if array is None or (other == 0 and n.op_type in ("Sub", "Div")):
            continue
        added = n.op_type in ("Add", "Sub")
        found = linear(g, n.inputs[value], own=not added)
        if found is None or g.shape(n.inputs[value]) is None or g.shape(n.inputs[value]) != g.shape(n.output):
            continue
        behind = _behind(g, found.node)
        numbers = None if behind is None else _by_channel(array, found.channels, behind)
        if numbers is None or array.dtype != found.weights.dtype:
            continue
        if found.node.op_type == "MatMul" and added:
            continue  # a Gemm takes it as it is
        if not added and n.op_type == "Div" and not numbers.all():
            continue
        with np.errstate(all="ignore"):
            factors = None if added else numbers if n.op_type == "Mul" else 1 / numbers
        offsets = None if not added else numbers if n.op_type == "Add" else -numbers
        if not _is_harmless(found, factors, offsets):
            continue
        return _absorb(g, n, found, factors, offsets)
    return False


@RULES.on(*_LINEAR)
def _factor_in_weights(g: Graph, n: Node) -> bool:
    """What is read is times a number: the half of a GELU in front of a convolution."""
    inner = g.sole(n.inputs[0], "Mul", "Div")
    found = None if inner is None else _linear(g, n)
    if inner is None or found is None:
        return False
    for value, other in ((0, 1), (1, 0)):
        number, shape = g.array(inner.inputs[other]), g.shape(inner.inputs[value])
        if number is None or number.size != 1 or (other == 0 and inner.op_type == "Div"):
            continue
        if shape is None or shape != g.shape(inner.output) or number.dtype != found.weights.dtype:
            continue
        factor = float(number.reshape(-1)[0])
        if inner.op_type == "Div":
            factor = 1 / factor if factor else np.nan
        scaled = found.weights.astype(np.float64) * factor
        if not np.isfinite(scaled).all() or not _keeps(scaled, found.weights, _type_of(found)):
            continue
        weights = g.add(make_const(scaled.astype(found.weights.dtype)), n.inputs[1])
        old = list(n.inputs)
        g.copy(n, [inner.inputs[value], weights, *n.inputs[2:]], n.outputs)
        replaced(g, n, old)
        return True
    return False


@RULES.on("Add", "Mul")
def _numbers_together(g: Graph, n: Node) -> bool:
    """(x + a) + b is x + (a + b), and so with products: of one number each, or of the same sizes."""
    if g.model.opset() < 7:
        return False
    for i in (0, 1):
        inner = g.sole(n.inputs[1 - i], n.op_type)
        last = g.constant(n.inputs[i])
        if inner is None or last is None or last.dtype not in _FLOATS:
            continue
        for k in (0, 1):
            first = g.constant(inner.inputs[k])
            if first is None or (first.shape != last.shape and 1 not in (first.size, last.size)):
                continue
            if g.constant(inner.inputs[1 - k]) is not None:
                continue
            a, b = first.view().astype(np.float64), last.view().astype(np.float64)
            with np.errstate(all="ignore"):
                exact = a + b if n.op_type == "Add" else a * b
                both = exact.astype(first.dtype.numpy)
            if both.size > max(first.size, last.size) or not np.isfinite(both).all():
                continue
            if _rounds(a, b, first.dtype) if n.op_type == "Add" else not _keeps(exact, exact, first.dtype):
                continue
            old = list(n.inputs)
            g.emit(n.op_type, [inner.inputs[1 - k], g.add(make_const(both), n.inputs[i])], [n.output], n)
            replaced(g, n, old)
            return True
    return False


@RULES.on("Conv", "AveragePool", "MaxPool")
def _pad_in_window(g: Graph, n: Node) -> bool:
    """Padding in front of a window is the window's own: zeros for sums, what never wins for a maximum.  Where several
    windows read it, each has its own.
    """
    pad = g.one(n.inputs[0], "Pad")
    rank = g.rank(n.inputs[0])
    if pad is None or rank is None or pad.attribute("mode", "constant") != "constant" or g.model.opset() < 7:
        return False
    pads = None if pad.has(3) else g.listed(pad, "pads", 1)
    value = g.array(pad.inputs[2]) if pad.has(2) else np.asarray(pad.attribute("value", 0.0))
    if pads is None or len(pads) != 2 * rank or value is None or min(pads) < 0 or any(pads[:2] + pads[rank : rank + 2]):
        return False
    own = n.integers("pads") or (0,) * (2 * (rank - 2))
    number = float(value.reshape(-1)[0]) if value.size else 0.0
    if n.attribute("auto_pad", "NOTSET") != "NOTSET" or number != (-np.inf if n.op_type == "MaxPool" else 0):
        return False
    if n.op_type != "Conv" and (n.integer("ceil_mode", 0) or not _counts(n, own, pads, rank)):
        return False
    whole = [a + b for a, b in zip(own, [*pads[2:rank], *pads[rank + 2 :]], strict=True)]
    old = list(n.inputs)
    made = g.copy(n, [pad.inputs[0], *n.inputs[1:]], n.outputs)
    made.set_attribute("pads", whole)
    if n.op_type == "AveragePool":
        made.set_attribute("count_include_pad", 1)
    replaced(g, n, old)
    return True


def _counts(n: Node, own: tuple[int, ...], pads: list[int], rank: int) -> bool:
    """A pool's padding is smaller than its window, and counts as what is padded does."""
    window = n.integers("kernel_shape") or ()
    whole = [a + b for a, b in zip(own, [*pads[2:rank], *pads[rank + 2 :]], strict=True)]
    fits = all(p < w for p, w in zip(whole, (*window, *window), strict=True))
    same = n.op_type == "MaxPool" or not any(own) or n.integer("count_include_pad", 0) == 1
    return fits and same and not any(n.outputs[1:])
