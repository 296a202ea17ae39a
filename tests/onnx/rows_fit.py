"""What ONNX Runtime takes, beside what it refuses.  A row: op, inputs, attributes, operator set."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.onnx_arrays import FLAT, IMAGE, LINE, LSTM, ONE, THREE, VECTOR, ints

FINE: dict[str, tuple[str, list[Any], dict[str, Any], int]] = {
    "clip_bound": ("Clip", [LINE, ONE], {}, 17),
    "floats_without_fmod": ("Mod", [FLAT, FLAT], {}, 17),  # a test of onnx has it, ONNX Runtime refuses it
    "layer_norm_scale": ("LayerNormalization", [FLAT, np.ones((2, 1), np.float32), np.float32(1)], {}, 17),
    "layer_norm_over_all": ("LayerNormalization", [FLAT, FLAT, np.ones((1, 3), np.float32)], {"axis": 0}, 17),
    "gemm_bias_column": ("Gemm", [FLAT, np.ones((3, 4), np.float32), np.ones((2, 1), np.float32)], {}, 17),
    "group_norm_one_scale": ("GroupNormalization", [np.ones((1, 4, 5), np.float32), ONE, ONE], {"num_groups": 2}, 21),
    "scales_in_blocks": (
        "DequantizeLinear",
        [np.ones((3, 8), np.int8), np.ones((2, 8), np.float32)],
        {"axis": 0, "block_size": 2},
        21,
    ),
    "more_weights_than_classes": ("NegativeLogLikelihoodLoss", [FLAT, ints(0, 2), VECTOR], {}, 17),
    "lengths": ("LSTM", [*LSTM, None, np.asarray([5, 0], np.int32)], {"hidden_size": 4}, 17),
    "pads_below_the_window": ("AveragePool", [IMAGE], {"kernel_shape": [2, 2], "pads": [1, 1, 1, 1]}, 17),
    "pads_above_the_kernel": ("Conv", [IMAGE, np.ones((4, 2, 3, 3), np.float32)], {"pads": [4, 4, 4, 4]}, 17),
    "negative_unpool_pads": (
        "MaxUnpool",
        [IMAGE, np.zeros((1, 2, 5, 5), np.int64)],
        {"kernel_shape": [2, 2], "strides": [2, 2], "pads": [-1, 0, 0, 0]},
        17,
    ),
    "zero_point": ("QuantizeLinear", [FLAT, ONE, np.int8(0)], {}, 17),
    "zero_points": ("DequantizeLinear", [np.ones((2, 3), np.int8), THREE, np.zeros(3, np.int8)], {"axis": 1}, 17),
    "reflection": ("Pad", [FLAT, ints(0, 2, 0, 2)], {"mode": "reflect"}, 17),
    "no_reflection_of_nothing": ("Pad", [np.ones((2, 0), np.float32), ints(1, 0, 0, 0)], {"mode": "reflect"}, 17),
    "wrapped_around": ("Pad", [FLAT, ints(0, 7, 0, 0)], {"mode": "wrap"}, 19),
    "scatter_longer_along_the_axis": (
        "ScatterElements",
        [FLAT, np.zeros((4, 3), np.int64), np.ones((4, 3), np.float32)],
        {"axis": 0},
        18,
    ),
    "places": ("Gather", [FLAT, ints(-3, 2)], {"axis": 1}, 17),
    "no_places": ("Gather", [FLAT[:0], np.zeros((0,), np.int64)], {}, 17),
    "tuples": ("GatherND", [FLAT, np.asarray([[-2, 2], [1, -3]], np.int64)], {}, 17),
    "window_of_nothing": ("HannWindow", [np.int64(0)], {}, 17),
    "empty_sizes": ("Resize", [IMAGE, None, np.zeros(0, np.float32), ints(1, 2, 10, 10)], {}, 17),
}
