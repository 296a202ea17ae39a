"""The version of each TFLite operator from its operand types, ranks and options, and the first runtime that has it.

Source: TFLite's tools/versioning/op_version.cc and op_signature.cc (rules), runtime_version.cc (`runtime_table`).
A rule that looks at one operand's element type alone is a row of `_BY_TYPE`; the others are functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mlconv.dialects.tfl_table import ENUMS
from mlconv.exporters.tflite.model import OptionValue, Tensor
from mlconv.exporters.tflite.runtime_table import MIN_RUNTIME

_NAMES = {number: name for name, number in ENUMS["TensorType"].items()}
_FLOAT8 = ("FLOAT8_E4M3FN", "FLOAT8_E5M2")
_INT8_16 = (("INT16", 3), ("INT8", 2))

# builtin -> (operand, ((element types, version), ...)); the first row that fits counts, else version 1.
_BY_TYPE: dict[str, tuple[int, tuple[tuple[str, int], ...]]] = {
    "SIGN": (0, (("INT32", 2),)),
    "SIN": (0, (("FLOAT16", 2),)),
    "COS": (0, (("FLOAT16", 2),)),
    "SPLIT": (1, (("FLOAT8", 5), ("INT16", 4), ("INT32", 3), ("INT8", 2))),
    "SPARSE_TO_DENSE": (2, (("INT8", 3), ("UINT8", 3), ("INT64", 2))),
    "FLOOR_DIV": (0, (("INT16", 3), ("INT8", 3), ("FLOAT32", 2))),
    "FLOOR_MOD": (0, (("INT16", 2), ("INT8", 2))),
    "RELU": (0, (("INT16", 3), ("INT8", 2), ("UINT8", 2))),
    "REVERSE_V2": (0, (("FLOAT8", 4), ("INT8", 3), ("BOOL", 2))),
    "TILE": (0, (("INT8", 3), ("STRING", 2))),
    "SQUEEZE": (0, (("STRING", 2),)),
    "UNPACK": (
        0,
        (("FLOAT8", 6), ("INT8", 2), ("UINT8", 2), ("BOOL", 3), ("INT16", 4), ("FLOAT16", 5), ("BFLOAT16", 5)),
    ),
    "PACK": (0, (("FLOAT8", 5), ("INT8", 2), ("INT16", 3), ("UINT32", 4))),
    "FILL": (1, (("FLOAT8", 5), ("FLOAT16", 4), ("INT8", 3), ("INT16", 3), ("BOOL", 2), ("STRING", 2))),
    "EQUAL": (0, (("INT16", 5), ("STRING", 3), ("INT8", 2))),
    "NOT_EQUAL": (0, (("INT16", 4), ("STRING", 3), ("INT8", 2))),
    "LEAKY_RELU": (0, (("INT16", 2),)),
    "RANGE": (0, (("INT64", 2),)),
    "CONCATENATION": (0, (("FLOAT8", 7), ("FLOAT16", 6), ("INT4", 5), ("UINT32", 4), *_INT8_16)),
    "SOFTMAX": (0, (("FLOAT16", 4), *_INT8_16)),
    "ARG_MAX": (0, (("BOOL", 3), ("INT8", 2))),
    "ARG_MIN": (0, (("BOOL", 3), ("INT8", 2))),
    "SELECT_V2": (0, (("UINT32", 2),)),
    "SPLIT_V": (0, (("FLOAT8", 3), ("INT8", 2))),
    "GELU": (0, (("FLOAT16", 3), ("INT8", 2), ("UINT8", 2))),
    "L2_NORMALIZATION": (0, (("INT8", 2),)),
    **dict.fromkeys(
        (
            "MAX_POOL_2D",
            "AVERAGE_POOL_2D",
            "TANH",
            "LOGISTIC",
            "MEAN",
            "MIRROR_PAD",
            "REDUCE_MAX",
            "REDUCE_MIN",
            "RELU6",
            "RSQRT",
        ),
        (0, _INT8_16),
    ),
    **dict.fromkeys(
        ("SPACE_TO_DEPTH", "DEPTH_TO_SPACE", "SUM", "LOG_SOFTMAX", "GREATER", "LESS_EQUAL", "SQUARED_DIFFERENCE"),
        (0, (("INT8", 2),)),
    ),
    **dict.fromkeys(("LESS", "GREATER_EQUAL"), (0, (("INT16", 3), ("INT8", 2)))),
    **dict.fromkeys(("EXP", "LOG", "REDUCE_PROD", "SQRT"), (0, (("INT8", 2), ("INT16", 2)))),
}


@dataclass(frozen=True, slots=True)
class OpFacts:
    """What a version depends on: operands (None = absent), results, options."""

    ins: Sequence[Tensor | None]
    outs: Sequence[Tensor]
    options: Mapping[str, OptionValue]

    def type(self, i: int) -> str:
        """Element type of operand i by schema name; "" if absent."""
        tensor = self.ins[i] if i < len(self.ins) else None
        return "" if tensor is None else _NAMES[tensor.dtype]

    def out(self, i: int = 0) -> str:
        """Element type of result i."""
        return _NAMES[self.outs[i].dtype]

    def shape(self, i: int) -> tuple[int, ...]:
        """Shape of operand i; () if absent or unknown."""
        tensor = self.ins[i] if i < len(self.ins) else None
        return () if tensor is None else tensor.shape or ()

    def quantized(self, i: int = 0) -> bool:
        """Operand i carries scales."""
        tensor = self.ins[i] if i < len(self.ins) else None
        return tensor is not None and tensor.quantization is not None

    def per_channel(self, i: int) -> bool:
        """Operand i carries more than one scale."""
        tensor = self.ins[i] if i < len(self.ins) else None
        return tensor is not None and tensor.quantization is not None and len(tensor.quantization.scales) > 1

    def wide_broadcast(self) -> bool:
        """The operands differ in shape and one has more than four dimensions."""
        return len(self.ins) > 1 and self.shape(0) != self.shape(1) and max(len(self.shape(0)), len(self.shape(1))) > 4

    def scheme(self) -> tuple[str, str, str]:
        """Element types of input, weights and output of a matrix or convolution op."""
        return self.type(0), self.type(1), self.out()


def op_version(builtin: str, facts: OpFacts) -> int:
    """The lowest version of `builtin` that means this op."""
    special = _SPECIAL.get(builtin)
    if special is not None:
        return special(facts)
    if builtin not in _BY_TYPE:
        return 1
    operand, rows = _BY_TYPE[builtin]
    return _by_type(facts.type(operand), rows)


def min_runtime(codes: Sequence[tuple[str, int]]) -> str:
    """The first runtime that has all of these (builtin, version) pairs; "" when none is recorded."""
    best: tuple[int, ...] = ()
    for builtin, version in codes:
        rows = MIN_RUNTIME.get(builtin, ())
        if 0 < version <= len(rows) and rows[version - 1]:
            best = max(best, tuple(int(part) for part in rows[version - 1].split(".")))
    return ".".join(map(str, best))


def _by_type(dtype: str, rows: tuple[tuple[str, int], ...]) -> int:
    for name, version in rows:
        if dtype == name or (name == "FLOAT8" and dtype in _FLOAT8):
            return version
    return 1


def _conv_2d(f: OpFacts) -> int:
    scheme = f.scheme()
    if scheme == ("INT16", "INT8", "INT16") and f.options.get("quantized_bias_type"):
        return 8
    if len(f.shape(0)) == 4 and len(f.shape(1)) == 4 and f.shape(0)[3] != f.shape(1)[3]:
        return 6
    hybrid = 5 if f.per_channel(1) else 2
    return {
        ("INT16",) * 3: 4,
        ("INT16", "INT8", "INT16"): 4,
        ("INT8",) * 3: 3,
        ("INT8", "INT4", "INT8"): 7,
        ("FLOAT32", "INT8", "FLOAT32"): hybrid,
    }.get(scheme, 1)


def _depthwise(f: OpFacts) -> int:
    scheme = f.scheme()
    hybrid = 6 if f.per_channel(1) else 4
    wide = {("INT16",) * 3: 5, ("INT16", "INT8", "INT16"): 5}
    table = {**wide, ("FLOAT32", "INT8", "FLOAT32"): hybrid, ("INT8",) * 3: 3, ("INT8", "INT4", "INT8"): 7}
    dilated = f.options.get("dilation_w_factor", 1) != 1 or f.options.get("dilation_h_factor", 1) != 1
    return table.get(scheme, 2 if dilated else 1)


def _fully_connected(f: OpFacts) -> int:
    scheme = f.scheme()
    hybrid = scheme == ("FLOAT32", "INT8", "FLOAT32")
    if f.type(1) == "INT2":
        return 14
    if scheme == ("INT16", "INT4", "INT16"):
        return 13
    if hybrid and f.per_channel(1):
        return 12
    if scheme == ("INT16", "INT8", "INT16") and f.options.get("quantized_bias_type"):
        return 11
    if scheme in (("INT16", "INT16", "INT16"), ("INT16", "INT8", "INT16")):
        return 7
    if len(f.ins) == 2:
        return 6
    if f.options.get("keep_num_dims"):
        return 5
    if hybrid:
        return 9 if f.options.get("asymmetric_quantize_inputs") else 3
    return {("INT8",) * 3: 4, ("INT8", "INT4", "INT8"): 10}.get(scheme, 2 if f.options.get("weights_format") else 1)


def _gather(f: OpFacts) -> int:
    version = _by_type(f.type(0), (("FLOAT8", 8), ("INT4", 7)))
    if version > 1:
        return version
    if f.type(1) == "INT16":
        return 6
    return 5 if f.options.get("batch_dims") else _by_type(f.type(0), (("INT16", 4), ("BOOL", 3), ("INT8", 2)))


def _gather_nd(f: OpFacts) -> int:
    version = _by_type(f.type(0), (("FLOAT8", 6), ("BOOL", 5)))
    if version > 1:
        return version
    return 4 if f.type(1) == "INT16" else _by_type(f.type(0), (("INT16", 3), ("STRING", 2)))


def _mul(f: OpFacts) -> int:
    if f.type(0) == "INT16":
        return 4 if f.quantized() else 7
    version = _by_type(f.type(0), (("FLOAT16", 8), ("UINT32", 7), ("COMPLEX64", 6), ("INT64", 5)))
    if version == 1 and f.quantized(0) and f.quantized(1) and f.outs[0].quantization is not None:
        scales = [
            t.quantization.scales[0] for t in (*f.ins[:2], f.outs[0]) if t is not None and t.quantization is not None
        ]
        if scales[0] * scales[1] / scales[2] >= 1.0:
            return 3
    return version if version > 1 else _by_type(f.type(0), (("INT8", 2),))


def _add(f: OpFacts) -> int:
    if f.type(0) == "INT16":
        return 5 if not f.quantized() else 3 if not f.options.get("pot_scale_int16", True) else 1
    return _by_type(f.type(0), (("FLOAT16", 6), ("INT64", 4), ("INT8", 2)))


def _sub(f: OpFacts) -> int:
    if f.type(0) == "INT16" and not f.options.get("pot_scale_int16", True):
        return 5
    if f.type(0) == "INT64":
        return 4
    return 3 if f.wide_broadcast() else _by_type(f.type(0), (("INT8", 2),))


def _max_min(f: OpFacts) -> int:
    if f.type(0) == "INT16":
        return 4
    return 3 if f.wide_broadcast() else _by_type(f.type(0), (("INT8", 2),))


def _transpose(f: OpFacts) -> int:
    rank = len(f.shape(0))
    if f.type(0) == "FLOAT16":
        return 9
    if rank > 6 or f.type(0) == "BFLOAT16":
        return 8
    if f.type(0) == "INT4":
        return 7
    if rank > 5:
        return 6
    if f.type(0) == "INT16":
        return 5
    return 4 if rank > 4 else _by_type(f.type(0), (("BOOL", 3), ("INT8", 2)))


def _transpose_conv(f: OpFacts) -> int:
    if (f.type(0), f.type(1), f.out()) == ("INT16", "INT8", "INT16") and f.options.get("quantized_bias_type"):
        return 5
    if f.options.get("fused_activation_function"):
        return 4
    if f.type(3):
        return 3
    return 2 if f.type(1) == "INT8" else 1


def _slice(f: OpFacts) -> int:
    version = _by_type(f.type(0), (("FLOAT16", 8), ("INT4", 7), ("UINT32", 6)))
    if version > 1:
        return version
    return 5 if len(f.shape(0)) > 4 else _by_type(f.type(0), (("INT16", 4), ("STRING", 3), ("INT8", 2)))


def _strided_slice(f: OpFacts) -> int:
    if f.options.get("offset"):
        return 8
    if f.type(0) == "UINT32":
        return 7
    if f.options.get("ellipsis_mask") or f.options.get("new_axis_mask"):
        return 6
    if f.type(0) == "STRING":
        return 5
    return 4 if len(f.shape(0)) > 4 else _by_type(f.type(0), (("BOOL", 3), ("INT8", 2)))


def _dequantize(f: OpFacts) -> int:
    if f.type(0) == "INT8":
        return 5 if f.per_channel(0) else 2
    return _by_type(f.type(0), (("FLOAT8", 9), ("UINT4", 8), ("INT2", 7), ("INT4", 6), ("INT16", 3), ("FLOAT16", 3)))


def _quantize(f: OpFacts) -> int:
    types = (f.type(0), f.out())
    if "UINT4" in types:
        return 5
    if "INT4" in types:
        return 4
    per_channel = f.outs[0].quantization is not None and len(f.outs[0].quantization.scales) > 1
    return 3 if per_channel else 2 if f.out() == "INT16" else 1


def _abs(f: OpFacts) -> int:
    if f.type(0) == "INT16":
        return 3 if f.quantized() else 4
    return _by_type(f.type(0), (("INT32", 5), ("INT8", 2), ("UINT8", 2)))


def _resize_bilinear(f: OpFacts) -> int:
    if f.type(0) == "INT16":
        return 4
    return 3 if f.options.get("half_pixel_centers") else _by_type(f.type(0), (("INT8", 2),))


def _resize_nearest(f: OpFacts) -> int:
    if f.type(0) == "INT16":
        return 4
    centered = f.options.get("half_pixel_centers") or f.options.get("align_corners")
    return 3 if centered else _by_type(f.type(0), (("INT8", 2),))


def _space_batch(f: OpFacts) -> int:
    if f.type(0) == "INT16":
        return 4
    return 3 if len(f.shape(0)) != 4 else _by_type(f.type(0), (("INT8", 2),))


def _pad(f: OpFacts) -> int:
    version = _by_type(f.type(0), (("FLOAT8", 6), ("BOOL", 5)))
    if version > 1:
        return version
    return 4 if len(f.shape(0)) > 4 else _by_type(f.type(0), _INT8_16)


def _select(f: OpFacts) -> int:
    if f.type(0) == "UINT32":
        return 4
    return 3 if any(len(f.shape(i)) == 5 for i in range(3)) else _by_type(f.type(0), (("INT8", 2),))


def _batch_matmul(f: OpFacts) -> int:
    if f.scheme() == ("FLOAT32", "INT8", "FLOAT32") and f.options.get("asymmetric_quantize_inputs"):
        return 4
    return _by_type(f.type(0), _INT8_16)


def _hybrid_weights(weight: int, base: int) -> Callable[[OpFacts], int]:
    """Recurrent ops: `base` for int8 weights with float activations, one more with asymmetric inputs."""

    def version(f: OpFacts) -> int:
        if f.type(weight) != "INT8" or f.out() != "FLOAT32":
            return 1
        return base + 1 if f.options.get("asymmetric_quantize_inputs") else base

    return version


def _lstm(f: OpFacts) -> int:
    if f.options.get("kernel_type"):
        return 2
    return _hybrid_weights(2, 3)(f)


def _sequence_lstm(f: OpFacts) -> int:
    return 4 if f.options.get("diagonal_recurrent_tensors") else _hybrid_weights(2, 2)(f)


def _topk(f: OpFacts) -> int:
    if "INT16" in (f.type(0), f.type(1), f.out(1)):
        return 3
    return _by_type(f.type(0), (("INT8", 2),))


def _update_slice(f: OpFacts) -> int:
    version = _by_type(f.type(0), (("BFLOAT16", 6), ("INT4", 5), ("INT16", 4), ("FLOAT16", 3)))
    return version if version > 1 else 2 if f.type(2) == "INT64" else 1


def _broadcast_to(f: OpFacts) -> int:
    return max(2, _by_type(f.type(0), (("FLOAT8", 4), ("INT8", 3), ("INT16", 3))))


_CAST_ROWS = (
    ("FLOAT8_E4M3FN", 9),
    ("FLOAT8_E5M2", 9),
    ("INT2", 8),
    ("UINT4", 8),
    ("BFLOAT16", 7),
    ("INT4", 6),
    ("FLOAT64", 5),
    ("FLOAT16", 5),
    ("UINT16", 4),
    ("INT8", 3),
    ("UINT32", 2),
)


def _cast(f: OpFacts) -> int:
    return next((version for name, version in _CAST_ROWS if name in (f.type(0), f.out())), 1)


def _embedding(f: OpFacts) -> int:
    if f.type(1) == "INT4" or f.per_channel(1):
        return 4
    return 5 if f.type(1) == "INT2" else 1


_SPECIAL: dict[str, Callable[[OpFacts], int]] = {
    "CONV_2D": _conv_2d,
    "DEPTHWISE_CONV_2D": _depthwise,
    "FULLY_CONNECTED": _fully_connected,
    "GATHER": _gather,
    "GATHER_ND": _gather_nd,
    "MUL": _mul,
    "ADD": _add,
    "SUB": _sub,
    "MAXIMUM": _max_min,
    "MINIMUM": _max_min,
    "TRANSPOSE": _transpose,
    "TRANSPOSE_CONV": _transpose_conv,
    "SLICE": _slice,
    "STRIDED_SLICE": _strided_slice,
    "DEQUANTIZE": _dequantize,
    "QUANTIZE": _quantize,
    "ABS": _abs,
    "RESIZE_BILINEAR": _resize_bilinear,
    "RESIZE_NEAREST_NEIGHBOR": _resize_nearest,
    "SPACE_TO_BATCH_ND": _space_batch,
    "BATCH_TO_SPACE_ND": _space_batch,
    "PAD": _pad,
    "PADV2": _pad,
    "SELECT": _select,
    "BATCH_MATMUL": _batch_matmul,
    "LSTM": _lstm,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": _sequence_lstm,
    "BIDIRECTIONAL_SEQUENCE_LSTM": _hybrid_weights(1, 2),
    "RNN": _hybrid_weights(1, 2),
    "UNIDIRECTIONAL_SEQUENCE_RNN": _hybrid_weights(1, 2),
    "BIDIRECTIONAL_SEQUENCE_RNN": _hybrid_weights(1, 2),
    "TOPK_V2": _topk,
    "DYNAMIC_UPDATE_SLICE": _update_slice,
    "BROADCAST_TO": _broadcast_to,
    "CAST": _cast,
    "EMBEDDING_LOOKUP": _embedding,
    "WHERE": lambda f: 1 if f.type(0) == "BOOL" else 2,
    "DIV": lambda f: 2 if f.wide_broadcast() else 1,
    "FAKE_QUANT": lambda f: 2 if f.options.get("narrow_range") else 1,
}
