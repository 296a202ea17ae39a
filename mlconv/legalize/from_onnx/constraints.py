"""What a rule may take for granted of its node: the ranks and element kinds of inputs and the range of integer
attributes, checked before the rule runs.

Ranks come from the operator documents of ONNX (inputs and their shapes), element kinds from its schemas
(schema_table.py).
"""

from __future__ import annotations

from functools import cache

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType

RANKS: dict[str, str] = {
    "AffineGrid": "3 1",
    "ArgMax": "1+",
    "ArgMin": "1+",
    "Attention": "3-4 3-4 3-4 * 4 4 1",
    "AveragePool": "3+",
    "BatchNormalization": "2+ 1+ 1+ 1+ 1+",
    "BlackmanWindow": "0-1",
    "CenterCropPad": "* 1",
    "Col2Im": "3 1 1",
    "Compress": "* 1",
    "Concat": "1+ ...",
    "ConstantOfShape": "1",
    "Conv": "3+ 3+ 1",
    "ConvInteger": "3+ 3+ 0-1 0-1",
    "ConvTranspose": "3+ 3+ 1",
    "CumProd": "1+ 0-1",
    "CumSum": "1+ 0-1",
    "DFT": "2+ 0-1 0-1",
    "DeformConv": "3+ 3+ 3+ 1 3+",
    "DepthToSpace": "4",
    "Det": "2+",
    "Expand": "* 1",
    "EyeLike": "2",
    "GRU": "3 3 3 2 1 3",
    "Gather": "1+ *",
    "GatherElements": "1+ 1+",
    "GatherND": "1+ 1+",
    "Gemm": "2 2 0-2",
    "GlobalAveragePool": "2+",
    "GlobalLpPool": "2+",
    "GlobalMaxPool": "2+",
    "GridSample": "3+ 3+",
    "GroupNormalization": "2+ 1 1",
    "HammingWindow": "0-1",
    "HannWindow": "0-1",
    "If": "0-1",
    "InstanceNormalization": "2+ 1 1",
    "LRN": "2+",
    "LSTM": "3 3 3 2 1 3 3 2",
    "LayerNormalization": "1+ * *",
    "LinearAttention": "3 3 3 4 3 3",
    "Loop": "0-1 0-1",
    "LpNormalization": "1+",
    "LpPool": "3+",
    "MatMul": "1+ 1+",
    "MatMulInteger": "1+ 1+ * *",
    "MaxPool": "3+",
    "MaxRoiPool": "4 2",
    "MaxUnpool": "3+ 3+ 1",
    "MelWeightMatrix": "0-1 0-1 0-1 0-1 0-1",
    "Multinomial": "2",
    "NegativeLogLikelihoodLoss": "2+ 1+ 1",
    "NonMaxSuppression": "3 3 0-1 0-1 0-1",
    "OneHot": "* 0-1 1",
    "Pad": "* 1 0-1 1",
    "QLinearConv": "3+ 0-1 0-1 3+ 0-1 0-1 0-1 0-1 1",
    "QLinearMatMul": "1+ * * 1+ * * * *",
    "RMSNormalization": "1+ *",
    "RNN": "3 3 3 2 1 3",
    "Range": "0-1 0-1 0-1",
    "Reshape": "* 1",
    "Resize": "1+ 1 1 1",
    "ReverseSequence": "2+ 1",
    "RoiAlign": "4 2 1",
    "RotaryEmbedding": "3-4 2-3 2-3 2",
    "STFT": "2-3 0-1 1 0-1",
    "Scatter": "1+ 1+ 1+",
    "ScatterElements": "1+ 1+ 1+",
    "ScatterND": "1+ 1+ *",
    "Slice": "1+ 1 1 1 1",
    "Hardmax": "1+",
    "LogSoftmax": "1+",
    "Softmax": "1+",
    "SoftmaxCrossEntropyLoss": "2+ 1+ 1",
    "SpaceToDepth": "4",
    "Split": "1+ 1",
    "SplitToSequence": "1+ 0-1",
    "Squeeze": "* 0-1",
    "TfIdfVectorizer": "1-2",
    "Tile": "* 0-1 0-1",
    "TopK": "1+ 0-1",
    "Trilu": "2+ 0-1",
    "Unsqueeze": "* 0-1",
    "Upsample": "1+ 1",
    "com.microsoft.Attention": "3 2 1 1-4 5 4 0-1",
    "com.microsoft.BiasAdd": "1+ 1 1+",
    "com.microsoft.BiasGelu": "1+ 1",
    "com.microsoft.BiasSoftmax": "1+ 1+",
    "com.microsoft.BiasSplitGelu": "1+ 1",
    "com.microsoft.CDist": "2 2",
    "com.microsoft.DecoderMaskedMultiHeadAttention": "3 3-4 3-4 2 4 4 4 0-1 0-1 3 1",
    "com.microsoft.DynamicQuantizeLSTM": "3 3 3 2 1 3 3 2 1-2 1-2 1-2 1-2",
    "com.microsoft.DynamicQuantizeMatMul": "1+ 1+ * * *",
    "com.microsoft.EmbedLayerNormalization": "2 2 2 2 2 1 1 2 2",
    "com.microsoft.FusedConv": "3+ 3+ 1",
    "com.microsoft.FusedGemm": "2 2 0-2",
    "com.microsoft.FusedMatMul": "1+ 1+",
    "com.microsoft.GatedRelativePositionBias": "3 1 4 2 1 4 2",
    "com.microsoft.GatherBlockQuantized": "2+ * 2+ 2+",
    "com.microsoft.GemmFastGelu": "1+ 1+ 1",
    "com.microsoft.GroupNorm": "4 1 1",
    "com.microsoft.GroupQueryAttention": "3 3 3 4 4 * 0-1 2 2 2 4 1 * * 1 1",
    "com.microsoft.MatMulBnb4": "1+ 1 1",
    "com.microsoft.MatMulIntegerToFloat": "1+ 1+ * * * * *",
    "com.microsoft.MatMulNBits": "1+ * * * 1 1",
    "com.microsoft.MultiHeadAttention": "3-5 3-5 3-4 1 1-3 4 4 4 0-1 3",
    "com.microsoft.NhwcConv": "4 4 1",
    "com.microsoft.NhwcMaxPool": "3+",
    "com.microsoft.QAttention": "3 2 1 0-1 0-1 1-4 0-1 0-1 5",
    "com.microsoft.QEmbedLayerNormalization": "2 2 2 2 2 1 1 2 0-1 0-1 0-1 0-1 0-1 0-1 0-1 0-1 0-1 0-1",
    "com.microsoft.QGemm": "2 0-1 0-1 2 0-1 0-1 * 0-1 0-1",
    "com.microsoft.QLinearAveragePool": "3+ * * * *",
    "com.microsoft.QLinearConv": "3+ 0-1 0-1 3+ 0-1 0-1 0-1 0-1 1",
    "com.microsoft.QLinearGlobalAveragePool": "3+ * * * *",
    "com.microsoft.RelativePositionBias": "2 0-1 0-1",
    "com.microsoft.RotaryEmbedding": "3-4 0-2 2 2",
    "com.microsoft.SkipGroupNorm": "4 1 1 2-4 1",
    "com.microsoft.SkipLayerNormalization": "1+ 1+ * * *",
    "com.microsoft.SkipSimplifiedLayerNormalization": "1+ 1+ * *",
    "com.microsoft.Trilu": "2+ 0-1",
    "com.microsoft.UnfoldTensor": "1+",
}
"""Operator: the rank of each input (`2`, `1+` at least, `0-1` a range, `*` any); `...` repeats the one before for all
that follow.
"""

_WIDE = frozenset({"starts", "ends", "value_int", "value_ints", "opset_version"})
_LIMIT = 1 << 31
_KINDS = {"f": "floating point", "i": "integer", "b": "bool", "c": "complex", "s": "string"}


@cache
def _parsed(text: str) -> tuple[tuple[tuple[int, int] | None, ...], bool]:
    """Bounds of the rank of each input, and whether the last one stands for all that follow."""
    words = text.split()
    bounds: list[tuple[int, int] | None] = []
    for word in words:
        low, dash, high = word.rstrip("+").partition("-")
        if word not in ("*", "..."):
            bounds.append((int(low), 1 << 30 if word.endswith("+") else int(high) if dash else int(low)))
        elif word == "*":
            bounds.append(None)
    return tuple(bounds), words[-1] == "..."


def rank_bounds(key: str, i: int) -> tuple[int, int] | None:
    """The least and the greatest rank that input i of an operator may have; None for any.  key: its name with its
    domain.
    """
    bounds, repeats = _parsed(RANKS.get(key, "*"))
    return bounds[i] if i < len(bounds) else bounds[-1] if repeats else None


def check_ranks(op: Op, name: str, key: str) -> None:
    """Refuse inputs of another rank than the operator takes.  key: the name with its domain.  Raises ConversionError
    ShapeMismatch.
    """
    for i, value in enumerate(op.operands if key in RANKS else ()):
        bound = rank_bounds(key, i)
        if bound is None or value is None or not isinstance(value.type, TensorType) or value.type.rank is None:
            continue
        low, high = bound
        if not low <= value.type.rank <= high:
            expected = f"rank {low}" + (" or more" if high >= 1 << 30 else f" to {high}" if high > low else "")
            raise ConversionError(
                Code.ShapeMismatch,
                f"input {i} of {name} is {value.type}, of rank {value.type.rank}; expected {expected}",
                operand=i,
            )


def check_kinds(op: Op, name: str, kinds: str) -> None:
    """Refuse inputs whose element kind no version of the operator takes.  kinds: see `SCHEMAS`.  Raises ConversionError
    TypeMismatch.
    """
    allowed = kinds.split()
    for i, value in enumerate(op.operands if allowed else ()):
        letters = allowed[min(i, len(allowed) - 1)]
        letter = _kind(value)
        if letter and letter not in letters:
            names = " or ".join(_KINDS[k] for k in letters if k in _KINDS) or "no tensor"
            raise ConversionError(
                Code.TypeMismatch,
                f"input {i} of {name} is {value.type if value else ''}, expected elements of kind {names}",
                operand=i,
            )


def _kind(value: Value | None) -> str:
    if value is None:
        return ""
    if not isinstance(value.type, TensorType):
        return "o"
    dtype = value.type.dtype
    if dtype is DType.STRING or dtype is DType.BOOL:
        return "s" if dtype is DType.STRING else "b"
    return "f" if dtype.is_float else "c" if dtype.is_complex else "i" if dtype.is_int else ""


def check_numbers(op: Op, name: str) -> None:
    """Refuse integer attributes that no axis, size, stride or count can be.  Raises ConversionError
    AttributeInvalid.
    """
    for key, value in op.attributes.items():
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, int) and not -_LIMIT <= number < _LIMIT and key not in _WIDE:
                raise ConversionError(
                    Code.AttributeInvalid,
                    f"attribute '{key}' of {name} is {number}, out of range: at most 31 bits are taken",
                )
