"""The function that says whether an object can do sizes that the caller gives: each is in its range, they fit one
another, and no buffer is too large.

`i1 @fits(ptr %dims)`; to be asked before anything is computed from the sizes, whose arithmetic is modulo 2^64 and
divides by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce

from mlconv.codegen.kernels.kind import KINDS, Kinds, kind_of, scratch_of
from mlconv.codegen.llvm.function import CodeFunction
from mlconv.codegen.llvm.sizes import Made, emit_condition, emit_size, symbol_at
from mlconv.codegen.llvm.types import DIMS, FALSE, I1, I64, NULL, TRUE, Value, index, number_of, structure
from mlconv.codegen.program.memory_plan import MemoryPlan, nbytes
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.kernel import KernelOp
from mlconv.ir.core import Block, Op, walk
from mlconv.ir.data_sizes import upper
from mlconv.ir.dim_fold import NestedFold
from mlconv.ir.dims import Dim, Size, common_factor, divide_exactly, floordiv
from mlconv.ir.facts import Condition
from mlconv.ir.module import Function
from mlconv.ir.size_bounds import Intervals, envelope

MAX_DIMENSION = (1 << 31) - 1
MAX_BYTES = (1 << 63) - 1
_WITH_OVERFLOW = structure(I64, I1)


def fits(
    plan: MemoryPlan, function: Function, pointer: int, ranges: Mapping[str, Sequence[int]], kinds: Kinds = KINDS
) -> list[str]:
    """The text, for a function with the attribute `conditions`.  pointer: bits of an address.  ranges: those that were
    given, by symbol.

    Raises ConversionError TensorTooLarge when sizes in their given ranges pass 2^63 bytes.
    """
    block, conditions = function.block, function.facts.conditions
    sizes = [*{s: None for s in (upper(s, plan.defined) for s in _sizes(plan, block, kinds)) if isinstance(s, Dim)}]
    outputs = outputs_that_may_be_empty(block, plan)
    most = envelope([*sizes, *(d for c in conditions for d in (c.a, c.b))])
    asked = envelope([*outputs, *(d for c in conditions for d in (c.a, c.b))])
    given = {s: (1, r[1]) for s, r in ranges.items()}
    largest = Intervals(given, each=(1, 1)).of(most)[1]
    if largest > MAX_BYTES:
        raise ConversionError(
            Code.TensorTooLarge,
            f"the given ranges of sizes allow buffers of {largest:.3g} bytes",
            help="give --shape smaller ranges",
        )
    check = _Check()
    for name in plan.symbols:
        check.range(name, *ranges.get(name, (0, MAX_DIMENSION)))
    check.code.label(f"dim{len(plan.symbols)}")
    check.bounded(asked)
    too_large, check.over = check.over, FALSE
    check.bounded(most)
    if pointer < 64:
        outside = [*block.arguments, *block.outputs]
        for size in {plan.arena_bytes: None, **{upper(nbytes(v), plan.defined): None for v in outside}}:
            check.condition(Condition("least", (1 << pointer - 1) - 1, size))
    for condition in conditions:
        check.condition(condition)
    is_empty = check.nothing(outputs)
    if needed(function.block, plan, kinds):
        check.demand(check.code.or_(check.code.xor(check.code.invoke(I1, "idle", [DIMS]), TRUE), is_empty))
    for made, taken in _lookups(block, kinds):
        check.something(upper(made, plan.defined), upper(taken, plan.defined))
    too_large = check.code.or_(too_large, check.code.and_(check.over, check.code.xor(is_empty, TRUE)))
    check.code.ret(check.code.and_(check.fine, check.code.xor(too_large, TRUE)))
    check.code.label("wrong")
    check.code.ret(FALSE)
    return [check.code.text()]


def idle(there: Sequence[Size], outputs: Sequence[Size], symbols: Sequence[str]) -> list[str]:
    """`i1 @idle(ptr %dims)`: a size of what must have elements is 0, or all outputs have none.  Any numbers may be
    asked about.

    symbols: in the order of the table.
    """
    code, made, places = CodeFunction(I1, "idle", [DIMS], {}), Made(), {name: i for i, name in enumerate(symbols)}
    known = {name: symbol_at(code, i) for name, i in places.items()}
    nothing: Value = FALSE
    found = dict[Size, Value]()
    for size in dict.fromkeys([*there, *outputs]):
        found[size] = code.icmp("eq", emit_size(size, code, known.__getitem__, made, guarded=True), index(0))
    for size in there:
        nothing = code.or_(nothing, found[size])
    code.ret(code.or_(nothing, reduce(code.and_, (found[size] for size in outputs))) if outputs else nothing)
    return [code.text()]


def outputs_that_may_be_empty(block: Block, plan: MemoryPlan) -> list[Size]:
    """Bytes of the outputs, where each of them may have no elements; none where one always has some."""
    sizes = [*dict.fromkeys(upper(nbytes(v), plan.defined) for v in block.outputs)]
    return sizes if all(isinstance(s, Dim) for s in sizes if s != 0) else []


def needed(block: Block, plan: MemoryPlan, kinds: Kinds = KINDS) -> list[Size]:
    """Sizes of what must have elements; where one has none, nothing is computed, which is allowed where no output has
    any.

    Plain loops do nothing for an axis without elements; what else there is reads elements that it takes to be there.
    Ops in branches ask for them themselves.
    """
    found = dict[Size, None]()
    for op in _outside_branches(block):
        if isinstance(op, KernelOp) and not _plain(op, kinds):
            sizes = (upper(nbytes(v), plan.defined) for v in (*op.inputs, *op.results))
            found |= {divide_exactly(s, common_factor(s)) or s: None for s in sizes if isinstance(s, Dim)}
    return [*found]


def _outside_branches(block: Block) -> Iterator[Op]:
    """Ops of a block, and of loops in it."""
    pending = [block]
    while pending:
        for op in pending.pop().ops:
            yield op
            pending += [] if op.name == "kernel.if" else [region.block for region in op.regions]


def _plain(op: KernelOp, kinds: Kinds) -> bool:
    return op.name == "kernel.alias" or (not op.regions and kind_of(op, kinds).skips_empty(op.problem))


def _lookups(block: Block, kinds: Kinds) -> dict[tuple[Size, Size], None]:
    """How much is made, and the bytes of an operand of open size that it is picked from."""
    return {
        (found.made, nbytes(value)): None
        for op in _outside_branches(block)
        if isinstance(op, KernelOp) and op.name != "kernel.alias" and not op.regions
        for found in kind_of(op, kinds).lookups(op.problem)
        for i, value in enumerate(op.inputs)
        if i in found.operands and isinstance(nbytes(value), Dim)
    }


def _sizes(plan: MemoryPlan, block: Block, kinds: Kinds) -> Iterable[Size]:
    """Bytes of all buffers."""
    yield plan.arena_bytes
    for value in block.arguments:
        yield nbytes(value)
    for op in walk(block):
        if isinstance(op, KernelOp):
            yield scratch_of(op, kinds)
            for value in op.results:
                yield nbytes(value)


class _Check:
    """Instructions under construction.  fine: what has been found so far; over: whether numbers were too large."""

    def __init__(self) -> None:
        self.code = CodeFunction(I1, "fits", [DIMS], {})
        self.places: dict[str, Value] = {}
        self.fine: Value = TRUE
        self.over: Value = FALSE
        self.made: Made = {}
        self.magnitudes = _Magnitudes(self)
        self.code.branch(self.code.icmp("eq", DIMS, NULL), "wrong", "dim0")

    def size(self, size: Size) -> Value:
        """A size, which any run may ask for."""
        return emit_size(size, self.code, self.places.__getitem__, self.made, guarded=True)

    def demand(self, truth: Value) -> None:
        self.fine = self.code.and_(self.fine, truth)

    def range(self, name: str, low: int, high: int) -> None:
        """The next symbol, which is known from here on."""
        code, i = self.code, len(self.places)
        code.label(f"dim{i}")
        given = self.places[name] = symbol_at(code, i)
        outside = code.or_(code.icmp("slt", given, index(low)), code.icmp("sgt", given, index(high)))
        code.branch(outside, "wrong", f"dim{i + 1}")

    def bounded(self, size: Size) -> None:
        """The sum of all magnitudes in `size` is below 2^63."""
        largest = self.magnitudes.of(size)
        self.over = self.code.or_(self.over, self.code.icmp("slt", largest, index(0)))

    def checked(self, opcode: str, a: Value, b: Value) -> tuple[Value, Value]:
        """The result modulo 2^64, and whether it is another."""
        code = self.code
        both = code.invoke(_WITH_OVERFLOW, f"llvm.{opcode}.with.overflow.i64", [a, b])
        return code.extract(both, 0, I64), code.extract(both, 1, I1)

    def nothing(self, sizes: Sequence[Size]) -> Value:
        """All of these sizes are 0, of which there are some."""
        return reduce(self.code.and_, (self.code.icmp("eq", self.size(s), index(0)) for s in sizes)) if sizes else FALSE

    def something(self, made: Size, taken: Size) -> None:
        """Where something is made, what it is picked from has elements."""
        code = self.code
        none, there = code.icmp("eq", self.size(made), index(0)), code.icmp("ne", self.size(taken), index(0))
        self.demand(code.or_(none, there))

    def condition(self, c: Condition) -> None:
        self.demand(emit_condition(c, self.code, self.size))


class _Magnitudes(NestedFold[Value]):
    """Upper bounds of magnitudes, as unsigned i64."""

    def __init__(self, check: _Check) -> None:
        super().__init__()
        self.check = check

    def number(self, value: int) -> Value:
        return index(abs(value))

    def symbol(self, name: str) -> Value:
        if name not in self.check.places:
            raise ConversionError(Code.ShapeNotStatic, f"the size {name} of an output is that of no input")
        return self.check.places[name]

    def apply(self, function: str, a: Size, b: Size) -> Value:
        of_a, of_b, code = self.of(a), self.of(b), self.check.code
        if function in ("min", "max"):
            return code.select(code.icmp("ugt", of_a, of_b), of_a, of_b)
        if isinstance(b, Dim):
            self.check.condition(Condition("least", b, 1))
        if function == "mod":
            return of_b
        return self.quotient(a, b) if isinstance(b, Dim) else of_a  # divisors are 1 or more

    def quotient(self, a: Size, b: Dim) -> Value:
        """Of one size by another, from its value, which is exact as the magnitudes of both are in bounds: bounds by the
        dividend alone multiply where what was multiplied by a size is divided by it, again and again.
        """
        self.check.bounded(a)
        self.check.bounded(b)
        code, value = self.check.code, self.check.size(floordiv(a, b))
        return code.select(code.icmp("slt", value, index(0)), code.sub(index(0), value), value)

    def term(self, coefficient: int, factors: Iterator[Value]) -> Value:
        """A product, which a factor of 0 makes 0 however large the others are."""
        code = self.check.code
        value: Value = index(abs(coefficient))
        over: Value = FALSE
        for factor in factors:
            if number_of(value) == 1:
                value = factor
                continue
            value, more = self.check.checked("umul", value, factor)
            over = code.or_(over, more)
            over = code.and_(over, code.icmp("ne", factor, index(0)))
        self.check.over = code.or_(self.check.over, over)
        return value

    def sum(self, terms: Iterator[Value]) -> Value:
        return reduce(self._plus, terms)

    def _plus(self, a: Value, b: Value) -> Value:
        value, over = self.check.checked("uadd", a, b)
        self.check.over = self.check.code.or_(self.check.over, over)
        return value


def declarations(lines: Sequence[str]) -> list[str]:
    """Of the intrinsics that the text uses."""
    names = [f"llvm.{o}.with.overflow.i64" for o in ("umul", "uadd")]
    return [f"declare {_WITH_OVERFLOW} @{n}(i64, i64)" for n in names if any(n in line for line in lines)]
