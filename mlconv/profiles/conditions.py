"""Conditions of delegates that take more than one operand, or an operand and an option, to tell: a profile names them.

Sources, in LiteRT: for the GPU delegate tflite/tools/versioning/gpu_compatibility.cc, CheckGpuDelegateCompatibility,
and tflite/delegates/gpu/common/model_builder.cc; for NNAPI tflite/delegates/nnapi/nnapi_delegate.cc,
NNAPIDelegateKernel::Validate; commits as the profiles say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from mlconv.ir.core import Op, Value, Yield
from mlconv.ir.types import TensorType
from mlconv.rewrite.fold import constant_array

Condition = Callable[[Op], str]
"""What is wrong with an op, behind the words "does not run it"; empty where nothing is, or where shapes are open."""
_FLOATS = frozenset({"float16", "float32"})
_BYTES = frozenset({"int8", "uint8"})


def _shape(value: Value | None) -> tuple[int, ...] | None:
    t = None if value is None else value.type
    return t.shape if isinstance(t, TensorType) and t.shape is not None and t.is_static else None  # type: ignore[return-value]


def _type(value: Value | None) -> str:
    return value.type.dtype.display if value is not None and isinstance(value.type, TensorType) else ""


def _operand(op: Op, i: int) -> Value | None:
    return op.operands[i] if i < len(op.operands) else None


def _is_constant(value: Value | None) -> bool:
    return value is not None and value.producer is not None and value.producer.name == "core.constant"


def _said(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "a scalar"


def _uses(value: Value) -> list[Op]:
    """Operators that read a value, once for each time; a function's outputs are none."""
    return [user for user in value.users if not isinstance(user, Yield)]


def known_broadcast(op: Op) -> str:
    """Operands of unlike ranks above 1: three axes to four of one batch, and two where they are batch and channels."""
    a, b = _shape(op.operands[0]), _shape(_operand(op, 1))
    if a is None or b is None or len(a) == len(b) or min(len(a), len(b)) <= 1:
        return ""
    long, short = (a, b) if len(a) > len(b) else (b, a)
    volume = len(long) == 4 and len(short) == 3 and long[0] == 1
    pair = len(long) == 4 and len(short) == 2 and ((long[0] == 1 and short == (1, 1)) or (long[0], long[3]) == short)
    return "" if volume or pair else f"with {_said(a)} and {_said(b)}, which it does not broadcast"


def feeds_a_choice(op: Op) -> str:
    """A comparison whose result one CAST or SELECT reads, which gives floats."""
    users = _uses(op.results[0])
    known = ("tfl.CAST", "tfl.SELECT", "tfl.SELECT_V2")
    if len(users) == 1 and users[0].name in known and _type(users[0].results[0]) in _FLOATS:
        return ""
    return "but in front of one CAST or SELECT to floats"


def pads_3_or_4_axes(op: Op) -> str:
    shape = _shape(_operand(op, 1))
    fits = shape is None or (len(shape) == 2 and shape[0] in (3, 4) and shape[1] == 2)
    return "" if fits or shape is None else f"with paddings of {_said(shape)}, only of 3 or 4 axes"


def casts_alike(op: Op) -> str:
    """Between bool and floats, or between float32 and int32; of bool to floats what one operator makes for it alone,
    and one reads.
    """
    pair = _type(op.operands[0]), _type(op.results[0])
    known = ("bool" in pair and set(pair) & _FLOATS) or set(pair) <= {"float32", "int32"}
    if not known:
        return f"from {pair[0]} to {pair[1]}"
    x = op.operands[0]
    inside = pair[0] != "bool" or (
        x is not None and x.producer is not None and len(_uses(x)) == 1 and len(_uses(op.results[0])) == 1
    )
    return "" if inside else "from bool at an input, at an output or for more than one reader"


def chooses_from_alike(op: Op) -> str:
    """Values to choose from have the shape of the result, or are scalars; constants have no two axes."""
    made = _shape(op.results[0])
    for i in (1, 2):
        shape = _shape(_operand(op, i))
        if shape is None or made is None:
            continue
        if shape and shape != made and (len(shape) > 1 or shape[0] > 1):
            return f"with operand {i} of {_said(shape)}, only of {_said(made)} or a scalar"
        if _is_constant(_operand(op, i)) and len(shape) == 2:
            return f"with a constant of 2 axes as operand {i}"
    return ""


def marks_along_the_last_axis(op: Op) -> str:
    """ONE_HOT of what has one element along all axes but the last, and the first of four; on and off are scalars."""
    shape = _shape(op.operands[0])
    if shape is None:
        return ""
    axis = op.attributes.get("axis", 0)
    if axis != -1 and (not shape or axis != shape[-1]):
        return f"along axis {axis}, only along the last"
    if any(d != 1 for i, d in enumerate(shape[:-1]) if i or len(shape) <= 3):
        return f"of {_said(shape)}, only of one element along axes before the last"
    sizes = [math.prod(s) for s in (_shape(_operand(op, 2)), _shape(_operand(op, 3))) if s is not None]
    return "with values for on and off that are no scalars" if any(n != 1 for n in sizes) else ""


def multiplies_what_is_computed(op: Op) -> str:
    """FULLY_CONNECTED of a value; `keep_num_dims` where the ranks are the same."""
    if _is_constant(op.operands[0]):
        return "of a constant"
    x, y = _shape(op.operands[0]), _shape(op.results[0])
    kept = op.attributes.get("keep_num_dims", False) and x is not None and y is not None and len(x) != len(y)
    return "with keep_num_dims and another rank of the result" if kept else ""


def moves_blocks(op: Op) -> str:
    size = op.attributes.get("block_size", 0)
    return "" if size > 1 else f"with block_size {size}, only above 1"


def corners_or_centers(op: Op) -> str:
    both = op.attributes.get("align_corners") and op.attributes.get("half_pixel_centers")
    return "with align_corners and half_pixel_centers" if both else ""


def is_full_lstm(op: Op) -> str:
    """20 or 24 operands, tanh or sigmoid; of the basic kernel tanh without clips."""
    if op.attributes.get("kernel_type", "FULL") == "FULL":
        if len(op.operands) not in (20, 24):
            return f"with {len(op.operands)} operands, only with 20 or 24"
    elif any(op.attributes.get(name, 0.0) for name in ("cell_clip", "proj_clip")):
        return "with clips"
    activation = op.attributes.get("fused_activation_function", "NONE")
    return "" if activation == "TANH" else f"with {activation}, only TANH"


def result_has_axes(op: Op) -> str:
    return "to a scalar" if _shape(op.results[0]) == () else ""


def packs_before_the_last_axis(op: Op) -> str:
    shape, axis = _shape(op.operands[0]), op.attributes.get("axis", 0)
    return "along the last axis" if axis == -1 or (shape is not None and axis == len(shape)) else ""


def unpacks_before_the_last_axis(op: Op) -> str:
    shape, axis = _shape(op.operands[0]), op.attributes.get("axis", 0)
    return "along the last axis" if axis == -1 or (shape is not None and axis == len(shape) - 1) else ""


def parts_have_elements(op: Op) -> str:
    """SPLIT_V into parts of at least one element each; -1 is what the others leave."""
    sizes, shape = constant_array(_operand(op, 1)), _shape(op.operands[0])
    axis = constant_array(_operand(op, 2))
    if (
        sizes is None
        or shape is None
        or axis is None
        or not -len(shape) <= (at := int(axis.reshape(-1)[0])) < len(shape)
    ):
        return ""
    rest = shape[at] - sum(n for n in sizes.reshape(-1).tolist() if n >= 0)
    empty = 0 in sizes or (bool((sizes < 0).any()) and rest == 0)
    return "with a part of no elements" if empty else ""


def result_up_to_4_axes(op: Op) -> str:
    shape = _shape(op.results[0])
    return f"to {len(shape)} axes, only up to 4" if shape is not None and len(shape) > 4 else ""


def condition_like_values(op: Op) -> str:
    condition, value = _shape(op.operands[0]), _shape(_operand(op, 1))
    if condition is None or value is None or condition == value:
        return ""
    return f"with a condition of {_said(condition)} and values of {_said(value)}, only of one shape"


def int32_without_activation(op: Op) -> str:
    activation = op.attributes.get("fused_activation_function", "NONE")
    return f"of int32 with {activation}" if _type(op.operands[0]) == "int32" and activation != "NONE" else ""


def scalars_are_constant(op: Op) -> str:
    computed = [v for v in op.operands if _shape(v) == () and not _is_constant(v)]
    return "with a scalar that is computed" if computed else ""


def crops_nothing(op: Op) -> str:
    """BATCH_TO_SPACE_ND of two axes that cuts nothing off."""
    crops = constant_array(_operand(op, 2))
    return "" if crops is None or (crops.size == 4 and not crops.any()) else "with crops other than 0 of two axes"


def weights_as_input(op: Op) -> str:
    """No integers as weights of floats."""
    hybrid = _type(op.operands[0]) in _FLOATS and any(_type(v) in _BYTES for v in op.operands)
    return "with integer weights for floats" if hybrid else ""


CONDITIONS: Mapping[str, Condition] = MappingProxyType(
    {
        f.__name__: f
        for f in (
            casts_alike,
            chooses_from_alike,
            condition_like_values,
            corners_or_centers,
            crops_nothing,
            feeds_a_choice,
            int32_without_activation,
            is_full_lstm,
            known_broadcast,
            marks_along_the_last_axis,
            moves_blocks,
            multiplies_what_is_computed,
            packs_before_the_last_axis,
            pads_3_or_4_axes,
            parts_have_elements,
            result_has_axes,
            result_up_to_4_axes,
            scalars_are_constant,
            unpacks_before_the_last_axis,
            weights_as_input,
        )
    }
)
