"""StableHLO's ops as TFLite's schema has them, less those that compute element by element."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects.tfl_checks.base import (
    Check,
    Extent,
    agree,
    alike,
    axis_of,
    count,
    element,
    gives,
    is_scalar,
    option,
    same_elements,
    sizes,
    sizes_of,
    text,
)
from mlconv.dialects.tfl_checks.movement import joined
from mlconv.ir.target_op import TargetOp


def _listed(op: TargetOp, name: str, length: int) -> list[int]:
    """An option of one number for each axis."""
    found = [int(n) for n in option(op, name) or ()]
    if len(found) != length:
        raise op.malformed(f"{name} has {len(found)} entries, expected {length}")
    return found


def _axes(op: TargetOp, name: str, rank: int) -> list[int]:
    """An option of axes, each of which is named once."""
    found = [int(n) for n in option(op, name) or ()]
    if len(set(found)) < len(found) or any(not 0 <= n < rank for n in found):
        raise op.malformed(f"{name} is {found} for a tensor of rank {rank}")
    return found


def _reshape(op: TargetOp) -> None:
    have, made = sizes(op), sizes_of(op.results[0])
    gives(op, None, element(op))
    if have is not None and made is not None and not agree(count(have), count(made)):
        raise op.malformed(f"{text(have)} and {text(made)} have different numbers of elements")


def _concatenate(op: TargetOp) -> None:
    joined(op, "dimension")


def _broadcast(op: TargetOp) -> None:
    have, made = sizes(op), sizes_of(op.results[0])
    gives(op, None, element(op))
    if have is None or made is None:
        return
    axes = _axes(op, "broadcast_dimensions", len(made))
    if len(axes) != len(have) or any(
        n not in (1, None) and not agree(n, made[i]) for i, n in zip(axes, have, strict=True)
    ):
        raise op.malformed(f"axes {axes} of {text(have)} do not fit")


def _slice(op: TargetOp) -> None:
    have = sizes(op)
    gives(op, None, element(op))
    if have is None:
        return
    out = []
    rows = zip(*(_listed(op, name, len(have)) for name in ("start_indices", "limit_indices", "strides")), strict=True)
    for n, (start, limit, stride) in zip(have, rows, strict=True):
        if not 0 <= start <= limit or (n is not None and limit > n) or stride < 1:
            raise op.malformed(f"[{start}:{limit}:{stride}] leaves the size {n}")
        out.append(-(-(limit - start) // stride))
    gives(op, tuple(out))


def _transpose(op: TargetOp) -> None:
    have = sizes(op)
    gives(op, None, element(op))
    if have is not None:
        perm = _axes(op, "permutation", len(have))
        if len(perm) != len(have):
            raise op.malformed(f"{perm} is not a permutation")
        gives(op, tuple(have[p] for p in perm))


def _pad(op: TargetOp) -> None:
    have = sizes(op)
    is_scalar(op, 1)
    gives(op, None, same_elements(op, 0, 1))
    if have is None:
        return
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    out: list[Extent] = []
    for n, (low, high, inner) in zip(
        have, zip(*(_listed(op, name, len(have)) for name in names), strict=True), strict=True
    ):
        out.append(None if n is None else n + low + high + max(n - 1, 0) * inner)
    gives(op, tuple(out))


def _iota(op: TargetOp) -> None:
    made = sizes_of(op.results[0])
    if made is not None and not 0 <= option(op, "iota_dimension") < len(made):
        raise op.malformed(f"iota_dimension is {option(op, 'iota_dimension')} for {text(made)}")


def _dynamic_slice(op: TargetOp) -> None:
    have = sizes(op)
    gives(op, None if have is None else tuple(_listed(op, "slice_sizes", len(have))), element(op))
    _starts(op, 1, have)


def _update_slice(op: TargetOp) -> None:
    gives(op, sizes(op), same_elements(op, 0, 1))
    _starts(op, 2, sizes(op))


def _starts(op: TargetOp, first: int, have: Sequence[Extent] | None) -> None:
    if have is not None and len(op.operands) - first != len(have):
        raise op.malformed(f"it has {len(op.operands) - first} indices for {len(have)} axes")
    for i in range(first, len(op.operands)):
        is_scalar(op, i)


def _dot(op: TargetOp) -> None:
    x, y = sizes(op, 0), sizes(op, 1)
    if x is None or y is None:
        return
    over = [_axes(op, f"{side}_contracting_dimensions", len(s)) for side, s in (("lhs", x), ("rhs", y))]
    batch = [_axes(op, f"{side}_batching_dimensions", len(s)) for side, s in (("lhs", x), ("rhs", y))]
    for mine, its in (over, batch):
        if not alike(tuple(x[i] for i in mine), tuple(y[i] for i in its)):
            raise op.malformed("sizes of joined axes differ")
    free = [n for i, n in enumerate(x) if i not in (*over[0], *batch[0])]
    free += [n for i, n in enumerate(y) if i not in (*over[1], *batch[1])]
    gives(op, (*(x[i] for i in batch[0]), *free))


def _elements(op: TargetOp) -> None:
    gives(op, None, element(op))


def _as_data(op: TargetOp) -> None:
    gives(op, sizes(op), element(op))


def _as_operands(op: TargetOp) -> None:
    """As many results as operands, of their types."""
    if len(op.results) != len(op.operands):
        raise op.malformed(f"it has {len(op.operands)} operands and {len(op.results)} results")
    for i in range(len(op.results)):
        gives(op, sizes(op, i), element(op, i), i)


def _sort(op: TargetOp) -> None:
    _as_operands(op)
    have = sizes(op) if op.operands else None
    if have is not None:
        axis_of(op, int(option(op, "dimension")), len(have), "dimension")


def _reduce(op: TargetOp) -> None:
    """Operands, then as many values that they start with."""
    if not op.results or len(op.operands) != 2 * len(op.results):
        raise op.malformed(f"it has {len(op.operands)} operands and {len(op.results)} results")
    for i in range(len(op.results)):
        have = sizes(op, i)
        gone = [] if have is None else _axes(op, "dimensions", len(have))
        want = None if have is None else tuple(n for axis, n in enumerate(have) if axis not in gone)
        gives(op, want, element(op, i), i)


CHECKS: dict[str, tuple[Check, ...]] = {
    "STABLEHLO_RESHAPE": (_reshape,),
    "STABLEHLO_CONCATENATE": (_concatenate,),
    "STABLEHLO_BROADCAST_IN_DIM": (_broadcast,),
    "STABLEHLO_SLICE": (_slice,),
    "STABLEHLO_TRANSPOSE": (_transpose,),
    "STABLEHLO_PAD": (_pad,),
    "STABLEHLO_IOTA": (_iota,),
    "STABLEHLO_DYNAMIC_SLICE": (_dynamic_slice,),
    "STABLEHLO_DYNAMIC_UPDATE_SLICE": (_update_slice,),
    "STABLEHLO_DOT_GENERAL": (_dot,),
    "STABLEHLO_GATHER": (_elements,),
    "STABLEHLO_SCATTER": (_as_data,),
    "STABLEHLO_SORT": (_sort,),
    "STABLEHLO_WHILE": (_as_operands,),
    "STABLEHLO_REDUCE": (_reduce,),
    "STABLEHLO_REDUCE_WINDOW": (_elements,),
    "REDUCE_WINDOW": (_elements,),
}
