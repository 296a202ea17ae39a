"""Complex numbers: in registers the integer of all their bits, so that copies, selections and vectors need nothing of
their own.

Functions of complex64 compute in float32, magnitudes and quotients in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.codegen.llvm.lanes import Lanes
from mlconv.codegen.llvm.types import Value, integer
from mlconv.ir.dtypes import DType

PART = {DType.C64: DType.F32, DType.C128: DType.F64}
_BITS = {DType.C64: DType.I32, DType.C128: DType.I64}
Pair = tuple[Value, Value]


def unpack(s: Lanes, dtype: DType, x: Value) -> Pair:
    """Real and imaginary part."""
    c, part, bits = s.b, s.type(PART[dtype]), s.type(_BITS[dtype])
    high = c.binary("lshr", x, integer(x.type, bits.bits))
    low, upper = (c.convert("trunc", v, bits) for v in (x, high))
    return c.bitcast(low, part), c.bitcast(upper, part)


def pack(s: Lanes, dtype: DType, parts: Pair) -> Value:
    c, whole, bits = s.b, s.type(dtype), s.type(_BITS[dtype])
    low, high = (c.convert("zext", c.bitcast(v, bits), whole) for v in parts)
    return c.or_(low, c.binary("shl", high, integer(whole, bits.bits)))


def cast(s: Lanes, x: Value, source: DType, target: DType) -> Value:
    """Between complex types, from real ones (imaginary part 0) and to them (it is dropped); to bool: either part is not
    0.
    """
    if not source.is_complex:
        part = PART[target]
        return pack(s, target, (s.cast(x, source, part), s.literal(part, 0.0)))
    re, im = unpack(s, source, x)
    if target.is_complex:
        return pack(s, target, (s.cast(re, PART[source], PART[target]), s.cast(im, PART[source], PART[target])))
    return s.cast(re, PART[source], target)


def apply(s: Lanes, opcode: str, dtype: DType, args: Sequence[Value], types: Sequence[DType]) -> Value:
    """A function with complex operands or result.  Raises KeyError for one that has no complex form."""
    if opcode == "complex":
        return pack(s, dtype, (args[0], args[1]))
    part = PART[types[0]]
    pairs = [unpack(s, t, a) for t, a in zip(types, args, strict=True)]
    f = _Parts(s, part)
    if opcode in ("real", "imag"):
        return pairs[0][opcode == "imag"]
    if opcode == "abs":
        return f.magnitude(pairs[0])
    if opcode in ("equal", "not_equal"):
        code, join = ("oeq", "and") if opcode == "equal" else ("une", "or")
        a, b = (s.b.fcmp(code, pairs[0][k], pairs[1][k]) for k in (0, 1))
        return s.b.binary(join, a, b)
    made: dict[str, Callable[..., Pair]] = {
        "add": f.each("add"),
        "sub": f.each("sub"),
        "mul": f.mul,
        "div": f.div,
        "neg": f.neg,
        "exp": f.exp,
        "log": f.log,
        "sqrt": f.sqrt,
        "sign": f.sign,
        "pow": f.pow,
        "sin": f.sin,
        "cos": f.cos,
        "tan": f.tan,
        "sinh": f.sinh,
        "cosh": f.cosh,
        "tanh": f.tanh,
        "expm1": f.expm1,
        "log1p": f.log1p,
        "sigmoid": f.sigmoid,
    }
    return pack(s, dtype, made[opcode](*pairs))


class _Parts:
    """Arithmetic on pairs."""

    def __init__(self, s: Lanes, part: DType) -> None:
        self.s, self.part = s, part

    def op(self, opcode: str, *args: Value, part: DType | None = None) -> Value:
        dtype = part or self.part
        return self.s.apply(opcode, dtype, args, [dtype] * len(args))

    def number(self, value: float) -> Value:
        return self.s.literal(self.part, value)

    def each(self, opcode: str) -> Callable[[Pair, Pair], Pair]:
        return lambda x, y: (self.op(opcode, x[0], y[0]), self.op(opcode, x[1], y[1]))

    def neg(self, x: Pair) -> Pair:
        return self.op("neg", x[0]), self.op("neg", x[1])

    def mul(self, x: Pair, y: Pair) -> Pair:
        op = self.op
        return op("sub", op("mul", x[0], y[0]), op("mul", x[1], y[1])), op(
            "add", op("mul", x[0], y[1]), op("mul", x[1], y[0])
        )

    def _wide(self, *values: Value) -> list[Value]:
        return [self.s.cast(v, self.part, DType.F64) for v in values]

    def _square(self, x: Sequence[Value]) -> Value:
        """|x|^2 in float64."""
        wide = DType.F64
        return self.op("add", self.op("mul", x[0], x[0], part=wide), self.op("mul", x[1], x[1], part=wide), part=wide)

    def magnitude(self, x: Pair) -> Value:
        return self.s.cast(self.op("sqrt", self._square(self._wide(*x)), part=DType.F64), DType.F64, self.part)

    def div(self, x: Pair, y: Pair) -> Pair:
        wide = DType.F64
        a, b, c, d = self._wide(*x, *y)
        size = self._square([c, d])
        re = self.op("add", self.op("mul", a, c, part=wide), self.op("mul", b, d, part=wide), part=wide)
        im = self.op("sub", self.op("mul", b, c, part=wide), self.op("mul", a, d, part=wide), part=wide)
        re, im = (self.s.cast(self.op("div", v, size, part=wide), wide, self.part) for v in (re, im))
        return re, im

    def exp(self, x: Pair) -> Pair:
        size = self.op("exp", x[0])
        return self.op("mul", size, self.op("cos", x[1])), self.op("mul", size, self.op("sin", x[1]))

    def log(self, x: Pair) -> Pair:
        return self.op("log", self.magnitude(x)), self.op("atan2", x[1], x[0])

    def sqrt(self, x: Pair) -> Pair:
        """(sqrt((|x| + re) / 2), sign(im) sqrt((|x| - re) / 2))."""
        size, half = self.magnitude(x), self.number(0.5)
        zero = self.number(0.0)
        re, im = (
            self.op("sqrt", self.op("maximum", self.op("mul", self.op(k, size, x[0]), half), zero))
            for k in ("add", "sub")
        )
        return re, self.s.intrinsic("copysign", self.part, [im, x[1]])

    def sign(self, x: Pair) -> Pair:
        """x / |x|; 0 stays."""
        size = self.magnitude(x)
        none = self.s.apply("equal", DType.BOOL, [size, self.number(0.0)], [self.part] * 2)
        safe = self.s.apply("select", self.part, [none, self.number(1.0), size], [DType.BOOL, self.part, self.part])
        return self.op("div", x[0], safe), self.op("div", x[1], safe)

    def pow(self, x: Pair, y: Pair) -> Pair:
        """exp(y log x); 0 to any power but 0 is 0."""
        result = self.exp(self.mul(y, self.log(x)))
        none = self.s.apply("equal", DType.BOOL, [self.magnitude(x), self.number(0.0)], [self.part] * 2)
        still = self.s.apply("equal", DType.BOOL, [self.magnitude(y), self.number(0.0)], [self.part] * 2)
        one = self.s.apply(
            "select", self.part, [still, self.number(1.0), self.number(0.0)], [DType.BOOL, self.part, self.part]
        )
        re, im = (
            self.s.apply("select", self.part, [none, v, r], [DType.BOOL, self.part, self.part])
            for v, r in zip((one, self.number(0.0)), result, strict=True)
        )
        return re, im

    def sin(self, x: Pair) -> Pair:
        return self.op("mul", self.op("sin", x[0]), self.op("cosh", x[1])), self.op(
            "mul", self.op("cos", x[0]), self.op("sinh", x[1])
        )

    def cos(self, x: Pair) -> Pair:
        return self.op("mul", self.op("cos", x[0]), self.op("cosh", x[1])), self.op(
            "neg", self.op("mul", self.op("sin", x[0]), self.op("sinh", x[1]))
        )

    def sinh(self, x: Pair) -> Pair:
        return self.op("mul", self.op("sinh", x[0]), self.op("cos", x[1])), self.op(
            "mul", self.op("cosh", x[0]), self.op("sin", x[1])
        )

    def cosh(self, x: Pair) -> Pair:
        return self.op("mul", self.op("cosh", x[0]), self.op("cos", x[1])), self.op(
            "mul", self.op("sinh", x[0]), self.op("sin", x[1])
        )

    def tan(self, x: Pair) -> Pair:
        return self.div(self.sin(x), self.cos(x))

    def tanh(self, x: Pair) -> Pair:
        return self.div(self.sinh(x), self.cosh(x))

    def expm1(self, x: Pair) -> Pair:
        re, im = self.exp(x)
        return self.op("sub", re, self.number(1.0)), im

    def log1p(self, x: Pair) -> Pair:
        return self.log((self.op("add", x[0], self.number(1.0)), x[1]))

    def sigmoid(self, x: Pair) -> Pair:
        one = (self.number(1.0), self.number(0.0))
        re, im = self.exp(self.neg(x))
        return self.div(one, (self.op("add", re, one[0]), im))
