"""Which element types the TFLite kernel of each core op takes, and how many dimensions.

Source: the type switches of TFLite's kernels (kernels/*.cc), each row confirmed by running the kernel of LiteRT 2.3
(built-in and XNNPACK). A type that an 8-bit kernel takes only with quantization parameters (ADD, MUL, RELU, ...) is not
listed.
"""

from __future__ import annotations

_INT32_64 = ("i32", "i64")
_F = ("f32",)
_ARITHMETIC = ("f32", *_INT32_64)
_ORDER = ("f32", "i16", *_INT32_64)
_EXTREME = ("f32", "i8", "ui8", "i16", *_INT32_64)
_MOVE = ("f32", "i8", "ui8", "i16", *_INT32_64, "i1")
_ALL = ("f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "ui64", "ui32", "ui16", "ui8", "i1", "complex<f32>")

_FLOAT_ONLY = (
    "exp",
    "expm1",
    "log",
    "log1p",
    "sqrt",
    "rsqrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "erf",
    "erfc",
    "lgamma",
    "digamma",
    "floor",
    "ceil",
    "round",
    "sigmoid",
    "softplus",
    "gelu",
    "hard_swish",
    "elu",
    "leaky_relu",
    "is_nan",
    "is_inf",
    "is_finite",
    "softmax",
    "log_softmax",
    "lrn",
    "avg_pool",
)

# core op (without `core.`) -> (element types, operands that have them)
KERNEL_TYPES: dict[str, tuple[tuple[str, ...], tuple[int, ...]]] = {
    "neg": (("f32", "i8", "i16", *_INT32_64), (0,)),
    "abs": (("f32", "i16", "i32", "complex<f32>", "complex<f64>"), (0,)),
    "sign": (("f32", "i32"), (0,)),
    **dict.fromkeys(_FLOAT_ONLY, (_F, (0,))),
    "max_pool": (("f32",), (0,)),
    "clamp": ((*_EXTREME, "f64"), (0,)),
    "add": (_ARITHMETIC, (0, 1)),
    "sub": (_ARITHMETIC, (0, 1)),
    "mul": ((*_ARITHMETIC, "complex<f32>"), (0, 1)),
    "div": (_ARITHMETIC, (0, 1)),
    "floor_div": (_ARITHMETIC, (0, 1)),
    "floor_mod": (_ARITHMETIC, (0, 1)),
    "rem": (_ARITHMETIC, (0, 1)),
    "atan2": (_F, (0, 1)),
    "maximum": (_EXTREME, (0, 1)),
    "minimum": (_EXTREME, (0, 1)),
    "equal": ((*_ORDER, "i1", "!mlconv.string"), (0, 1)),
    "not_equal": ((*_ARITHMETIC, "i1", "!mlconv.string"), (0, 1)),
    "less": (_ORDER, (0, 1)),
    "less_equal": (_ORDER, (0, 1)),
    "greater": (_ORDER, (0, 1)),
    "greater_equal": (_ORDER, (0, 1)),
    "select": (_ALL, (1, 2)),
    "conv": (_F, (0, 1, 2)),
    "conv_transpose": (_F, (0, 1, 2)),
    "matmul": (_ARITHMETIC, (0, 1)),
    "reduce_sum": (_ARITHMETIC, (0,)),
    "reduce_mean": (_ARITHMETIC, (0,)),
    "reduce_prod": (_ARITHMETIC, (0,)),
    "reduce_max": (_EXTREME, (0,)),
    "reduce_min": (_EXTREME, (0,)),
    "reduce_any": (("i1",), (0,)),
    "reduce_all": (("i1",), (0,)),
    "arg_max": (("f32", "i8", "ui8", "i32"), (0,)),
    "arg_min": (("f32", "i8", "ui8", "i32"), (0,)),
    "cumsum": (_ARITHMETIC, (0,)),
    "cumprod": (_ARITHMETIC, (0,)),
    "concat": (("f32", "f16", "i8", "ui8", "i16", *_INT32_64, "ui32", "i1"), ()),
    "split": (("f32", "i8", "ui8", "i16", *_INT32_64), (0,)),
    "pad": (("f32", "f16", "i8", "ui8", "i16", *_INT32_64, "i1"), (0, 2)),
    "gather": (("f32", "f16", "i8", "ui8", "i16", *_INT32_64, "i1", "!mlconv.string"), (0,)),
    "gather_nd": (("f32", "f16", "i8", "ui8", "i16", *_INT32_64, "i1"), (0,)),
    "gather_elements": (("f32", "f16", "i8", "ui8", "i16", *_INT32_64, "i1"), (0,)),
    "scatter_nd": (("f32", "i32", "i64", "i8", "ui8", "i1"), (0, 2)),
    "scatter_elements": (("f32", "i32", "i64", "i8", "ui8", "i1"), (0, 2)),
    "scatter_fill": (("f32", "i32", "i64", "i1"), (1,)),
    "update_slice": (("f32", "i8", *_INT32_64, "i1"), (0, 1)),
    "segment_reduce": (("f32", "i32"), (0,)),
    "reverse": (("f32", "f16", "i8", "ui8", "i16", *_INT32_64, "i1"), (0,)),
    "reverse_sequence": (("f32", "ui8", "i16", *_INT32_64), (0,)),
    "range": (("f32", *_INT32_64), (0, 1, 2)),
    "one_hot": (("f32", "i8", "ui8", *_INT32_64, "i1"), (2, 3)),
    "top_k": (_EXTREME, (0,)),
    "unique": (_EXTREME, (0,)),
    "nonzero": (("f32", "i8", "ui8", *_INT32_64, "ui32", "i1"), (0,)),
    "depth_to_space": (("f32", "i8", "ui8", *_INT32_64), (0,)),
    "space_to_depth": (("f32", "i8", "ui8", *_INT32_64), (0,)),
    "non_max_suppression": (_F, (0, 1, 3, 4, 5)),
    "lstm": (_F, (0, 1, 2, 3, 4, 5, 7)),
    "gru": (_F, (0, 1, 2, 3, 4, 5)),
    "rnn": (_F, (0, 1, 2, 3, 4)),
    "rfft": (_F, (0,)),
    "fft": (("complex<f32>",), (0,)),
    "irfft": (("complex<f32>",), (0,)),
    "real": (("complex<f32>", "complex<f64>"), (0,)),
    "imag": (("complex<f32>", "complex<f64>"), (0,)),
    "complex": (_F, (0, 1)),
    "quantize": (_F, (0,)),
    "fake_quant": (_F, (0,)),
}

# Ops where the bits matter and not the number: an unsigned type may stand for the signed one of its width.
BITWISE = frozenset(
    {
        "neg",
        "add",
        "sub",
        "mul",
        "equal",
        "not_equal",
        "select",
        "concat",
        "split",
        "pad",
        "gather",
        "gather_nd",
        "gather_elements",
        "scatter_nd",
        "scatter_elements",
        "scatter_fill",
        "update_slice",
        "reverse",
        "reverse_sequence",
        "one_hot",
        "depth_to_space",
        "space_to_depth",
        "nonzero",
        "cumsum",
        "reduce_sum",
        "reduce_prod",
        "cumprod",
    }
)

# Wider types in which every value of a type, and the op's result on them, is exact; in order of preference.
WIDER: dict[str, tuple[str, ...]] = {
    "f16": ("f32",),
    "bf16": ("f32",),
    "i8": ("i16", "i32", "i64", "f32"),
    "ui8": ("i16", "i32", "i64", "f32"),
    "i16": ("i32", "i64", "f32"),
    "ui16": ("i32", "i64", "f32"),
    "i32": ("i64",),
    "ui32": ("i64",),
    "i1": ("ui8", "i8", "i32"),
}
SAME_BITS = {"ui64": "i64", "ui32": "i32", "ui16": "i16", "ui8": "i8", "f64": "i64", "complex<f32>": "i64"}

# transpose.cc: "Transpose op only supports 1D-8D input arrays"; builtin_op_data.h:
# TFLITE_RESHAPE_PARAMS_MAX_DIMENSION_COUNT
MAX_RANK = {"pad": 5, "matmul": 5, "conv": 4, "transpose": 8, "new_shape": 8}
DELEGATE_RANK = 6  # XNNPACK refuses float tensors of a higher rank, and the interpreter then fails
