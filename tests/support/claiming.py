"""A plug-in that sends products to a C function of two integers and three pointers, which a test compiles."""

from __future__ import annotations

from typing import Any

from mlconv.plugin import (
    I64,
    VOID,
    Call,
    CodeBuilder,
    Dialect,
    ForeignFunction,
    KernelKind,
    KernelOp,
    NoMatch,
    Rules,
    Value,
    Written,
    attr,
    integer,
    op,
    operands,
    plain_product,
    result,
)

FUNCTION = "claimed_product"
SOURCE = """
#include <stdint.h>
#ifndef TURNS
#define TURNS 1
#endif
void claimed_product(int64_t n, int64_t k, int64_t m, const float *x, const float *w, const float *b, float *y) {
  for (volatile int turn = 0; turn < TURNS; turn++)
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < m; j++) {
        float sum = b ? b[j] : 0;
        for (int64_t p = 0; p < k; p++) sum += x[i * k + p] * w[p * m + j];
        y[i * m + j] = sum;
      }
}
"""


@op("claimed.product")
class ProductOp(KernelOp):
    """x, weights, and a bias."""

    xs: list[Value] = operands()
    problem: tuple[int, int, int, bool] = attr()
    y: Value = result()


class _Kind(KernelKind[tuple[int, int, int, bool]]):
    name = "claimed.product"

    def flops(self, problem: tuple[int, int, int, bool]) -> int:
        return 2 * problem[0] * problem[1] * problem[2]

    def foreign(self, problem: tuple[int, int, int, bool]) -> tuple[ForeignFunction, ...]:
        return (ForeignFunction(FUNCTION, "void claimed_product(void);"),)

    def generate(self, b: CodeBuilder, problem: tuple[int, int, int, bool], call: Call) -> Written:
        *sizes, bias = problem
        given = [*call.operands, *([] if bias else [b.offset(call.operands[0], I64, integer(I64, 0))])]
        b.call(VOID, FUNCTION, [*(integer(I64, n) for n in sizes), *given, call.out])
        return Written()


KIND = _Kind()
DIALECT = Dialect("claimed", {"claimed.product": ProductOp}.get, names=frozenset({"product"}))
CLAIMS = Rules()


@CLAIMS.rule("kernel.gemm")
def claim(gemm: Any, e: Any) -> Value | NoMatch:
    """Products with a bias."""
    found = plain_product(gemm)
    if isinstance(found, NoMatch) or found.bias is None or not isinstance(found.rows, int):
        return found if isinstance(found, NoMatch) else NoMatch("it has no bias")
    xs = [found.x, e.constant(found.weights), found.bias]
    return found.finish(e.kernel(ProductOp(xs, (found.rows, found.depth, found.columns, True), found.sums)), e)
