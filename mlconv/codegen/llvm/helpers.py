"""Functions of generated code that other functions call: they need loops or memory of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from mlconv.codegen.llvm.function import CodeFunction
from mlconv.codegen.llvm.literals import real
from mlconv.codegen.llvm.types import DOUBLE, I32, I64, LlvmType, Value, index

Declarations = dict[str, str]
_X = Value(DOUBLE, "%x")
_ZERO, _HALF, _ONE, _TEN, _PI = (real(DOUBLE, value) for value in (0.0, 0.5, 1.0, 10.0, math.pi))
_NAN, _INFINITY = real(DOUBLE, math.nan), real(DOUBLE, math.inf)
_SERIES = (1 / 12, 1 / 120, 1 / 252, 1 / 240, 1 / 132, 691 / 32760)


def call(b: CodeFunction, name: str, args: Sequence[Value]) -> Value:
    """Call a helper; its text goes into the module once."""
    result, write = _HELPERS[name]
    if name not in b.declarations:
        b.declarations[name] = write(name, b.declarations).text()
    return b.invoke(result, name, args)


def _power(name: str, declarations: Declarations) -> CodeFunction:
    """x ** n for n >= 0, by repeated squaring; wraps."""
    x, n = Value(I64, "%x"), Value(I64, "%n")
    f = CodeFunction(I64, name, [x, n], declarations)
    f.goto("head")
    f.label("head")
    left, factor, product = phis = [f.phi(I64) for _ in range(3)]
    f.branch(f.icmp("eq", left, index(0)), "leave", "body")
    f.label("body")
    odd = f.icmp("ne", f.and_(left, index(1)), index(0))
    times = f.select(odd, f.mul(product, factor), product)
    square = f.mul(factor, factor)
    half = f.binary("lshr", left, index(1))
    f.goto("head")
    for phi, first, following in zip(phis, (n, x, index(1)), (half, square, times), strict=True):
        f.comes(phi, first, "entry")
        f.comes(phi, following, "body")
    f.label("leave")
    f.ret(product)
    return f


def _lgamma(name: str, declarations: Declarations) -> CodeFunction:
    """lgamma of C keeps the sign in a global variable, lgamma_r does not."""
    f = CodeFunction(DOUBLE, name, [_X], declarations)
    sign = f.room(I32, 1)
    f.ret(f.call(DOUBLE, "lgamma_r", [_X, sign]))
    return f


def _digamma(name: str, declarations: Declarations) -> CodeFunction:
    """Recurrence up to 10, then the asymptotic series (Abramowitz and Stegun 6.3.18); reflection below 0."""
    f = CodeFunction(DOUBLE, name, [_X], declarations)
    low = f.fcmp("olt", _X, _ZERO)
    mirrored, positive = f.fsub(_ONE, _X), f.fadd(_X, _ZERO)
    start = f.select(low, mirrored, positive)
    f.branch(f.fcmp("olt", start, _INFINITY), "head", "ends")
    f.label("head")
    z, shift = f.phi(DOUBLE), f.phi(DOUBLE)
    f.branch(f.fcmp("olt", z, _TEN), "body", "series")
    f.label("body")
    less = f.fsub(shift, f.binary("fdiv", _ONE, z))
    following = f.fadd(z, _ONE)
    f.goto("head")
    for phi, first, next_ in ((z, start, following), (shift, _ZERO, less)):
        f.comes(phi, first, "entry")
        f.comes(phi, next_, "body")
    f.label("series")
    y = _series(f, z, shift)
    f.branch(low, "reflect", "leave")
    f.label("reflect")
    f.ret(_reflected(f, y))
    f.label("leave")
    f.ret(y)
    f.label("ends")
    f.ret(f.select(low, _NAN, _X))
    return f


def _series(f: CodeFunction, z: Value, shift: Value) -> Value:
    """shift + log(z) - 1 / 2z - sum of _SERIES[i] / z^(2i + 2), with signs that alternate."""
    inverse = f.binary("fdiv", _ONE, f.fmul(z, z))
    tail = f.fmul(inverse, real(DOUBLE, _SERIES[-1]))
    for coefficient in reversed(_SERIES[:-1]):
        tail = f.fmul(inverse, f.fsub(real(DOUBLE, coefficient), tail))
    log = f.call(DOUBLE, "log", [z])
    half = f.binary("fdiv", _HALF, z)
    return f.fsub(f.fsub(f.fadd(shift, log), half), tail)


def _reflected(f: CodeFunction, y: Value) -> Value:
    """psi(x) = psi(1 - x) - pi / tan(pi x); NaN at the poles."""
    pole = f.fcmp("oeq", f.call(DOUBLE, "llvm.floor.f64", [_X]), _X)
    tan = f.call(DOUBLE, "tan", [f.fmul(_X, _PI)])
    other = f.fsub(y, f.binary("fdiv", _PI, tan))
    return f.select(pole, _NAN, other)


_HELPERS: dict[str, tuple[LlvmType, Callable[[str, Declarations], CodeFunction]]] = {
    "mlc_power": (I64, _power),
    "mlc_lgamma": (DOUBLE, _lgamma),
    "mlc_digamma": (DOUBLE, _digamma),
}
