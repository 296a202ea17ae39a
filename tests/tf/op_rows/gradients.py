"""Gradients, as exported training steps have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.tf.op_rows.row import EVERYWHERE, Row, numbers, raw

IMAGE = numbers(2, 7, 8, 4)
# Rectified, with windows of equal elements.
TIES = np.maximum(np.round(numbers(2, 8, 9, 3)), 0).astype(np.float32)
VOLUME = numbers(1, 5, 6, 4, 2)
COMPLEX = (numbers(9) + 1j * numbers(9, low=-1.0)).astype(np.complex64)


def of(
    name: str, forward: Callable[..., Any], *inputs: Any, shapes: list[Any] | None = None, on: tuple[str, ...] = ()
) -> Row:
    """The gradients of a weighted sum of what `forward` gives, by all inputs."""

    def make(tf: Any, *xs: Any) -> Any:
        y = forward(tf, *xs)
        weights = tf.cos(tf.reshape(tf.range(tf.size(y), dtype=tf.float32), tf.shape(y)))
        return tf.gradients(y, xs, tf.cast(weights, y.dtype))

    return Row(f"gradient of {name}", make, list(inputs), shapes=shapes, targets=on, tolerance=2e-5)


def conv(stride: int, pad: str, kernel: Any, **more: Any) -> Row:
    return of(
        f"conv {kernel.shape} {stride} {pad}",
        lambda tf, x, w: tf.nn.conv2d(x, w, stride, pad),
        IMAGE,
        kernel,
        **more,
    )


def depthwise(stride: int, pad: str, kernel: Any, **more: Any) -> Row:
    return of(
        f"depthwise {kernel.shape} {stride} {pad}",
        lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, stride, stride, 1], pad),
        IMAGE,
        kernel,
        **more,
    )


def pooled(kind: str, size: int, stride: int, pad: str, **more: Any) -> Row:
    return of(
        f"{kind} {size} {stride} {pad}",
        lambda tf, x: getattr(tf.nn, f"{kind}_pool2d")(x, size, stride, pad),
        TIES if kind == "max" else IMAGE,
        **more,
    )


def resized(kind: str, size: list[int], align: bool, half: bool, **more: Any) -> Row:
    return of(
        f"{kind} {size} {align} {half}",
        lambda tf, x: getattr(tf.raw_ops, kind)(images=x, size=size, align_corners=align, half_pixel_centers=half),
        IMAGE,
        **more,
    )


def normalized(training: bool, **more: Any) -> Row:
    return of(
        f"normalization in training {training}",
        lambda tf, x, scale, offset: tf.raw_ops.FusedBatchNormV3(
            x=x,
            scale=scale,
            offset=offset,
            mean=[] if training else [0.1, 0.2, 0.3, -0.4],
            variance=[] if training else [0.5, 1.2, 1.3, 0.4],
            is_training=training,
        )[0],
        IMAGE,
        numbers(4, low=0.5),
        numbers(4),
        **more,
    )


def activation(name: str) -> Row:
    return of(name, lambda tf, x: getattr(tf.nn, name)(x), numbers(3, 5, low=-4.0, high=4.0), on=EVERYWHERE)


ROWS = [
    *map(activation, ("relu", "relu6", "leaky_relu", "elu", "selu", "softplus", "softsign", "sigmoid", "tanh")),
    of(
        "roots", lambda tf, x: tf.sqrt(x) + tf.math.rsqrt(x) + tf.math.reciprocal(x), numbers(7, low=0.5), on=EVERYWHERE
    ),
    of("bias", lambda tf, x, b: tf.nn.bias_add(x, b), IMAGE, numbers(4), shapes=[[None] * 4, [4]], on=EVERYWHERE),
    normalized(True, on=EVERYWHERE),
    normalized(False, on=EVERYWHERE),
    conv(1, "SAME", numbers(3, 3, 4, 5), on=EVERYWHERE),
    conv(2, "SAME", numbers(3, 2, 4, 6), on=EVERYWHERE),
    conv(2, "VALID", numbers(2, 2, 4, 3), on=EVERYWHERE),
    conv(3, "VALID", numbers(2, 3, 4, 3)),
    conv(1, "SAME", numbers(1, 1, 4, 3)),
    conv(1, "VALID", numbers(3, 3, 4, 5), shapes=[[None, 7, 8, 4], [3, 3, 4, 5]]),
    depthwise(1, "SAME", numbers(3, 3, 4, 1), on=EVERYWHERE),
    depthwise(2, "SAME", numbers(3, 3, 4, 2), on=EVERYWHERE),
    depthwise(2, "VALID", numbers(2, 3, 4, 1)),
    pooled("max", 2, 2, "VALID", on=EVERYWHERE),
    pooled("max", 3, 2, "SAME", on=EVERYWHERE),
    pooled("max", 3, 1, "SAME", shapes=[[None, 8, 9, 3]]),
    pooled("avg", 2, 2, "VALID", on=EVERYWHERE),
    pooled("avg", 3, 2, "SAME", on=EVERYWHERE),
    *(
        resized(kind, size, *how)
        for kind in ("ResizeBilinear", "ResizeNearestNeighbor")
        for size in ([14, 16], [4, 11])
        for how in ((False, False), (True, False), (False, True))
    ),
    resized("ResizeBilinear", [14, 16], False, True, on=EVERYWHERE),
    of("slices", lambda tf, x: x[:, 1:6:2, ..., 0], IMAGE, on=EVERYWHERE),
    of("the last of a row", lambda tf, x: x[:, -1], IMAGE, on=EVERYWHERE),
    of(
        "conv in 3 dimensions",
        lambda tf, x, w: tf.nn.conv3d(x, w, [1, 2, 2, 1, 1], "SAME"),
        VOLUME,
        numbers(3, 3, 2, 2, 3),
    ),
    *(
        raw(
            kind,
            np.asarray(y, np.float32),
            np.asarray([0, 1, 2], np.float32),
            label="of 0",
            row={"targets": EVERYWHERE},
        )
        for kind, y in (("SqrtGrad", [0, 1, 4]), ("RsqrtGrad", [np.inf, 1, 4]), ("ReciprocalGrad", [np.inf, 1, 4]))
    ),
    *(raw(kind, COMPLEX, COMPLEX[::-1], label="complex") for kind in ("SqrtGrad", "RsqrtGrad", "ReciprocalGrad")),
    *(
        raw("ResizeBilinearGrad", numbers(1, 6, 7, 2), numbers(1, 3, 4, 2, dtype=kind), label=kind.__name__)
        for kind in (np.float16, np.float64)
    ),
    Row(
        "AvgPoolGrad of float64",
        lambda tf, dy: tf.raw_ops.AvgPoolGrad(
            orig_input_shape=[1, 5, 5, 3], grad=dy, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="SAME"
        ),
        [numbers(1, 3, 3, 3, dtype=np.float64)],
        tolerance=1e-12,
    ),
    raw(
        "MaxPoolGrad",
        np.full((1, 5, 5, 2), -np.inf, np.float32),
        numbers(1, 3, 3, 2),
        numbers(1, 3, 3, 2),
        label="of what is masked",
        ksize=[1, 3, 3, 1],
        strides=[1, 2, 2, 1],
        padding="SAME",
    ),
    raw(
        "MaxPoolGradWithArgmax",
        numbers(2, 4, 4, 2),
        numbers(2, 2, 2, 2),
        np.asarray(np.arange(16).reshape(2, 2, 2, 2) % 8 * 3, np.int64),
        ksize=[1, 2, 2, 1],
        strides=[1, 2, 2, 1],
        padding="VALID",
        row={"targets": EVERYWHERE},
    ),
]
