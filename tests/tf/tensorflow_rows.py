"""TensorFlow functions whose results are compared with ours; run as a program it writes graphs and TensorFlow's
results, so that tests never import it.

Use: python tensorflow_rows.py FOLDER.  Makes FOLDER/<number>.pb and FOLDER/<number>.npz (in0.., out0..; names of the
outputs).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

NAN, INF = np.nan, np.inf
BOXES = np.asarray(
    [[0.0, 0, 1, 1], [0, 0, 1, 0.8], [0, 0, 1, 0.3], [2, 2, 3, 3], [2, 2, 3, 2.5], [0, 0, 1, 1]], np.float32
)
SCORES = np.asarray([0.9, 0.8, 0.7, 0.6, 0.55, 0.5], np.float32)
LEVELS = np.linspace(-1.2, 2.7, 40).astype(np.float32)


def image(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def resized(kind: str, size: list[int], **attributes: Any) -> Callable[..., Any]:
    return lambda tf, x: getattr(tf.raw_ops, kind)(images=x, size=size, **attributes)


def quantized(low: float, high: float, **attributes: Any) -> Callable[..., Any]:
    return lambda tf, x: tf.quantization.quantize_and_dequantize_v2(x, low, high, range_given=True, **attributes)


def by_range(kind: str, *ends: Any, **attributes: Any) -> Callable[..., Any]:
    """A QuantizeAndDequantize op, of data alone where no ends are given, or of ends that are given at run time."""

    def make(tf: Any, x: Any, *given: Any) -> Any:
        nothing = 0.0 if attributes.get("axis", -1) < 0 else [0.0] * x.shape[attributes["axis"]]
        found = given or ends or (nothing, nothing)
        numbers = {"num_bits": attributes.get("num_bits", 8)} if kind.endswith("V3") else {}
        attributes_ = {**attributes, **numbers, "range_given": bool(given or ends)}
        low, high = (tf.convert_to_tensor(v, tf.float32) for v in found)
        return getattr(tf.raw_ops, kind)(input=x, input_min=low, input_max=high, **attributes_)

    return make


def fake(low: float, high: float, **attributes: Any) -> Callable[..., Any]:
    return lambda tf, x: tf.quantization.fake_quant_with_min_max_args(x, low, high, **attributes)


def logsumexp(**attributes: Any) -> Callable[..., Any]:
    return lambda tf, x: tf.math.cumulative_logsumexp(x, axis=1, **attributes)


ENDS = [np.asarray([-1.0, -0.2, 0.0, -3.0], np.float32), np.asarray([2.0, 0.1, 1.5, -1.0], np.float32)]
SPREAD = np.asarray([[100, 1e30, -5, 2, -INF], [1, 1, -1e30, 3, 88]], np.float32)
# (name, function, inputs, shapes of inputs that are open)
ROWS: list[tuple[str, Callable[..., Any], list[Any], list[Any] | None]] = [
    ("area corners", resized("ResizeArea", [9, 4], align_corners=True), [image(1, 8, 8, 3)], None),
    ("area corners of one", resized("ResizeArea", [6, 5], align_corners=True), [image(2, 1, 3, 2)], None),
    ("area", resized("ResizeArea", [5, 9], align_corners=False), [image(1, 8, 4, 1)], None),
    *(
        (
            f"bicubic open {a} {h}",
            resized("ResizeBicubic", [12, 3], align_corners=a, half_pixel_centers=h),
            [image(1, 4, 5, 2)],
            [[1, None, None, 2]],
        )
        for a, h in ((True, False), (False, True), (False, False))
    ),
    *(
        (f"unsigned {b} {n}", quantized(0.0, 2.6, signed_input=False, num_bits=b, narrow_range=n), [LEVELS], None)
        for b in (4, 8)
        for n in (False, True)
    ),
    ("signed narrow", quantized(-1.0, 1.3, signed_input=True, num_bits=8, narrow_range=True), [LEVELS], None),
    (
        "fake quant keeps 0",
        lambda tf, x: tf.quantization.fake_quant_with_min_max_args(x, -0.37, 2.9, 4),
        [np.append(LEVELS, np.float32(0))],
        None,
    ),
    (
        "in top k",
        lambda tf, x, t: [tf.math.in_top_k(t, x, k) for k in (1, 2, 3)],
        [
            np.asarray([[NAN, 1, 2, 3], [1, 1, 1, 1], [INF, 1, 0, -1], [1, 2, 3, 4]], np.float32),
            np.asarray([1, 3, 1, 7], np.int32),
        ],
        None,
    ),
    (
        "bucketize",
        lambda tf, x: tf.raw_ops.Bucketize(input=x, boundaries=[0.0, 1.0, 2.0]),
        [np.asarray([-1, 0, 1.5, NAN, INF, -INF], np.float32)],
        None,
    ),
    (
        "upper bound",
        lambda tf, v: tf.searchsorted(np.asarray([[0, 1, 1, 2]], np.float32), v, side="right"),
        [np.asarray([[1, NAN, -1, 5]], np.float32)],
        None,
    ),
    ("logsumexp", logsumexp(), [SPREAD], None),
    ("logsumexp back", logsumexp(reverse=True), [SPREAD], None),
    ("logsumexp exclusive", logsumexp(exclusive=True), [SPREAD], None),
    ("logsumexp of open length", logsumexp(exclusive=True, reverse=True), [SPREAD], [[2, None]]),
    ("logsumexp of one", logsumexp(exclusive=True), [SPREAD[:, :1]], None),
    (
        "soft suppression",
        lambda tf, b, s: tf.image.non_max_suppression_with_scores(b, s, 6, 0.5, 0.1, soft_nms_sigma=0.4),
        [BOXES, SCORES],
        None,
    ),
    *(
        (
            f"{kind} {axis} {signed} {narrow}",
            by_range(kind, *ends, axis=axis, signed_input=signed, narrow_range=narrow),
            [image(3, 4)],
            None,
        )
        for kind in ("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4")
        for axis, ends in ((-1, (-1.0, 0.7)), (-1, ()), (1, ENDS), (1, ()), (0, ()))
        for signed in (True, False)
        for narrow in (True, False)
        if ends is not ENDS or kind.endswith("V3")  # of the others, TensorFlow 2.21 wants scalars
    ),
    *(
        (
            f"at run time {axis} {signed}",
            by_range("QuantizeAndDequantizeV3", axis=axis, signed_input=signed),
            [image(3, 4), *ends],
            None,
        )
        for axis, ends in ((-1, [np.float32(-1.5), np.float32(0.3)]), (1, ENDS))
        for signed in (True, False)
    ),
    *(
        (
            f"up {bits}",
            by_range("QuantizeAndDequantizeV4", -2.0, 1.0, round_mode="HALF_UP", num_bits=bits),
            [LEVELS],
            None,
        )
        for bits in (4, 8, 16)
    ),
    ("nothing but zeros", by_range("QuantizeAndDequantizeV2"), [np.zeros((2, 3), np.float32)], None),
    *(
        (f"fake {bits} {narrow} {low}", fake(low, high, num_bits=bits, narrow_range=narrow), [LEVELS], None)
        for bits in (4, 8, 16)
        for narrow in (True, False)
        for low, high in ((-1.1, 2.0), (0.0, 1.5), (-1.03, 0.0), (0.3, 2.0))
    ),
    (
        "suppression at the threshold",
        lambda tf, b, s: tf.image.non_max_suppression(b, s, 6, 0.3),
        [BOXES, SCORES],
        None,
    ),
    (
        "angle of infinity",
        lambda tf, a, b: tf.math.angle(tf.complex(a, b)),
        [np.asarray([-0.5, INF, 1], np.float32), np.asarray([INF, 1, -INF], np.float32)],
        None,
    ),
    (
        "histogram of infinities",
        lambda tf, x: tf.histogram_fixed_width(x, [-1.0, 1.0], 5),
        [np.asarray([INF, -INF, 1e30, 0.1, -0.9], np.float32)],
        None,
    ),
    ("largest and its place", lambda tf, x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME"), [image(1, 5, 4, 2)], None),
]


def main(folder: Path) -> None:
    import tensorflow as tf

    for number, (_, make, arrays, shapes) in enumerate(ROWS):
        given = shapes or [a.shape for a in arrays]
        specs = [tf.TensorSpec(s, a.dtype, name=f"x{i}") for i, (s, a) in enumerate(zip(given, arrays, strict=True))]
        function = tf.function(lambda *xs, make=make: make(tf, *xs), autograph=False).get_concrete_function(*specs)
        results = [t.numpy() for t in tf.nest.flatten(function(*map(tf.constant, arrays)))]
        (folder / f"{number}.pb").write_bytes(function.graph.as_graph_def().SerializeToString())
        names = [t.name for t in tf.nest.flatten(function.outputs)]
        stored = {f"in{i}": a for i, a in enumerate(arrays)} | {f"out{i}": r for i, r in enumerate(results)}
        np.savez(folder / f"{number}.npz", names=np.asarray(names), **stored)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
