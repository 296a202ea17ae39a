"""Fields of HloInstructionProto to attributes of `hlo.*` ops; names as in `dialects/hlo.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.protos import xla_data_pb

if TYPE_CHECKING:
    from mlconv.formats.hlo_messages import HloInstructionProto


Attributes = dict[str, object]
MAX_SPATIAL = 8


def _dimensions(p: HloInstructionProto) -> Attributes:
    return {"dimensions": tuple(p.dimensions)}


def _slice(p: HloInstructionProto) -> Attributes:
    d = p.slice_dimensions
    return {
        "starts": tuple(s.start for s in d),
        "limits": tuple(s.limit for s in d),
        "strides": tuple(s.stride for s in d),
    }


def _window(p: HloInstructionProto) -> Attributes:
    """Size, stride, padding before and after, dilation of the window and of the base, axis by axis.

    Raises ConversionError AttributeInvalid for one that is not positive, as XLA's shape inference
    (InferWindowOutputShape) does.
    """
    rows = tuple(
        (d.size, d.stride or 1, d.padding_low, d.padding_high, d.window_dilation or 1, d.base_dilation or 1)
        for d in p.window.dimensions
    )
    for size, stride, _, _, *dilations in rows:
        if min(size, stride, *dilations) < 1:
            raise ConversionError(
                Code.AttributeInvalid,
                f"a window has size {size}, stride {stride}, dilations {dilations}: all of them are at least 1",
            )
    return {"window": rows, "reversed": tuple(i for i, d in enumerate(p.window.dimensions) if d.window_reversal)}


def _layout(rank: int, letters: dict[str, int]) -> str:
    """Axis letters in order.  Raises ConversionError AttributeInvalid when the numbers are not those of the axes."""
    if sorted(letters.values()) != list(range(rank)):
        raise ConversionError(Code.AttributeInvalid, f"the axes of a convolution are {letters}")
    return "".join(sorted(letters, key=lambda c: letters[c]))


def _convolution(p: HloInstructionProto) -> Attributes:
    d = p.convolution_dimension_numbers
    n = len(d.input_spatial_dimensions)
    if n > MAX_SPATIAL or n != len(d.kernel_spatial_dimensions) or n != len(d.output_spatial_dimensions):
        raise ConversionError(Code.AttributeInvalid, f"a convolution has {n} spatial axes")

    def digits(axes: Iterable[int]) -> dict[str, int]:
        return {str(i): axis for i, axis in enumerate(axes)}

    return {
        **_window(p),
        "x_layout": _layout(
            n + 2, {"N": d.input_batch_dimension, "C": d.input_feature_dimension, **digits(d.input_spatial_dimensions)}
        ),
        "w_layout": _layout(
            n + 2,
            {
                "I": d.kernel_input_feature_dimension,
                "O": d.kernel_output_feature_dimension,
                **digits(d.kernel_spatial_dimensions),
            },
        ),
        "y_layout": _layout(
            n + 2,
            {"N": d.output_batch_dimension, "C": d.output_feature_dimension, **digits(d.output_spatial_dimensions)},
        ),
        "groups": max(p.feature_group_count, 1),
        "batch_groups": max(p.batch_group_count, 1),
    }


def _dot(p: HloInstructionProto) -> Attributes:
    d = p.dot_dimension_numbers
    return {
        "lhs_contracting": tuple(d.lhs_contracting_dimensions),
        "rhs_contracting": tuple(d.rhs_contracting_dimensions),
        "lhs_batch": tuple(d.lhs_batch_dimensions),
        "rhs_batch": tuple(d.rhs_batch_dimensions),
    }


def _pad(p: HloInstructionProto) -> Attributes:
    return {
        "padding": tuple(
            (d.edge_padding_low, d.edge_padding_high, d.interior_padding) for d in p.padding_config.dimensions
        )
    }


def _gather(p: HloInstructionProto) -> Attributes:
    d = p.gather_dimension_numbers
    names = (
        "offset_dims",
        "collapsed_slice_dims",
        "start_index_map",
        "operand_batching_dims",
        "start_indices_batching_dims",
    )
    return {
        **{n: tuple(getattr(d, n)) for n in names},
        "index_vector_dim": d.index_vector_dim,
        "slice_sizes": tuple(p.gather_slice_sizes),
    }


def _scatter(p: HloInstructionProto) -> Attributes:
    d = p.scatter_dimension_numbers
    names = (
        "update_window_dims",
        "inserted_window_dims",
        "scatter_dims_to_operand_dims",
        "input_batching_dims",
        "scatter_indices_batching_dims",
    )
    return {**{n: tuple(getattr(d, n)) for n in names}, "index_vector_dim": d.index_vector_dim}


def _sort(p: HloInstructionProto) -> Attributes:
    return {**_dimensions(p), "is_stable": p.is_stable}


def _fft(p: HloInstructionProto) -> Attributes:
    kinds = {number: name for name, number in xla_data_pb().FftType.items()}
    return {"fft_type": kinds.get(p.fft_type, ""), "fft_length": tuple(p.fft_length)}


def _batch_norm(p: HloInstructionProto) -> Attributes:
    return {"epsilon": p.epsilon, "feature_index": p.feature_index}


def _triangular_solve(p: HloInstructionProto) -> Attributes:
    given = p.triangular_solve_options
    kinds = {1: "NO_TRANSPOSE", 2: "TRANSPOSE", 3: "ADJOINT"}  # xla_data.proto: TriangularSolveOptions.Transpose
    flags = {name: getattr(given, name) for name in ("left_side", "lower", "unit_diagonal")}
    return {**flags, "transpose_a": kinds.get(given.transpose_a, "")}


_READERS: dict[str, Callable[[HloInstructionProto], Attributes]] = {
    "broadcast": _dimensions,
    "transpose": _dimensions,
    "reverse": _dimensions,
    "concatenate": _dimensions,
    "iota": _dimensions,
    "reduce": _dimensions,
    "slice": _slice,
    "reduce-window": _window,
    "convolution": _convolution,
    "dot": _dot,
    "pad": _pad,
    "gather": _gather,
    "scatter": _scatter,
    "sort": _sort,
    "fft": _fft,
    "compare": lambda p: {"direction": p.comparison_direction},
    "topk": lambda p: {"k": p.k, "largest": p.largest},
    "select-and-scatter": _window,
    "get-dimension-size": _dimensions,
    "batch-norm-inference": _batch_norm,
    "batch-norm-training": _batch_norm,
    "rng": lambda p: {"distribution": p.distribution},
    "rng-bit-generator": lambda p: {"algorithm": p.rng_algorithm},
    "reduce-precision": lambda p: {"exponent_bits": p.exponent_bits, "mantissa_bits": p.mantissa_bits},
    "dynamic-slice": lambda p: {"sizes": tuple(p.dynamic_slice_sizes)},
    "custom-call": lambda p: {"target": p.custom_call_target},
    "cholesky": lambda p: {"lower": p.cholesky_options.lower},
    "triangular-solve": _triangular_solve,
}


def attributes_of(proto: HloInstructionProto) -> Attributes:
    """The attributes of an instruction."""
    reader = _READERS.get(proto.opcode)
    return reader(proto) if reader is not None else {}
