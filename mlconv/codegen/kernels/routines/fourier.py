"""Discrete Fourier transforms along one axis: Stockham's self-sorting passes, one for each prime factor of the length,
in float64.

Source: Van Loan, Computational Frameworks for the Fast Fourier Transform, section 1.7.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.codegen.kernels.kind import Written
from mlconv.codegen.kernels.routines.code import Code, Num
from mlconv.codegen.llvm.types import Value
from mlconv.dialects.kernel.routines import Fourier
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate

F64 = DType.F64
_BUTTERFLY_NS = 2.0
_UNROLLED = 5  # radices up to this one are written out
Pair = tuple[Num, Num]


def factors(n: int) -> list[int]:
    """Prime factors; two factors 2 are one 4."""
    out, p = [], 2
    while n > 1:
        while n % p == 0:
            out.append(p)
            n //= p
        p += 1
    twos = out.count(2)
    return [4] * (twos // 2) + [2] * (twos % 2) + [f for f in out if f != 2]


class _Transform:
    """One lane of n complex numbers in two rows of scratch.  table: cos and sin of 2 pi k / n, float64 [n, 2]."""

    def __init__(self, c: Code, table: Value, n: int, inverse: bool) -> None:
        self.c, self.table, self.n, self.sign = c, table, n, 1.0 if inverse else -1.0

    def load(self, row: Value, at: Num) -> Pair:
        return self.c.load(row, F64, at * 2), self.c.load(row, F64, at * 2 + 1)

    def store(self, row: Value, at: Num, value: Pair) -> None:
        for k in (0, 1):
            self.c.store(row, at * 2 + k, value[k])

    def turned(self, value: Pair, at: Num) -> Pair:
        """value * exp(sign 2 pi i at / n)."""
        cos, sin = self.c.load(self.table, F64, at * 2), self.c.load(self.table, F64, at * 2 + 1) * self.sign
        return value[0] * cos - value[1] * sin, value[0] * sin + value[1] * cos

    def run(self, rows: tuple[Value, Value]) -> Value:
        """All passes; returns the row with the result."""
        (source, target), length, stride = rows, self.n, 1
        for radix in factors(self.n):
            self._pass(source, target, length, stride, radix)
            source, target, length, stride = target, source, length // radix, stride * radix
        return source

    def _pass(self, source: Value, target: Value, length: int, stride: int, radix: int) -> None:
        c, m, n = self.c, length // radix, self.n

        def wrap(at: Num) -> Num:
            return c.where(at.ge(n), at - n, at)

        def butterfly(q: Num, s: Num) -> None:
            def element(r: Num | int) -> Pair:
                return self.load(
                    source, s + q * stride + r * (stride * m) if isinstance(r, Num) else s + q * stride + r * stride * m
                )

            def one(k: Num, total: Pair) -> None:
                self.store(target, s + (q * radix + k) * stride, self.turned(total, q * k * stride))

            if radix <= _UNROLLED:
                elements = [element(r) for r in range(radix)]
                for k in range(radix):
                    total = elements[0]
                    for r in range(1, radix):
                        step = r * k % radix * (n // radix)
                        term = self.turned(elements[r], c.num(step)) if step else elements[r]
                        total = total[0] + term[0], total[1] + term[1]
                    one(c.num(k), total)
                return

            def output(k: Num) -> None:
                def add(r: Num, re: Num, im: Num, at: Num) -> Sequence[Num]:
                    term = self.turned(element(r), at)
                    return [re + term[0], im + term[1], wrap(at + k * (n // radix))]

                zero = c.num(0.0, F64)
                re, im, _ = c.fold(radix, [zero, zero, c.num(0)], add)
                one(k, (re, im))

            c.each(radix, output)

        c.each(m, lambda q: c.each(stride, lambda s: butterfly(q, s)))


def _of_half(c: Code, k: Num, n: int, have: int, fetch: Callable[[Num], Sequence[Num]]) -> Pair:
    """Place k of a spectrum of n numbers of which the first `have` are given, and the rest is their mirrored
    conjugate.
    """
    mirrored = k.gt(n // 2)
    at = c.where(mirrored, n - k, k)
    zero = c.num(0.0, F64)
    re, im = c.choose(at.lt(have), lambda: fetch(at), lambda: [zero, zero], [F64, F64])
    own = k.eq(0) | (k + k).eq(n)  # these have no imaginary part in the transform of real numbers
    return re, c.where(own, zero, c.where(mirrored, -im, im))


def fourier(c: Code, p: Sequence[Value], given: Fourier) -> Written:
    """See `Fourier`: threads take rows."""
    x, table, y, scratch = p
    dtype, n, inner, shares = given.dtype, given.n, given.inner, given.shares
    first, last = c.shared(given.outer * inner, shares)
    scratch = c.address(scratch, F64, c.first_share * (4 * n)) if shares > 1 else scratch
    rows = scratch, c.address(scratch, F64, 2 * n)
    transform = _Transform(c, table, n, given.inverse)

    def fetch(at: Num, base: Num) -> Pair:
        place = base + at * inner
        if given.given == "real":
            return c.load(x, dtype, place).to(F64), c.num(0.0, F64)
        return c.load(x, dtype, place * 2).to(F64), c.load(x, dtype, place * 2 + 1).to(F64)

    def lane(o: Num, i: Num) -> None:
        base = o * (given.have * inner) + i

        def read(k: Num) -> None:
            if given.given != "half":
                transform.store(rows[0], k, fetch(k, base))
                return
            transform.store(rows[0], k, _of_half(c, k, n, given.have, lambda at: fetch(at, base)))

        c.each(n, read)
        result = transform.run(rows)

        def write(k: Num) -> None:
            re, im = (v * given.scale for v in transform.load(result, k))
            place = o * (given.keep * inner) + k * inner + i
            if given.made == "real":
                c.store(y, place, re.to(dtype))
                return
            c.store(y, place * 2, re.to(dtype))
            c.store(y, place * 2 + 1, im.to(dtype))

        c.each(given.keep, write)

    c.each(last, lambda k: lane(c.raw("udiv", k, inner), c.raw("urem", k, inner)), first)
    lanes = estimate(given.outer * inner)
    return Written(shares, lanes * n * sum(factors(n)) * _BUTTERFLY_NS / shares)


GENERATORS = {"fourier": fourier}
