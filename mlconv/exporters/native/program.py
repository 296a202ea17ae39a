"""LLVM IR of a whole model: one function for each distinct kernel, and the entry that calls them in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.kernel import KernelOp
from mlconv.exporters.native.cpus import Cpu
from mlconv.exporters.native.generate import generate
from mlconv.exporters.native.plan import Plan, nbytes
from mlconv.exporters.native.text import Builder
from mlconv.ir.core import Block, Value

WEIGHTS_SECTION = ".mlconv.weights"
ERROR_WORKSPACE = 1
_WEIGHTS_LIMIT = 2_000_000_000  # addressed relative to the code


class Kernel(NamedTuple):
    """A function of pointers and a range of units of work, which may be done in any order or at once.  cost: nanoseconds of one unit, roughly."""

    name: str
    text: str
    units: int = 1
    cost: float = 0.0


class Program:
    """Text of the module under construction.  prefix: of every symbol that others see."""

    def __init__(self, prefix: str, cpu: Cpu, plan: Plan) -> None:
        self.prefix, self.cpu, self.plan = prefix, cpu, plan
        self.declarations: dict[str, str] = {}
        self.functions: dict[object, Kernel] = {}
        if plan.weight_bytes > _WEIGHTS_LIMIT:
            raise ConversionError(Code.MLC0401, f"weights of {plan.weight_bytes} bytes do not fit into one object: the limit is {_WEIGHTS_LIMIT}")

    def kernel(self, op: KernelOp) -> Kernel:
        """The function of a kernel; equal problems share one."""
        dtype = op.result.tensor.dtype
        key = (op.name, op.problem, dtype)
        if key not in self.functions:
            operands, name = [f"%a{i}" for i in range(len(op.operands))], f"kernel{len(self.functions)}"
            b = Builder(name, [*operands, "%out"], self.declarations)
            units, cost = generate(b, op.problem, dtype, self.cpu, operands)
            self.functions[key] = Kernel(name, b.text(), units, cost)
        return self.functions[key]

    def text(self, block: Block) -> str:
        """The module."""
        entry = self._entry(block)
        sizes = f"define i64 @{self.prefix}_workspace_bytes(ptr %dims) #0 {{\n  ret i64 {self.plan.arena_bytes}\n}}"
        weights = f'@{self.prefix}_weights = hidden global [64 x i8] c"{"1" * 64}", section "{WEIGHTS_SECTION}", align 64'
        attributes = f'attributes #0 = {{ nounwind "target-cpu"="{self.cpu.name}" "prefer-vector-width"="{32 * self.cpu.width}" }}'
        head = ['target triple = "x86_64-unknown-linux-gnu"']
        if self.plan.weight_bytes:
            head.append(weights)
        return "\n".join([*head, *sorted(self.declarations.values()), *(k.text for k in self.functions.values()), entry, sizes, attributes, ""])

    def _entry(self, block: Block) -> str:
        lines: list[str] = []
        for op in block.ops:
            if isinstance(op, KernelOp) and op.name != "kernel.alias" and nbytes(op.result):
                self._call(self.kernel(op), [self._address(v, lines) for v in (*op.inputs, op.result)], lines)
        for value, i in self.plan.copies:
            source = self._address(value, lines)
            target = self._pointer("output", i, lines)
            self._call(self._copy(nbytes(value)), [source, target], lines)
        parameters = "ptr %inputs, ptr %outputs, ptr %dims, ptr %workspace, i64 %workspace_bytes, ptr %parallel"
        check = [
            f"  %small = icmp ult i64 %workspace_bytes, {self.plan.arena_bytes}", "  br i1 %small, label %refuse, label %run",
            f"refuse:\n  ret i32 {ERROR_WORKSPACE}", "run:",
        ]  # fmt: skip
        return "\n".join([f"define i32 @{self.prefix}_run({parameters}) #0 {{", "entry:", *check, *lines, "  ret i32 0", "}"])

    def _call(self, kernel: Kernel, pointers: Sequence[str], lines: list[str]) -> None:
        """All units of a kernel."""
        lines.append(f"  call void @{kernel.name}({', '.join(f'ptr {p}' for p in pointers)}, i64 0, i64 {kernel.units})")

    def _copy(self, size: int) -> Kernel:
        """A function that copies bytes."""
        key = ("copy", size)
        if key not in self.functions:
            name = f"copy{size}"
            b = Builder(name, ["%a", "%out"], self.declarations)
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

    def _address(self, value: Value, lines: list[str]) -> str:
        place = self.plan.places[value]
        if place.kind in ("input", "output"):
            return self._pointer(place.kind, place.at, lines)
        base = f"@{self.prefix}_weights" if place.kind == "weights" else "%workspace"
        name = f"%p{len(lines)}"
        lines.append(f"  {name} = getelementptr i8, ptr {base}, i64 {place.at}")
        return name


def _mover(b: Builder, kind: str) -> Callable[[str, list[str]], list[str]]:
    def body(index: str, _: Sequence[str]) -> list[str]:
        value = b.op(f"load {kind}, ptr {b.offset('%a', 'i8', index)}, align 1")
        b.do(f"store {kind} {value}, ptr {b.offset('%out', 'i8', index)}, align 1")
        return []

    return body
