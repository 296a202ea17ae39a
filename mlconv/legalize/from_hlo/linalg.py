"""Factorizations of matrices and triangular systems: opcodes, and the calls of LAPACK that jax makes for CPUs.

Source: openxla.org/xla/operation_semantics; jaxlib/cpu/lapack_kernels.h; netlib.org/lapack (potrf, getrf, trsm,
geqrf, orgqr, syevd, gesdd).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_hlo.operands import checked, hlo_rules, result
from mlconv.legalize.matrices import cholesky, column, each_column, lu, places, row, triangular, turned
from mlconv.legalize.source import SourceNode
from mlconv.legalize.spectra import eigen, of_lower, singular, smaller
from mlconv.rewrite.core_builder import CoreBuilder

RULES: Final = hlo_rules()


def matrices(n: SourceNode, i: int = 0) -> Value:
    """Operand i.  Raises ConversionError for complex numbers, and for less than two axes."""
    x = n.operand(i)
    if not x.tensor.dtype.is_float or n.rank(x) < 2:
        raise n.unsupported(f"{x.tensor}, which is no matrix of real numbers")
    return x


def factor(n: SourceNode, lower: bool) -> Value:
    """Cholesky's, of which the other triangle is 0."""
    a = matrices(n)
    return cholesky(n, a) if lower else turned(n, cholesky(n, turned(n, a)))


def substituted(n: SourceNode, left: bool, lower: bool, transpose: bool, unit: bool) -> Value:
    """x of a x = b, or of x a = b.  transpose: a is read transposed.  lower: where the numbers of a stand as given."""
    a, b = matrices(n), matrices(n, 1)
    if left:
        return triangular(n, turned(n, a) if transpose else a, b, lower != transpose, unit)
    return turned(n, triangular(n, a if transpose else turned(n, a), turned(n, b), lower == transpose, unit))


@RULES.rule("cholesky")
@checked
def cholesky_op(n: SourceNode) -> Value:
    return factor(n, n.attr("lower", False))


@RULES.rule("triangular-solve")
@checked
def triangular_solve(n: SourceNode) -> Value:
    transpose = n.attr("transpose_a", "NO_TRANSPOSE")
    return substituted(
        n, n.attr("left_side"), n.attr("lower"), transpose in ("TRANSPOSE", "ADJOINT"), n.attr("unit_diagonal", False)
    )


def _letter(n: SourceNode, name: str) -> str:
    return chr(n.attr(name))


def _potrf(n: SourceNode) -> Sequence[Value]:
    """Results: the factor; 0, or 1 where a matrix is not positive definite."""
    made = factor(n, _letter(n, "uplo") == "L")
    rank = n.rank(made)
    wrong = n.y(core.ReduceMax(n.cast(n.y(core.IsNan(made)), DType.I32), axes=(rank - 2, rank - 1)))
    return [made, wrong]


def _trsm(n: SourceNode) -> Sequence[Value]:
    left, lower = _letter(n, "side") == "L", _letter(n, "uplo") == "L"
    return [substituted(n, left, lower, _letter(n, "trans_x") != "N", _letter(n, "diag") == "U")]


def _getrf(n: SourceNode) -> Sequence[Value]:
    """Results: both factors in one matrix; the row, from 1, that each was exchanged with; 0."""
    made, order, _ = lu(n, matrices(n))
    rank = n.rank(made)
    none = n.y(core.ReduceMax(n.mul(order, 0), axes=(rank - 2,)))
    return [made, n.add(exchanges(n, order), 1), none]


def exchanges(n: CoreBuilder, order: Value) -> Value:
    """Which places are exchanged, one after the other, to bring rows into an order [..., n], int32; from 0."""
    wanted = n.expand_dims(order, n.rank(order))

    def step(b: CoreBuilder, k: Value, values: Sequence[Value]) -> Sequence[Value]:
        now, found = values
        i = places(b, now, -2)
        mine, other = row(b, now, k), row(b, wanted, k)
        at = b.sum(b.where(b.equal(now, other), i, 0), (b.rank(now) - 2,), keepdims=True)
        here = b.equal(i, k)
        now = b.where(here, other, b.where(b.equal(i, at), mine, now))
        return [now, b.where(here, at, found)]

    start = n.y(core.BroadcastTo(places(n, wanted, -2), n.y(core.ShapeOf(wanted))))
    return n.squeeze(each_column(n, n.dim(order, -1), [start, n.mul(start, 0)], step)[1], n.rank(order))


def _geqrf(n: SourceNode) -> Sequence[Value]:
    """Results: r with the reflections' vectors below its diagonal, whose first elements are 1; their factors."""
    a = matrices(n)
    rank = n.rank(a)
    count = smaller(n, n.dim(a, -2), n.dim(a, -1))

    def step(b: CoreBuilder, k: Value, values: Sequence[Value]) -> Sequence[Value]:
        m, kept, factors = values
        i, j = places(b, m, -2), places(b, m, -1)
        mine = column(b, m, k)
        head = row(b, mine, k)
        tail = b.where(b.less(k, i), mine, 0.0)
        squares = b.sum(b.mul(tail, tail), (rank - 2,), keepdims=True)
        flat = b.less_equal(squares, 0.0)
        length = b.sqrt(b.add(squares, b.mul(head, head)))
        beta = b.where(flat, head, b.where(b.less(head, 0.0), length, b.neg(length)))
        one = b.asarray(1.0, a)
        factor = b.where(flat, 0.0, b.div(b.sub(beta, head), b.where(flat, one, beta)))
        below = b.div(tail, b.where(flat, one, b.sub(head, beta)))
        v = b.where(b.equal(i, k), one, below)
        m = b.sub(m, b.mul(b.mul(v, factor), b.matmul(v, m, transpose_a=True)))
        here = b.equal(j, k)
        kept = b.where(b.logical_and(b.less(k, i), here), below, kept)
        return [m, kept, b.where(b.equal(places(b, factors, -1), k), factor, factors)]

    none = n.slice_axis(n.slice_axis(n.mul(a, 0.0), rank - 2, 0, 1), rank - 1, 0, count)
    m, kept, factors = each_column(n, count, [a, n.mul(a, 0.0), none], step)
    below = n.less(places(n, a, -1), places(n, a, -2))
    return [n.where(below, kept, m), n.squeeze(factors, rank - 2)]


def _orgqr(n: SourceNode) -> Sequence[Value]:
    """The product of reflections, as many columns of it as there are vectors."""
    a, factors = matrices(n), n.expand_dims(n.operand(1), n.rank(n.operand(1)) - 1)
    rank, count = n.rank(a), n.dim(n.operand(1), -1)
    last = n.sub(n.constant(count, DType.I32) if isinstance(count, int) else n.cast(n.scalar(count), DType.I32), 1)
    i, j = places(n, a, -2), places(n, a, -1)
    start = n.add(n.where(n.equal(i, j), n.asarray(1.0, a), 0.0), n.mul(a, 0.0))

    def step(b: CoreBuilder, turn: Value, values: Sequence[Value]) -> Sequence[Value]:
        (q,) = values
        k = b.sub(last, turn)
        at = places(b, q, -2)
        v = b.where(b.equal(at, k), b.asarray(1.0, a), b.where(b.less(k, at), column(b, a, k), 0.0))
        factor = column(b, factors, k)
        return [b.sub(q, b.mul(b.mul(v, factor), b.matmul(v, q, transpose_a=True)))]

    assert rank >= 2
    return each_column(n, count, [start], step)


def _told(n: SourceNode, x: Value) -> Value:
    """Of each matrix of the batch 0, or 1 where numbers are none.  x: [..., n]."""
    return n.y(core.ReduceMax(n.cast(n.y(core.IsNan(x)), DType.I32), axes=(n.rank(x) - 1,)))


def _sizes(n: SourceNode, a: Value) -> tuple[int, int]:
    rows, columns = n.dim(a, -2), n.dim(a, -1)
    if not isinstance(rows, int) or not isinstance(columns, int):
        raise n.unsupported("matrices whose sizes are not known")
    return rows, columns


def _syevd(n: SourceNode) -> Sequence[Value]:
    """Results: vectors as columns, whose signs are open, or what is left of the matrix; values, the least first; 0."""
    a = matrices(n)
    lower = _letter(n, "uplo") == "L"
    values, vectors = eigen(n, of_lower(n, a if lower else turned(n, a)), _sizes(n, a)[0])
    return [vectors if _letter(n, "mode") == "V" else a, values, _told(n, values)]


def _gesdd(n: SourceNode) -> Sequence[Value]:
    """Results: what is left of the matrix; singular values, the largest first; u; v, transposed; 0.  Signs of u and v
    are open.
    """
    a, mode = matrices(n), _letter(n, "mode")
    rows, columns = _sizes(n, a)
    s, u, v = singular(n, a, rows, columns, mode == "A")
    both = [u, turned(n, v)]
    if mode not in ("A", "S"):
        inner = [result(n, i).with_shape((result(n, i).shape or ())[-2:]).static_shape() for i in (2, 3)]
        both = [n.broadcast_to(n.asarray(0.0, a), [*n.dims(a)[:-2], *size]) for size in inner]
    return [a, s, *both, _told(n, s)]


LAPACK: Final[dict[str, Callable[[SourceNode], Sequence[Value]]]] = {
    f"lapack_{letter}{name}_ffi": rule
    for letter in "sd"
    for name, rule in {
        "potrf": _potrf,
        "trsm": _trsm,
        "getrf": _getrf,
        "geqrf": _geqrf,
        "orgqr": _orgqr,
        "syevd": _syevd,
        "gesdd": _gesdd,
    }.items()
}
"""By the target of a call."""
