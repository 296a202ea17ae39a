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
QUANTIZED: Final = "no rule: TensorFlow has a kernel for it in oneDNN alone, or none, so that there is nothing to compare with"
QUANTIZED_REASONS: Final[dict[str, str]] = {
    "QuantizedBatchNormWithGlobalNormalization": "no rule: TensorFlow refuses the op it was made of in graphs of today",
    "QuantizedInstanceNorm": "no rule: sums of its kernel overflow by the order in which they are made",
    "QuantizedResizeBilinear": "no rule: fixed point of its kernel, of as many bits as the machine's instructions have",
    **dict.fromkeys(
        "UniformQuantizedAdd UniformQuantizedClipByValue UniformQuantizedConvolution UniformQuantizedConvolutionHybrid "
        "UniformQuantizedDot UniformQuantizedDotHybrid UniformQuantize UniformDequantize UniformRequantize".split(),
        "no rule: scales and zero points are values of the run, with limits of integers as attributes",
    ),
}
