"""Matrix products: MatMul, Gemm, Einsum, Det."""

from __future__ import annotations

import string
from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.einsum_axes import leading_columns, leading_rows
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.operands import fitted
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.legalize.matrices import between
from mlconv.rewrite.core_builder import CoreBuilder, Part

RULES = OnnxRules()


def matmul_of(n: CoreBuilder, a: Value, b: Value) -> Value:
    """numpy.matmul, vectors included."""
    rank_a, rank_b = n.rank(a), n.rank(b)
    if rank_a == 0 or rank_b == 0:
        raise ConversionError(Code.ShapeMismatch, f"MatMul of {a.type} and {b.type}: an operand is a scalar")
    left = n.expand_dims(a, 0) if rank_a == 1 else a
    right = n.expand_dims(b, 1) if rank_b == 1 else b
    y = n.matmul(left, right)
    rank = n.rank(y)
    drop = ([rank - 2] if rank_a == 1 else []) + ([rank - 1] if rank_b == 1 else [])
    return n.squeeze(y, *drop)


@RULES.rule("MatMul")
def matmul(n: Node) -> Value:
    return matmul_of(n, n.x(0), n.x(1))


@RULES.rule("Gemm")
def gemm(n: Node) -> Value:
    """alpha * a' b' + beta * c."""
    a, b, c = n.x(0), n.x(1), n.opt(2)
    alpha, beta = n.f("alpha", 1.0), n.f("beta", 1.0)
    for value, what in ((a, "A"), (b, "B")):
        if n.rank(value) != 2:
            raise ConversionError(
                Code.ShapeMismatch, f"Gemm: {what} has rank {n.rank(value)} ({value.type}), expected 2"
            )
    y = n.matmul(a, b, transpose_a=n.flag("transA"), transpose_b=n.flag("transB"))
    y = _scaled(n, y, alpha)
    addend = None if c is None else fitted(n, c, y)  # ONNX Gemm-13: C broadcasts to A * B, never the other way round
    return y if addend is None or beta == 0.0 else n.add(y, _scaled(n, addend, beta))


def _scaled(n: Node, x: Value, factor: float) -> Value:
    """x * factor; integers go through float64, as the factor is a float."""
    if factor == 1.0:
        return x
    dtype = x.tensor.dtype
    return n.mul(x, factor) if dtype.is_float else n.cast(n.mul(n.cast(x, DType.F64), factor), dtype)


EXPANDED_DETERMINANT = 3  # up to this size, elimination is written out with one row and column less a step


@RULES.rule("Det")
def det(n: Node) -> Value:
    """Determinant of square matrices, by elimination with row exchange: written out where the matrices are small, else
    steps of a loop.
    """
    x = n.x()
    rank = n.rank(x)
    rows, size = n.dim(x, rank - 2), n.dim(x, rank - 1)
    if isinstance(rows, int) and isinstance(size, int) and rows != size:
        raise ConversionError(Code.ShapeMismatch, f"Det takes square matrices, the input is {x.type}")
    if isinstance(size, int) and size <= EXPANDED_DETERMINANT:
        return _determinant(n, x, rank, size)
    from mlconv.legalize.matrices import determinants

    return determinants(n, x)


def _determinant(n: Node, x: Value, rank: int, size: int) -> Value:
    """Gaussian elimination: the row with the largest pivot is exchanged to the front, its product collected, the rest
    reduced by one.
    """
    if size == 0:
        return n.sum(x, [rank - 2, rank - 1]) if rank == 2 else n.add(n.sum(x, [rank - 2, rank - 1]), 1)
    if size == 1:
        return n.squeeze(x, rank - 2, rank - 1)
    rows, columns = rank - 2, rank - 1
    column = n.slice_axis(x, columns, 0, 1)
    best = n.y(core.ArgMax(n.y(core.Abs(column)), axis=rows, keepdims=True))
    places = n.reshape(n.arange(size), [size, 1])
    chosen = n.cast(n.equal(best, places), x.tensor.dtype)  # [..., size, 1]: 1 at the pivot row
    pivot_row = n.sum(n.mul(x, chosen), [rows], keepdims=True)
    first_row = n.slice_axis(x, rows, 0, 1)
    moved = n.add(x, n.mul(chosen, n.sub(first_row, pivot_row)))  # the old first row takes the pivot row's place
    rest = n.slice_axis(moved, rows, 1, None)
    pivot = n.slice_axis(pivot_row, columns, 0, 1)
    is_zero = n.equal(pivot, 0)
    safe = n.where(is_zero, 1, pivot)
    factor = n.div(n.slice_axis(rest, columns, 0, 1), safe)
    reduced = n.sub(n.slice_axis(rest, columns, 1, None), n.mul(factor, n.slice_axis(pivot_row, columns, 1, None)))
    swapped = n.slice_axis(chosen, rows, 0, 1)  # 1 when the pivot was in place already
    sign = n.sub(n.mul(swapped, 2), 1)
    own = n.squeeze(n.mul(pivot, sign), rows, columns)
    return n.mul(own, _determinant(n, reduced, rank, size - 1))


@RULES.rule("Einsum")
def einsum(n: Node) -> Value:
    """Pairs of operands from the left: each by transposes, a reshape to [batch, free, summed], a matrix product."""
    equation = n.s("equation").replace(" ", "")
    values = n.xs()
    terms, output = _parse_equation(n, equation, [n.rank(v) for v in values])
    _check_sizes(n, equation, terms, values)
    first = _diagonal(n, values[0], terms[0])
    for i in range(1, len(values)):
        later = set(output).union(*terms[i + 1 :])
        first = _contract(n, first, _diagonal(n, values[i], terms[i]), later)
    value, labels = first
    gone = [i for i, c in enumerate(labels) if c not in output]
    if gone:
        value = n.sum(value, gone)
        labels = "".join(c for c in labels if c in output)
    return n.transpose(value, [labels.index(c) for c in output])


def _parse_equation(n: Node, equation: str, ranks: list[int]) -> tuple[list[str], str]:
    """Terms and result with the ellipsis spelled out in capital Greek letters, which an equation cannot hold itself."""
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise ConversionError(
            Code.AttributeInvalid, f"Einsum: the equation {equation!r} has {len(terms)} terms for {len(ranks)} inputs"
        )
    hidden = max((r - len(t.replace("...", "")) for t, r in zip(terms, ranks, strict=True) if "..." in t), default=0)
    letters = "".join(chr(0x391 + i) for i in range(max(hidden, 0)))
    spelled = []
    for term, rank in zip(terms, ranks, strict=True):
        own = rank - len(term.replace("...", ""))
        full = term.replace("...", letters[len(letters) - own :] if own > 0 else "")
        if len(full) != rank or not all(c in string.ascii_letters or c in letters for c in full):
            raise ConversionError(
                Code.ShapeMismatch, f"Einsum: term {term!r} of {equation!r} does not fit an input of rank {rank}"
            )
        spelled.append(full)
    if arrow:
        return spelled, right.replace("...", letters)
    joined = "".join(spelled)
    once = sorted(c for c in set(joined) if joined.count(c) == 1 and c not in letters)
    return spelled, letters + "".join(once)


def _check_sizes(n: Node, equation: str, terms: Sequence[str], values: Sequence[Value]) -> None:
    """Axes of one letter have one size; between inputs, 1 goes with all.  Raises ConversionError ShapeMismatch."""
    found: dict[str, int] = {}
    for term, value in zip(terms, values, strict=True):
        own: dict[str, int] = {}
        for i, c in enumerate(term):
            size = n.dim(value, i)
            if not isinstance(size, int):
                continue
            other = own.setdefault(c, size)
            if other == size:
                other = size if size == 1 else found.setdefault(c, size)
            if other != size:
                name = c if c in string.ascii_letters else "..."
                raise ConversionError(
                    Code.ShapeMismatch, f"Einsum: {name!r} of {equation!r} has {other} elements and {size} elements"
                )


def _diagonal(n: Node, x: Value, labels: str) -> tuple[Value, str]:
    """x with axes of equal labels merged to their diagonal."""
    for c in dict.fromkeys(labels):
        while labels.count(c) > 1:
            i = labels.index(c)
            j = labels.index(c, i + 1)
            x = between(n, x, i, j)
            labels = labels[:j] + labels[j + 1 :]
    return x, labels


def _contract(n: Node, a: tuple[Value, str], b: tuple[Value, str], later: set[str]) -> tuple[Value, str]:
    """The product of two labelled values, summed over labels that nothing later needs."""
    (x, lx), (y, ly) = (_presummed(n, v, labels, later, other) for (v, labels), other in ((a, b[1]), (b, a[1])))
    batch = [c for c in lx if c in ly and c in later]
    summed = [c for c in lx if c in ly and c not in later]
    free_x = [c for c in lx if c not in ly]
    free_y = [c for c in ly if c not in lx]
    sizes: dict[str, Part] = {}
    for value, labels in ((x, lx), (y, ly)):
        for i, c in enumerate(labels):
            size = n.dim(value, i)
            if c not in sizes or sizes[c] == 1:
                sizes[c] = size
    x, y = _stretched(n, x, lx, ly, sizes), _stretched(n, y, ly, lx, sizes)
    lead = leading_rows(lx, batch, summed, sizes, isinstance(b[0].producer, core.Constant))
    rows = [c for c in free_x if c not in lead]
    beside = leading_columns(ly, batch, free_x, summed)
    columns = [c for c in free_y if c not in beside]
    row_count, depth, column_count = (n.prod([sizes[c] for c in g]) for g in (rows, summed, columns))
    own = [sizes[c] for c in batch]
    left = n.transpose(x, [lx.index(c) for c in (*lead, *batch, *rows, *summed)])
    left = n.reshape(left, [*(sizes[c] for c in lead), *own, *(1 for _ in beside), row_count, depth])
    right = n.transpose(y, [ly.index(c) for c in (*batch, *beside, *summed, *columns)])
    front = [*(1 for _ in lead if own), *own, *(sizes[c] for c in beside)]
    product = n.matmul(left, n.reshape(right, [*front, depth, column_count]))
    labels = "".join((*lead, *batch, *beside, *rows, *columns))
    return n.reshape(product, [sizes[c] for c in labels]), labels


def _presummed(n: Node, value: Value, labels: str, later: set[str], other: str) -> tuple[Value, str]:
    """Labels that only this operand has and nobody needs are summed at once."""
    alone = [i for i, c in enumerate(labels) if c not in later and c not in other]
    return (
        (n.sum(value, alone), "".join(c for i, c in enumerate(labels) if i not in alone)) if alone else (value, labels)
    )


def _stretched(n: Node, value: Value, labels: str, other: str, sizes: dict[str, Part]) -> Value:
    """Shared axes of size 1 repeated to the other operand's size."""
    own = [n.dim(value, i) for i in range(len(labels))]
    wanted = [sizes[c] if c in other else s for c, s in zip(labels, own, strict=True)]
    return n.broadcast_to(value, wanted) if any(s == 1 and w != 1 for s, w in zip(own, wanted, strict=True)) else value
