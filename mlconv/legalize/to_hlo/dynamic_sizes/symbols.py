"""Sizes with a range: the module is made at their largest values, and runs with any.

Each symbol of a shape becomes an int32 scalar behind the inputs.  Every value has its largest shape, of which the
leading part along each axis holds numbers; what lies behind is not specified, of inputs too.  The shape of each such
output is a further output, an int32 vector.

`Sizes` keeps the symbolic shapes while ops are legalized at their largest; `masking` deals afterwards with the HLO ops
that would mix the two parts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core import Constant, DefineSize
from mlconv.dialects.hlo import hlo_op
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Inline, Splat
from mlconv.ir.core import Block, Op, Value, values_of, walk
from mlconv.ir.data_sizes import data_sizes
from mlconv.ir.dim_fold import BinaryFold, number_at
from mlconv.ir.dims import Dim, Size, divide_exactly
from mlconv.ir.dtypes import DType
from mlconv.ir.facts import EntrySizes, SizeArgument
from mlconv.ir.limits import MAX_BYTES
from mlconv.ir.module import Function
from mlconv.ir.shapes import symbols_of
from mlconv.ir.size_bounds import is_monotone
from mlconv.ir.size_facts import bounds, simplify
from mlconv.ir.types import Shape, TensorType
from mlconv.provenance.locations import Location, frames
from mlconv.rewrite import edit

Ranges = Mapping[str, tuple[int, int]]
SCALAR = TensorType(DType.I32, ())
SMALLEST = 2  # the smallest upper end: a size that is always 1 cannot be told from one that broadcasts
LARGEST = (1 << 31) - 1  # what the scalar of a size holds
NEAR = 64  # the end of a range lies that near to a size that the model takes
_OPCODES = {
    "add": "add",
    "mul": "multiply",
    "floordiv": "divide",
    "mod": "remainder",
    "min": "minimum",
    "max": "maximum",
}


class Sizes:
    """shapes: symbolic shapes of values whose types have the largest sizes.  stated: those that a rule says of what it
    made for the sizes at run time.  fixed: values that stand for some whose sizes are numbers.  symbols: the scalar of
    each.  given: shapes of inputs as a caller knows them.
    """

    def __init__(self, function: Function) -> None:
        self.block: Block = function.block
        self.location: Location = function.location
        self.facts = function.facts.where
        self.ranges: Ranges = _taken(function)
        self.counted: tuple[SizeArgument, ...] = ()
        self.shapes: dict[Value, Shape] = {}
        self.stated: dict[Value, Shape] = {}
        self.fixed: set[Value] = set()
        self.symbols: dict[str, Value] = {}
        self.given: dict[str, Shape] = {}
        self._values = _Scalars(self)
        self._behind: dict[Value, Op] = {}  # for scalars: the op that defines the last size which they need
        self._order: dict[Op | None, int] = {None: -1}  # of these ops
        self._last: dict[Op | None, Op] = {}  # what was emitted last behind each

    @property
    def used(self) -> bool:
        """Some size is not a number."""
        return bool(self.symbols)

    def objection(self, value: Value) -> tuple[Code, str] | None:
        """Why an input cannot be one of HLO; None when it can."""
        if not isinstance(value.type, TensorType) or value.type.shape is None:
            return Code.ShapeNotStatic, "HLO needs its rank and sizes"
        symbols = symbols_of([value.type.shape])
        unbounded = [s for s in symbols if s not in self.ranges]
        if unbounded:
            return Code.ShapeNotStatic, f"HLO needs sizes, or a range for {', '.join(unbounded)}"
        narrow = [s for s in symbols if self.ranges[s][1] < SMALLEST]
        largest = [d for d in map(self.largest, value.type.shape) if d is not None]
        if (
            any(self.ranges[s][1] > LARGEST for s in symbols)
            or math.prod(largest) * value.type.dtype.itemsize > MAX_BYTES
        ):
            return (
                Code.TensorTooLarge,
                f"with sizes up to {largest} it is too large: HLO counts them "
                f"in 32 bits, and no machine holds more than {MAX_BYTES} bytes",
            )
        if narrow:
            return (
                Code.ShapeNotStatic,
                f"the range of {narrow[0]} ends at {self.ranges[narrow[0]][1]}, "
                f"and one of HLO ends at {SMALLEST} or above",
            )
        return None

    def start(self, function: Function) -> None:
        """Give all values their largest shapes, as far as these are known, and add the scalars."""
        found = symbols_of(v.tensor.shape for v in function.inputs)
        self._bound(function.block)
        if not found and not self.counted:
            return
        self.given = {v.name: v.tensor.shape or () for v in function.inputs}
        for value in list(values_of(function.block)):
            self._widen(value)
        for value in function.inputs:
            self._adapt(value)
        for name in found:
            self.symbols[name] = edit.add_argument(function.block, SCALAR, name)
        for op in [op for op in walk(function.block) if isinstance(op, DefineSize)]:
            if op.location is not None and not frames(self.location):
                self.location = op.location  # a function has no line of its own
            self._define(op)

    def _adapt(self, value: Value) -> None:
        """An input that is not as large as what is computed with it, at its largest, is cut off or filled up to that:
        its sizes are told by those of others, or have an end that the model does not take.
        """
        if not value.tensor.is_static:
            return
        given = self.given[value.name]
        told = self.shapes.get(value, given)
        wide, outside = [self.largest(d) for d in told], [at_ends(d, self.facts.ranges) for d in given]
        numbers, have = tuple(n for n in wide if n is not None), tuple(n for n in outside if n is not None)
        if len(numbers) != len(wide) or len(have) != len(wide) or numbers == have:
            return
        users = list(value.uses)
        self.shapes[value] = given
        edit.retype(value, value.tensor.with_shape(have))
        zero = self.emit(Constant(value=Splat(0, value.tensor.dtype, ())))
        padding = tuple((0, n - m, 0) for n, m in zip(numbers, have, strict=True))
        fields = {"op_type": "", "padding": padding}
        y = self.emit(hlo_op("pad", [value, zero], fields, [value.tensor.with_shape(numbers)]))
        self.state(y, told)
        for user, place in users:
            edit.set_operand(user, place, y)

    def _bound(self, block: Block) -> None:
        """Sizes that data decide have ranges to their bounds, as far as those have a largest value, or to less, where
        what reads them takes no more.
        """
        ends = {name: self.largest(bound) for name, bound in data_sizes(block).items()}
        counted = {
            name: (0, int(max(min(high, bounds(Dim.symbol(name), self.facts)[1]), SMALLEST)))
            for name, high in ends.items()
            if high is not None
        }
        self.ranges = {**self.ranges, **counted}
        self.counted = tuple(SizeArgument(name, *pair) for name, pair in counted.items())

    def _define(self, op: DefineSize) -> None:
        """The scalar of a size stands behind the op that defines it."""
        if op.block is None or op.location is None or op.symbol not in self.ranges:
            return
        scalar = hlo_op("convert", [op.y], {"op_type": op.name}, [SCALAR])
        Builder(op.block, op.location, op.next).emit(scalar)
        self.symbols[op.symbol] = scalar.results[0]
        self._behind[scalar.results[0]] = scalar
        self._order[scalar] = len(self._order)

    def _widen(self, value: Value) -> None:
        if not isinstance(value.type, TensorType) or value.type.shape is None or value.type.is_static:
            return
        largest = [self.largest(d) for d in value.type.shape]
        numbers = tuple(n for n in largest if n is not None)
        least = min(
            (n for n, d in zip(numbers, value.type.shape, strict=False) if isinstance(d, Dim)), default=SMALLEST
        )
        if len(numbers) == len(largest) and least >= SMALLEST:
            self.shapes[value] = tuple(simplify(d, self.facts) for d in value.type.shape)
            edit.retype(value, value.type.with_shape(numbers))

    def largest(self, size: Size) -> int | None:
        """The largest value of a size that grows with its symbols, and one that is not below it of others; None where
        nothing is known.
        """
        if not isinstance(size, Dim):
            return size
        if not size.is_known or not size.symbols() <= self.ranges.keys():
            return None
        if self._rises(size):
            return self.at_largest(size)
        high = bounds(size, self.facts)[1]
        return None if math.isinf(high) else int(high)

    def _rises(self, size: Size) -> bool:
        """Certain not to fall when one of its symbols rises: of a product, where no factor is below 0 (windows of a
        signal, one for each channel).
        """
        if is_monotone(size):
            return True
        factors = sorted(size.symbols()) if isinstance(size, Dim) else []
        rests = [rest for name in factors if (rest := divide_exactly(size, Dim.symbol(name))) is not None]
        return any(bounds(rest, self.facts)[0] >= 0 and self._rises(rest) for rest in rests)

    def at_largest(self, size: Size) -> int | None:
        """A size where every symbol is as large as it may be; None of one that is not told by them."""
        return at_ends(size, self.ranges)

    def of(self, value: Value) -> Shape:
        """The shape of a value, symbolic where it is."""
        found = self.shapes.get(value)
        return value.tensor.static_shape() if found is None else found

    def replaced(self, old: Value, new: Value, fresh: bool) -> None:
        """`new` stands for `old` from now on.  fresh: it was made for that.  Raises ConversionError TargetLacksOp when
        it stands for another shape already.
        """
        want = self.shapes.get(old)
        if want is None:
            if fresh and old.tensor.is_static:
                self.fixed.add(new)
            return
        have = self.shapes.get(new)
        if have != want and (have is not None or not fresh):
            raise ConversionError(
                Code.TargetLacksOp, f"a value of shape {shape_text(want)} would be one of {shape_text(self.of(new))}"
            )
        self.shapes[new] = want
        if new in self.stated:
            self.stated[new] = want

    def state(self, value: Value, shape: Shape) -> None:
        """The shape of a value that is made for the sizes at run time: what lies inside is valid."""
        self.stated[value] = shape
        if is_dynamic(shape):
            self.shapes[value] = shape

    # -- numbers at run time -----------------------------------------------------------------------

    def value(self, size: Size) -> Value:
        """An int32 scalar that holds a size; computed at the start of the function."""
        return self._values.of(size)

    def emit(self, op: Op) -> Value:
        """At the start of the function, or where the last size that the op needs is known."""
        needed = max((self._behind.get(v) for v in op.inputs), key=self._order.__getitem__, default=None)
        last = self._last.get(needed, needed)
        block = self.block if last is None or last.block is None else last.block
        location = self.location if needed is None or needed.location is None else needed.location
        self._last[needed] = Builder(block, location, block.first if last is None else last.next).emit(op)
        if needed is not None:
            self._behind[op.results[0]] = needed
        return op.results[0]

    def vector(self, shape: Sequence[Size], dtype: DType) -> Value:
        """The sizes of a shape as a tensor [rank]."""
        parts = []
        for size in shape:
            if isinstance(size, Dim):
                x = self.value(size)
                x = (
                    x
                    if dtype is DType.I32
                    else self.emit(hlo_op("convert", [x], {"op_type": ""}, [TensorType(dtype, ())]))
                )
                parts.append(self.emit(hlo_op("reshape", [x], {"op_type": ""}, [TensorType(dtype, (1,))])))
            else:
                parts.append(self.emit(Constant(value=Inline(np.asarray([size], dtype.numpy), dtype))))
        if len(parts) == 1:
            return parts[0]
        return self.emit(
            hlo_op("concatenate", parts, {"op_type": "", "dimensions": (0,)}, [TensorType(dtype, (len(parts),))])
        )

    # -- the interface -----------------------------------------------------------------------------

    def finish(self, function: Function) -> None:
        """Add the shapes of outputs that are not fixed as further outputs, and say in the function's facts how it is
        called.
        """
        outputs, names = function.outputs, list(function.output_names)
        dynamic = [(v, n) for v, n in zip(outputs, names, strict=True) if v in self.shapes]
        shapes = {v.name: self.given[v.name] for v in function.inputs if v in self.shapes}
        vectors = [self.vector(self.shapes[v], DType.I32) for v, _ in dynamic]
        counted = {size.name for size in self.counted}
        given = tuple(SizeArgument(s, *self.facts.ranges[s]) for s in self.symbols if s not in counted)
        shapes |= {n: self.of(v) for v, n in dynamic}
        own = function.input_names[: len(function.input_names) - len(given)]
        function.facts.sizes = EntrySizes(tuple(own), tuple(names), given, shapes, self.counted)
        edit.set_operands(function.block.terminator, [*outputs, *vectors])
        function.output_names = [*names, *(f"{n}.shape" for _, n in dynamic)]


class _Scalars(BinaryFold[Value]):
    """int32 scalars."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.numbers: dict[int, Value] = {}

    def number(self, value: int) -> Value:
        if value not in self.numbers:
            self.numbers[value] = self.sizes.emit(Constant(value=Splat(value, DType.I32, ())))
        return self.numbers[value]

    def symbol(self, name: str) -> Value:
        return self.sizes.symbols[name]

    def apply(self, function: str, a: Size, b: Size) -> Value:
        """Divisors are positive; results are rounded down, which HLO does for dividends that are not negative."""
        x, y = self.of(a), self.of(b)
        if function not in ("floordiv", "mod") or bounds(a, self.sizes.facts)[0] >= 0:
            return self.binary(function, x, y)
        rest = self.binary("mod", self.binary("add", self.binary("mod", x, y), y), y)
        if function == "mod":
            return rest
        return self.binary("floordiv", self.binary("add", x, self.binary("mul", rest, self.number(-1))), y)

    def binary(self, function: str, a: Value, b: Value) -> Value:
        return self.sizes.emit(hlo_op(_OPCODES[function], [a, b], {"op_type": ""}, [SCALAR]))


def at_ends(size: Size, ranges: Ranges) -> int | None:
    """A size where every symbol is at the end of its range; None of one that is not told by them."""
    return number_at(size, {name: high for name, (_, high) in ranges.items()})


def _taken(function: Function) -> Ranges:
    """Ranges that end where the model does, of sizes of which it does not take each (even ones, multiples)."""
    found = {}
    for name, (low, high) in function.facts.where.ranges.items():
        own = [c for c in function.facts.conditions if c.symbols == {name}]
        ends = (n for n in range(high, max(low, high - NEAR) - 1, -1) if all(c.holds_at({name: n}) for c in own))
        found[name] = low, next(ends, high)
    return found


def is_dynamic(shape: Sequence[Size]) -> bool:
    """Some size is known at run time alone."""
    return any(isinstance(d, Dim) for d in shape)


def shape_text(shape: Sequence[Size]) -> str:
    """`[N, 4]`."""
    return f"[{', '.join(map(str, shape))}]"
