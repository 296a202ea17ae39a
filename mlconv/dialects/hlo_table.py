"""HLO opcodes with their operands, attributes, results and regions.

A row: operands (`*xs` stands for all that follow), attributes with their kinds, results.  An attribute with `=` may be
left out.  Kinds: see `KINDS`.  Source: xla/hlo/ir/hlo_opcode.h, xla/service/hlo.proto,
openxla.org/xla/operation_semantics.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

_UNARY = """abs ceil cosine erf exponential exponential-minus-one floor log log-plus-one logistic negate not
    round-nearest-even rsqrt sign sine sqrt tan tanh"""
_BINARY = """add and atan2 divide maximum minimum multiply or power remainder shift-left shift-right-arithmetic
    shift-right-logical subtract xor"""
UNARY, BINARY = frozenset(_UNARY.split()), frozenset(_BINARY.split())
KINDS: dict[str, object] = {
    "int": int,
    "ints": tuple[int, ...],
    "pads": tuple[tuple[int, int, int], ...],  # low, high, interior
    "windows": tuple[tuple[int, int, int, int, int, int], ...],  # size, stride, low, high, dilation, base dilation
    "str": str,
    "bool": bool,
    "direction": Literal["EQ", "NE", "LT", "LE", "GT", "GE"],
    "fft": Literal["FFT", "IFFT", "RFFT", "IRFFT"],
    "distribution": Literal["RNG_UNIFORM", "RNG_NORMAL"],
}


class Row(NamedTuple):
    """What an instruction takes and gives."""

    operands: str
    attributes: str = ""
    results: str = "y"
    regions: str = ""


ROWS: dict[str, Row] = {
    **dict.fromkeys(sorted(UNARY | {"real", "imag", "is-finite", "convert", "bitcast-convert", "copy"}), Row("x")),
    **dict.fromkeys(sorted(BINARY | {"complex"}), Row("lhs rhs")),
    "reshape": Row("x"),
    "broadcast": Row("x", "dimensions:ints"),
    "clamp": Row("low x high"),
    "compare": Row("lhs rhs", "direction:direction"),
    "concatenate": Row("*xs", "dimensions:ints"),
    "conditional": Row("predicate", "", "*ys", "*branches"),
    "convolution": Row(
        "x w",
        "window:windows reversed:ints= x_layout:str w_layout:str y_layout:str groups:int batch_groups:int=",
    ),
    "dot": Row("lhs rhs", "lhs_contracting:ints rhs_contracting:ints lhs_batch:ints rhs_batch:ints"),
    "dynamic-slice": Row("x *begins", "sizes:ints"),
    "dynamic-update-slice": Row("x update *begins"),
    "fft": Row("x", "fft_type:fft fft_length:ints"),
    "gather": Row(
        "x indices",
        "offset_dims:ints collapsed_slice_dims:ints start_index_map:ints operand_batching_dims:ints "
        "start_indices_batching_dims:ints index_vector_dim:int slice_sizes:ints",
    ),
    "iota": Row("", "dimensions:ints"),
    "pad": Row("x value", "padding:pads"),
    "reduce": Row("*xs", "dimensions:ints", "*ys", "combine"),
    "reduce-window": Row("*xs", "window:windows reversed:ints=", "*ys", "combine"),
    "reverse": Row("x", "dimensions:ints"),
    "rng": Row("a b", "distribution:distribution"),
    "scatter": Row(
        "*xs",
        "update_window_dims:ints inserted_window_dims:ints scatter_dims_to_operand_dims:ints input_batching_dims:ints= "
        "scatter_indices_batching_dims:ints= index_vector_dim:int",
        "*ys",
        "combine",
    ),
    "select": Row("predicate x y"),
    "set-dimension-size": Row("x size", "dimensions:ints"),
    "slice": Row("x", "starts:ints limits:ints strides:ints"),
    "sort": Row("*xs", "dimensions:ints is_stable:bool", "*ys", "compare"),
    "transpose": Row("x", "dimensions:ints"),
    "while": Row("*xs", "", "*ys", "cond body"),
}
SAME_ELEMENT_TYPE = (UNARY - {"abs"}) | BINARY  # abs of a complex number is real
COMMUTATIVE = frozenset(["add", "and", "maximum", "minimum", "multiply", "or", "xor"])
CAPTURING = frozenset({"while", "conditional"})  # their regions may use outer values
IMPURE = frozenset({"rng"})
TRANSPOSING = frozenset({"transpose"})
PLUMBING = frozenset({"reshape", "convert", "broadcast"})
_FOUND = """
    add-dependency after-all all-gather all-gather-done all-gather-start all-reduce all-reduce-done all-reduce-start
    all-to-all async-done async-start async-update batch-norm-grad batch-norm-inference batch-norm-training bitcast call
    cbrt cholesky collective-broadcast collective-permute collective-permute-done collective-permute-start constant
    copy-done copy-start count-leading-zeros custom-call domain dynamic-reshape fusion get-dimension-size
    get-tuple-element infeed map opt-barrier outfeed parameter partition-id popcnt ragged-all-to-all ragged-dot recv
    recv-done reduce-precision reduce-scatter replica-id rng-bit-generator rng-get-and-update-state round-nearest-afz
    select-and-scatter send send-done stochastic-convert topk triangular-solve tuple"""
_CHLO = "atan bessel-i1e conj digamma erf-inv erfc is-inf lgamma next-after polygamma square zeta"
_OPEN = """
    dynamic-broadcast-in-dim dynamic-conv dynamic-gather dynamic-iota dynamic-pad dynamic-reduce-window
    real-dynamic-slice"""
FOUND = frozenset(f"{_FOUND} {_CHLO} {_OPEN}".split())
"""Opcodes that occur in files but are not written: they have no row, and stay as they are found.  Those of CHLO, and
those of sizes that are operands, occur in StableHLO only.
"""
