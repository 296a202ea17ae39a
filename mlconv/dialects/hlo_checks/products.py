"""HLO's products and Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable

from mlconv.dialects.core.window import spatial
from mlconv.dialects.hlo_checks.base import Ints, axes, dtype, has_shape, result_is, shape
from mlconv.dialects.hlo_checks.windows import windowed
from mlconv.ir.dtypes import DType
from mlconv.ir.target_op import TargetOp


def _kind(element: DType) -> str:
    """Products sum up in any element type of a kind."""
    return "float" if element.is_float else "complex" if element.is_complex else "integer"


def _product_elements(op: TargetOp) -> None:
    kinds = {_kind(v.tensor.dtype) for v in (*op.inputs, *op.results)}
    if len(kinds) > 1:
        raise op.malformed(f"element types do not fit: {' and '.join(sorted(kinds))} numbers")


def _dot(op: TargetOp) -> None:
    lhs, rhs = shape(op, 0), shape(op, 1)
    contracting = axes(op, "lhs_contracting", len(lhs)), axes(op, "rhs_contracting", len(rhs))
    batch = axes(op, "lhs_batch", len(lhs)), axes(op, "rhs_batch", len(rhs))
    for x, y in (contracting, batch):
        if [lhs[i] for i in x] != [rhs[i] for i in y]:
            raise op.malformed("sizes of joined axes differ")
    if set(contracting[0]) & set(batch[0]) or set(contracting[1]) & set(batch[1]):
        raise op.malformed("an axis is contracted and of the batch")
    free = [n for i, n in enumerate(lhs) if i not in (*contracting[0], *batch[0])]
    free += [n for i, n in enumerate(rhs) if i not in (*contracting[1], *batch[1])]
    _product_elements(op)
    has_shape(op, [*(lhs[i] for i in batch[0]), *free])


def _layout(op: TargetOp, name: str, letters: str, rank: int) -> str:
    """A layout of an axis for each letter and the others by number."""
    layout = op.attributes[name]
    if sorted(layout) != sorted([*letters, *map(str, range(rank - len(letters)))]) or len(layout) != rank:
        raise op.malformed(f"{name} is {layout!r}: expected {', '.join(letters)} and the numbers of the other axes")
    return str(layout)


def _convolution(op: TargetOp) -> None:
    a, x, w = op.attributes, shape(op, 0), shape(op, 1)
    xl, wl = _layout(op, "x_layout", "NC", len(x)), _layout(op, "w_layout", "IO", len(w))
    yl = _layout(op, "y_layout", "NC", len(op.results[0].tensor.static_shape()))
    if not len(xl) == len(wl) == len(yl):
        raise op.malformed("operands and result have different ranks")
    axes(op, "reversed", len(x) - 2)
    groups, parts = a["groups"], a.get("batch_groups") or 1
    channels, inner, outer, batch = x[xl.index("C")], w[wl.index("I")], w[wl.index("O")], x[xl.index("N")]
    if min(groups, parts) < 1 or channels != inner * groups or outer % groups or outer % parts or batch % parts:
        raise op.malformed(
            f"{channels} channels in {groups} groups, and {batch} batches in {parts}, "
            f"against a kernel of {inner} x {outer}"
        )
    taps = tuple(w[i] for i in spatial(wl))
    if taps != tuple(k for k, *_ in a["window"]):
        raise op.malformed(f"the window is not {list(taps)}")
    _product_elements(op)
    sizes = dict(zip(map(str, range(len(taps))), windowed(op, tuple(x[i] for i in spatial(xl))), strict=True))
    sizes |= {"N": batch // parts, "C": outer}
    has_shape(op, [sizes[c] for c in yl])


_COMPLEX_OF = {DType.F32: DType.C64, DType.F64: DType.C128}
_REAL_OF = {made: have for have, made in _COMPLEX_OF.items()}


def _fft(op: TargetOp) -> None:
    """RFFT leaves out the second half of the last axis, IRFFT takes none of it."""
    kind, element, sizes = op.attributes["fft_type"], dtype(op), shape(op)
    length: Ints = tuple(op.attributes["fft_length"])
    if not 1 <= len(length) <= min(3, len(sizes)) or min(length) < 0:
        raise op.malformed(f"fft_length is {list(length)} for an operand of rank {len(sizes)}")
    made = _COMPLEX_OF.get(element) if kind == "RFFT" else _REAL_OF.get(element)
    if made is None:
        raise op.malformed(f"{kind} does not work on {element.display}")
    given = (*length[:-1], length[-1] // 2 + 1) if kind == "IRFFT" else length
    gives = (*length[:-1], length[-1] // 2 + 1) if kind == "RFFT" else length
    if sizes[-len(length) :] != given:
        raise op.malformed(f"the last axes of the operand should be {list(given)}")
    result_is(op, (*sizes[: -len(length)], *gives), made if kind in ("RFFT", "IRFFT") else element)


CHECKS: dict[str, Callable[[TargetOp], None]] = {"dot": _dot, "convolution": _convolution, "fft": _fft}
