"""Operators of com.microsoft that the tools of ONNX Runtime write and that no graph of core ops says, each with the
reason.
"""

from __future__ import annotations

from typing import Final

from mlconv.legalize.from_onnx.contrib import DOMAIN
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxRules, Rule

RULES = OnnxRules()

_SEARCH = "it runs a decoder, which is a graph inside it, until data say that a sequence is complete"
_PACKED = "rows of several lengths are packed into one, whose size data decide; ONNX Runtime has it for GPUs alone"
_ORDERED = "its tensors have the memory layouts of cublasLt, of which ONNX Runtime has kernels for GPUs alone"
_CACHE = "its cache of keys and values is written in place"

REFUSED: Final[dict[str, str]] = {
    "BeamSearch": _SEARCH,
    "DecoderMaskedSelfAttention": f"{_CACHE}, in an order of its own; ONNX Runtime has it for GPUs alone",
    "DynamicTimeWarping": "a path through a table, whose length data decide",
    "GreedySearch": _SEARCH,
    "PackedAttention": _PACKED,
    "PackedMultiHeadAttention": _PACKED,
    "PagedAttention": f"{_CACHE}, in pages that a table names; ONNX Runtime has it for GPUs alone",
    "QOrderedAttention": _ORDERED,
    "QOrderedGelu": _ORDERED,
    "QOrderedLayerNormalization": _ORDERED,
    "QOrderedMatMul": _ORDERED,
    "RemovePadding": _PACKED,
    "RestorePadding": _PACKED,
    "Sampling": _SEARCH,
    "WhisperBeamSearch": _SEARCH,
}


def _refusing(reason: str) -> Rule:
    def rule(n: Node) -> None:
        raise n.refuse(reason, help="run this part of the model with ONNX Runtime")

    return rule


for _name, _reason in REFUSED.items():
    RULES.add(_name, _refusing(_reason), domain=DOMAIN)
