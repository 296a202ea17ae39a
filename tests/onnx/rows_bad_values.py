"""Nodes whose numbers are out of range: pads, lengths, counts, places, sizes.  A row: op, inputs, attributes, operator
set, code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlconv.diagnostics import Code
from tests.support.onnx_arrays import FLAT, IMAGE, LSTM, SCALAR, VECTOR, ints

HUGE = 1 << 62

BAD: dict[str, tuple[str, list[Any], dict[str, Any], int, Code]] = {
    # ranges
    "long_reflection": ("Pad", [FLAT, ints(0, 3, 0, 0)], {"mode": "reflect"}, 17, Code.ShapeMismatch),
    "long_reflection_behind": ("Pad", [FLAT, ints(0, 0, 0, 3)], {"mode": "reflect"}, 17, Code.ShapeMismatch),
    "reflection_of_a_crop": ("Pad", [FLAT, ints(0, -2, 0, 1)], {"mode": "reflect"}, 17, Code.ShapeMismatch),
    "edge_of_nothing": (
        "Pad",
        [np.ones((2, 0), np.float32), ints(0, 1, 0, 0)],
        {"mode": "edge"},
        17,
        Code.ShapeMismatch,
    ),
    "long_sequence": ("LSTM", [*LSTM, None, np.asarray([6, 2], np.int32)], {"hidden_size": 4}, 17, Code.ShapeMismatch),
    "negative_sequence": (
        "LSTM",
        [*LSTM, None, np.asarray([-1, 2], np.int32)],
        {"hidden_size": 4},
        17,
        Code.ShapeMismatch,
    ),
    "long_reversal": (
        "ReverseSequence",
        [FLAT, ints(1, 3, 0)],
        {"time_axis": 0, "batch_axis": 1},
        17,
        Code.ShapeMismatch,
    ),
    "reversals": ("ReverseSequence", [FLAT, ints(1)], {"time_axis": 0, "batch_axis": 1}, 17, Code.ShapeMismatch),
    "negative_length": ("HannWindow", [np.int64(-3)], {}, 17, Code.ShapeMismatch),
    "negative_pads": (
        "Conv",
        [IMAGE, np.ones((4, 2, 3, 3), np.float32)],
        {"pads": [-1, 0, 0, 0]},
        17,
        Code.AttributeInvalid,
    ),
    "negative_transposed_pads": (
        "ConvTranspose",
        [IMAGE, np.ones((2, 4, 3, 3), np.float32)],
        {"pads": [0, 0, -1, 0]},
        17,
        Code.AttributeInvalid,
    ),
    "pads_beyond_the_window": (
        "MaxPool",
        [IMAGE],
        {"kernel_shape": [2, 2], "pads": [0, 0, 2, 0]},
        17,
        Code.AttributeInvalid,
    ),
    "mean_of_pads": ("AveragePool", [IMAGE], {"kernel_shape": [2, 2], "pads": [2, 0, 0, 0]}, 17, Code.AttributeInvalid),
    # constants that point out of what they index
    "gather_place": ("Gather", [FLAT, ints(0, 3)], {"axis": 1}, 17, Code.ShapeMismatch),
    "gather_place_from_the_end": ("Gather", [FLAT, ints(-3)], {}, 17, Code.ShapeMismatch),
    "gather_elements_place": ("GatherElements", [FLAT, ints(2, 0, 0)[None]], {}, 17, Code.ShapeMismatch),
    "gather_nd_place": ("GatherND", [FLAT, ints(0, 3)[None]], {}, 17, Code.ShapeMismatch),
    "scatter_nd_place": ("ScatterND", [FLAT, ints(2)[None], np.ones((1, 3), np.float32)], {}, 18, Code.ShapeMismatch),
    "scatter_elements_place": ("ScatterElements", [FLAT, ints(0, 2, 0)[None], FLAT[:1]], {}, 18, Code.ShapeMismatch),
    "negative_window": ("MaxPool", [IMAGE], {"kernel_shape": [-2, 2]}, 17, Code.ShapeMismatch),
    "no_stride": ("AveragePool", [IMAGE], {"kernel_shape": [2, 2], "strides": [0, 1]}, 17, Code.AttributeInvalid),
    "negative_k": ("TopK", [VECTOR, ints(-1)], {}, 17, Code.ShapeMismatch),
    "no_block_size": (
        "DequantizeLinear",
        [np.ones((2, 4), np.uint8), np.ones((2, 2), np.float32)],
        {"axis": 1},
        21,
        Code.ShapeMismatch,
    ),
    "huge_pad": (
        "Conv",
        [IMAGE, np.ones((4, 2, 3, 3), np.float32)],
        {"pads": [HUGE, 0, 0, 0]},
        17,
        Code.AttributeInvalid,
    ),
    "huge_shape": ("Expand", [SCALAR, ints(HUGE, HUGE)], {}, 17, Code.TensorTooLarge),
    "many_axes": ("Expand", [SCALAR, np.ones(256, np.int64)], {}, 17, Code.TensorTooLarge),
    "infinite_scale": ("Resize", [IMAGE, None, np.asarray([1, 1, np.inf, 1], np.float32)], {}, 17, Code.ShapeMismatch),
    "huge_image": ("Resize", [IMAGE, None, None, ints(1, 2, 1 << 30, 5)], {}, 17, Code.TensorTooLarge),
}
