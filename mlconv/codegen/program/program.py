"""LLVM IR of a model for one instruction set: a function for each distinct kernel, and one that calls them in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.kind import Call, kind_of
from mlconv.codegen.llvm.sizes import depends
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import DIMS, Value, pointer
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.program.debug import Debug, with_lines
from mlconv.codegen.program.memory_plan import MemoryPlan, nbytes
from mlconv.codegen.settings import Settings
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.kernel import KernelOp
from mlconv.ir.dims import Size
from mlconv.ir.size_bounds import degree, largest_factor
from mlconv.provenance.locations import Location

_LIGHT = 256  # bytes for each element of an axis, of what is light
_WEIGHTS_LIMIT = 2_000_000_000  # addressed relative to the code
WORKSPACE, PARALLEL, ERROR = pointer("%workspace"), pointer("%parallel"), pointer("%error")


def suffix_of(cpu: Cpu) -> str:
    """What names of functions end with, where an object has code for several instruction sets."""
    return f"_{cpu.name.replace('-', '_')}"


def _is_small(size: Size) -> bool:
    return degree(size) < 2 and largest_factor(size) <= _LIGHT


class Kernel(NamedTuple):
    """A function of pointers and a range of work items, which may be done in any order or at once.  nanoseconds:
    of one item, roughly.

    sized: it also gets the table of sizes that are known at run time, as its last pointer.  fails: it gets `parallel`
    and the place of an error, ahead of its results.
    """

    name: str
    text: str
    items: Size = 1
    nanoseconds: float = 0.0
    sized: bool = False
    fails: bool = False


class Program:
    """Text of the functions under construction.

    prefix: of every symbol that others see.  group: attributes of the functions; suffix: of their names.
    base: that of the instruction set which this one adds to; kernels with the same code are its functions.
    least: that of the instruction set that every machine has; kernels whose time is not felt are its functions.
    nanoseconds: of one run, roughly, on one thread; infinite with loops, of which nobody knows how often they turn.
    """

    def __init__(
        self,
        prefix: str,
        cpu: Cpu,
        plan: MemoryPlan,
        group: str,
        suffix: str,
        declarations: dict[str, str],
        debug: Debug,
        settings: Settings,
        base: Program | None = None,
        least: Program | None = None,
    ) -> None:
        self.prefix, self.cpu, self.plan, self.group, self.suffix, self.settings = (
            prefix,
            cpu,
            plan,
            group,
            suffix,
            settings,
        )
        self.declarations, self.debug, self.base = declarations, debug, base
        self.least = least
        self.most_axes = max((degree(nbytes(v)) for v in plan.allocations), default=0)
        self.functions: dict[object, Kernel] = {}
        self.name = f"body{suffix}"
        self.nanoseconds = 0.0
        self.symbols = {name: i for i, name in enumerate((*plan.symbols, *plan.defined))}
        if plan.weight_bytes > _WEIGHTS_LIMIT and not settings.separate_weights:
            message = f"weights of {plan.weight_bytes} bytes do not fit into one object: the limit is {_WEIGHTS_LIMIT}"
            raise ConversionError(Code.TargetLacksOp, message, help="put them beside it with --weights file")

    @property
    def reads_weights(self) -> bool:
        """The pointer behind those to the inputs is to the weights."""
        return self.settings.separate_weights and self.plan.weight_bytes > 0

    @property
    def weights(self) -> Value:
        """Where the weights of the object begin; anywhere when it has none."""
        inside = self.plan.weight_bytes > 0 and not self.settings.separate_weights
        return pointer(f"@{self.prefix}_weights") if inside else WORKSPACE

    def texts(self) -> list[str]:
        """All functions but the body."""
        return [k.text for k in self.functions.values()]

    def builder(self, name: str, parameters: Sequence[Value], sized: bool) -> Builder:
        """A builder of a function of this instruction set.  sized: sizes that are known at run time follow the
        parameters.
        """
        given = [*parameters, DIMS] if sized else parameters
        return Builder(name, given, self.declarations, self.cpu, self.group, self.symbols)

    def kernel(self, op: KernelOp, problem: object, count: int) -> Kernel:
        """The function of a kernel, or of a piece of it, of so many operands; equal problems share one, at the line of
        the first.
        """
        if self.least is not None and self._is_light(op):
            return self.least.kernel(op, problem, count)
        if self.base is not None and self._is_shared(op, problem, self.base.cpu):
            return self.base.kernel(op, problem, count)
        dtype = op.results[0].tensor.dtype
        key = (op.name, problem, dtype)
        if key not in self.functions:
            operands, name = [pointer(f"%a{i}") for i in range(count)], f"kernel{len(self.functions)}{self.suffix}"
            operands += [pointer("%scratch")] if op in self.plan.scratch else []
            kind, choice = kind_of(op, self.settings.kinds), self.settings.choices.get((self.cpu.name, problem), ())
            shared = (PARALLEL, ERROR) if kind.fails else ()
            results = [pointer(f"%out{i or ''}") for i in range(len(op.results))]
            sized = depends(problem)
            b = self.builder(name, [*operands, *shared, *results], sized)
            if self.settings.sums and not choice:
                choice = kind.small_choice(self.cpu, problem, self.settings.sums)
            call = Call(self.cpu, dtype, operands, results, choice, *shared)._replace(weights=self.plan.weight_bytes)
            items, nanoseconds = kind.generate(b, problem, call)
            text = self.located(b.text(), name, op.location)
            self.functions[key] = Kernel(name, text, items, nanoseconds, sized, kind.fails)
        return self.functions[key]

    def _is_shared(self, op: KernelOp, problem: object, base: Cpu) -> bool:
        """Whether code for `base` is what this instruction set would have."""
        kind = kind_of(op, self.settings.kinds)
        tuned = (self.cpu.name, problem) in self.settings.choices
        return not tuned and kind.instructions(self.cpu, problem) == kind.instructions(base, problem)

    def _is_light(self, op: KernelOp) -> bool:
        """It computes numbers along one open axis (places and weights of a resize), where others compute images: the
        time that it takes is not felt, that of its compilation is.
        """
        sizes = [nbytes(v) for v in (*op.inputs, *op.results)]
        return self.most_axes > 1 and any(degree(s) == 1 for s in sizes) and all(map(_is_small, sizes))

    def located(self, text: str, name: str, location: Location | None) -> str:
        """A function at one line of the user's source."""
        function = self.debug.function(name, location)
        return with_lines(text, function, self.debug.line(function, location))

    def copy(self, size: Size) -> Kernel:
        """A function that copies bytes."""
        if self.base is not None:
            return self.base.copy(size)
        key = ("copy", size)
        if key not in self.functions:
            sized = not isinstance(size, int)
            name = f"copy{len(self.functions)}{self.suffix}"
            a, out = pointer("%a"), pointer("%out")
            b = self.builder(name, [a, out], sized)
            b.copy(out, a, size)
            self.functions[key] = Kernel(name, b.text(), sized=sized)
        return self.functions[key]
