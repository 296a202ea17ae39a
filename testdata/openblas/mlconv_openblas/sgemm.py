"""`matmul` and `matmul + bias` as calls of cblas_sgemm: the kernel op, its code, and the rule that claims products."""

from __future__ import annotations

from typing import Any, NamedTuple

from mlconv.plugin import (
    FLOAT,
    I32,
    VOID,
    Call,
    CodeBuilder,
    CodeValue,
    Dialect,
    ForeignFunction,
    KernelKind,
    KernelOp,
    NoMatch,
    Rules,
    Value,
    Written,
    attr,
    attribute,
    integer,
    op,
    operands,
    plain_product,
    real,
    result,
)

ROW_MAJOR, AS_IT_IS = 101, 111  # CblasRowMajor, CblasNoTrans (cblas.h)
FLOPS_PER_NANOSECOND = 50  # roughly, of one core

CBLAS_SGEMM = ForeignFunction("cblas_sgemm", "#include <cblas.h>", ("openblas", "libopenblas.so.0"))


@attribute("openblas.sgemm")
class Sgemm(NamedTuple):
    """y[rows, columns] = x[rows, depth] * w[depth, columns], and a bias where there is one."""

    rows: int
    depth: int
    columns: int
    bias: bool


@op("openblas.sgemm")
class SgemmOp(KernelOp):
    """A product by cblas_sgemm.  xs: rows, weights, and a bias."""

    xs: list[Value] = operands()
    problem: Sgemm = attr()
    y: Value = result()


class SgemmKind(KernelKind[Sgemm]):
    """A work item is a row; a call does all rows that a thread is given at once."""

    name = "openblas.sgemm"

    def flops(self, problem: Sgemm) -> int:
        return 2 * problem.rows * problem.depth * problem.columns

    def foreign(self, problem: Sgemm) -> tuple[ForeignFunction, ...]:
        return (CBLAS_SGEMM,)

    def generate(self, b: CodeBuilder, problem: Sgemm, call: Call) -> Written:
        def rows() -> None:
            _fill_with_bias(b, problem, call)
            _sgemm(b, problem, call)

        b.when(b.icmp("slt", b.begin, b.end), rows)
        return Written(problem.rows, 2 * problem.depth * problem.columns / FLOPS_PER_NANOSECOND)


def _fill_with_bias(b: CodeBuilder, problem: Sgemm, call: Call) -> None:
    """The result begins with the bias, and the product is added to it."""

    def row(i: CodeValue) -> None:
        b.copy(b.offset(call.out, FLOAT, i, problem.columns), call.operands[2], 4 * problem.columns)

    if problem.bias:
        b.work_items(row)


def _sgemm(b: CodeBuilder, problem: Sgemm, call: Call) -> None:
    x, weights = call.operands[:2]
    count = b.convert("trunc", b.sub(b.end, b.begin), I32)
    depth, columns = integer(I32, problem.depth), integer(I32, problem.columns)
    layout = [integer(I32, n) for n in (ROW_MAJOR, AS_IT_IS, AS_IT_IS)]
    rows = b.offset(x, FLOAT, b.begin, problem.depth)
    out = b.offset(call.out, FLOAT, b.begin, problem.columns)
    beta = real(FLOAT, 1.0 if problem.bias else 0.0)
    given = [rows, depth, weights, columns, beta, out, columns]
    b.call(VOID, "cblas_sgemm", [*layout, count, columns, depth, real(FLOAT, 1.0), *given])


SGEMM = SgemmKind()
DIALECT = Dialect("openblas", {"openblas.sgemm": SgemmOp}.get, {"openblas.sgemm": Sgemm}, names=frozenset({"sgemm"}))
CLAIMS = Rules()


@CLAIMS.rule("kernel.gemm")
def claim_product(gemm: Any, e: Any) -> Value | NoMatch:
    """Products of rows that lie side by side with constant weights; what follows them stays mlconv's."""
    product = plain_product(gemm)
    if isinstance(product, NoMatch):
        return product
    if not isinstance(product.rows, int):
        return NoMatch("how many rows there are is known at run time only")
    xs = [product.x, e.constant(product.weights), *([product.bias] if product.bias is not None else [])]
    problem = Sgemm(product.rows, product.depth, product.columns, product.bias is not None)
    return product.finish(e.kernel(SgemmOp(xs, problem, product.sums)), e)
