"""Why ONNX Runtime gives other integers than LiteRT's kernels, where no form that files could have is worth it
(docs/decisions/0025).
"""

from __future__ import annotations

from collections.abc import Sequence

_TABLES = "ONNX Runtime has no kernel of 16 bits and computes the function; LiteRT interpolates in a small table"
_TWICE = "ONNX Runtime has no kernel of 16 bits and rounds once; LiteRT rounds twice where factors are below 1/2"
_RANGES = "ONNX has one range for a tensor, LiteRT one for each row: files have floats and stored weights"
_OF_16_BITS = dict.fromkeys(("gelu", "tanh", "sigmoid", "exp", "softmax"), _TABLES)
_OF_16_BITS |= dict.fromkeys(("leaky_relu", "quantize", "concat", "reduce_mean"), _TWICE)
_SUMS = "ONNX Runtime has no kernel of 16 bits and sums products in float32: a step on up to 1 %"
_OF_SUMS = ("conv", "conv_transpose", "matmul")
_MOST_OF_SUMS = 0.01


def reason(ops: Sequence[str], wide: bool, share: float) -> str:
    """For a unit of ops; empty where all integers should be the same.  wide: it reads or makes 16 bits.  share: of its
    integers, that are others.
    """
    if any(name.startswith("dynamic_") for name in ops):
        return _RANGES
    if wide and share <= _MOST_OF_SUMS and not set(ops).isdisjoint(_OF_SUMS):
        return _SUMS
    return next((_OF_16_BITS[name] for name in ops if name in _OF_16_BITS), "") if wide else ""
