"""TFLite ops that move elements, or make them."""

from __future__ import annotations

from mlconv.dialects.tfl_checks.base import (
    INDICES,
    Check,
    Sizes,
    agree,
    alike,
    axis_of,
    broadcast,
    count,
    element,
    given,
    gives,
    index_type,
    index_vector,
    is_one_of,
    is_scalar,
    number,
    numbers,
    option,
    result_is_one_of,
    same_elements,
    scaled,
    sizes,
    sizes_of,
    text,
)
from mlconv.dialects.tfl_types import DTYPES
from mlconv.ir.target_op import TargetOp


def _same_count(op: TargetOp) -> None:
    have, made = sizes(op), sizes_of(op.results[0])
    if have is not None and made is not None and not agree(count(have), count(made)):
        raise op.malformed(f"{text(have)} and {text(made)} have different numbers of elements")


def _reshape(op: TargetOp) -> None:
    """The shape is an operand, or an option, or both; one of its sizes may be -1, [0] as an option is a scalar."""
    stated = tuple(op.attributes.get("new_shape") or ())
    if given(op, 1) is None and stated in ((), (0,)):
        gives(op, ())
    operand = None if given(op, 1) is None else index_vector(op, 1, None)
    for want in (operand, None if stated in ((), (0,)) else stated):
        if want is None:
            continue
        if sum(n == -1 for n in want) > 1 or any(n is not None and n < -1 for n in want):
            raise op.malformed(f"the shape is {text(want)}")
        gives(op, tuple(None if n == -1 else n for n in want))
    gives(op, None, element(op))
    _same_count(op)


def _squeeze(op: TargetOp) -> None:
    have, axes = sizes(op), tuple(option(op, "squeeze_dims") or ())
    gives(op, None, element(op))
    if have is None:
        return
    gone = {axis_of(op, axis, len(have), "squeeze_dims") for axis in axes}
    if any(not agree(have[axis], 1) for axis in gone):
        raise op.malformed(f"squeeze_dims {list(axes)} are not of size 1")
    if gone or None not in have:
        gives(op, tuple(n for i, n in enumerate(have) if (i not in gone if gone else n != 1)))


def _expand_dims(op: TargetOp) -> None:
    have = sizes(op)
    is_one_of(op, 1, *INDICES)
    is_scalar(op, 1)
    gives(op, None, element(op))
    axis = number(op, 1)
    if have is None:
        return
    if axis is None:
        gives(op, (None,) * (len(have) + 1))
        return _same_count(op)
    at = axis_of(op, axis, len(have) + 1)
    return gives(op, (*have[:at], 1, *have[at:]))


def _transpose(op: TargetOp) -> None:
    have = sizes(op)
    perm = index_vector(op, 1, None if have is None else len(have))
    gives(op, None if have is None else (None,) * len(have), element(op))
    if have is None or perm is None or None in perm:
        return
    order = [axis_of(op, p, len(have), "perm") for p in perm if p is not None]
    if sorted(order) != list(range(len(have))):
        raise op.malformed(f"{text(perm)} is not a permutation")
    gives(op, tuple(have[p] for p in order))


def joined(op: TargetOp, name: str) -> None:
    """All operands along an axis.  name: the option that has it."""
    if not op.inputs or None in op.operands:
        raise op.malformed(f"it has {len(op.inputs)} operands")
    made, shapes = same_elements(op), [sizes_of(v) for v in op.inputs]
    ranked = [s for s in shapes if s is not None]
    gives(op, None, made)
    if not ranked:
        return
    rank = len(ranked[0])
    axis = axis_of(op, int(option(op, name)), rank)
    total: int | None = 0 if len(ranked) == len(shapes) else None
    for shape in ranked:
        if len(shape) != rank or not alike(shape[:axis], ranked[0][:axis]):
            raise op.malformed(f"shapes differ: {' and '.join(map(text, ranked))}")
        if not alike(shape[axis + 1 :], ranked[0][axis + 1 :]):
            raise op.malformed(f"shapes differ: {' and '.join(map(text, ranked))}")
        total = None if total is None or shape[axis] is None else total + int(shape[axis] or 0)
    gives(op, (*ranked[0][:axis], total, *ranked[0][axis + 1 :]))


def _concatenation(op: TargetOp) -> None:
    joined(op, "axis")


def _pack(op: TargetOp) -> None:
    if not op.inputs or None in op.operands or option(op, "values_count") != len(op.operands):
        raise op.malformed(f"values_count is {option(op, 'values_count')}, it has {len(op.operands)} operands")
    made = same_elements(op)
    for i in range(len(op.operands)):
        shape = sizes(op, i)
        if shape is not None:
            axis = axis_of(op, int(option(op, "axis")), len(shape) + 1)
            gives(op, (*shape[:axis], len(op.operands), *shape[axis:]), made)


def _unpack(op: TargetOp) -> None:
    have = sizes(op)
    if option(op, "num") != len(op.results):
        raise op.malformed(f"num is {option(op, 'num')}, it has {len(op.results)} results")
    axis = 0 if have is None else axis_of(op, int(option(op, "axis")), len(have))
    if have is not None and not agree(have[axis], len(op.results)):
        raise op.malformed(f"{len(op.results)} results of {text(have)} along axis {axis}")
    for i in range(len(op.results)):
        gives(op, None if have is None else (*have[:axis], *have[axis + 1 :]), element(op), i)


def _split(op: TargetOp) -> None:
    _parts(op, 1, 0)
    have, axis = sizes(op, 1), number(op, 0)
    parts = len(op.results)
    if have is None or axis is None:
        return
    at = axis_of(op, axis, len(have), "split_dim")
    whole = have[at]
    if whole is not None and whole % parts:
        raise op.malformed(f"{whole} does not split into {parts}")
    size = None if whole is None else whole // parts
    for i in range(parts):
        gives(op, (*have[:at], size, *have[at + 1 :]), i=i)


def _split_v(op: TargetOp) -> None:
    _parts(op, 0, 2)
    have, axis, parts = sizes(op, 0), number(op, 2), index_vector(op, 1, len(op.results))
    if have is None or axis is None or parts is None:
        return
    at = axis_of(op, axis, len(have), "split_dim")
    listed = [n for n in parts if n is not None and n >= 0]
    if len(listed) == len(parts) and not agree(sum(listed), have[at]):
        raise op.malformed(f"parts {text(parts)} of the size {have[at]}")
    for i, n in enumerate(parts):
        gives(op, (*have[:at], None if n is None or n < 0 else n, *have[at + 1 :]), i=i)


def _parts(op: TargetOp, x: int, axis: int) -> None:
    """Several results of operand x along an axis."""
    is_one_of(op, axis, *INDICES)
    is_scalar(op, axis)
    if not op.results or option(op, "num_splits") != len(op.results):
        raise op.malformed(f"num_splits is {option(op, 'num_splits')}, it has {len(op.results)} results")
    have = sizes(op, x)
    for i in range(len(op.results)):
        gives(op, None if have is None else (None,) * len(have), element(op, x), i)


def _pad(op: TargetOp) -> None:
    have, pads = sizes(op), numbers(op, 1)
    is_one_of(op, 1, *INDICES)
    if have is not None and not alike(sizes(op, 1), (len(have), 2)):
        raise op.malformed(f"padding is {text(sizes(op, 1))} for {text(have)}")
    gives(op, None if have is None else (None,) * len(have), element(op))
    if have is None or pads is None:
        return
    out: list[int | None] = []
    for n, low, high in zip(have, pads[::2], pads[1::2], strict=True):
        if (low is not None and low < 0) or (high is not None and high < 0):
            raise op.malformed(f"padding {low}, {high}")
        out.append(None if n is None or low is None or high is None else n + low + high)
    gives(op, tuple(out))


def _pad_value(op: TargetOp) -> None:
    is_scalar(op, 2)
    same_elements(op, 0, 2)


def _tile(op: TargetOp) -> None:
    have = sizes(op)
    times = index_vector(op, 1, None if have is None else len(have))
    gives(op, None if have is None else (None,) * len(have), element(op))
    if have is not None and times is not None:
        gives(op, tuple(scaled(n, k) for n, k in zip(have, times, strict=True)))


def _broadcast_to(op: TargetOp) -> None:
    want = index_vector(op, 1, None)
    gives(op, want, element(op))
    if want is not None:
        gives(op, broadcast(op, sizes(op), want))


def _broadcast_args(op: TargetOp) -> None:
    for i in (0, 1):
        index_vector(op, i, None)
    gives(op, (None,), same_elements(op, 0, 1))


def _fill(op: TargetOp) -> None:
    is_scalar(op, 1)
    gives(op, made_shape(op, 0), element(op, 1))


def made_shape(op: TargetOp, i: int) -> Sizes | None:
    """The shape that an operand tells; of its rank alone, where the numbers are not known."""
    want, shape = index_vector(op, i, None), sizes(op, i)
    if want is not None or shape is None or shape[0] is None:
        return want
    return (None,) * shape[0]


def _range(op: TargetOp) -> None:
    for i in range(3):
        is_scalar(op, i)
    gives(op, (None,), same_elements(op, 0, 1, 2))


def _shape(op: TargetOp) -> None:
    have = sizes(op)
    gives(op, (None if have is None else len(have),), index_type(op, "out_type"))


def _rank(op: TargetOp) -> None:
    gives(op, (), DTYPES["INT32"])


def _diagonal(op: TargetOp) -> None:
    have = sizes(op)
    gives(op, None if have is None else (*have, *have[-1:]), element(op))


def _set_diagonal(op: TargetOp) -> None:
    have, diagonal = sizes(op), sizes(op, 1)
    gives(op, have, same_elements(op, 0, 1))
    if have is not None and diagonal is not None and (len(have) < 2 or not alike(diagonal[:-1], have[:-2])):
        raise op.malformed(f"the diagonals are {text(diagonal)} of {text(have)}")


def _reverse_sequence(op: TargetOp) -> None:
    have = sizes(op)
    gives(op, have, element(op))
    if have is not None:
        axis_of(op, int(option(op, "seq_dim")), len(have), "seq_dim")
        batch = axis_of(op, int(option(op, "batch_dim")), len(have), "batch_dim")
        index_vector(op, 1, have[batch])


def _random(op: TargetOp) -> None:
    gives(op, made_shape(op, 0))
    if not op.results[0].tensor.dtype.is_float:
        raise op.malformed("it gives floats")


def _multinomial(op: TargetOp) -> None:
    have = sizes(op)
    is_scalar(op, 1)
    gives(op, (None if have is None else have[0], number(op, 1)))
    result_is_one_of(op, 0, *INDICES)


CHECKS: dict[str, tuple[Check, ...]] = {
    "RESHAPE": (_reshape,),
    "SQUEEZE": (_squeeze,),
    "EXPAND_DIMS": (_expand_dims,),
    "TRANSPOSE": (_transpose,),
    "CONCATENATION": (_concatenation,),
    "PACK": (_pack,),
    "UNPACK": (_unpack,),
    "SPLIT": (_split,),
    "SPLIT_V": (_split_v,),
    "PAD": (_pad,),
    "PADV2": (_pad, _pad_value),
    "MIRROR_PAD": (_pad,),
    "TILE": (_tile,),
    "BROADCAST_TO": (_broadcast_to,),
    "BROADCAST_ARGS": (_broadcast_args,),
    "FILL": (_fill,),
    "RANGE": (_range,),
    "SHAPE": (_shape,),
    "RANK": (_rank,),
    "MATRIX_DIAG": (_diagonal,),
    "MATRIX_SET_DIAG": (_set_diagonal,),
    "REVERSE_SEQUENCE": (_reverse_sequence,),
    "RANDOM_UNIFORM": (_random,),
    "RANDOM_STANDARD_NORMAL": (_random,),
    "MULTINOMIAL": (_multinomial,),
}
