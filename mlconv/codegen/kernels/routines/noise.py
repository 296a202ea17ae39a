"""Random numbers from a counter: the same ones in every run, as an object keeps no state.

Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", Philox4x64-10; the order of numbers is that of
`numpy.random.Philox`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from mlconv.codegen.kernels.kind import Written
from mlconv.codegen.kernels.routines.code import Code, Num
from mlconv.codegen.llvm.types import I64, I128, Value, integer
from mlconv.dialects.kernel import Ints
from mlconv.dialects.kernel.routines import Random
from mlconv.ir.dtypes import DType

U64, F64 = DType.U64, DType.F64
_MULTIPLIERS = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
_KEY_STEPS = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
_ROUNDS = 10
_NUMBER_NS = 10.0
_MASK = 2**64 - 1


def _product(c: Code, a: int, b: Num) -> tuple[Num, Num]:
    """Upper and lower half of a 128-bit product."""
    wide = c.b.mul(c.b.convert("zext", b.value, I128), integer(I128, a))
    upper = c.b.binary("lshr", wide, integer(I128, I64.bits))
    return Num(c, c.b.convert("trunc", upper, I64), U64), b * a


def philox(c: Code, counter: Num, key: Ints) -> list[Num]:
    """Four random integers for a counter."""
    zero = c.num(0, U64)
    v = [counter, zero, zero, zero]
    for i in range(_ROUNDS):
        k0, k1 = ((k + i * step) & _MASK for k, step in zip(key, _KEY_STEPS, strict=True))
        (high0, low0), (high1, low1) = _product(c, _MULTIPLIERS[0], v[0]), _product(c, _MULTIPLIERS[1], v[2])
        v = [high1.with_("xor", v[1]).with_("xor", k0), low1, high0.with_("xor", v[3]).with_("xor", k1), low0]
    return v


def _unit(c: Code, bits: Num) -> Num:
    """The upper 53 bits as a number in [0, 1)."""
    return c.raw("lshr", bits, 11).to(F64) * 2.0**-53


def uniform(c: Code, p: Sequence[Value], given: Random) -> Written:
    """Uniform in [0, 1)."""

    def block(i: Num) -> None:
        for k, bits in enumerate(philox(c, (i + 1).to(U64), given.key)):
            _put(c, p[0], i * 4 + k, given.total, _unit(c, bits).to(given.dtype))

    return _shared(c, given, block)


def normal(c: Code, p: Sequence[Value], given: Random) -> Written:
    """Standard normal (Box and Muller)."""

    def block(i: Num) -> None:
        u = [_unit(c, bits) for bits in philox(c, (i + 1).to(U64), given.key)]
        for k in (0, 2):
            radius = ((1.0 - u[k]).fn("log") * -2.0).fn("sqrt")
            for j, turn in enumerate(("cos", "sin")):
                _put(
                    c, p[0], i * 4 + k + j, given.total, (radius * (u[k + 1] * (2 * math.pi)).fn(turn)).to(given.dtype)
                )

    return _shared(c, given, block)


def _shared(c: Code, given: Random, block: Callable[[Num], None]) -> Written:
    """block(i) for every block of four numbers."""
    first, last = c.shared(-(-given.total // 4), given.shares)
    c.each(last, block, first)
    return Written(given.shares, given.total * _NUMBER_NS / given.shares)


def _put(c: Code, out: Value, at: Num, count: int, value: Num) -> None:
    c.when(at.lt(count), lambda: c.store(out, at, value))


GENERATORS = {"uniform": uniform, "normal": normal}
