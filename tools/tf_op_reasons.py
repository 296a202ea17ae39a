"""Why ops do not convert, for tools/tf_op_coverage.py."""

from __future__ import annotations

from typing import Final

REASONS: Final[dict[str, str]] = {
    "CTCBeamSearchDecoder": "no rule: a search over a tree of prefixes whose size data decide",
    "EditDistance": "no rule: a table of distances for each pair of sequences",
    "Eig": "no rule: core has no iteration for matrices that are not symmetric, whose eigenvalues are complex",
    "FractionalAvgPool": "no rule: its windows are drawn at random",
    "FractionalMaxPool": "no rule: its windows are drawn at random",
    "MatrixLogarithm": "complex matrices alone, which the factorizations do not take",
    "MatrixSquareRoot": "complex matrices alone, which the factorizations do not take",
    "RaggedCross": "no rule: crosses features by hashes of strings",
    "RandomIndexShuffle": "no rule: a cipher of its own",
    "SobolSample": "no rule: a table of direction numbers that this project does not have",
    "SparseCross": "no rule: crosses features by hashes of strings",
    "SparseCrossHashed": "no rule: crosses features by hashes of strings",
    "StatelessMultinomial": "no rule: bits are consumed in an order of its own",
    "StatelessParameterizedTruncatedNormal": "no rule: draws until a number is accepted, as often as data decide",
    "StatelessRandomBinomial": "no rule: draws until a number is accepted, as often as data decide",
    "StatelessRandomGammaV2": "no rule: draws until a number is accepted, as often as data decide",
    "StatelessRandomGammaV3": "no rule: draws until a number is accepted, as often as data decide",
    "StatelessRandomPoisson": "no rule: draws until a number is accepted, as often as data decide",
    "StatelessShuffle": "no rule: bits are consumed in an order of its own",
    "UnicodeScript": "works on text: a table of all characters",
}
QUANTIZED: Final = "no rule: its kernel is oneDNN's alone, so that plain TensorFlow has no numbers to compare with"
_UNASKED: Final = "no rule: no model was seen that has it"
QUANTIZED_REASONS: Final[dict[str, str]] = {
    "QuantizedBatchNormWithGlobalNormalization": _UNASKED,
    "QuantizedInstanceNorm": _UNASKED,
    "QuantizedResizeBilinear": _UNASKED,
    "UniformDequantize": _UNASKED,
    "UniformQuantize": _UNASKED,
    "UniformQuantizedAdd": _UNASKED,
    "UniformQuantizedClipByValue": _UNASKED,
    "UniformQuantizedConvolution": _UNASKED,
    "UniformQuantizedConvolutionHybrid": _UNASKED,
    "UniformQuantizedDot": _UNASKED,
    "UniformQuantizedDotHybrid": _UNASKED,
    "UniformRequantize": _UNASKED,
}
