"""TensorFlow 1's quantization: floats are quantized in the graph, integers of results are read as plain ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.tf.op_rows.row import EVERYWHERE, Row, numbers

IMAGE, KERNEL = numbers(2, 6, 7, 3), numbers(3, 2, 3, 4, low=-1.5, high=0.5)
PLAIN = {"qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16", "qint32": "int32"}
RANGES = [np.float32(-1.5), np.float32(1.7)]


def plain(tf: Any, results: Any) -> Any:
    """Quantized results as integers."""
    return [tf.bitcast(r, PLAIN[r.dtype.name]) if r.dtype.name in PLAIN else r for r in results]


def stored(tf: Any, x: Any, low: float = -2.0, high: float = 2.0, kind: str = "quint8", mode: str = "MIN_FIRST") -> Any:
    """Integers with the ends of their range."""
    return tf.raw_ops.QuantizeV2(input=x, min_range=low, max_range=high, T=tf.as_dtype(kind), mode=mode)


def row(name: str, make: Callable[..., Any], *inputs: Any, **more: Any) -> Row:
    return Row(name, lambda tf, *xs: plain(tf, make(tf, *xs)), list(inputs), targets=EVERYWHERE, **more)


def quantize(kind: str, mode: str, **attributes: Any) -> Row:
    """The range is data, and smaller than the numbers."""

    def make(tf: Any, x: Any, low: Any, high: Any) -> Any:
        return tf.raw_ops.QuantizeV2(
            input=x, min_range=low, max_range=high, T=tf.as_dtype(kind), mode=mode, **attributes
        )

    ends = RANGES if "axis" not in attributes else [np.float32([-1.5, -1, 0, -0.2]), np.float32([1.7, 0, 1, 3])]
    return row(f"QuantizeV2 {kind} {mode} {attributes}", make, numbers(3, 4, 5), *ends)


def dequantize(kind: str, mode: str, **attributes: Any) -> Row:
    def make(tf: Any, x: Any, low: Any, high: Any) -> Any:
        made = tf.bitcast(x, tf.as_dtype(kind))
        return [tf.raw_ops.Dequantize(input=made, min_range=low, max_range=high, mode=mode, **attributes)]

    limits = np.iinfo(PLAIN[kind])
    x = np.random.default_rng(4).integers(limits.min, limits.max, (3, 4, 5), dtype=PLAIN[kind], endpoint=True)
    ends = RANGES if "axis" not in attributes else [np.float32([-1.5, -1, 0, -0.2]), np.float32([1.7, 0.1, 1, 3])]
    return row(f"Dequantize {kind} {mode} {attributes}", make, x, *ends)


def product(tf: Any, x: Any, w: Any, **attributes: Any) -> Any:
    """A convolution in int32."""
    (a, low_a, high_a), (b, low_b, high_b) = stored(tf, x), stored(tf, w, -1.5, 0.5)
    return tf.raw_ops.QuantizedConv2D(
        input=a,
        filter=b,
        min_input=low_a,
        max_input=high_a,
        min_filter=low_b,
        max_filter=high_b,
        **{"strides": [1, 1, 1, 1], "padding": "SAME", **attributes},
    )


def of_product(name: str, op: Callable[..., Any]) -> Row:
    """op(tf, integers, low, high) of a convolution."""
    return row(name, lambda tf, x, w: op(tf, *product(tf, x, w)), IMAGE, KERNEL)


def requantize(kind: str) -> Row:
    def op(tf: Any, y: Any, low: Any, high: Any) -> Any:
        found = tf.raw_ops.RequantizationRange(input=y, input_min=low, input_max=high)
        return tf.raw_ops.Requantize(
            input=y,
            input_min=low,
            input_max=high,
            requested_output_min=found[0],
            requested_output_max=found[1],
            out_type=tf.as_dtype(kind),
        )

    return of_product(f"Requantize {kind}", op)


def pair(kind: str, **names: Any) -> Callable[..., Any]:
    """An op of two quantized tensors."""

    def make(tf: Any, x: Any, y: Any) -> Any:
        (a, low_a, high_a), (b, low_b, high_b) = stored(tf, x), stored(tf, y, -0.5, 3.0)
        given = {"QuantizedMatMul": "a b min_a max_a min_b max_b", "QuantizedBiasAdd": "input bias"}.get(kind, "x y")
        first, second = given.split()[:2]
        ends = f"min_{first} max_{first} min_{second} max_{second}".split()
        return getattr(tf.raw_ops, kind)(
            **{first: a, second: b}, **dict(zip(ends, (low_a, high_a, low_b, high_b), strict=True)), **names
        )

    return make


def pool(kind: str, padding: str) -> Row:
    def make(tf: Any, x: Any) -> Any:
        a, low, high = stored(tf, x)
        return getattr(tf.raw_ops, kind)(
            input=a, min_input=low, max_input=high, ksize=[1, 3, 2, 1], strides=[1, 2, 2, 1], padding=padding
        )

    return row(f"{kind} {padding}", make, IMAGE)


def concat(tf: Any, x: Any, y: Any, z: Any) -> Any:
    parts = [stored(tf, x), stored(tf, y, -0.5, 3.0), stored(tf, z)]
    values, lows, highs = zip(*parts, strict=True)
    return tf.raw_ops.QuantizedConcat(concat_dim=1, values=values, input_mins=lows, input_maxes=highs)


def activation(kind: str) -> Row:
    def make(tf: Any, x: Any) -> Any:
        a, low, high = stored(tf, x, -3.0, 9.0)
        return getattr(tf.raw_ops, kind)(features=a, min_features=low, max_features=high)

    return row(kind, make, numbers(3, 5, low=-3, high=9))


def reshape(tf: Any, x: Any) -> Any:
    a, low, high = stored(tf, x)
    return tf.raw_ops.QuantizedReshape(tensor=a, shape=[5, -1], input_min=low, input_max=high)


def network(tf: Any, x: Any, w: Any, bias: Any) -> Any:
    """What the graph transforms of TensorFlow 1 made of Conv2D, BiasAdd and Relu."""
    y, low, high = product(tf, x, w, strides=[1, 2, 2, 1])
    y, low, high = tf.raw_ops.QuantizeDownAndShrinkRange(input=y, input_min=low, input_max=high, out_type=tf.quint8)
    b, low_b, high_b = stored(tf, bias)
    y, low, high = tf.raw_ops.QuantizedBiasAdd(
        input=y, bias=b, min_input=low, max_input=high, min_bias=low_b, max_bias=high_b, out_type=tf.qint32
    )
    y, low, high = tf.raw_ops.QuantizeDownAndShrinkRange(input=y, input_min=low, input_max=high, out_type=tf.quint8)
    y, low, high = tf.raw_ops.QuantizedRelu(features=y, min_features=low, max_features=high)
    return [tf.raw_ops.Dequantize(input=y, min_range=low, max_range=high, mode="MIN_FIRST")]


ROWS = [
    *(quantize(kind, mode) for kind in ("quint8", "qint8") for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED")),
    *(quantize(kind, "SCALED", round_mode="HALF_TO_EVEN", narrow_range=True) for kind in ("qint8", "qint16")),
    quantize("quint16", "MIN_FIRST"),
    *(quantize("qint8", mode, axis=1) for mode in ("MIN_COMBINED", "SCALED")),
    *(dequantize(kind, mode) for kind in ("quint8", "qint8") for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED")),
    *(dequantize(kind, "MIN_COMBINED") for kind in ("qint16", "quint16", "qint32")),
    dequantize("qint32", "SCALED"),
    dequantize("qint8", "SCALED", axis=1, narrow_range=True),
    row("QuantizedConv2D", product, IMAGE, KERNEL),
    row("QuantizedConv2D strides", lambda tf, x, w: product(tf, x, w, strides=[1, 2, 2, 1]), IMAGE, KERNEL),
    row("QuantizedConv2D VALID", lambda tf, x, w: product(tf, x, w, padding="VALID"), IMAGE, KERNEL),
    requantize("quint8"),
    requantize("qint8"),
    of_product(
        "RequantizationRange",
        lambda tf, y, low, high: tf.raw_ops.RequantizationRange(input=y, input_min=low, input_max=high),
    ),
    of_product(
        "QuantizeDownAndShrinkRange",
        lambda tf, y, low, high: tf.raw_ops.QuantizeDownAndShrinkRange(
            input=y, input_min=low, input_max=high, out_type=tf.quint8
        ),
    ),
    row("QuantizedMatMul", pair("QuantizedMatMul", transpose_b=True), numbers(4, 6), numbers(5, 6)),
    row("QuantizedMul", pair("QuantizedMul"), numbers(4, 6), numbers(6)),
    row("QuantizedAdd", pair("QuantizedAdd"), numbers(4, 6), numbers(4, 6) / 2),
    row("QuantizedBiasAdd", pair("QuantizedBiasAdd", out_type="qint32"), numbers(4, 6), numbers(6)),
    *(pool(kind, padding) for kind in ("QuantizedMaxPool", "QuantizedAvgPool") for padding in ("SAME", "VALID")),
    row("QuantizedConcat", concat, numbers(2, 3), numbers(2, 4), numbers(2, 2)),
    activation("QuantizedRelu"),
    activation("QuantizedRelu6"),
    row("QuantizedReshape", reshape, numbers(3, 5)),
    row("QuantizedConv2D network", network, IMAGE, KERNEL, numbers(4)),
]
