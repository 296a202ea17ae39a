"""Rows that answer as ONNX Runtime does, bit for bit where they are integers, where onnx's reference evaluator answers
otherwise or is not asked.
"""

from __future__ import annotations

import numpy as np

from tests.onnx.rows import Row, c, f, i, s

F16 = np.float16
INF, NAN = np.inf, np.nan
LINE = np.arange(10, dtype=np.float32).reshape(1, 1, 1, 10)
IMAGE = f(1, 2, 5, 4)
SMALL = i(1, 3, 5, 4, low=0, high=9, dtype=np.uint8)
_CORNERS = np.sort(np.random.default_rng(7).integers(-2, 13, (12, 2, 2)), 1).reshape(12, 4)
REGIONS = np.concatenate([np.arange(12)[:, None] % 2, _CORNERS], 1).astype(np.float32)


def _resize(image: np.ndarray, scales: list[float], opset: int = 19, **attributes: object) -> Row:
    return Row(
        "Resize", [image, None, np.asarray(scales, np.float32)], attributes, opset, (2,), engine="ort", tolerance=1e-4
    )


def _sized(
    image: np.ndarray, sizes: list[int], roi: list[float] | None = None, opset: int = 19, **attributes: object
) -> Row:
    given = None if roi is None else np.asarray(roi, np.float32)
    return Row("Resize", [image, given, None, c(*sizes)], attributes, opset, (1, 3), engine="ort", tolerance=1e-4)


HALVES = np.asarray([60000, 1, -60000], F16)

# Halves are added in float32 and rounded once
SUMS = [Row("ReduceSumSquare", [f(3, 8).astype(F16) * F16(2e-3)], {}, 13, engine="ort")]
SUMS += [
    Row("Sum", [HALVES, HALVES, np.asarray([-60000, 0.0004, -INF], F16)], {}, 13, engine="ort"),
    Row("Mean", [HALVES, HALVES], {}, 13, engine="ort"),
]

# Sizes and places in float32; align_corners over whole sizes
ROWS = SUMS + [
    _resize(LINE, [1, 1, 1, scale], coordinate_transformation_mode=how, mode=mode, nearest_mode="floor")
    for scale in (0.35, 0.45, 0.6, 0.7, 1.25, 2.3)
    for how in ("asymmetric", "align_corners", "half_pixel", "pytorch_half_pixel", "half_pixel_symmetric")
    for mode in ("nearest", "linear")
]
ROWS += [_resize(LINE, [1, 1, 1, 0.45], coordinate_transformation_mode="align_corners", mode="cubic")]
ROWS += [
    Row("Resize", [IMAGE, np.asarray([1, 1, a, b], np.float32)], {"mode": "nearest"}, 10, (1,), engine="ort")
    for a, b in ((0.6, 0.6), (0.75, 2.3), (2.0, 0.5), (1.5, 1.0))
]
ROWS += [
    _resize(
        LINE,
        [1, 1, 1, 2.4],
        coordinate_transformation_mode="asymmetric",
        mode="nearest",
        nearest_mode="round_prefer_ceil",
    )
]
ROWS += [
    _sized(f(1, 1, 22, 23), [1, 1, 13, 15]),
    _sized(f(1, 1, 23, 4), [1, 1, 14, 3], coordinate_transformation_mode="asymmetric"),
]
REGION = [0, 0, 0.1, 0.2, 1, 1, 0.7, 0.9]
ROWS += [
    _sized(IMAGE, size, REGION, coordinate_transformation_mode="tf_crop_and_resize", mode="linear")
    for size in ([1, 2, 7, 3], [1, 2, 5, 7])
]
ROWS += [
    _sized(IMAGE, [7, 9], axes=[2, 3], keep_aspect_ratio_policy=p, mode="linear") for p in ("not_larger", "not_smaller")
]

# Integers: linear is cut, with antialias rounded along each axis
ROWS += [
    _resize(image, scales, mode="linear")
    for image in (SMALL, SMALL.astype(np.int32), SMALL.astype(np.int8) - 4)
    for scales in ([1, 1, 1.5, 3], [1, 2.3, 1.5, 1])
]
FLAT, CUBE = i(4, 2, low=0, high=9, dtype=np.uint8), i(2, 3, 4, low=0, high=9, dtype=np.uint8)
ROWS += [_resize(FLAT, [1.5, 3], mode="linear"), _resize(CUBE, [1, 2, 1.5], mode="linear")]
ROWS += [_sized(SMALL.astype(np.int32), [1, 3, 3, 7], mode="linear", antialias=1)]
# What is not finite stays where it is read
ROWS += [_resize(np.asarray([[1, 2, INF, 4, 5, NAN, 7, 8]], np.float32), [1, 2], mode="linear")]

STORED = c([1, 65534, 7], [65535, 3, 40000], dtype=np.uint16)
STEPS, POINTS = c(0.09155, 0.1499, dtype=F16), c(2522, -1700, dtype=np.int16)
ROWS += [
    Row("Clip", [np.asarray([-INF, INF, NAN, 2], np.float32)], {}, 13, engine="ort"),
    Row(
        "Clip",
        [np.asarray([-INF, INF, 9, 2], np.float32), None, c(5.0, dtype=np.float32).reshape(())],
        {},
        13,
        (2,),
        engine="ort",
    ),
    Row("Pow", [np.asarray([-INF, -0.0, 4, INF], np.float32), np.asarray(0.5, np.float32)], {}, 15, (1,), engine="ort"),
    Row("Pad", [f(3, 3), c(-4, 0, 1, 3), np.asarray(2, np.float32)], {}, 13, (1,), engine="ort"),
    Row("Pad", [f(3, 4), c(-1, 2, -1, -3), np.asarray(2, np.float32)], {}, 13, (1,), engine="ort"),
    Row(
        "MaxPool",
        [np.full((1, 1, 3, 3), -128, np.int8)],
        {"kernel_shape": [2, 2], "pads": [1, 1, 0, 0]},
        12,
        outputs=2,
        engine="ort",
    ),
    Row(
        "AveragePool",
        [f(1, 2, 7, 6)],
        {"kernel_shape": [1, 2], "strides": [4, 3], "auto_pad": "SAME_LOWER"},
        19,
        engine="ort",
    ),
    Row(
        "MaxPool",
        [f(1, 3, 7, 5)],
        {"kernel_shape": [4, 1], "strides": [3, 3], "auto_pad": "SAME_LOWER"},
        17,
        outputs=2,
        engine="ort",
    ),
    Row(
        "LpPool",
        [f(1, 2, 7, 6)],
        {"kernel_shape": [1, 2], "strides": [3, 5], "auto_pad": "SAME_UPPER"},
        18,
        engine="ort",
    ),
    Row(
        "MaxRoiPool",
        [f(1, 2, 7, 7), c([0, 1, 1, 4, 4], [0, 0, 3, 5, 5], dtype=np.float32)],
        {"pooled_shape": [1, 2], "spatial_scale": 0.5},
        15,
        engine="ort",
    ),
    *(
        Row("MaxRoiPool", [f(2, 3, *image), REGIONS], {"pooled_shape": pooled}, 17, engine="ort")
        for image, pooled in (((9, 10), [3, 2]), ((5, 1), [2, 3]), ((6, 33), [2, 4]))
    ),
    Row("AffineGrid", [f(1, 2, 3), c(1, 2, 1, 3)], {"align_corners": 1}, 20, (1,), engine="ort"),
    Row("AffineGrid", [f(2, 3, 4), c(2, 3, 1, 2, 1)], {"align_corners": 1}, 20, (1,), engine="ort"),
    Row(
        "LayerNormalization",
        [f(2, 3, 8, dtype=np.float64), f(8, dtype=np.float64)],
        {},
        17,
        engine="ort",
        tolerance=1e-12,
    ),
    Row(
        "RMSNormalization",
        [f(2, 3, 8, dtype=np.float64), f(8, dtype=np.float64)],
        {},
        23,
        engine="ort",
        tolerance=1e-12,
    ),
    Row(
        "InstanceNormalization",
        [f(2, 3, 5, 4, dtype=F16, low=-2500, high=2500), f(3, dtype=F16), f(3, dtype=F16)],
        {},
        20,
        engine="ort",
        tolerance=4e-3,
    ),
    Row(
        "com.microsoft:SkipLayerNormalization",
        [f(2, 3, 8, dtype=F16, low=-900, high=900)] * 2 + [f(8, dtype=F16)] * 2,
        {},
        20,
        engine="ort",
        tolerance=4e-3,
    ),
    Row(
        "Sum",
        [f(2, 3, dtype=F16, low=40000, high=60000)] * 2 + [f(2, 3, dtype=F16, low=-60000, high=-40000)],
        {},
        13,
        engine="ort",
        tolerance=1e-3,
    ),
    Row("Mean", [f(2, 3, dtype=F16, low=40000, high=60000)] * 3, {}, 13, engine="ort", tolerance=1e-3),
    Row("Compress", [f(2, 3), c(0, 1, 1, 0, 0, 1, 1, 0, 1, dtype=bool)], {}, 11, engine="ort"),
    Row("Compress", [f(2, 3), c(0, 1, 1, 0, 1, dtype=bool)], {"axis": 1}, 11, engine="ort"),
    Row("ReduceL2", [np.asarray([[300, 400], [1500, 2000]], F16)], {"keepdims": 0}, 13, engine="ort"),
    Row("DequantizeLinear", [STORED, c([0.1, 0.16, 0.2], dtype=F16)], {"axis": 0, "block_size": 2}, 23, engine="ort"),
    Row(
        "QuantizeLinear",
        [f(8, dtype=F16, low=-0.06, high=0.06), STEPS, POINTS],
        {"axis": 0, "block_size": 4},
        21,
        (1, 2),
        engine="ort",
    ),
    Row(
        "QuantizeLinear",
        [f(40, 40, dtype=F16, low=-9, high=9), np.asarray(0.0713, F16), np.asarray(3, np.int8)],
        {},
        19,
        engine="ort",
    ),
    Row("Dropout", [f(3)], {}, 10, outputs=2, engine="ort"),
    Row("Dropout", [f(3)], {}, 7, outputs=2, engine="ort"),
    Row("Slice", [f(4, 1, 5), c(-5, -2, -8), c(-9, -9, -9), c(0, 1, 2), c(-1, -1, -2)], {}, 13, (3, 4), engine="ort"),
    Row(
        "Attention",
        [f(1, 2, 3, 4), f(1, 2, 5, 4), f(1, 2, 5, 4)],
        {"softcap": 0.8, "qk_matmul_output_mode": 0},
        23,
        outputs=4,
        engine="ort",
    ),
]
X = i(2, 3, 6, low=0, high=99, dtype=np.uint8)
QUANT = [
    np.asarray(0.18643, np.float32),
    np.asarray(2, np.uint8),
    np.asarray(0.046655, np.float32),
    np.asarray(37, np.uint8),
]
ROWS += [
    Row("com.microsoft:QLinearSoftmax", [X, *QUANT], {"axis": axis, "opset": opset}, 20, (1, 2, 3, 4), engine="ort")
    for axis, opset in ((-1, 13), (1, 13), (1, 12))
]

# Element types of constant scales; what is none is computed with as it is
WIDE, THREE = f(2, 3, 4, low=-9, high=9), c(0.25, 0.5, 0.125, dtype=np.float32)
ROWS += [
    Row("QuantizeLinear", [WIDE, THREE, c(1, 0, 7, dtype=dtype)], {"axis": axis}, 21, (1, 2), engine="ort")
    for dtype in (np.int8, np.uint8, np.int16, np.uint16)
    for axis in (1, -2)
]
ROWS += [
    Row("DequantizeLinear", [i(2, 3, 4, low=0, dtype=dtype), THREE, c(1, 0, 7, dtype=dtype)], {}, 21, (1, 2))
    for dtype in (np.int8, np.uint8, np.int16, np.uint16)
]
ROWS += [
    Row("DequantizeLinear", [i(5, low=-(2**30), high=2**30, dtype=np.int32), np.float32(2**-7)], {}, 21, (1,)),
    Row("DequantizeLinear", [i(3, dtype=np.int8), c(0.0, -0.5, 2.0, dtype=np.float32)], {"axis": 0}, 21, (1,)),
    Row("QuantizeLinear", [f(3), s(-0.5, np.float32), s(3, np.int8)], {}, 21, (1, 2), engine="ort"),
    Row("DequantizeLinear", [i(5, 3, dtype=np.int8), f(3, 3, low=0.1)], {"axis": 0, "block_size": 2}, 21, (1,)),
    Row("DequantizeLinear", [i(4, 3, dtype=np.int8), f(4, 3, low=0.1)], {"axis": 0, "block_size": 1}, 21, (1,)),
    Row(
        "DequantizeLinear",
        [i(4, 6, dtype=np.int8), f(4, 2, low=0.1), i(4, 2, dtype=np.int8)],
        {"axis": 1, "block_size": 3},
        21,
        (1, 2),
        engine="ort",
    ),
    Row("QuantizeLinear", [WIDE, f(2, 3, 2, low=0.1)], {"axis": -1, "block_size": 2}, 21, (1,), engine="ort"),
]


def _recurrent(op: str, gates: int, direction: str) -> Row:
    states = [f(1, 2, 3, seed=4)] * (2 if op == "LSTM" else 1)
    inputs = [
        f(4, 2, 2),
        f(1, gates * 3, 2, seed=1),
        f(1, gates * 3, 3, seed=2),
        None,
        c(0, 3, dtype=np.int32),
        *states,
    ]
    return Row(
        op,
        inputs,
        {"hidden_size": 3, "direction": direction},
        14,
        (1, 2),
        outputs=3 if op == "LSTM" else 2,
        engine="ort",
    )


# A row without steps ends in zeros
ROWS += [
    _recurrent(op, gates, way) for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)) for way in ("forward", "reverse")
]
