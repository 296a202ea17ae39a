"""The function that says whether an object can do sizes that the caller gives: each is in its range, they fit one
another, and no buffer is too large.

`i1 @fits(ptr %dims)`; to be asked before anything is computed from the sizes, whose arithmetic is modulo 2^64 and
divides by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce

from mlconv.codegen.llvm.sizes import Made, emit_size
from mlconv.codegen.program.plan import Plan, nbytes
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.kernel import Condition, KernelOp
from mlconv.ir.core import Block, walk
from mlconv.ir.dim_fold import Fold
from mlconv.ir.dims import Dim, Size
from mlconv.ir.module import Function
from mlconv.ir.size_bounds import Intervals, envelope

MAX_DIMENSION = (1 << 31) - 1
MAX_BYTES = (1 << 63) - 1


def fits(plan: Plan, function: Function, pointer: int, ranges: Mapping[str, Sequence[int]]) -> list[str]:
    """The text, for a function with the attribute `conditions`.  pointer: bits of an address.  ranges: those that were
    given, by symbol.

    Raises ConversionError MLC0204 when sizes in their given ranges pass 2^63 bytes.
    """
    block, conditions = function.block, function.facts.conditions
    sizes = [*{s: None for s in _sizes(plan, block) if isinstance(s, Dim)}]
    most = envelope([*sizes, *(d for c in conditions for d in (c.a, c.b))])
    given = {s: (1, r[1]) for s, r in ranges.items()}
    largest = Intervals(given, each=(1, 1)).of(most)[1]
    if largest > MAX_BYTES:
        raise ConversionError(
            Code.TensorTooLarge,
            f"the given ranges of sizes allow buffers of {largest:.3g} bytes",
            help="give --shape smaller ranges",
        )
    check = _Check(plan)
    for i, name in enumerate(plan.symbols):
        check.range(i, *ranges.get(name, (0, MAX_DIMENSION)))
    check.bounded(most)
    if pointer < 64:
        outside = [*block.arguments, *block.outputs]
        for size in {plan.arena_bytes: None, **{nbytes(v): None for v in outside}}:
            check.condition(Condition("least", (1 << pointer - 1) - 1, size))
    for condition in conditions:
        check.condition(condition)
    if idles(function.block):
        check.nothing([nbytes(v) for v in block.outputs])
    return [
        "define internal i1 @fits(ptr %dims) #0 {",
        "entry:",
        *check.lines,
        f"  ret i1 {check.fine}",
        "wrong:",
        "  ret i1 false",
        "}",
    ]


def idles(block: Block) -> bool:
    """Nothing is computed where a size is 0, which is allowed where no output has elements.

    Plain loops do nothing for an axis without elements; what else there is reads cells that it takes to be there.
    """
    return any(isinstance(op, KernelOp) and not _plain(op) for op in walk(block))


def _plain(op: KernelOp) -> bool:
    if op.name == "kernel.alias":
        return True
    steps = op.steps if op.name == "kernel.loops" else op.problem.stages if op.name == "kernel.rows" else None
    return steps is not None and all(i.opcode != "load_at" for s in steps for i in (*s.body, *s.after))


def _sizes(plan: Plan, block: Block) -> Iterable[Size]:
    """Bytes of all buffers."""
    yield plan.arena_bytes
    for value in block.arguments:
        yield nbytes(value)
    for op in walk(block):
        if isinstance(op, KernelOp):
            yield op.scratch
            for value in op.results:
                yield nbytes(value)


class _Check:
    """Instructions under construction.  fine: the name of what has been found so far."""

    def __init__(self, plan: Plan) -> None:
        self.lines: list[str] = ["  %absent = icmp eq ptr %dims, null", "  br i1 %absent, label %wrong, label %dim0"]
        self.places = {name: i for i, name in enumerate(plan.symbols)}
        self.fine = "true"
        self.made: Made = {}

    def op(self, text: str) -> str:
        name = f"%c{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def symbol(self, name: str) -> str:
        return f"%d{self.places[name]}"

    def demand(self, truth: str) -> None:
        self.fine = self.op(f"and i1 {self.fine}, {truth}")

    def range(self, i: int, low: int, high: int) -> None:
        """Symbol i, which has the name %d followed by i from here on."""
        self.lines += [
            f"dim{i}:",
            f"  %at{i} = getelementptr i64, ptr %dims, i64 {i}",
            f"  %d{i} = load i64, ptr %at{i}",
            f"  %low{i} = icmp slt i64 %d{i}, {low}",
            f"  %high{i} = icmp sgt i64 %d{i}, {high}",
            f"  %bad{i} = or i1 %low{i}, %high{i}",
            f"  br i1 %bad{i}, label %wrong, label %dim{i + 1}",
        ]
        if i + 1 == len(self.places):
            self.lines.append(f"dim{i + 1}:")

    def bounded(self, size: Size) -> None:
        """The sum of all magnitudes in `size` is below 2^63."""
        self.demand(self.op(f"icmp sge i64 {_Magnitudes(self).of(size)}, 0"))

    def checked(self, opcode: str, a: str, b: str) -> str:
        both = self.op(f"call {{i64, i1}} @llvm.{opcode}.with.overflow.i64(i64 {a}, i64 {b})")
        over = self.op(f"extractvalue {{i64, i1}} {both}, 1")
        self.demand(self.op(f"xor i1 {over}, true"))
        return self.op(f"extractvalue {{i64, i1}} {both}, 0")

    def nothing(self, sizes: Sequence[Size]) -> None:
        """No size of the run is 0, or all of these are."""
        some, none = "true", "true"
        for i in range(len(self.places)):
            some = self.op(f"and i1 {some}, {self.op(f'icmp ne i64 %d{i}, 0')}")
        for size in sizes:
            value = emit_size(size, self.op, self.symbol, self.made, guarded=True)
            none = self.op(f"and i1 {none}, {self.op(f'icmp eq i64 {value}, 0')}")
        self.demand(self.op(f"or i1 {some}, {none}"))

    def condition(self, c: Condition) -> None:
        a, b = (emit_size(d, self.op, self.symbol, self.made, guarded=True) for d in (c.a, c.b))
        truth = self.op(f"icmp {'sge' if c.kind == 'least' else 'eq'} i64 {a}, {b}")
        self.demand(self.op(f"or i1 {truth}, {self.op(f'icmp eq i64 {a}, 1')}") if c.kind == "spread" else truth)


class _Magnitudes(Fold[str]):
    """Upper bounds of magnitudes, as unsigned i64."""

    def __init__(self, check: _Check) -> None:
        super().__init__()
        self.check = check

    def number(self, value: int) -> str:
        return str(abs(value))

    def symbol(self, name: str) -> str:
        return self.check.symbol(name)

    def apply(self, function: str, a: Size, b: Size) -> str:
        of_a, of_b, op = self.of(a), self.of(b), self.check.op
        if function in ("min", "max"):
            return op(f"select i1 {op(f'icmp ugt i64 {of_a}, {of_b}')}, i64 {of_a}, i64 {of_b}")
        if isinstance(b, Dim):
            self.check.condition(Condition("least", b, 1))
        return of_a if function == "floordiv" else of_b  # divisors are 1 or more

    def term(self, coefficient: int, factors: Iterator[str]) -> str:
        value = str(abs(coefficient))
        for factor in factors:
            value = self.check.checked("umul", value, factor) if value != "1" else factor
        return value

    def sum(self, terms: Iterator[str]) -> str:
        return reduce(lambda a, b: self.check.checked("uadd", a, b), terms)


def declarations(lines: Sequence[str]) -> list[str]:
    """Of the intrinsics that the text uses."""
    names = [f"llvm.{o}.with.overflow.i64" for o in ("umul", "uadd")]
    return [f"declare {{i64, i1}} @{n}(i64, i64)" for n in names if any(n in line for line in lines)]
