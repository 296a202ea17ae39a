"""Attributes of HLO ops to fields of HloInstructionProto, by a table.  Source: xla/service/hlo.proto."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.window import spatial
from mlconv.dialects.hlo import HloOp
from mlconv.formats.protos import xla_data_pb
from mlconv.ir.dtypes import DType

if TYPE_CHECKING:
    from mlconv.formats.hlo_messages import HloInstructionProto


def _slices(proto: HloInstructionProto, op: HloOp) -> None:
    a = op.attributes
    for start, limit, stride in zip(a["starts"], a["limits"], a["strides"], strict=True):
        proto.slice_dimensions.add(start=start, limit=limit, stride=stride)


def _window(proto: HloInstructionProto, op: HloOp) -> None:
    for size, stride, low, high, dilation, base in op.attributes["window"]:
        proto.window.dimensions.add(
            size=size, stride=stride, padding_low=low, padding_high=high, window_dilation=dilation, base_dilation=base
        )
    proto.window.SetInParent()


def _convolution(proto: HloInstructionProto, op: HloOp) -> None:
    a, d = op.attributes, proto.convolution_dimension_numbers
    x, w, y = a["x_layout"], a["w_layout"], a["y_layout"]
    d.input_batch_dimension, d.input_feature_dimension = x.index("N"), x.index("C")
    d.input_spatial_dimensions.extend(spatial(x))
    d.kernel_input_feature_dimension, d.kernel_output_feature_dimension = w.index("I"), w.index("O")
    d.kernel_spatial_dimensions.extend(spatial(w))
    d.output_batch_dimension, d.output_feature_dimension = y.index("N"), y.index("C")
    d.output_spatial_dimensions.extend(spatial(y))
    proto.feature_group_count, proto.batch_group_count = a["groups"], 1
    proto.precision_config.operand_precision.extend([0, 0])
    _window(proto, op)


def _dot(proto: HloInstructionProto, op: HloOp) -> None:
    a, d = op.attributes, proto.dot_dimension_numbers
    d.lhs_contracting_dimensions.extend(a["lhs_contracting"])
    d.rhs_contracting_dimensions.extend(a["rhs_contracting"])
    d.lhs_batch_dimensions.extend(a["lhs_batch"])
    d.rhs_batch_dimensions.extend(a["rhs_batch"])
    proto.precision_config.operand_precision.extend([0, 0])


def _pad(proto: HloInstructionProto, op: HloOp) -> None:
    for low, high, interior in op.attributes["padding"]:
        proto.padding_config.dimensions.add(edge_padding_low=low, edge_padding_high=high, interior_padding=interior)
    proto.padding_config.SetInParent()


def _gather(proto: HloInstructionProto, op: HloOp) -> None:
    a, d = op.attributes, proto.gather_dimension_numbers
    for name in (
        "offset_dims",
        "collapsed_slice_dims",
        "start_index_map",
        "operand_batching_dims",
        "start_indices_batching_dims",
    ):
        getattr(d, name).extend(a[name])
    d.index_vector_dim = a["index_vector_dim"]
    proto.gather_slice_sizes.extend(a["slice_sizes"])


def _scatter(proto: HloInstructionProto, op: HloOp) -> None:
    a, d = op.attributes, proto.scatter_dimension_numbers
    for name in ("update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims"):
        getattr(d, name).extend(a[name])
    d.index_vector_dim = a["index_vector_dim"]


def _dimensions(proto: HloInstructionProto, op: HloOp) -> None:
    proto.dimensions.extend(op.attributes["dimensions"])


def _sort(proto: HloInstructionProto, op: HloOp) -> None:
    _dimensions(proto, op)
    proto.is_stable = op.attributes["is_stable"]


def _compare(proto: HloInstructionProto, op: HloOp) -> None:
    proto.comparison_direction = op.attributes["direction"]


def _dynamic_slice(proto: HloInstructionProto, op: HloOp) -> None:
    proto.dynamic_slice_sizes.extend(op.attributes["sizes"])


def _fft(proto: HloInstructionProto, op: HloOp) -> None:
    proto.fft_type = xla_data_pb().FftType.Value(op.attributes["fft_type"])
    proto.fft_length.extend(op.attributes["fft_length"])


def _rng(proto: HloInstructionProto, op: HloOp) -> None:
    proto.distribution = xla_data_pb().RandomDistribution.Value(op.attributes["distribution"])


FIELDS: dict[str, Callable[[HloInstructionProto, HloOp], None]] = {
    "slice": _slices,
    "reduce-window": _window,
    "convolution": _convolution,
    "dot": _dot,
    "pad": _pad,
    "gather": _gather,
    "scatter": _scatter,
    "broadcast": _dimensions,
    "transpose": _dimensions,
    "reverse": _dimensions,
    "concatenate": _dimensions,
    "iota": _dimensions,
    "reduce": _dimensions,
    "set-dimension-size": _dimensions,
    "sort": _sort,
    "compare": _compare,
    "dynamic-slice": _dynamic_slice,
    "fft": _fft,
    "rng": _rng,
}


_READ_ONLY: dict[str, Callable[[HloOp], bool]] = {
    "convolution": lambda op: (op.attributes.get("batch_groups") or 1) != 1 or bool(op.attributes.get("reversed")),
    "reduce-window": lambda op: bool(op.attributes.get("reversed")),
    "scatter": lambda op: bool(op.attributes.get("input_batching_dims")),
    "conditional": lambda op: op.inputs[0].tensor.dtype is not DType.BOOL,
}
"""Forms that other compilers write: they are read, and no rule makes them."""


def check_written(op: HloOp) -> None:
    """Refuse an op that is malformed, or of a form that is only read.  Raises ConversionError ArtifactInvalid,
    TargetLacksOp.
    """
    op.check()
    if op.opcode in _READ_ONLY and _READ_ONLY[op.opcode](op):
        raise ConversionError(
            Code.TargetLacksOp,
            f"{op.describe()} is of a form that is read, not written",
            location=op.location,
            help="make core ops of it with the pass from-hlo",
        )
