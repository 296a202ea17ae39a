"""Why operators of com.microsoft that no tool writes do not convert, for tools/contrib_ops.py."""

from __future__ import annotations

from typing import Final

_GPU = "no rule: ONNX Runtime has kernels of it for GPUs alone"
_TRAINING = "no rule: of training"
_RUNTIME = "no rule: compiled code or a model of another runtime"
_CACHE = "no rule: its cache is written in place"

REASONS: Final[dict[str, str]] = {
    "BitmaskBiasDropout": _TRAINING,
    "BitmaskDropout": _TRAINING,
    "EPContext": _RUNTIME,
    "MurmurHash3": "no rule: a hash",
    "NGramHashMapping": "no rule: a hash",
    "PagedAttention": _CACHE,
    "Snpe": _RUNTIME,
    "SparsePagedAttention": _CACHE,
    "SparseToDenseMatMul": "no rule: takes a sparse tensor",
    "Tokenizer": "no rule: works on text",
    "VarlenNGramHashMapping": "no rule: a hash",
}
GPU: Final = _GPU
OTHERWISE: Final = "no rule: no tool writes it"
