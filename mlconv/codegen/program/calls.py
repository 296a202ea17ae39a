"""Blocks of kernel ops as calls in order.  A region becomes a function of the same tables of pointers, so that every
address is an offset in one arena.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Sequence

from mlconv.codegen.kernels.kind import Kinds, Piece, kind_of
from mlconv.codegen.llvm.instructions import Instructions
from mlconv.codegen.llvm.sizes import Made, emit_condition, emit_size, symbol_at
from mlconv.codegen.llvm.types import (
    DIMS,
    I8,
    I32,
    I64,
    POINTER,
    TRUE,
    VOID,
    LlvmType,
    Value,
    index,
    integer,
    memory_type,
    pointer,
    zero,
)
from mlconv.codegen.program.debug import has_line
from mlconv.codegen.program.errors import ERROR_DIMENSIONS
from mlconv.codegen.program.memory import calls
from mlconv.codegen.program.memory_plan import Allocation, nbytes
from mlconv.codegen.program.parallel import grain_of, launcher, worth_sharing
from mlconv.codegen.program.program import PARALLEL, WORKSPACE, Kernel, Program
from mlconv.dialects.kernel import DefineSizeOp, KernelOp
from mlconv.ir import core
from mlconv.ir.dims import Dim, Size, total
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate

MAX_CALLS = 256  # of one function
_PLAIN = "noinline optnone"  # nothing of it takes time but the calls, of which there may be many
_MONOTONIC, _STAMP = 1, 16  # CLOCK_MONOTONIC; bytes of a struct timespec
_TABLES = {"input": pointer("%inputs"), "output": pointer("%outputs")}
PARAMETERS = *_TABLES.values(), DIMS, WORKSPACE, PARALLEL
_FAILED = "failed"


class Calls:
    """One function: the body of a model, a part of it, or a region.  result: its type: `i32` of the body and of what
    may fail, else `void`.  inputs: how many the model has.  stamps: times go to the table behind the inputs.  branch:
    not all runs do it, and sizes that a caller gives need not fit what it reads.
    """

    def __init__(
        self, program: Program, name: str, result: LlvmType, inputs: int, stamps: bool = False, branch: bool = False
    ) -> None:
        self.program, self.name, self.result, self.inputs = program, name, result, inputs
        self.stamps, self.branch = stamps, branch
        self.error: Value | None = None  # where kernels that fail say so
        self.plan, self.lines = program.plan, list[str]()
        self.code = Instructions("p", self.lines)
        self.sizes = Instructions("n", [])  # for what is known at run time, ahead of everything
        self.made: Made = {}
        self.weights = program.weights
        self.marks: Value | None = None  # address of a byte that nobody reads
        if program.reads_weights:
            place = self.sizes.gep(POINTER, _TABLES["input"], index(inputs))
            self.weights = self.sizes.load(POINTER, place, 0)

    def text(self, block: core.Block) -> str:
        """The calls of all ops, then the copies that remain."""
        ops = calls(block)
        first = next((op.location for op in ops if has_line(op.location)), None)
        function = self.program.debug.function(f"{self.program.prefix}_run", first)
        if self.stamps:
            self._stamp(0)
        if len(ops) > MAX_CALLS:
            for start in range(0, len(ops), MAX_CALLS):
                self._run(*self._part(ops[start : start + MAX_CALLS], start))
        else:
            self._ops(ops, 0, function)
        for value, target in self.plan.copies[block]:
            self._copy(value, target)
        return self._function(function)

    def _ops(self, ops: Sequence[KernelOp], first: int, function: int | None) -> None:
        """first: position of the first one among all calls."""
        for i, op in enumerate(ops, first):
            self._mark(self.program.debug.fused(function, op.location))
            start = len(self.lines)
            self._op(op)
            self.program.settings.progress.wrote()
            suffix = self.program.debug.line(function, op.location)
            self.lines[start:] = [line + suffix if line.startswith("  ") else line for line in self.lines[start:]]
            if self.stamps:
                self._stamp(i + 1)

    def _mark(self, places: Sequence[str]) -> None:
        """An instruction at each of the lines that a kernel was made from besides its own, in front of its call: a
        debugger stops there.
        """
        for place in places:
            self.marks = self.marks or self.sizes.room(I8, 1)
            start = len(self.lines)
            self.code.store(zero(I8), self.marks, 1, volatile=True)
            self.lines[start:] = [line + place for line in self.lines[start:]]

    def _part(self, ops: Sequence[KernelOp], first: int) -> tuple[str, LlvmType]:
        """A function of some of many calls: the compiler's time grows faster than a function does."""
        functions, debug = self.program.functions, self.program.debug
        name = f"part{len(functions)}{self.program.suffix}"
        functions[name] = Kernel(name, "")  # takes the number
        part = Calls(self.program, name, self._result_of(ops, self.branch), self.inputs, self.stamps, self.branch)
        function = debug.function(f"{self.program.prefix}_run", ops[0].location)
        part._ops(ops, first, function)
        functions[name] = Kernel(name, part._function(function))
        return name, part.result

    def _result_of(self, ops: Iterable[core.Op], branch: bool) -> LlvmType:
        """Of a function of some ops: nothing, where none of them may fail."""
        ops = list(ops)
        asks = self.plan.defined or (self.plan.symbols and (branch or _has_branches(ops)))
        return I32 if asks or may_fail(ops, self.program.settings.kinds) else VOID

    def _run(self, name: str, result: LlvmType) -> None:
        """Call a part or a region."""
        found = self.code.invoke(result, name, PARAMETERS)
        if result is I32:
            self.code.store(found, self._error(), 0)
            self._leave()

    def _error(self) -> Value:
        self.error = self.error or self.sizes.room(I32, 1)
        return self.error

    def _leave(self) -> None:
        """Where there is an error, the function ends."""
        code, n = self.code, len(self.lines)
        found = code.load(I32, self._error(), 0)
        code.branch(code.icmp("ne", found, integer(I32, 0)), _FAILED, f"fine{n}")
        code.label(f"fine{n}")

    def _function(self, function: int | None) -> str:
        """The text of all lines as a function."""
        nowhere = self.program.debug.line(function, None)
        lines = [
            line if " !dbg " in line or not line.startswith("  ") else line + nowhere
            for line in (*self.sizes.lines, *self.lines)
        ]
        described = f" !dbg !{function}" if function is not None else ""
        end = ["  ret void" if self.result is VOID else "  ret i32 0"]
        if self.error is not None:
            end += [f"{_FAILED}:", f"  %e = load i32, ptr {self.error.text}{nowhere}", f"  ret i32 %e{nowhere}"]
        parameters = ", ".join(f"{p.type.text} {p.text}" for p in PARAMETERS)
        head = (
            f"define internal {self.result.text} @{self.name}({parameters}) {_PLAIN} {self.program.group}{described} {{"
        )
        return "\n".join([head, "entry:", *lines, *end, "}"])

    def _stamp(self, at: int) -> None:
        """The monotonic clock (clock_gettime, 16 bytes) goes to place `at` of the table that follows the inputs."""
        self.program.declarations["clock_gettime"] = "declare i32 @clock_gettime(i32, ptr)"
        table = self._address(Allocation("input", self.inputs + self.program.reads_weights))
        place = self.code.gep(I8, table, index(_STAMP * at))
        self.code.invoke(I32, "clock_gettime", [integer(I32, _MONOTONIC), place])

    def _op(self, op: KernelOp) -> None:
        if op.name == "kernel.if":
            self._if(op)
        elif op.name == "kernel.while":
            self._while(op)
        else:
            with self._unless_empty(op):
                for piece in kind_of(op, self.program.settings.kinds).pieces(op):
                    self._piece(op, piece)
            if isinstance(op, DefineSizeOp):
                self._define(op)

    # -- sizes that data decide --------------------------------------------------------------------

    def _define(self, op: DefineSizeOp) -> None:
        """Others may count on the size from here on."""
        code, (symbol, bound, conditions) = self.code, op.problem
        number = code.load(I64, self._at(op.results[0]), 8)
        fine = code.icmp("ule", number, self._number(bound))
        code.store(number, code.gep(I64, DIMS, index(self.program.symbols[symbol])), 8)
        for c in conditions:
            fine = code.and_(fine, emit_condition(c, code, self._number))
        self._fail_where(code.xor(fine, TRUE))

    def _fail_where(self, wrong: Value) -> None:
        """The run ends: sizes do not fit one another."""
        self.code.store(self.code.select(wrong, integer(I32, ERROR_DIMENSIONS), integer(I32, 0)), self._error(), 0)
        self._leave()

    @contextlib.contextmanager
    def _unless_empty(self, op: KernelOp) -> Iterator[None]:
        """What is written meanwhile is skipped where the op makes nothing, by sizes that data decide, or in a branch.
        Where it makes something of nothing, plain loops do so; other code takes elements to be there.
        """
        made = total(nbytes(v) for v in op.results) if all(map(self._is_open, op.results)) else None
        if made is not None:
            code, n = self.code, len(self.lines)
            code.branch(code.icmp("eq", self._number(made), index(0)), f"after{n}", f"some{n}")
            code.label(f"some{n}")
        self._ask_for_elements(op)
        yield
        if made is not None:
            self.code.goto(f"after{n}")
            self.code.label(f"after{n}")

    def _ask_for_elements(self, op: KernelOp) -> None:
        """The run ends where the op would read elements of an operand that has none, by sizes that data decide, or in a
        branch, for which `fits` does not ask.
        """
        code, kind = self.code, kind_of(op, self.program.settings.kinds)
        taken = {i: nbytes(v) for i, v in enumerate(op.inputs) if self._is_open(v)}
        if not kind.skips_empty(op.problem):
            for size in taken.values():
                self._fail_where(code.icmp("eq", self._number(size), index(0)))
            return
        for found in kind.lookups(op.problem):
            for i in sorted(found.operands & taken.keys()):
                some = code.icmp("ne", self._number(found.made), index(0))
                self._fail_where(code.and_(some, code.icmp("eq", self._number(taken[i]), index(0))))

    def _is_open(self, value: core.Value) -> bool:
        size = nbytes(value)
        return isinstance(size, Dim) and (self.branch or bool(size.symbols() & self.plan.defined.keys()))

    def _piece(self, op: KernelOp, piece: Piece) -> None:
        bases = piece.bases or (0,) * len(piece.operands)
        pointers = [self._from(v, base) for v, base in zip(piece.operands, bases, strict=True)]
        if op in self.plan.scratch:
            pointers.append(self._address(self.plan.scratch[op]))
        if kind_of(op, self.program.settings.kinds).fails:
            pointers += [PARALLEL, self._error()]
        kernel = self.program.kernel(op, piece.problem, len(piece.operands))
        first, *others = op.results
        self._call(kernel, [*pointers, self._from(first, piece.out), *(self._at(v) for v in others)])
        if kernel.fails:
            self._leave()

    def _call(self, kernel: Kernel, pointers: Sequence[Value]) -> None:
        """All items of a kernel, shared among threads when that is worth it."""
        if kernel.sized:
            pointers = [*pointers, DIMS]
        self.program.nanoseconds += estimate(kernel.items) * kernel.nanoseconds
        items = self._number(kernel.items)
        if not self.program.settings.serial and worth_sharing(kernel.items, kernel.nanoseconds):
            grain = index(grain_of(kernel.items, kernel.nanoseconds))
            given = [PARALLEL, items, grain, pointer(f"@{kernel.name}"), *pointers]
            self.code.invoke(VOID, launcher(len(pointers), self.program.declarations), given)
        else:
            self.code.invoke(VOID, kernel.name, [*pointers, index(0), items])

    def _number(self, size: Size) -> Value:
        """A size as an i64: computed ahead of everything, but for those that data decide."""
        if isinstance(size, Dim) and size.symbols() & self.plan.defined.keys():
            code = self.code
            return emit_size(size, code, lambda name: symbol_at(code, self.program.symbols[name]), {}, guarded=True)
        return emit_size(size, self.sizes, self._symbol, self.made)

    def _symbol(self, name: str) -> Value:
        symbol = Dim.symbol(name)
        if symbol not in self.made:
            self.made[symbol] = symbol_at(self.sizes, self.program.symbols[name])
        return self.made[symbol]

    def _copy(self, value: core.Value, target: Allocation) -> None:
        self._call(self.program.copy(nbytes(value)), [self._at(value), self._address(target)])

    # -- control flow ------------------------------------------------------------------------------

    def _if(self, op: KernelOp) -> None:
        code, n = self.code, len(self.lines)
        code.branch(self._truth(op.inputs[0]), f"yes{n}", f"no{n}")
        for label, region in zip(("yes", "no"), op.regions, strict=True):
            code.label(f"{label}{n}")
            self._run(*self._region(region.block, branch=True))
            code.goto(f"both{n}")
        code.label(f"both{n}")

    def _while(self, op: KernelOp) -> None:
        self.program.nanoseconds = math.inf
        for value, target in self.plan.starts[op]:
            self._copy(value, target)
        test, body = (self._region(region.block, self.branch) for region in op.regions)
        code, n = self.code, len(self.lines)
        code.goto(f"test{n}")
        code.label(f"test{n}")
        self._run(*test)
        code.branch(self._truth(op.regions[0].block.outputs[0]), f"turn{n}", f"done{n}")
        code.label(f"turn{n}")
        self._run(*body)
        code.goto(f"test{n}")
        code.label(f"done{n}")

    def _region(self, block: core.Block, branch: bool) -> tuple[str, LlvmType]:
        """The function of a region."""
        functions = self.program.functions
        name = f"region{len(functions)}{self.program.suffix}"
        functions[block] = Kernel(name, "")  # takes the number: kernels inside get later ones
        result = self._result_of(block.ops, branch)
        functions[block] = Kernel(name, Calls(self.program, name, result, self.inputs, branch=branch).text(block))
        return name, result

    def _truth(self, value: core.Value) -> Value:
        byte = self.code.load(memory_type(DType.BOOL), self._at(value), 0)
        return self.code.icmp("ne", byte, zero(byte.type))

    # -- addresses ---------------------------------------------------------------------------------

    def _at(self, value: core.Value) -> Value:
        return self._address(self.plan.allocations[value])

    def _from(self, value: core.Value, base: Size) -> Value:
        """The address of an element."""
        whole = self._at(value)
        if base == 0:
            return whole
        return self.code.gep(I8, whole, self._number(base * value.tensor.dtype.itemsize))

    def _address(self, allocation: Allocation) -> Value:
        at = self._number(allocation.at)
        if allocation.kind in _TABLES:
            return self.code.load(POINTER, self.code.gep(POINTER, _TABLES[allocation.kind], at), 0)
        return self.code.gep(I8, self.weights if allocation.kind == "weights" else WORKSPACE, at)


def body(program: Program, block: core.Block) -> str:
    """The function that makes all calls of a model; to be asked for before the program's other functions."""
    return Calls(program, program.name, I32, len(block.arguments), program.settings.stamps).text(block)


def _has_branches(ops: Iterable[core.Op]) -> bool:
    return any(op.name == "kernel.if" or any(_has_branches(region.block.ops) for region in op.regions) for op in ops)


def may_fail(ops: Iterable[core.Op], kinds: Kinds) -> bool:
    """Whether one of some kernels may give an error, or one in their regions."""
    return any(
        any(may_fail(region.block.ops, kinds) for region in op.regions)
        if op.regions
        else isinstance(op, KernelOp) and op.name != "kernel.alias" and kind_of(op, kinds).fails
        for op in ops
    )
