"""Nodes whose operands and attributes do not fit: each ends in a coded diagnostic, from the tables beside the rules or
from the ops that rules make.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.importers.onnx import calls
from mlconv.importers.onnx.model import import_onnx
from mlconv.legalize import from_onnx
from tests.support.onnx_models import model, save, value

FLAT, IMAGE, SCALAR, VECTOR = (
    np.ones((2, 3), np.float32),
    np.ones((1, 2, 5, 5), np.float32),
    np.float32(1),
    np.ones(4, np.float32),
)
HUGE = 1 << 62
ONE, THREE, LINE = np.ones(1, np.float32), np.ones(3, np.float32), np.ones((1, 3, 5), np.float32)
LSTM = [np.ones((5, 2, 3), np.float32), np.ones((1, 16, 3), np.float32), np.ones((1, 16, 4), np.float32)]


def ints(*values: int) -> np.ndarray:
    return np.asarray(values, np.int64)


BAD: dict[str, tuple[str, list[Any], dict[str, Any], int, Code]] = {
    # ranks
    "conv_rank": ("Conv", [FLAT, np.ones((4, 2, 3, 3), np.float32)], {}, 17, Code.ShapeMismatch),
    "conv_bias": (
        "Conv",
        [IMAGE, np.ones((4, 2, 3, 3), np.float32), np.ones((1, 4, 1), np.float32)],
        {},
        17,
        Code.ShapeMismatch,
    ),
    "nms_rank": ("NonMaxSuppression", [np.ones((1, 4, 4), np.float32), VECTOR], {}, 17, Code.ShapeMismatch),
    "linear_attention_rank": (
        "LinearAttention",
        [IMAGE] * 3,
        {"q_num_heads": 1, "kv_num_heads": 1},
        27,
        Code.ShapeMismatch,
    ),
    "grid_rank": ("GridSample", [IMAGE, FLAT], {}, 17, Code.ShapeMismatch),
    "grid_coordinates": ("GridSample", [IMAGE, IMAGE], {}, 17, Code.ShapeMismatch),
    "eye_rank": ("EyeLike", [IMAGE], {}, 17, Code.ShapeMismatch),
    "concat_scalars": ("Concat", [SCALAR, SCALAR], {"axis": 0}, 17, Code.ShapeMismatch),
    "gather_elements": ("GatherElements", [FLAT, ints(0, 1)], {}, 17, Code.ShapeMismatch),
    "scatter_nd_tuples": ("ScatterND", [VECTOR, np.zeros((2, 3), np.int64), FLAT[:, 0]], {}, 18, Code.ShapeMismatch),
    "scatter_elements": ("ScatterElements", [FLAT, ints(0, 1), FLAT], {}, 18, Code.ShapeMismatch),
    "transposed_rank": (
        "ConvTranspose",
        [np.ones((1, 2, 5), np.float32), np.ones((2, 4, 3, 3), np.float32)],
        {},
        17,
        Code.ShapeMismatch,
    ),
    "softmax_of_rank_1": ("Softmax", [VECTOR], {}, 11, Code.ShapeMismatch),
    "hardmax_of_rank_1": ("Hardmax", [VECTOR], {}, 9, Code.ShapeMismatch),
    "batch_norm_scale_rank": (
        "BatchNormalization",
        [LINE, np.ones((1, 3), np.float32), THREE, THREE, THREE],
        {},
        17,
        Code.ShapeMismatch,
    ),
    "clip_bound": ("Clip", [LINE, THREE], {}, 17, Code.ShapeMismatch),
    "layer_norm_scale_rank": ("LayerNormalization", [FLAT, np.ones((4, 2, 3), np.float32)], {}, 17, Code.ShapeMismatch),
    "rms_norm_scale_rank": ("RMSNormalization", [FLAT, np.ones((1, 2, 3), np.float32)], {}, 23, Code.ShapeMismatch),
    "gemm_bias_rank": (
        "Gemm",
        [FLAT, np.ones((3, 4), np.float32), np.ones((1, 1, 4), np.float32)],
        {},
        17,
        Code.ShapeMismatch,
    ),
    # kinds of elements
    "float_indices": ("Gather", [FLAT, VECTOR], {}, 17, Code.TypeMismatch),
    "softmax_of_integers": ("Softmax", [ints(1, 2)], {}, 17, Code.TypeMismatch),
    "float_bits": ("BitwiseNot", [FLAT], {}, 18, Code.TypeMismatch),
    # lengths
    "slice_starts": ("Slice", [FLAT], {"starts": [0, 0], "ends": [1]}, 9, Code.AttributeInvalid),
    "slice_axes": ("Slice", [FLAT, ints(0, 0), ints(1, 1), ints(0)], {}, 13, Code.ShapeMismatch),
    "slice_steps": ("Slice", [FLAT, ints(0), ints(1), ints(0), ints(1, 1)], {}, 13, Code.ShapeMismatch),
    "pads": ("Pad", [FLAT, ints(1, 1)], {}, 13, Code.ShapeMismatch),
    "output_padding": (
        "ConvTranspose",
        [IMAGE, np.ones((2, 4, 3, 3), np.float32)],
        {"output_padding": [1]},
        17,
        Code.AttributeInvalid,
    ),
    "output_shape": (
        "ConvTranspose",
        [IMAGE, np.ones((2, 4, 3, 3), np.float32)],
        {"output_shape": [9]},
        17,
        Code.AttributeInvalid,
    ),
    "crop_axes": ("CenterCropPad", [FLAT, ints(1)], {}, 18, Code.ShapeMismatch),
    "skip_gram_pool": (
        "TfIdfVectorizer",
        [ints(1, 2)],
        {
            "mode": "TF",
            "min_gram_length": 1,
            "max_gram_length": 3,
            "max_skip_count": 0,
            "ngram_counts": [0],
            "ngram_indexes": [0],
            "pool_int64s": [1, 2, 3],
        },
        9,
        Code.AttributeInvalid,
    ),
    "short_permutation": ("Transpose", [np.ones((3, 3), np.float32)], {"perm": [0]}, 17, Code.ShapeMismatch),
    "batch_norm_scale": ("BatchNormalization", [LINE, ONE, THREE, THREE, THREE], {}, 17, Code.ShapeMismatch),
    "batch_norm_mean": ("BatchNormalization", [LINE, THREE, THREE, ONE, THREE], {}, 7, Code.ShapeMismatch),
    "batch_norm_training": (
        "BatchNormalization",
        [LINE, ONE, THREE, THREE, THREE],
        {"training_mode": 1},
        17,
        Code.ShapeMismatch,
    ),
    "instance_norm_scale": ("InstanceNormalization", [LINE, ONE, THREE], {}, 17, Code.ShapeMismatch),
    "instance_norm_bias": ("InstanceNormalization", [LINE, THREE, VECTOR], {}, 17, Code.ShapeMismatch),
    "layer_norm_scale": ("LayerNormalization", [FLAT, np.ones(2, np.float32)], {}, 17, Code.ShapeMismatch),
    "layer_norm_bias": ("LayerNormalization", [np.ones((2, 1), np.float32), ONE, THREE], {}, 17, Code.ShapeMismatch),
    "gemm_bias_wide": (
        "Gemm",
        [FLAT[:1], np.ones((3, 4), np.float32), np.ones((5, 4), np.float32)],
        {},
        17,
        Code.ShapeMismatch,
    ),
    "gemm_bias_long": ("Gemm", [FLAT, np.ones((3, 1), np.float32), VECTOR], {}, 17, Code.ShapeMismatch),
    "fused_gemm_bias": (
        "com.microsoft.FusedGemm",
        [FLAT, np.ones((3, 1), np.float32), VECTOR],
        {"activation": "Relu"},
        17,
        Code.ShapeMismatch,
    ),
    "lstm_hidden_size": ("LSTM", LSTM, {"hidden_size": 3}, 17, Code.ShapeMismatch),
    "lstm_peepholes": (
        "LSTM",
        [*LSTM, None, None, None, None, np.ones((1, 9), np.float32)],
        {"hidden_size": 4},
        17,
        Code.ShapeMismatch,
    ),
    "lstm_bias": ("LSTM", [*LSTM, np.ones((1, 16), np.float32)], {"hidden_size": 4}, 17, Code.ShapeMismatch),
    "lstm_one_state": (
        "LSTM",
        [*LSTM, None, None, np.ones((1, 1, 4), np.float32)],
        {"hidden_size": 4},
        17,
        Code.ShapeMismatch,
    ),
    "gru_weights": (
        "GRU",
        [LSTM[0], np.ones((1, 13, 3), np.float32), np.ones((1, 12, 4), np.float32)],
        {"hidden_size": 4},
        17,
        Code.ShapeMismatch,
    ),
    "rnn_batch_first": (
        "RNN",
        [
            LSTM[0],
            np.ones((1, 4, 3), np.float32),
            np.ones((1, 4, 4), np.float32),
            None,
            None,
            np.ones((1, 5, 4), np.float32),
        ],
        {"hidden_size": 4, "layout": 1},
        17,
        Code.ShapeMismatch,
    ),
    "softmax_of_a_number": ("Softmax", [SCALAR], {"axis": 0}, 17, Code.ShapeMismatch),
    "gather_batches": (
        "GatherND",
        [np.ones((16, 7, 1), np.float32), np.zeros((7, 3, 1), np.int64)],
        {"batch_dims": 2},
        17,
        Code.ShapeMismatch,
    ),
    "rotation_tables": (
        "RotaryEmbedding",
        [np.ones((2, 5, 32), np.float32), np.ones((2, 5, 8), np.float32), np.ones((2, 1, 8), np.float32)],
        {"num_heads": 2},
        23,
        Code.ShapeMismatch,
    ),
    "attention_batch": (
        "Attention",
        [np.ones((2, 2, 3, 4), np.float32)] * 2 + [np.ones((1, 2, 3, 4), np.float32)],
        {},
        23,
        Code.ShapeMismatch,
    ),
    "skip_norm_gamma": ("com.microsoft.SkipLayerNormalization", [LINE, LINE, ONE], {}, 17, Code.ShapeMismatch),
    "scattered_batch": (
        "TensorScatter",
        [np.ones((4, 2, 6, 1), np.float32), np.ones((3, 2, 1, 1), np.float32)],
        {},
        24,
        Code.ShapeMismatch,
    ),
    "parts_of_one": ("Split", [ONE], {"num_outputs": 2}, 18, Code.ShapeMismatch),
    "scales_in_blocks": (
        "DequantizeLinear",
        [np.ones((2, 8), np.int8), np.ones((2, 1), np.float32)],
        {"axis": 0, "block_size": 2},
        21,
        Code.ShapeMismatch,
    ),
    "scales_in_blocks_rank": (
        "QuantizeLinear",
        [FLAT, np.ones(3, np.float32)],
        {"axis": 0, "block_size": 2},
        21,
        Code.ShapeMismatch,
    ),
    "cumsum_axes": ("CumSum", [FLAT, ints(0, 1)], {}, 17, Code.ShapeMismatch),
    "top_k_counts": ("TopK", [FLAT, ints(1, 2)], {}, 17, Code.ShapeMismatch),
    "one_hot_values": ("OneHot", [ints(1, 2), ints(3), THREE], {}, 17, Code.ShapeMismatch),
    "grid_batch": (
        "GridSample",
        [np.ones((3, 2, 4, 4), np.float32), np.ones((1, 3, 3, 2), np.float32)],
        {},
        17,
        Code.ShapeMismatch,
    ),
    "roi_batch": (
        "RoiAlign",
        [IMAGE, np.ones((3, 4), np.float32), ints(0)],
        {"sampling_ratio": 1},
        17,
        Code.ShapeMismatch,
    ),
    "zero_points": (
        "DequantizeLinear",
        [np.ones((2, 3), np.int8), THREE, np.zeros(1, np.int8)],
        {"axis": 1},
        17,
        Code.ShapeMismatch,
    ),
    "zero_point_of_scales": ("QuantizeLinear", [FLAT, THREE, np.int8(0)], {"axis": 1}, 17, Code.ShapeMismatch),
    "scatter_wider": (
        "ScatterElements",
        [FLAT, np.zeros((2, 4), np.int64), np.ones((2, 4), np.float32)],
        {"axis": 0},
        18,
        Code.ShapeMismatch,
    ),
    "gather_wider": ("GatherElements", [FLAT, np.zeros((2, 4), np.int64)], {"axis": 0}, 17, Code.ShapeMismatch),
    "unpool_indices": (
        "MaxUnpool",
        [IMAGE, np.zeros((1, 2, 5, 4), np.int64)],
        {"kernel_shape": [1, 1]},
        17,
        Code.ShapeMismatch,
    ),
    "loss_targets": ("NegativeLogLikelihoodLoss", [LINE, np.zeros((1, 4), np.int64)], {}, 17, Code.ShapeMismatch),
    # axes that are named twice
    "slice_axes_twice": ("Slice", [FLAT, ints(0, 1), ints(2, 2), ints(0, -2)], {}, 13, Code.ShapeMismatch),
    "old_slice_axes_twice": (
        "Slice",
        [FLAT],
        {"starts": [0, 1], "ends": [2, 2], "axes": [0, 0]},
        9,
        Code.ShapeMismatch,
    ),
    "pad_axes_twice": ("Pad", [FLAT, ints(0, 1, 1, 1), None, ints(1, 1)], {}, 18, Code.ShapeMismatch),
    "crop_axes_twice": ("CenterCropPad", [FLAT, ints(1, 1)], {"axes": [1, -1]}, 18, Code.ShapeMismatch),
    # what excludes one another
    "sizes_and_scales": (
        "Resize",
        [IMAGE, None, np.asarray([1, 1, 2, 2], np.float32), ints(1, 2, 10, 10)],
        {},
        17,
        Code.WrongArity,
    ),
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
    "groups": ("Conv", [IMAGE, np.ones((3, 1, 3, 3), np.float32)], {"group": 2}, 17, Code.ShapeMismatch),
    "channels": (
        "Conv",
        [np.ones((1, 3, 5, 5), np.float32), np.ones((4, 2, 3, 3), np.float32)],
        {},
        17,
        Code.ShapeMismatch,
    ),
    "huge_image": ("Resize", [IMAGE, None, None, ints(1, 2, 1 << 30, 5)], {}, 17, Code.TensorTooLarge),
    "transposed_channels": (
        "ConvTranspose",
        [np.ones((1, 3, 5, 5), np.float32), np.ones((2, 4, 3, 3), np.float32)],
        {},
        17,
        Code.ShapeMismatch,
    ),
    "transposed_groups": (
        "ConvTranspose",
        [np.ones((1, 3, 5, 5), np.float32), np.ones((3, 4, 3, 3), np.float32)],
        {"group": 2},
        17,
        Code.ShapeMismatch,
    ),
}


# What ONNX Runtime takes, beside what it refuses.
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


@pytest.mark.parametrize("name", FINE)
def test_node_that_fits(name: str, tmp_path: Path) -> None:
    op, inputs, attributes, opset = FINE[name]
    assert not legalized(op, inputs, attributes, opset, tmp_path)


@pytest.mark.parametrize("name", BAD)
def test_malformed_node(name: str, tmp_path: Path) -> None:
    op, inputs, attributes, opset, code = BAD[name]
    assert legalized(op, inputs, attributes, opset, tmp_path) == [code]


def legalized(op: str, inputs: list[Any], attributes: dict[str, Any], opset: int, folder: Path) -> list[Code]:
    """The codes that legalizing a model of one node ends with.  Integers of 64 bits are constants, and all inputs but
    the first.
    """
    arrays = {f"i{k}": np.asarray(a) for k, a in enumerate(inputs) if a is not None}
    constants = {n: a for n, a in arrays.items() if a.dtype == np.int64 or n != "i0"}
    infos = [
        value(n, list(a.shape), helper.np_dtype_to_tensor_dtype(a.dtype))
        for n, a in arrays.items()
        if n not in constants
    ]
    domain, _, kind = op.rpartition(".")
    node = helper.make_node(
        kind, ["" if a is None else f"i{k}" for k, a in enumerate(inputs)], ["y"], domain=domain, **attributes
    )
    engine = DiagnosticEngine()
    from_onnx.legalize(
        import_onnx(
            save(folder, model([node], infos, [value("y")], constants, opset, domains={domain: 1} if domain else None))
        ).module,
        engine,
    )
    return [d.code for d in engine.diagnostics]


@pytest.mark.parametrize("target", ["tflite", "native", "hlo"])
@pytest.mark.parametrize(
    ("op", "inputs", "attributes"),
    [
        ("NegativeLogLikelihoodLoss", [FLAT, ints(0, 9)], {}),
        ("RoiAlign", [IMAGE, np.ones((2, 4), np.float32), ints(0, 7)], {"sampling_ratio": 2}),
        ("MaxRoiPool", [IMAGE, np.asarray([[7, 0, 0, 3, 3]], np.float32)], {"pooled_shape": [2, 2]}),
        (
            "MaxUnpool",
            [np.ones((1, 1, 1, 1), np.float32), np.full((1, 1, 1, 1), 99, np.int64)],
            {"kernel_shape": [2, 2], "strides": [2, 2]},
        ),
    ],
)
def test_places_that_a_rule_computes_from_constants(
    op: str, inputs: list[np.ndarray], attributes: dict[str, Any], target: str, tmp_path: Path
) -> None:
    """They are known after constant folding, where the ops that read there are asked again."""
    names = [f"i{k}" for k in range(len(inputs))]
    node = helper.make_node(op, names, ["y"], name="wrong", **attributes)
    path = save(
        tmp_path,
        model(
            [node], [value("i0", list(inputs[0].shape))], [value("y")], dict(zip(names[1:], inputs[1:], strict=True))
        ),
    )
    with pytest.raises(ConversionError, match="out of bounds") as caught:
        mlconv.convert(path, to=target, output=tmp_path / "m.out")
    assert (caught.value.diagnostic.code, caught.value.diagnostic.node) == (Code.ShapeMismatch, "wrong")


@pytest.mark.parametrize(
    ("op", "inputs", "words"),
    [
        ("Gather", [FLAT, ints(9)], "out of bounds"),
        ("GatherND", [VECTOR, ints(9)], "out of bounds"),
        ("Reshape", [FLAT, ints(4, 2)], "elements"),
    ],
)
def test_constants_that_do_not_fit_are_errors_of_the_file(
    op: str, inputs: list[np.ndarray], words: str, tmp_path: Path
) -> None:
    """numpy's errors in constant folding name the node."""
    nodes = [helper.make_node(op, ["a", "b"], ["c"], name="wrong"), helper.make_node("Mul", ["x", "c"], ["y"])]
    path = save(tmp_path, model(nodes, [value("x", [1])], [value("y")], {"a": inputs[0], "b": inputs[1]}))
    with pytest.raises(ConversionError, match=words) as caught:
        mlconv.convert(path, to="hlo", output=tmp_path / "m.hlo")
    assert (caught.value.diagnostic.code, caught.value.diagnostic.node) == (Code.ShapeMismatch, "wrong")


@pytest.mark.parametrize("target", ["tflite", "native", "hlo"])
def test_a_number_is_reduced_along_its_first_axis(target: str, tmp_path: Path) -> None:
    path = save(
        tmp_path,
        model([helper.make_node("ReduceL1", ["x"], ["y"], axes=[0])], [value("x", [])], [value("y")], opset=13),
    )
    mlconv.convert(path, to=target, output=tmp_path / "m.out")
    assert mlconv.load(path).run({"x": np.float32(-2)})["y"] == 2


def test_huge_constants_are_not_folded(tmp_path: Path) -> None:
    """3.6 GB of one number are computed at run time, not here."""
    nodes = [
        helper.make_node("ConstantOfShape", ["s"], ["c"]),
        helper.make_node("Sin", ["c"], ["d"]),
        helper.make_node("ReduceSum", ["d"], ["e"], keepdims=0),
        helper.make_node("Add", ["e", "x"], ["y"]),
    ]
    path = save(tmp_path, model(nodes, [value("x", [1])], [value("y")], {"s": ints(30000, 30000)}))
    mlconv.convert(path, to="hlo", output=tmp_path / "m.hlo")
    assert (tmp_path / "m.hlo").stat().st_size < 1 << 16


def test_lists_of_numbers_are_bounded(tmp_path: Path) -> None:
    """A constant of 2^31 equal numbers is no shape."""
    nodes = [
        helper.make_node("ConstantOfShape", ["s"], ["c"]),
        helper.make_node("Cast", ["c"], ["d"], to=TensorProto.INT64),
    ]
    nodes.append(helper.make_node("Reshape", ["x", "d"], ["y"]))
    engine = DiagnosticEngine()
    from_onnx.legalize(
        import_onnx(save(tmp_path, model(nodes, [value("x", [1])], [value("y")], {"s": ints(1 << 31)}))).module, engine
    )
    assert [d.code for d in engine.diagnostics] == [Code.TensorTooLarge]


def doubling(depth: int) -> onnx.ModelProto:
    """Functions that call the one below twice each."""
    functions = []
    for i in range(depth):
        callee, domain = (f"F{i - 1}", "l") if i else ("Sin", "")
        body = [
            helper.make_node(callee, ["a"], ["t"], domain=domain),
            helper.make_node(callee, ["t"], ["b"], domain=domain),
        ]
        functions.append(
            helper.make_function(
                "l", f"F{i}", ["a"], ["b"], body, [helper.make_opsetid("", 17), helper.make_opsetid("l", 1)]
            )
        )
    top = helper.make_node(f"F{depth - 1}", ["x"], ["y"], domain="l")
    return model([top], [value("x", [4])], [value("y")], functions=functions, domains={"l": 1})


def test_inlining_is_counted_before_it_is_done(tmp_path: Path) -> None:
    with pytest.raises(ConversionError) as caught:
        import_onnx(save(tmp_path, doubling(30)))
    assert caught.value.code is Code.NestedTooDeeply
    assert str(calls.MAX_OPS) in str(caught.value)
    assert sum(op.name == "onnx.Sin" for op in import_onnx(save(tmp_path, doubling(5))).walk()) == 32


def test_types_nested_in_themselves_end(tmp_path: Path) -> None:
    """An opaque type of another domain is taken by its name."""
    proto = model([helper.make_node("Relu", ["x"], ["y"])], [value("x", [2])], [value("y")])
    info = proto.graph.value_info.add(name="y")
    info.type.ParseFromString(b"\x3a\x00")  # TypeProto.opaque_type, field 7
    deep = proto.graph.value_info.add(name="z").type
    for _ in range(40):
        deep = deep.sequence_type.elem_type
    deep.tensor_type.elem_type = 1
    path = save(tmp_path, proto)
    with pytest.raises(ConversionError, match="nested deeper") as caught:
        import_onnx(path)
    assert caught.value.code is Code.NestedTooDeeply


def test_ranks_are_bounded(tmp_path: Path) -> None:
    with pytest.raises(ConversionError) as caught:
        import_onnx(
            save(tmp_path, model([helper.make_node("Relu", ["x"], ["y"])], [value("x", [1] * 65)], [value("y")]))
        )
    assert caught.value.code is Code.TensorTooLarge


def code_of(proto: onnx.ModelProto, tmp_path: Path) -> Code:
    """The code of the error that legalizing a model ends with."""
    module, engine = import_onnx(save(tmp_path, proto)).module, DiagnosticEngine()
    from_onnx.legalize(module, engine)
    with pytest.raises(ConversionError) as caught:
        engine.raise_errors()
    return caught.value.code


def test_a_sequence_where_a_tensor_belongs(tmp_path: Path) -> None:
    """The initial state of a recurrent layer is a tensor."""
    made = helper.make_node("SequenceConstruct", ["x"], ["s"])
    layer = helper.make_node("GRU", ["x", "w", "r", "", "", "s"], ["y"], hidden_size=2)
    weights = {name: np.ones((1, 6, k), np.float32) for name, k in (("w", 3), ("r", 2))}
    assert (
        code_of(model([made, layer], [value("x", [4, 1, 3])], [value("y")], initializers=weights), tmp_path)
        is Code.TypeMismatch
    )


@pytest.mark.parametrize(("query", "own"), [("H", 2), (4, "H"), ("G", "H")])
def test_how_many_query_heads_share_a_key_head_is_known(query: str | int, own: str | int, tmp_path: Path) -> None:
    inputs = [value("q", ["N", query, 5, 8]), value("k", ["N", own, 5, 8]), value("v", ["N", own, 5, 8])]
    assert (
        code_of(
            model([helper.make_node("Attention", ["q", "k", "v"], ["y"])], inputs, [value("y")], opset=23), tmp_path
        )
        is Code.ShapeNotStatic
    )


@pytest.mark.parametrize("dims", [[0, 1 << 62], [1] * 65, [0, 1 << 40, 1 << 40]])
def test_sizes_of_stored_tensors_are_bounded(dims: list[int], tmp_path: Path) -> None:
    """Also beside a size of 0, where there is nothing to store."""
    proto = model([helper.make_node("Add", ["x", "w"], ["y"])], [value("x", [2])], [value("y")])
    proto.graph.initializer.add(name="w", data_type=1, dims=dims)
    with pytest.raises(ConversionError) as caught:
        import_onnx(save(tmp_path, proto))
    assert caught.value.code is Code.TensorTooLarge


def test_a_long_description_does_not_make_a_text(tmp_path: Path) -> None:
    proto = model([helper.make_node("Relu", ["x"], ["y"])], [value("x", [2])], [value("y")])
    proto.doc_string = "A long description of this model.\n" * 600
    (found,) = mlconv.load(save(tmp_path, proto)).run({"x": np.asarray([-1, 1], np.float32)}).values()
    assert found.tolist() == [0, 1]


def test_all_structure_errors_are_reported_at_once(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Add", ["x", "nowhere"], ["a"], name="dangling"),
        helper.make_node("Relu", ["a"], ["b"], name="first"),
        helper.make_node("Exp", ["a"], ["b"], name="second"),
        helper.make_node("Add", ["x", "d"], ["c"], name="ring1"),
        helper.make_node("Relu", ["c"], ["d"], name="ring2"),
        helper.make_node("Sum", ["b", "c", "w"], ["y"], name="last"),
    ]
    proto = model(nodes, [value("x", [2])], [value("y"), value("z")])
    proto.graph.initializer.add(name="w", data_type=1, dims=[-2], raw_data=bytes(8))
    with pytest.raises(ConversionError) as caught:
        import_onnx(save(tmp_path, proto))
    found = [(d.code, d.message) for d in caught.value.diagnostics]
    assert {c for c, _ in found} == {
        Code.NameDefinedTwice,
        Code.InputNotProduced,
        Code.GraphHasCycle,
        Code.ConstantInvalid,
    }
    assert len(found) == 5
    for words in ("'nowhere'", "'b'", "ring1", "'z'", "'w'"):
        assert any(words in message for _, message in found), words


def test_unknown_ops_are_reported_behind_errors(tmp_path: Path) -> None:
    """In the branches of an `If` whose condition failed, and after a node that failed."""
    then = helper.make_graph(
        [helper.make_node("FrobnicateV9", ["x"], ["t"], name="in_branch")], "then", [], [value("t")]
    )
    other = helper.make_graph([helper.make_node("Relu", ["x"], ["e"])], "else", [], [value("e")])
    nodes = [
        helper.make_node("Softmax", ["x"], ["s"], axis=7, name="bad_axis"),
        helper.make_node("Cast", ["s"], ["c"], to=TensorProto.BOOL),
        helper.make_node("If", ["c"], ["i"], then_branch=then, else_branch=other),
        helper.make_node("Gadget", ["i"], ["y"], name="after"),
    ]
    engine = DiagnosticEngine()
    from_onnx.legalize(import_onnx(save(tmp_path, model(nodes, [value("x", [1])], [value("y")]))).module, engine)
    assert {(d.code, d.node) for d in engine.diagnostics} == {
        (Code.ShapeMismatch, "bad_axis"),
        (Code.OpUnsupported, "in_branch"),
        (Code.OpUnsupported, "after"),
    }
