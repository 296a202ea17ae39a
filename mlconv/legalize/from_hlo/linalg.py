"""Factorizations of matrices and triangular systems: opcodes, and the calls of LAPACK that jax makes for CPUs.

Source: openxla.org/xla/operation_semantics; jaxlib/cpu/lapack_kernels.h; netlib.org/lapack (potrf, getrf, trsm).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_hlo.operands import checked, hlo_rules
from mlconv.legalize.matrices import cholesky, each_column, lu, places, row, triangular, turned
from mlconv.legalize.source import SourceNode
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


LAPACK: Final[dict[str, Callable[[SourceNode], Sequence[Value]]]] = {
    f"lapack_{letter}{name}_ffi": rule
    for letter in "sd"
    for name, rule in {"potrf": _potrf, "trsm": _trsm, "getrf": _getrf}.items()
}
"""By the target of a call."""
