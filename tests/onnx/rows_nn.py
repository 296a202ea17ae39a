"""Rows of neural-network operators: windows, normalizations, recurrent layers, attention, quantization, images,
signals, losses.
"""

from __future__ import annotations

import numpy as np

from tests.onnx.rows import IMAGE, Row, X, c, f, i, s

ROWS: list[Row] = []

# Convolution and pooling.
W = f(6, 4, 3, 2, seed=1)
ROWS += [
    Row("Conv", [IMAGE, W, f(6)]),
    Row("Conv", [IMAGE, W], {"pads": [1, 0, 2, 1], "strides": [2, 1], "dilations": [1, 2]}),
    Row("Conv", [IMAGE, W], {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    Row("Conv", [IMAGE, W], {"auto_pad": "SAME_LOWER", "strides": [2, 3]}),
    Row("Conv", [IMAGE, f(8, 2, 3, 3)], {"group": 2}),
    Row("Conv", [IMAGE, f(8, 1, 3, 3)], {"group": 4}),
    Row("Conv", [f(2, 3, 9), f(4, 3, 2)], {"strides": [2]}),
    Row("Conv", [f(1, 2, 4, 5, 6), f(3, 2, 2, 2, 2)], {"pads": [1, 0, 0, 0, 1, 0]}),
    Row("Conv", [IMAGE, W], {"auto_pad": "VALID"}),
    Row("ConvTranspose", [IMAGE, f(4, 5, 3, 3)], {"strides": [2, 2], "pads": [1, 1, 0, 1], "output_padding": [1, 0]}),
    Row("ConvTranspose", [IMAGE, f(4, 5, 3, 3), f(5)], {"dilations": [2, 1]}),
    Row("ConvTranspose", [IMAGE, f(4, 2, 3, 3)], {"group": 2, "strides": [3, 2]}),
    Row("ConvTranspose", [IMAGE, f(4, 5, 3, 3)], {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    Row("ConvTranspose", [f(1, 2, 5), f(2, 3, 4)], {"strides": [2]}),
    Row("ConvTranspose", [IMAGE, f(4, 5, 3, 3)], {"output_shape": [19, 17], "strides": [2, 2]}),
    Row("MaxPool", [IMAGE], {"kernel_shape": [3, 2], "strides": [2, 2]}),
    Row("MaxPool", [IMAGE], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2], "ceil_mode": 1}),
    Row("MaxPool", [IMAGE], {"kernel_shape": [2, 2], "dilations": [2, 3]}),
    Row("MaxPool", [IMAGE], {"kernel_shape": [3, 3], "auto_pad": "SAME_LOWER", "strides": [2, 2]}),
    Row("MaxPool", [IMAGE], {"kernel_shape": [2, 3], "strides": [2, 2], "pads": [1, 0, 0, 1]}, outputs=2),
    Row("MaxPool", [f(1, 2, 7)], {"kernel_shape": [3]}),
    Row("MaxPool", [IMAGE], {"kernel_shape": [2, 2], "strides": [2, 2], "storage_order": 1}, outputs=2),
    Row("AveragePool", [IMAGE], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]}),
    Row("AveragePool", [IMAGE], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1}),
    Row("AveragePool", [IMAGE], {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    Row("AveragePool", [f(1, 2, 4, 5, 4)], {"kernel_shape": [2, 2, 2]}),
    Row("LpPool", [IMAGE], {"kernel_shape": [2, 2], "p": 3}),
    Row("LpPool", [IMAGE], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
    Row("GlobalAveragePool", [IMAGE]),
    Row("GlobalMaxPool", [IMAGE]),
    Row("GlobalLpPool", [IMAGE], {"p": 2}),
    Row("MaxUnpool", [f(1, 1, 2, 2), c([[[[0, 3], [9, 15]]]])[0]], {"kernel_shape": [2, 2], "strides": [2, 2]}),
    Row("Col2Im", [f(1, 4, 9), c(4, 4), c(2, 2)], {}, constants=(1, 2)),
    Row("Col2Im", [f(2, 12, 6), c(4, 9), c(2, 3)], {"strides": [2, 3]}, constants=(1, 2)),
    Row("Col2Im", [f(1, 9, 9), c(9, 9), c(3, 3)], {"strides": [3, 3], "pads": [1, 1, 1, 1]}, constants=(1, 2)),
    Row("Col2Im", [f(1, 4, 4), c(5, 5), c(2, 2)], {"strides": [3, 3]}, constants=(1, 2)),
    Row(
        "DeformConv",
        [f(1, 2, 5, 5), f(3, 2, 2, 2), f(1, 8, 4, 4, low=-1, high=1), f(3), f(1, 4, 4, 4, low=0)],
        tolerance=1e-4,
        engine="onnx",
    ),
]
ROWS += [
    Row(
        "CausalConvWithState",
        [f(2, 3, 6), f(3, 1, 4), f(3), f(2, 3, 3)],
        {"activation": "silu"},
        27,
        outputs=2,
        engine="onnx",
    ),
    Row("CausalConvWithState", [f(2, 3, 6), f(3, 1, 2)], {}, 27, outputs=2, engine="onnx"),
]

# Normalization.
ROWS += [
    Row("BatchNormalization", [IMAGE, f(4), f(4, seed=1), f(4, seed=2), f(4, low=0.1)]),
    Row("BatchNormalization", [f(3, 4), f(4), f(4), f(4), f(4, low=0.1)], {"epsilon": 0.1}, 9),
    Row("InstanceNormalization", [IMAGE, f(4), f(4, seed=1)]),
    Row("LayerNormalization", [X, f(4), f(4)], {}, 17),
    Row("LayerNormalization", [X, f(3, 4)], {"axis": 1}, 17, outputs=3),
    Row("GroupNormalization", [IMAGE, f(4), f(4)], {"num_groups": 2}, 21, engine="onnx"),
    Row("GroupNormalization", [IMAGE, f(2), f(2)], {"num_groups": 2}, 18),
    Row("RMSNormalization", [X, f(4)], {}, 23, engine="onnx"),
    Row("MeanVarianceNormalization", [IMAGE], {}, 13),
    Row("LRN", [IMAGE], {"size": 3, "alpha": 0.1}),
    Row("LpNormalization", [X], {"axis": 1, "p": 1}),
    Row("LpNormalization", [X], {"axis": -1}),
]

# Recurrent layers: x [time, batch, input].
XT, H = f(5, 2, 3), 4


def recurrent(
    op: str,
    gates: int,
    directions: int = 1,
    *,
    bias: bool = True,
    lengths: bool = False,
    states: int = 0,
    peepholes: bool = False,
    **attributes: object,
) -> Row:
    inputs: list[np.ndarray | None] = [XT, f(directions, gates * H, 3, seed=1), f(directions, gates * H, H, seed=2)]
    inputs.append(f(directions, 2 * gates * H, seed=3) if bias else None)
    inputs.append(c(5, 3, dtype=np.int32) if lengths else None)
    inputs += [f(directions, 2, H, seed=4 + k) for k in range(states)]
    if peepholes:
        inputs += [None] * (7 - len(inputs)) + [f(directions, 3 * H, seed=6)]
    outputs = 3 if op == "LSTM" else 2
    return Row(op, inputs, {"hidden_size": H, **attributes}, 14, tuple(range(1, 4)), outputs, "ort")


ROWS += [
    recurrent("LSTM", 4),
    recurrent("LSTM", 4, 2, direction="bidirectional"),
    recurrent("LSTM", 4, lengths=True, direction="reverse"),
    recurrent("LSTM", 4, states=2, peepholes=True),
    recurrent("LSTM", 4, bias=False, clip=0.5),
    recurrent("LSTM", 4, activations=["HardSigmoid", "Relu", "Tanh"]),
    recurrent("LSTM", 4, input_forget=1),
    recurrent("LSTM", 4, 2, lengths=True, states=2, direction="bidirectional"),
    recurrent("GRU", 3),
    recurrent("GRU", 3, linear_before_reset=1),
    recurrent("GRU", 3, 2, lengths=True, states=1, direction="bidirectional"),
    recurrent("GRU", 3, direction="reverse", bias=False),
    recurrent("RNN", 1),
    recurrent("RNN", 1, 2, direction="bidirectional", activations=["Tanh", "Relu"]),
    recurrent("RNN", 1, lengths=True, states=1),
    recurrent(
        "LSTM", 4, activations=["Sigmoid", "ScaledTanh", "Elu"], activation_alpha=[0.8, 0.7], activation_beta=[0.6]
    ),
    recurrent(
        "LSTM",
        4,
        activations=["HardSigmoid", "LeakyRelu", "Softsign"],
        activation_alpha=[0.3, 0.2],
        activation_beta=[0.4],
    ),
    recurrent("GRU", 3, activations=["Sigmoid", "ThresholdedRelu"], activation_alpha=[0.3]),
    recurrent("GRU", 3, lengths=True, linear_before_reset=1, clip=0.7),
    recurrent("RNN", 1, lengths=True, activations=["Affine"], activation_alpha=[0.5], activation_beta=[0.2]),
    recurrent("RNN", 1, activations=["Softplus"]),
]

# Attention.
Q4, K4, V4 = f(2, 4, 3, 8), f(2, 2, 6, 8, seed=1), f(2, 2, 6, 5, seed=2)
ROWS += [
    Row("Attention", [Q4, K4, V4], {"is_causal": 1}, 23, engine="onnx"),
    Row("Attention", [Q4, K4, V4, f(3, 6)], {"softcap": 2.0}, 23, engine="onnx"),
    Row("Attention", [Q4, K4, V4, f(2, 1, 3, 6) > 0], {"scale": 0.2}, 23, engine="onnx"),
    Row("Attention", [f(2, 3, 32), f(2, 6, 16), f(2, 6, 10)], {"q_num_heads": 4, "kv_num_heads": 2}, 23, engine="onnx"),
    Row(
        "Attention",
        [Q4, K4, V4, None, f(2, 2, 4, 8), f(2, 2, 4, 5)],
        {"is_causal": 1, "qk_matmul_output_mode": 2},
        23,
        outputs=4,
        engine="onnx",
    ),
    Row("Attention", [Q4, K4, V4, None, None, None, c(4, 6)], {}, 24, engine="onnx"),
    Row("Attention", [Q4, K4, V4], {"left_window_size": 1, "right_window_size": 2}, 25, engine="onnx"),
    Row("RotaryEmbedding", [f(2, 4, 3, 8), f(10, 4), f(10, 4), i(2, 3, low=0, high=10)], {}, 23, engine="onnx"),
    Row(
        "RotaryEmbedding",
        [f(2, 4, 3, 8), f(2, 3, 2), f(2, 3, 2)],
        {"interleaved": 1, "rotary_embedding_dim": 4},
        23,
        engine="onnx",
    ),
    Row(
        "RotaryEmbedding",
        [f(2, 3, 32), f(10, 4), f(10, 4), i(2, 3, low=0, high=10)],
        {"num_heads": 4},
        23,
        engine="onnx",
    ),
    Row(
        "LinearAttention",
        [f(2, 3, 16), f(2, 3, 8), f(2, 3, 6)],
        {"q_num_heads": 4, "kv_num_heads": 2, "update_rule": "linear"},
        27,
        outputs=2,
        engine="onnx",
    ),
    Row(
        "LinearAttention",
        [f(2, 3, 8), f(2, 3, 8), f(2, 3, 6), f(2, 2, 4, 3), f(2, 3, 2, high=0), f(2, 3, 2, low=0)],
        {"q_num_heads": 2, "kv_num_heads": 2},
        27,
        outputs=2,
        engine="onnx",
    ),
]

# Quantization.
U8, I8 = i(2, 3, low=0, high=255, dtype=np.uint8), i(3, 4, low=-127, high=127, dtype=np.int8)
SCALE, ZERO = s(0.05, np.float32), s(128, np.uint8)
ROWS += [
    Row("QuantizeLinear", [f(2, 3), SCALE, ZERO], constants=(1, 2)),
    Row(
        "QuantizeLinear",
        [f(2, 3), c(0.1, 0.02, 0.3, dtype=np.float32), c(1, 2, 3, dtype=np.int8)],
        {"axis": 1},
        constants=(1, 2),
    ),
    Row("QuantizeLinear", [f(2, 3), SCALE, ZERO]),
    Row(
        "QuantizeLinear",
        [f(4, 3), f(2, 3, low=0.1), i(2, 3, low=0, high=9, dtype=np.uint8)],
        {"axis": 0, "block_size": 2},
        constants=(1, 2),
    ),
    Row("DequantizeLinear", [U8, SCALE, ZERO], constants=(1, 2)),
    Row("DequantizeLinear", [I8, c(0.1, 0.2, 0.3, dtype=np.float32)], {"axis": 0}, constants=(1,)),
    Row("DequantizeLinear", [i(4, 3, dtype=np.int8), f(2, 3, low=0.1)], {"axis": 0, "block_size": 2}, constants=(1,)),
    Row("DynamicQuantizeLinear", [f(3, 4)], {}, outputs=3),
    Row("MatMulInteger", [U8, I8, ZERO, c(1, 2, 3, 4, dtype=np.int8)], constants=(2, 3)),
    Row("MatMulInteger", [U8, I8]),
    Row("MatMulInteger", [i(2, 700, low=200, high=255, dtype=np.uint8), i(700, 3, low=200, high=255, dtype=np.uint8)]),
    Row("DynamicQuantizeLinear", [np.zeros((3, 4), np.float32)], {}, outputs=3, engine="ort"),
    Row("DynamicQuantizeLinear", [f(3, 4, low=0.5)], {}, outputs=3, engine="ort"),
    Row("MatMulInteger", [i(2, 5, 3, low=0, high=255, dtype=np.uint8), I8, ZERO], engine="ort"),
    Row("MatMulInteger", [U8, I8, ZERO, i(4, low=-9, dtype=np.int8)], engine="ort"),
    Row("MatMulInteger", [U8, I8[:, 0], ZERO], constants=(1,), engine="onnx"),
    Row(
        "MatMulInteger",
        [U8, i(3, 4, low=0, high=255, dtype=np.uint8), ZERO, i(4, low=90, high=160, dtype=np.uint8)],
        constants=(1, 3),
        engine="ort",
    ),
    Row(
        "ConvInteger",
        [i(1, 60, 4, 4, low=200, high=255, dtype=np.uint8), i(2, 60, 3, 3, low=200, high=255, dtype=np.uint8)],
        engine="onnx",
    ),
    Row(
        "ConvInteger",
        [i(1, 2, 5, 5, low=0, high=255, dtype=np.uint8), i(3, 2, 3, 3, low=0, high=255, dtype=np.uint8), ZERO],
        {"pads": [1, 1, 1, 1]},
        constants=(2,),
        engine="onnx",
    ),
    Row(
        "QLinearMatMul",
        [U8, SCALE, ZERO, I8, s(0.02, np.float32), s(0, np.int8), s(0.3, np.float32), s(100, np.uint8)],
        constants=(1, 2, 4, 5, 6, 7),
    ),
    Row(
        "QLinearConv",
        [
            i(1, 2, 5, 5, low=0, high=255, dtype=np.uint8),
            SCALE,
            ZERO,
            i(3, 2, 3, 3, low=-90, high=90, dtype=np.int8),
            c(0.02, 0.01, 0.03, dtype=np.float32),
            c(0, 0, 0, dtype=np.int8),
            s(0.4, np.float32),
            s(120, np.uint8),
            i(3, low=-500, high=500, dtype=np.int32),
        ],
        constants=tuple(range(1, 9)),
        engine="ort",
    ),
    Row(
        "com.microsoft:QLinearAdd",
        [U8, SCALE, ZERO, U8[::-1].copy(), s(0.03, np.float32), s(9, np.uint8), s(0.07, np.float32), s(90, np.uint8)],
        constants=(1, 2, 4, 5, 6, 7),
        engine="ort",
    ),
    Row(
        "com.microsoft:QGemm",
        [
            U8,
            SCALE,
            ZERO,
            I8,
            s(0.02, np.float32),
            s(0, np.int8),
            i(4, low=-99, high=99, dtype=np.int32),
            s(0.1, np.float32),
            s(100, np.uint8),
        ],
        constants=tuple(range(1, 9)),
        engine="ort",
    ),
    Row(
        "com.microsoft:QLinearGlobalAveragePool",
        [i(1, 3, 4, 4, low=0, high=255, dtype=np.uint8), SCALE, ZERO, s(0.04, np.float32), s(110, np.uint8)],
        constants=(1, 2, 3, 4),
        engine="ort",
    ),
]

ROWS += [
    Row(
        "ConvInteger",
        [
            i(2, 4, 7, 6, low=0, high=255, dtype=np.uint8),
            i(6, 2, 3, 3, low=0, high=255, dtype=np.uint8),
            ZERO,
            s(117, np.uint8),
        ],
        {"pads": [1, 0, 1, 2], "strides": [2, 1], "group": 2},
        constants=(1, 3),
        engine="ort",
    ),
    Row(
        "ConvInteger",
        [
            i(1, 3, 9, low=0, high=255, dtype=np.uint8),
            i(4, 3, 3, low=-128, high=127, dtype=np.int8),
            ZERO,
        ],
        {"pads": [2, 2], "dilations": [2]},
        constants=(1,),
        engine="ort",
    ),
    Row(
        "com.microsoft:MatMulIntegerToFloat",
        [U8, I8, s(0.03, np.float32), f(4, low=0.01), ZERO, i(4, low=-9, dtype=np.int8), f(4)],
        constants=(1, 2, 3, 5, 6),
        engine="ort",
    ),
    Row(
        "com.microsoft:DynamicQuantizeMatMul",
        [f(2, 3), I8, s(0.02, np.float32), s(0, np.int8), f(4)],
        constants=(1, 2, 3, 4),
        engine="ort",
        tolerance=1e-3,
    ),
    Row(
        "com.microsoft:FusedConv",
        [IMAGE, W, f(6)],
        {"activation": "LeakyRelu", "activation_params": [0.3]},
        engine="ort",
    ),
    Row(
        "com.microsoft:FusedConv",
        [IMAGE, f(4, 4, 1, 1), f(4), IMAGE[..., ::-1].copy()],
        {"activation": "Relu"},
        engine="ort",
    ),
    Row("com.microsoft:FusedGemm", [f(2, 3), f(3, 4), f(4)], {"activation": "Tanh"}, engine="ort"),
    Row("com.microsoft:SkipSimplifiedLayerNormalization", [X, f(2, 3, 4, seed=1), f(4)], engine="ort", tolerance=1e-4),
    Row("com.microsoft:SkipLayerNormalization", [X, f(2, 3, 4, seed=1), f(4), f(4)], engine="ort", tolerance=1e-4),
    Row("com.microsoft:BiasGelu", [X, f(4)], engine="ort"),
    Row("com.microsoft:FastGelu", [X, f(4)], engine="ort", tolerance=1e-4),
    Row("com.microsoft:QuickGelu", [X], engine="ort"),
    Row("com.microsoft:Gelu", [X], engine="ort"),
]

# Images.
ROWS += [
    Row(
        "Resize",
        [IMAGE, None, c(1, 1, 2, 1.5, dtype=np.float32)],
        {"mode": mode, "coordinate_transformation_mode": how},
        13,
        (2,),
    )
    for mode in ("nearest", "linear", "cubic")
    for how in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
]
ROWS += [
    Row("Resize", [IMAGE, None, None, c(1, 4, 5, 11)], {"mode": mode}, 18, (3,), tolerance=1e-4)
    for mode in ("nearest", "linear", "cubic")
]
ROWS += [
    Row(
        "Resize",
        [IMAGE, None, None, c(5, 4)],
        {"mode": "linear", "antialias": 1, "axes": [2, 3]},
        18,
        (3,),
        engine="onnx",
        tolerance=1e-4,
    ),
    Row("Resize", [IMAGE, None, None, c(20, 12)], {"axes": [2, 3], "keep_aspect_ratio_policy": "not_larger"}, 18, (3,)),
    Row("Resize", [IMAGE, c(1, 1, 2, 2, dtype=np.float32)], {"mode": "linear"}, 10, (1,)),
    Row("Upsample", [IMAGE, c(1, 1, 2, 3, dtype=np.float32)], {}, 9, (1,)),
    Row("Upsample", [IMAGE], {"scales": [1.0, 1.0, 2.0, 2.0], "mode": "linear"}, 7),
]
ROWS += [
    Row(
        "GridSample",
        [f(1, 2, 5, 6), f(1, 3, 4, 2, low=-1.3, high=1.3)],
        {"mode": mode, "padding_mode": padding, "align_corners": corners},
        20,
        engine="ort" if mode == "cubic" else "onnx",
        tolerance=1e-4,
    )
    for mode in ("linear", "nearest", "cubic")
    for padding in ("zeros", "border", "reflection")
    for corners in (0, 1)
]
ROIS = c([0.5, 0.5, 4.0, 3.5], [1.0, 2.0, 5.5, 5.0], dtype=np.float32)
REGIONS = c([0, 0, 5, 4], [-2.0, -1.5, 5.5, 9.0], [8, 7, 11, 12], [2, 3, 2, 5], dtype=np.float32)
ROWS += [
    Row("GridSample", [f(1, 2, 3, 4, 5), f(1, 2, 2, 3, 3, low=-1.2, high=1.2)], {"mode": "linear"}, 20, engine="onnx"),
    Row("AffineGrid", [f(2, 2, 3), c(2, 3, 4, 5)], {}, 20, (1,), engine="onnx"),
    Row("AffineGrid", [f(2, 3, 4), c(2, 3, 2, 4, 5)], {"align_corners": 1}, 20, (1,), engine="onnx"),
    Row("RoiAlign", [f(2, 3, 6, 7), ROIS, c(0, 1)], {"output_height": 2, "output_width": 3, "sampling_ratio": 2}, 16),
    Row(
        "RoiAlign",
        [f(2, 3, 6, 7), ROIS, c(0, 1)],
        {"output_height": 2, "output_width": 2, "sampling_ratio": 2, "mode": "max", "spatial_scale": 0.5},
        16,
    ),
    Row("RoiAlign", [f(2, 3, 6, 7), ROIS, c(0, 1)], {"output_height": 2, "output_width": 2, "sampling_ratio": 1}, 10),
    *(
        # as many samples as regions are large: whole ones, one that lies outside, one without an area
        Row(
            "RoiAlign",
            [f(2, 3, *image), REGIONS, c(0, 1, 0, 1)],
            {"output_height": 2, "output_width": 3, "spatial_scale": scale, **half},
            version,
        )
        for image, scale, half, version in (
            ((6, 7), 1.0, {"coordinate_transformation_mode": "half_pixel"}, 16),
            ((6, 7), 0.5, {"coordinate_transformation_mode": "output_half_pixel"}, 16),
            ((9, 1), 1.0, {}, 10),
        )
    ),
    Row("RoiAlign", [f(1, 3, 6, 7), ROIS, c(0, 0)], {"output_height": 3, "output_width": 2}, 16),
    Row(
        "MaxRoiPool",
        [f(2, 3, 6, 7), c([0, 0, 0, 4, 3], [1, 1, 2, 5, 5], dtype=np.float32)],
        {"pooled_shape": [2, 2]},
        engine="ort",
    ),
]

# Signals and losses.
ROWS += [
    Row("DFT", [f(2, 6, 1), None, s(1)], {}, 20, (2,), tolerance=1e-4),
    Row("DFT", [f(2, 6, 2), s(8), s(1)], {"inverse": 1}, 20, (1, 2), tolerance=1e-4, engine="onnx"),
    Row("DFT", [f(2, 6, 1)], {"onesided": 1, "axis": 1}, 17, tolerance=1e-4),
    Row("DFT", [f(2, 4, 2), s(6), s(1)], {"onesided": 1, "inverse": 1}, 20, (1, 2), tolerance=1e-4, engine="onnx"),
    Row("STFT", [f(1, 20, 1), s(4), f(8, low=0)], {}, 17, (1, 2), tolerance=1e-4),
    Row("STFT", [f(2, 20), s(4), f(8, low=0)], {}, 17, (1, 2), tolerance=1e-4),  # as torch writes it
    *(
        Row(op, [s(10)], {"periodic": p}, 17, (0,))
        for op in ("HannWindow", "HammingWindow", "BlackmanWindow")
        for p in (0, 1)
    ),
    Row("HannWindow", [s(9)], {}, 17, tolerance=1e-4),
    Row("MelWeightMatrix", [s(8), s(16), s(8192), s(0.0, np.float32), s(4096.0, np.float32)], {}, 17, (0, 1, 2, 3, 4)),
    Row("NegativeLogLikelihoodLoss", [f(3, 5, 2), i(3, 2, low=0, high=5), f(5, low=0.1)], {"ignore_index": 2}, 13),
    Row("NegativeLogLikelihoodLoss", [f(3, 5), i(3, low=0, high=5)], {"reduction": "none"}, 13),
    Row("SoftmaxCrossEntropyLoss", [f(3, 5), i(3, low=0, high=5)], {"reduction": "sum"}, 13, outputs=2),
    Row(
        "TfIdfVectorizer",
        [c(1, 1, 3, 3, 3, 7, dtype=np.int32)],
        {
            "mode": "TF",
            "min_gram_length": 1,
            "max_gram_length": 2,
            "max_skip_count": 1,
            "ngram_counts": [0, 2],
            "ngram_indexes": [0, 1, 2],
            "pool_int64s": [1, 3, 3, 7],
        },
        9,
    ),
]
