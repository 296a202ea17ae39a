"""Ops that no target can take over, with what the user can do about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.core import Value
from mlconv.legalize.from_tf.operands import tf_rules
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()

_FREEZE = "freeze the model: convert_variables_to_constants_v2, or save it as a SavedModel and convert that"
_CUT = "convert the model from behind it on: --inputs names the tensor that your program then provides"

# what the ops do -> (their names, what to do)
_GROUPS: Final[dict[str, tuple[str, str]]] = {
    "reads or writes a variable": (
        "VarHandleOp AssignAddVariableOp AssignSubVariableOp VarIsInitializedOp Variable VariableV2 Assign AssignAdd "
        "AssignSub RestoreV2 SaveV2",
        _FREEZE,
    ),
    "holds ragged rows as one value": (
        "RaggedTensorToVariant RaggedTensorFromVariant RaggedTensorToVariantGradient",
        "compute with the flat values: tf.ragged.map_flat_values in place of tf.map_fn over a RaggedTensor",
    ),
    "decodes files or strings": (
        "DecodeJpeg DecodePng DecodeImage DecodeBmp DecodeGif DecodeAndCropJpeg "
        "DecodeWav DecodeRaw DecodePaddedRaw DecodeCSV DecodeBase64 ReadFile "
        "ParseExample ParseExampleV2 ParseSingleExample ParseTensor ParseSequenceExample ParseSequenceExampleV2",
        _CUT,
    ),
    "works on strings": (
        "StringLower StringUpper StringSplit StringSplitV2 StringJoin "
        "StringFormat StringLength StringStrip StringToNumber StringToHashBucket "
        "StringToHashBucketFast StringToHashBucketStrong StringNGrams Substr "
        "RegexReplace RegexFullMatch StaticRegexReplace StaticRegexFullMatch "
        "ReduceJoin AsString UnicodeTranscode UnicodeDecode UnicodeEncode UnicodeScript",
        _CUT,
    ),
    "calls Python": ("PyFunc PyFuncStateless EagerPyFunc NumpyFunction", "write the function with TensorFlow ops"),
    "feeds data": (
        "IteratorGetNext IteratorV2 MakeIterator OneShotIterator QueueDequeueV2 "
        "QueueDequeueManyV2 FIFOQueueV2 RandomShuffleQueueV2 PaddingFIFOQueueV2",
        _CUT,
    ),
}


def _refusal(name: str, what: str, advice: str) -> Callable[[SourceNode], Value]:
    def refuse(n: SourceNode) -> Value:
        raise ConversionError(Code.OpUnsupported, f"operator {name} is not supported: it {what}", help=advice)

    return refuse


for _what, (_names, _advice) in _GROUPS.items():
    for _name in _names.split():
        RULES.add(_name, _refusal(_name, _what, _advice))
