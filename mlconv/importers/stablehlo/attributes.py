"""Attributes of StableHLO's ops to those of `hlo.*` ops; names as in `dialects/hlo_table.py`.

Both forms of a file give the fields of compound attributes (dimension numbers) as VHLO has them, one by one.
Source: stablehlo/docs/spec.md; stablehlo/dialect/StablehloOps.td, for what may be left out.
"""

from __future__ import annotations

from collections.abc import Callable

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.stablehlo.ir import DYNAMIC, MlirOp, Shaped
from mlconv.ir.constants import Const
from mlconv.ir.limits import MAX_RANK

Attributes = dict[str, object]
Make = Callable[[MlirOp], Attributes]
MAX_SPATIAL = 8
_MAX_NUMBERS = 4 * MAX_RANK


def ints(op: MlirOp, name: str, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """A list of integers, whatever form it has.  Raises ConversionError AttributeInvalid."""
    value = op.fields.get(name)
    if value is None and default is not None:
        return default
    if isinstance(value, Const) and value.size <= _MAX_NUMBERS and (value.dtype.is_int or value.dtype.value == "i1"):
        return tuple(int(k) for k in value.view().reshape(-1))
    if isinstance(value, tuple) and len(value) <= _MAX_NUMBERS and all(isinstance(k, int) for k in value):
        return tuple(int(k) for k in value)
    raise ConversionError(Code.AttributeInvalid, f"{op.name}: {name} is no list of integers")


def number(op: MlirOp, name: str, default: int | None = None) -> int:
    """An integer.  Raises ConversionError AttributeInvalid."""
    value = op.fields.get(name, default)
    if not isinstance(value, int):
        raise ConversionError(Code.AttributeInvalid, f"{op.name}: {name} is no integer")
    return int(value)


def word(op: MlirOp, name: str, default: str | None = None) -> str:
    """A string, or the value of an enum.  Raises ConversionError AttributeInvalid."""
    value = op.fields.get(name, default)
    if not isinstance(value, str):
        raise ConversionError(Code.AttributeInvalid, f"{op.name}: {name} is missing")
    return value


def shape_of(op: MlirOp, index: int) -> tuple[int, ...]:
    """The sizes of an operand.  Raises ConversionError WrongArity, ShapeMismatch."""
    if index >= len(op.inputs):
        raise ConversionError(Code.WrongArity, f"{op.name} has {len(op.inputs)} operands")
    found = op.inputs[index].type
    if not isinstance(found, Shaped) or found.shape is None:
        raise ConversionError(Code.ShapeMismatch, f"{op.name}: operand {index} has no rank")
    return found.shape


def _axes(name: str) -> Make:
    return lambda op: {"dimensions": ints(op, name)}


def _axis(name: str) -> Make:
    return lambda op: {"dimensions": (number(op, name),)}


def _broadcast(op: MlirOp) -> Attributes:
    """The old op puts new axes in front."""
    sizes = ints(op, "broadcast_sizes")
    return {"dimensions": tuple(range(len(sizes), len(sizes) + len(shape_of(op, 0))))}


def _slice(op: MlirOp) -> Attributes:
    return {
        "starts": ints(op, "start_indices"),
        "limits": ints(op, "limit_indices"),
        "strides": ints(op, "strides"),
    }


def _pad(op: MlirOp) -> Attributes:
    parts = [ints(op, f"{name}_padding{end}") for name, end in (("edge", "_low"), ("edge", "_high"), ("interior", ""))]
    return {"padding": rows(op, *parts)}


def rows(op: MlirOp, *columns: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Lists of the same length, axis by axis.  Raises ConversionError AttributeInvalid."""
    if len({len(c) for c in columns}) != 1:
        raise ConversionError(
            Code.AttributeInvalid,
            f"{op.name} has attributes of {[len(c) for c in columns]} axes, which are to be alike",
        )
    return tuple(zip(*columns, strict=True))


def window(op: MlirOp, sizes: tuple[int, ...], dilation: str, base: str) -> tuple[tuple[int, ...], ...]:
    """Size, stride, padding before and after, dilation of the window and of the base, axis by axis; of a size that only
    the run tells, DYNAMIC.  Raises ConversionError AttributeInvalid for one that is not positive.
    """
    n = len(sizes)
    padding = ints(op, "padding", (0,) * (2 * n))
    ones = (1,) * n
    strides, wide, stretched = (ints(op, name, ones) for name in ("window_strides", dilation, base))
    found = rows(op, sizes, strides, padding[::2], padding[1::2], wide, stretched)
    for size, stride, _, _, *dilations in found:
        if min(1 if size == DYNAMIC else size, stride, *dilations) < 1:
            raise ConversionError(
                Code.AttributeInvalid,
                f"a window has size {size}, stride {stride}, dilations {dilations}: all of them are at least 1",
            )
    return found


def _reduce_window(op: MlirOp) -> Attributes:
    sizes = ints(op, "window_dimensions")
    return {"window": window(op, sizes, "window_dilations", "base_dilations"), "reversed": ()}


def _select_and_scatter(op: MlirOp) -> Attributes:
    sizes = ints(op, "window_dimensions", (1,) * len(shape_of(op, 0)))
    return {"window": window(op, sizes, "", ""), "reversed": ()}


def _layout(rank: int, letters: dict[str, int]) -> str:
    """Axis letters in order.  Raises ConversionError AttributeInvalid when the numbers are not those of the axes."""
    if sorted(letters.values()) != list(range(rank)):
        raise ConversionError(Code.AttributeInvalid, f"the axes of a convolution are {letters}")
    return "".join(sorted(letters, key=lambda c: letters[c]))


def _convolution(op: MlirOp) -> Attributes:
    taps, shape = ints(op, "kernel_spatial_dimensions"), shape_of(op, 1)
    n = len(taps)
    if n > MAX_SPATIAL or any(not 0 <= axis < len(shape) for axis in taps):
        raise ConversionError(Code.AttributeInvalid, f"a convolution of {n} axes has a kernel of rank {len(shape)}")
    layouts = {}
    for key, part, first, second in (("x", "input", "N", "C"), ("w", "kernel", "I", "O"), ("y", "output", "N", "C")):
        names = ("batch", "feature") if part != "kernel" else ("input_feature", "output_feature")
        axes = {str(i): axis for i, axis in enumerate(ints(op, f"{part}_spatial_dimensions"))}
        own = {
            letter: number(op, f"{part}_{name}_dimension") for letter, name in zip((first, second), names, strict=True)
        }
        layouts[f"{key}_layout"] = _layout(n + 2, own | axes)
    turned = ints(op, "window_reversal", (0,) * n)
    return {
        "window": window(op, tuple(shape[axis] for axis in taps), "rhs_dilation", "lhs_dilation"),
        "reversed": tuple(i for i, r in enumerate(turned) if r),
        **layouts,
        "groups": number(op, "feature_group_count", 1),
        "batch_groups": number(op, "batch_group_count", 1),
    }


def _dot_general(op: MlirOp) -> Attributes:
    return {
        f"{side}_{short}": ints(op, f"{side}_{long}_dimensions", ())
        for side in ("lhs", "rhs")
        for short, long in (("contracting", "contracting"), ("batch", "batching"))
    }


def _dot(op: MlirOp) -> Attributes:
    """The old op: the last axis of the left side with the first of the right."""
    return {
        "lhs_contracting": (len(shape_of(op, 0)) - 1,),
        "rhs_contracting": (0,),
        "lhs_batch": (),
        "rhs_batch": (),
    }


def _gather_numbers(op: MlirOp) -> Attributes:
    names = ("offset_dims", "collapsed_slice_dims", "start_index_map")
    batching = ("operand_batching_dims", "start_indices_batching_dims")
    return {
        **{n: ints(op, n, ()) for n in (*names, *batching)},
        "index_vector_dim": number(op, "index_vector_dim", 0),
    }


def _gather(op: MlirOp) -> Attributes:
    return {**_gather_numbers(op), "slice_sizes": ints(op, "slice_sizes")}


def _scatter(op: MlirOp) -> Attributes:
    names = ("update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims")
    batching = ("input_batching_dims", "scatter_indices_batching_dims")
    return {
        **{n: ints(op, n, ()) for n in (*names, *batching)},
        "index_vector_dim": number(op, "index_vector_dim", 0),
    }


def _sort(op: MlirOp) -> Attributes:
    axis = number(op, "dimension", -1)
    return {
        "dimensions": (axis if axis >= 0 else axis + len(shape_of(op, 0)),),
        "is_stable": bool(op.fields.get("is_stable", False)),
    }


def _batch_norm(op: MlirOp) -> Attributes:
    epsilon = op.fields.get("epsilon")
    if not isinstance(epsilon, (int, float)):
        raise ConversionError(Code.AttributeInvalid, f"{op.name}: epsilon is no number")
    return {"epsilon": float(epsilon), "feature_index": number(op, "feature_index")}


def _rng(op: MlirOp) -> Attributes:
    """RandomDistribution of xla_data.proto."""
    return {"distribution": {"UNIFORM": 1, "NORMAL": 2}.get(word(op, "rng_distribution"), 0)}


def _rng_bit_generator(op: MlirOp) -> Attributes:
    """RandomAlgorithm of xla_data.proto."""
    return {"algorithm": {"DEFAULT": 0, "THREE_FRY": 1, "PHILOX": 2}.get(word(op, "rng_algorithm"), -1)}


def _custom_call(op: MlirOp) -> Attributes:
    """The target, and the numbers of its configuration."""
    config = op.fields.get("mhlo.backend_config")
    numbers = {k: v for k, v in config.items() if isinstance(v, int)} if isinstance(config, dict) else {}
    return {**numbers, "target": word(op, "call_target_name", "")}


def _triangular_solve(op: MlirOp) -> Attributes:
    flags = {name: bool(number(op, name, 0)) for name in ("left_side", "lower", "unit_diagonal")}
    return {**flags, "transpose_a": word(op, "transpose_a", "NO_TRANSPOSE")}


MADE: dict[str, tuple[str, Make]] = {
    "broadcast_in_dim": ("broadcast", _axes("broadcast_dimensions")),
    "dynamic_broadcast_in_dim": ("dynamic-broadcast-in-dim", _axes("broadcast_dimensions")),
    "dynamic_iota": ("dynamic-iota", _axis("iota_dimension")),
    "dynamic_gather": ("dynamic-gather", _gather_numbers),
    "broadcast": ("broadcast", _broadcast),
    "transpose": ("transpose", _axes("permutation")),
    "reverse": ("reverse", _axes("dimensions")),
    "concatenate": ("concatenate", _axis("dimension")),
    "iota": ("iota", _axis("iota_dimension")),
    "reduce": ("reduce", _axes("dimensions")),
    "slice": ("slice", _slice),
    "reduce_window": ("reduce-window", _reduce_window),
    "convolution": ("convolution", _convolution),
    "dynamic_conv": ("dynamic-conv", _convolution),
    "dot_general": ("dot", _dot_general),
    "dot": ("dot", _dot),
    "pad": ("pad", _pad),
    "gather": ("gather", _gather),
    "scatter": ("scatter", _scatter),
    "sort": ("sort", _sort),
    "fft": ("fft", lambda op: {"fft_type": word(op, "fft_type"), "fft_length": ints(op, "fft_length")}),
    "compare": ("compare", lambda op: {"direction": word(op, "comparison_direction")}),
    "select_and_scatter": ("select-and-scatter", _select_and_scatter),
    "get_dimension_size": ("get-dimension-size", _axis("dimension")),
    "set_dimension_size": ("set-dimension-size", _axis("dimension")),
    "batch_norm_inference": ("batch-norm-inference", _batch_norm),
    "batch_norm_training": ("batch-norm-training", _batch_norm),
    "rng": ("rng", _rng),
    "rng_bit_generator": ("rng-bit-generator", _rng_bit_generator),
    "reduce_precision": (
        "reduce-precision",
        lambda op: {name: number(op, name) for name in ("exponent_bits", "mantissa_bits")},
    ),
    "dynamic_slice": ("dynamic-slice", lambda op: {"sizes": ints(op, "slice_sizes")}),
    "custom_call": ("custom-call", _custom_call),
    "cholesky": ("cholesky", lambda op: {"lower": bool(number(op, "lower", 0))}),
    "triangular_solve": ("triangular-solve", _triangular_solve),
}


def hlo_of(op: MlirOp) -> tuple[str, Attributes]:
    """The opcode of an op of StableHLO, and its attributes.  Ops of CHLO that broadcast are plain ones: core's do."""
    name = op.name.partition(".")[2].removeprefix("broadcast_" if op.name.startswith("chlo.") else "chlo.")
    made = MADE.get(name)
    return (name.replace("_", "-"), {}) if made is None else (made[0], made[1](op))
