"""Legalization of ONNX operators: `onnx.*` source ops to core, one function per operator."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.ir.core import Op, walk
from mlconv.ir.module import Module
from mlconv.legalize.declared import Declared
from mlconv.legalize.from_onnx.loop_sequences import NONE, ROWS, SEQUENCE
from mlconv.legalize.source import Keep, OpTable
from mlconv.rewrite import Rules

_ROOMS: Mapping[str, str] = MappingProxyType(
    {
        "activation": "Celu Elu Gelu HardSigmoid Hardmax LeakyRelu LogSoftmax Mish PRelu Relu Selu Softmax Softsign "
        "SwiGLU Swish ThresholdedRelu com.microsoft.BiasGelu com.microsoft.FastGelu com.microsoft.Gelu "
        "com.microsoft.QuickGelu",
        "attention": "Attention LinearAttention RotaryEmbedding ai.onnx.preview.FlexAttention",
        "control_flow": "If Loop Scan",
        "conv": "CausalConvWithState Col2Im Conv ConvTranspose DeformConv",
        "elementwise": "Abs Acos Acosh Add And Asin Asinh Atan Atanh Bernoulli BitCast BitShift BitwiseAnd BitwiseNot "
        "BitwiseOr BitwiseXor Cast CastLike Ceil Clip Cos Cosh Div Dropout Equal Erf Exp Floor Greater "
        "GreaterOrEqual HardSwish Identity IsInf IsNaN Less LessOrEqual Log Max Mean Min Mod Mul Multinomial "
        "Neg Not Or Pow RandomNormal RandomNormalLike RandomUniform RandomUniformLike Reciprocal Round Shrink "
        "Sigmoid Sign Sin Sinh Softplus Sqrt Sub Sum Tan Tanh Where Xor",
        "image": "AffineGrid GridSample MaxRoiPool RoiAlign",
        "index": "Compress Gather GatherElements GatherND NonZero OneHot Scatter ScatterElements ScatterND "
        "TensorScatter TfIdfVectorizer TopK Unique com.microsoft.GatherND",
        "integer_products": "ConvInteger DynamicQuantizeLinear MatMulInteger com.microsoft.DynamicQuantizeMatMul "
        "com.microsoft.MatMulIntegerToFloat",
        "loss": "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss",
        "matmul": "Det Einsum Gemm MatMul",
        "normalization": "BatchNormalization GroupNormalization InstanceNormalization LRN LayerNormalization "
        "LpNormalization MeanVarianceNormalization RMSNormalization SimplifiedLayerNormalization "
        "com.microsoft.SimplifiedLayerNormalization com.microsoft.SkipLayerNormalization "
        "com.microsoft.SkipSimplifiedLayerNormalization",
        "pool": "AveragePool GlobalAveragePool GlobalLpPool GlobalMaxPool LpPool MaxPool MaxUnpool "
        "com.microsoft.NhwcMaxPool",
        "quantize": "DequantizeLinear QLinearConv QLinearMatMul QuantizeLinear com.microsoft.DequantizeLinear "
        "com.microsoft.QGemm com.microsoft.QLinearAdd com.microsoft.QLinearAveragePool com.microsoft.QLinearConcat "
        "com.microsoft.QLinearConv com.microsoft.QLinearGlobalAveragePool com.microsoft.QLinearLeakyRelu "
        "com.microsoft.QLinearMul com.microsoft.QLinearReduceMean com.microsoft.QLinearSigmoid "
        "com.microsoft.QLinearSoftmax com.microsoft.QLinearSwish com.microsoft.QLinearWhere "
        "com.microsoft.QuantizeLinear",
        "recurrent": "GRU LSTM RNN",
        "reduce": "ArgMax ArgMin CumProd CumSum ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean "
        "ReduceMin ReduceProd ReduceSum ReduceSumSquare",
        "resize": "Resize Upsample",
        "sequence": "ConcatFromSequence Optional OptionalGetElement OptionalHasElement SequenceAt SequenceConstruct "
        "SequenceEmpty SequenceErase SequenceInsert SequenceLength SequenceMap SplitToSequence",
        "suppression": "NonMaxSuppression",
        "shape": "",
        "signal": "BlackmanWindow DFT HammingWindow HannWindow MelWeightMatrix STFT",
        "slicing": "Pad Slice Split",
    }
)
"""Files of rules, each with its RULES, and the operators that they are for: those are loaded that a model has operators
of.  Files without are for operators of every model.
"""

_DOMAINS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "com.microsoft": (
            "attention",
            "diffusion",
            "embedding",
            "fused",
            "group_query",
            "integers",
            "nbits",
            "refused",
            "tensors",
        ),
        "ai.onnx.ml": ("encoders", "features", "linear", "svm", "tree_classifier", "trees"),
    }
)
"""Files of domains, of which all are loaded where a model has operators of it."""

_FOLDERS: Mapping[str, str] = MappingProxyType({"com.microsoft": "contrib", "ai.onnx.ml": "ml"})
_ALL = (*(f"{_FOLDERS[domain]}.{room}" for domain, rooms in _DOMAINS.items() for room in rooms), *_ROOMS)


@functools.cache
def op_table(rooms: tuple[str, ...] = _ALL) -> OpTable:
    """The rules of all files, or of some."""
    return OpTable("onnx", [import_module(f"{__name__}.{room}").RULES.rules for room in rooms])


def _table_for(module: Module) -> OpTable:
    """The rules for the operators of a module; all of them where it has one that none is for, whose like is told."""
    names = {op.name.removeprefix("onnx.") for op in module.walk() if op.name.startswith("onnx.")}
    owned = {domain for domain in _DOMAINS if any(name.startswith(f"{domain}.") for name in names)}
    others = {room for room, ops in _ROOMS.items() if not ops or not names.isdisjoint(ops.split())}
    wanted = {*(f"{_FOLDERS[domain]}.{room}" for domain in owned for room in _DOMAINS[domain]), *others}
    table = op_table(tuple(room for room in _ALL if room in wanted))
    return table if names <= table.rules.by_op.keys() else op_table()


def opset_of(op: Op) -> int:
    """The version of the operator set that an op is of.  Raises ConversionError AttributeInvalid."""
    version = op.attributes.get("opset_version", 1)
    if not isinstance(version, int):
        raise ConversionError(
            Code.AttributeInvalid, f"{op.name}: the version {version!r} of its operator set is no number"
        )
    return version


def legalize(module: Module, engine: DiagnosticEngine, keep: Keep | None = None, more: Rules | None = None) -> None:
    """Replace all `onnx.*` ops of a module by core ops; what cannot be replaced is reported to the engine, or passes
    through where `keep` says so.  more: rules that are asked first.
    """
    conversion = _table_for(module).conversion(engine, opset_of, keep, more)
    conversion.declared = declared = Declared()
    module.note_kinds("onnx")
    for function in module.functions:
        conversion.asking = function.facts
        conversion.run(function.block)
        if not engine.has_errors and any(op.name in (SEQUENCE, ROWS, NONE) for op in walk(function.block)):
            from mlconv.legalize.from_onnx.sequence import give_elements, sweep

            give_elements(function)
            sweep(function.block, engine)
    declared.tell(engine)
