"""Products over labelled axes, as one matrix product."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlconv.importers.keras.call import Call
from mlconv.ir.core import Value
from mlconv.ir.shapes import static


def einsum(n: Call, left: str, right: str, wanted: str, a: Value, b: Value) -> Value:
    """The sum over all labels that are not wanted of a, labelled `left`, times b, labelled `right`."""
    if any(len(set(term)) != len(term) for term in (left, right, wanted)):
        raise n.unknown(f"the equation {left},{right}->{wanted} repeats a label")
    batch = [c for c in left if c in right and c in wanted]
    inner = [c for c in left if c in right and c not in wanted]
    rows, columns = [c for c in left if c not in right], [c for c in right if c not in left]
    if not inner or not set(rows + columns + batch) >= set(wanted) >= set(rows + columns):
        raise n.unknown(f"the equation {left},{right}->{wanted} is no matrix product")
    if columns and rows and batch and wanted.index(columns[0]) < wanted.index(rows[0]):
        left, right, a, b, rows, columns = right, left, b, a, columns, rows
    x = n.transpose(a, [left.index(c) for c in (*batch, *rows, *inner)])
    y = n.transpose(b, [right.index(c) for c in (*batch, *inner, *columns)])
    lead, k = len(batch), len(inner)
    if lead:
        left_axes = _sizes(n, x, 0, lead), _sizes(n, x, lead, lead + len(rows)), _sizes(n, x, lead + len(rows), None)
        x = n.reshape(x, [*left_axes[0], n.prod(left_axes[1]), n.prod(left_axes[2])])
    else:
        x = n.reshape(x, [*_sizes(n, x, 0, len(rows)), n.prod(_sizes(n, x, len(rows), None))]) if k != 1 else x
    y = n.reshape(
        y, [*_sizes(n, y, 0, lead), n.prod(_sizes(n, y, lead, lead + k)), n.prod(_sizes(n, y, lead + k, None))]
    )
    order = (*batch, *rows, *columns)
    sources = {c: (a, left.index(c)) for c in (*batch, *rows)} | {c: (b, right.index(c)) for c in columns}
    product = n.matmul(x, y)
    if lead or len(columns) != 1:
        product = n.reshape(product, _joined([n.dim(v, axis) for v, axis in (sources[c] for c in order)]))
    return n.transpose(product, [order.index(c) for c in wanted])


def _sizes(n: Call, x: Value, begin: int, end: int | None) -> list[int | Value]:
    return n.dims(x)[begin:end]


def _joined(parts: Sequence[int | Value]) -> list[int | Value]:
    """Sizes with one that is known at run time only left to deduction."""
    if sum(isinstance(p, Value) for p in parts) != 1:
        return list(parts)
    return [-1 if isinstance(p, Value) else p for p in parts]


def flat_size(x: Value) -> int | None:
    """How many elements a tensor has; None where that is not known."""
    shape = static(x.tensor.shape)
    return None if shape is None else math.prod(shape)
