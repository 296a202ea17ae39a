"""Operators of XNNPACK's delegate: what its VisitNode has a case for, and the operands that have to be constant.

Source: tensorflow/lite/delegates/xnnpack/xnnpack_delegate.cc (commit 0004bf9ddef9) and the README beside it,
"Limitations and supported operators".
"""

from __future__ import annotations

_ELEMENTWISE = (
    "ABS CEIL COS DEQUANTIZE ELU EXP FLOOR GELU HARD_SWISH LEAKY_RELU LOGISTIC NEG QUANTIZE RELU RELU6 RELU_N1_TO_1 "
    "ROUND RSQRT SIN SQRT SQUARE TANH ADD DIV MAXIMUM MINIMUM MUL PRELU SQUARED_DIFFERENCE SUB"
)
_OTHERS = (
    "ASSIGN_VARIABLE AVERAGE_POOL_2D BATCH_MATMUL CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE EXPAND_DIMS "
    "FULLY_CONNECTED MAX_POOL_2D REDUCE_MIN REDUCE_MAX SUM MEAN PAD READ_VARIABLE RESHAPE RESIZE_BILINEAR SLICE "
    "SOFTMAX SPACE_TO_DEPTH SPLIT STRIDED_SLICE TRANSPOSE TRANSPOSE_CONV VAR_HANDLE STABLEHLO_COMPOSITE"
)
_CUSTOM = "Convolution2DTransposeBias MaxPoolingWithArgmax2D MaxUnpooling2D"
XNNPACK = frozenset((*_ELEMENTWISE.split(), *_OTHERS.split(), *_CUSTOM.split()))

FLOAT_ONLY = frozenset({"AVERAGE_POOL_2D", "SOFTMAX"})

CONSTANT_OPERANDS: dict[str, tuple[int, ...]] = {
    "EXPAND_DIMS": (1,),
    "MEAN": (1,),
    "PAD": (1,),
    "REDUCE_MAX": (1,),
    "REDUCE_MIN": (1,),
    "RESHAPE": (1,),
    "RESIZE_BILINEAR": (1,),
    "SPLIT": (0,),
    "STRIDED_SLICE": (1, 2, 3),
    "SUM": (1,),
    "TRANSPOSE": (1,),
    "TRANSPOSE_CONV": (0,),
}
