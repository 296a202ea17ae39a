"""LLVM IR of a model for one instruction set: a function for each distinct kernel, and one that calls them in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.kernel import KernelOp
from mlconv.exporters.native.cpus import Cpu
from mlconv.exporters.native.debug import Debug, with_lines
from mlconv.exporters.native.generate import generate
from mlconv.exporters.native.lowering import lower_for
from mlconv.exporters.native.memory import calls
from mlconv.exporters.native.parallel import launcher, worth_sharing
from mlconv.exporters.native.plan import Plan, nbytes
from mlconv.exporters.native.settings import Settings
from mlconv.exporters.native.text import Builder
from mlconv.ir.core import Block, Value
from mlconv.ir.locations import Location

_WEIGHTS_LIMIT = 2_000_000_000  # addressed relative to the code


class Kernel(NamedTuple):
    """A function of pointers and a range of units of work, which may be done in any order or at once.  cost: nanoseconds of one unit, roughly."""

    name: str
    text: str
    units: int = 1
    cost: float = 0.0


class Program:
    """Text of the functions under construction.

    prefix: of every symbol that others see.  group: attributes of the functions; suffix: of their names.
    """

    def __init__(
        self, prefix: str, cpu: Cpu, plan: Plan, group: str, suffix: str, declarations: dict[str, str], debug: Debug, settings: Settings
    ) -> None:
        self.prefix, self.cpu, self.plan, self.group, self.suffix, self.settings = prefix, cpu, plan, group, suffix, settings
        self.declarations, self.debug = declarations, debug
        self.functions: dict[object, Kernel] = {}
        self.launchers: dict[str, str] = {}
        self.name = f"body{suffix}"
        if plan.weight_bytes > _WEIGHTS_LIMIT and not settings.separate_weights:
            message = f"weights of {plan.weight_bytes} bytes do not fit into one object: the limit is {_WEIGHTS_LIMIT}"
            raise ConversionError(Code.MLC0401, message, help="put them beside it with --weights file")

    def texts(self) -> list[str]:
        """All functions but the body."""
        return [*(k.text for k in self.functions.values()), *self.launchers.values()]

    def builder(self, name: str, parameters: Sequence[str]) -> Builder:
        """A builder of a function of this instruction set."""
        return Builder(name, parameters, self.declarations, self.group, lower_for(self.cpu))

    def kernel(self, op: KernelOp) -> Kernel:
        """The function of a kernel; equal problems share one, at the line of the first."""
        dtype = op.result.tensor.dtype
        key = (op.name, op.problem, dtype)
        if key not in self.functions:
            operands, name = [f"%a{i}" for i in range(len(op.operands))], f"kernel{len(self.functions)}{self.suffix}"
            operands += ["%scratch"] if op.scratch else []
            b = self.builder(name, [*operands, "%out"])
            units, cost = generate(b, op.problem, dtype, self.cpu, operands)
            self.functions[key] = Kernel(name, self.located(b.text(), name, op.location), units, cost)
        return self.functions[key]

    def located(self, text: str, name: str, location: Location | None) -> str:
        """A function at one line of the user's source."""
        function = self.debug.function(name, location)
        return with_lines(text, function, self.debug.line(function, location))

    def body(self, block: Block) -> str:
        """The function that makes all calls; to be asked for before `texts`."""
        self.block = block
        ops = calls(block)
        first = next((op.location for op in ops if self.debug.function("", op.location) is not None), None)
        function = self.debug.function(f"{self.prefix}_run", first)
        lines: list[str] = []
        if self.settings.separate_weights:
            lines += [f"  %weightsp = getelementptr ptr, ptr %inputs, i64 {len(block.arguments)}", "  %weights = load ptr, ptr %weightsp"]
        if self.settings.stamps:
            self._stamp(0, lines)
        for i, op in enumerate(ops):
            start = len(lines)
            self._call(self.kernel(op), self._addresses(op, lines), lines)
            suffix = self.debug.line(function, op.location)
            lines[start:] = [line + suffix for line in lines[start:]]
            if self.settings.stamps:
                self._stamp(i + 1, lines)
        for value, i in self.plan.copies:
            source = self._address(value, lines)
            target = self._pointer("output", i, lines)
            self._call(self._copy(nbytes(value)), [source, target], lines)
        nowhere = self.debug.line(function, None)
        lines = [line if " !dbg " in line else line + nowhere for line in lines]
        parameters = "ptr %inputs, ptr %outputs, ptr %dims, ptr %workspace, ptr %parallel"
        described = f" !dbg !{function}" if function is not None else ""
        return "\n".join([f"define internal i32 @{self.name}({parameters}) {self.group}{described} {{", "entry:", *lines, "  ret i32 0", "}"])

    def _stamp(self, at: int, lines: list[str]) -> None:
        """The monotonic clock (clock_gettime, 16 bytes) goes to place `at` of the table that follows the inputs."""
        self.declarations["clock_gettime"] = "declare i32 @clock_gettime(i32, ptr)"
        table = self._pointer("input", len(self.block.arguments) + self.settings.separate_weights, lines)
        lines.append(f"  {table}s = getelementptr i8, ptr {table}, i64 {16 * at}")
        lines.append(f"  {table}t = call i32 @clock_gettime(i32 1, ptr {table}s)")

    def _call(self, kernel: Kernel, pointers: Sequence[str], lines: list[str]) -> None:
        """All units of a kernel, shared among threads when that is worth it."""
        arguments = ", ".join(f"ptr {p}" for p in pointers)
        if worth_sharing(kernel.units, kernel.cost):
            self.launchers.setdefault(kernel.name, launcher(kernel.name, len(pointers), kernel.units, kernel.cost, self.group))
            lines.append(f"  call void @launch_{kernel.name}(ptr %parallel, {arguments})")
        else:
            lines.append(f"  call void @{kernel.name}({arguments}, i64 0, i64 {kernel.units})")

    def _copy(self, size: int) -> Kernel:
        """A function that copies bytes."""
        key = ("copy", size)
        if key not in self.functions:
            name = f"copy{size}{self.suffix}"
            b = self.builder(name, ["%a", "%out"])
            start = 0
            for width in (32, 1):
                stop = start + (size - start) // width * width
                kind = "i8" if width == 1 else f"<{width} x i8>"
                if stop > start:
                    b.loop(start, stop, width, [], _mover(b, kind))
                start = stop
            self.functions[key] = Kernel(name, b.text())
        return self.functions[key]

    def _pointer(self, kind: str, at: int, lines: list[str]) -> str:
        """Pointer number `at` of the caller's table."""
        name = f"%p{len(lines)}"
        lines.append(f"  {name}a = getelementptr ptr, ptr %{kind}s, i64 {at}")
        lines.append(f"  {name} = load ptr, ptr {name}a")
        return name

    def _addresses(self, op: KernelOp, lines: list[str]) -> list[str]:
        """What a kernel gets: operands, scratch memory if it needs some, the result."""
        inputs = [self._address(v, lines) for v in op.inputs]
        if op.scratch:
            inputs.append(f"%p{len(lines)}")
            lines.append(f"  {inputs[-1]} = getelementptr i8, ptr %workspace, i64 {self.plan.scratch[op].at}")
        return [*inputs, self._address(op.result, lines)]

    def _address(self, value: Value, lines: list[str]) -> str:
        place = self.plan.places[value]
        if place.kind in ("input", "output"):
            return self._pointer(place.kind, place.at, lines)
        weights = "%weights" if self.settings.separate_weights else f"@{self.prefix}_weights"
        base = weights if place.kind == "weights" else "%workspace"
        name = f"%p{len(lines)}"
        lines.append(f"  {name} = getelementptr i8, ptr {base}, i64 {place.at}")
        return name


def _mover(b: Builder, kind: str) -> Callable[[str, list[str]], list[str]]:
    def body(index: str, _: Sequence[str]) -> list[str]:
        value = b.op(f"load {kind}, ptr {b.offset('%a', 'i8', index)}, align 1")
        b.do(f"store {kind} {value}, ptr {b.offset('%out', 'i8', index)}, align 1")
        return []

    return body
