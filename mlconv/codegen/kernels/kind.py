"""Kinds of kernels: one object of each kind says what its kernels compute and need, what can be chosen about them, and
writes their code.

The op of a kind says where its object stands, as entry points do: `module:object`.  They are loaded when they are
asked for; plug-ins have more, by a longer mapping, which whoever has it hands to those who look up kinds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol, TypeVar, cast

from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import NULL, Value, pointer
from mlconv.codegen.machines.cpus import Cpu
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.kernel import Gemm, Instr, Ints, KernelOp
from mlconv.dialects.kernel.ops import BY_NAME
from mlconv.ir import core
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.objects import object_at

Problem = TypeVar("Problem")
Kinds = Mapping[str, str]  # names of kinds to `module:object`

MAX_SCRATCH = 16 << 20  # bytes that a choice may make a kernel take


class Call(NamedTuple):
    """What a kernel's code is written for.  dtype: element type of the first result.

    operands, results: pointers; scratch memory, where the kernel needs some, is the last operand.  choice: in place of
    the heuristic's, when there is one.  parallel, error: of a kernel that may fail: how to share work among threads,
    and where the error goes, an i32.  weights: bytes of those of the whole object, which caches keep from one run to
    the next where they are few.
    """

    cpu: Cpu
    dtype: DType
    operands: Sequence[Value]
    results: Sequence[Value] = (pointer("%out"),)
    choice: Ints = ()
    parallel: Value = NULL
    error: Value = NULL
    weights: int = 0

    @property
    def out(self) -> Value:
        """The first result."""
        return self.results[0]


class Written(NamedTuple):
    """Work items of a function, and nanoseconds that one takes, roughly."""

    items: Size = 1
    nanoseconds: float = 0.0


class ForeignFunction(NamedTuple):
    """A function of another library.  declared: for the header, in C, or as what it includes; empty where it knows.
    libraries: names or paths of shared libraries that have it, the first that is there is taken when code runs in
    process; empty for what a program brings along.
    """

    name: str
    declared: str = ""
    libraries: tuple[str, ...] = ()


class Piece(NamedTuple):
    """A call that an op becomes: what it computes, its operands, and elements to add to the address of each and of the
    first result."""

    problem: object
    operands: tuple[core.Value, ...]
    bases: tuple[Size, ...] = ()
    out: Size = 0


class Lookup(NamedTuple):
    """Operands that are read at computed places: they must have elements unless `made`, how many results need that,
    is 0.
    """

    made: Size
    operands: frozenset[int]


class KernelKind(Protocol[Problem]):
    """What code generation asks of a kind of kernel.  A problem is what one kernel computes: a hashable tuple, equal
    for kernels that share their code.
    """

    name: str
    has_choices: bool = False
    fails: bool = False  # each call may give an error

    def flops(self, problem: Problem) -> int:
        """Arithmetic of one call: a multiplication and an addition count one each."""

    def generate(self, b: Builder, problem: Problem, call: Call) -> Written:
        """Write the function."""

    def scratch(self, problem: Problem) -> Size:
        """Bytes of memory that the kernel needs while it runs."""
        return 0

    def reused(self, problem: Problem) -> int:
        """The operand whose buffer the first result may take over when nobody reads it afterwards, or -1."""
        return -1

    def instructions(self, cpu: Cpu, problem: Problem) -> set[str]:
        """Intrinsics for sums of products and for rounding factors, of those of an instruction set's tables, that its
        code has.
        """
        return roundings(cpu, problem)

    def foreign(self, problem: Problem) -> tuple[ForeignFunction, ...]:
        """Functions of other libraries that the code calls; who has some computes with them."""
        return ()

    def skips_empty(self, problem: Problem) -> bool:
        """Whether nothing is read where an axis has no elements."""
        return False

    def lookups(self, problem: Problem) -> Sequence[Lookup]:
        """What is read at computed places."""
        return ()

    def pieces(self, op: KernelOp) -> list[Piece]:
        """The calls that an op becomes, in order."""
        return [Piece(op.problem, tuple(op.inputs))]

    # A choice is a tuple of numbers; where it is a part of the problem, `apply_choice` puts it there.

    def choices(self, cpu: Cpu, problem: Problem) -> list[Ints]:
        """Choices to try, the heuristic's own first."""
        return []

    def fits_choice(self, cpu: Cpu, problem: Problem, choice: Ints) -> bool:
        """Whether numbers are a choice for a problem: within its sizes and the rule for registers."""
        return False

    def small_choice(self, cpu: Cpu, problem: Problem, sums: int) -> Ints:
        """The choice of little code: register tiles of at most so many sums; empty for the heuristic's."""
        return ()

    def apply_choice(self, problem: Problem, choice: Ints) -> Problem:
        """The problem with a choice."""
        return problem

    def without_choice(self, problem: Problem) -> Problem:
        """The problem without what is chosen."""
        return problem


KINDS: Kinds = {name: cls.kind for name, cls in BY_NAME.items() if cls.kind}


def kind_of(op: KernelOp, kinds: Kinds = KINDS) -> KernelKind[Any]:
    """The kind of a kernel.  Raises ConversionError InternalError for one that no table has."""
    where = kinds.get(op.name)
    if where is None:
        raise ConversionError(Code.InternalError, f"no code is generated for {op.name}")
    return _kind_at(where)


@cache
def _kind_at(place: str) -> KernelKind[Any]:
    return cast("KernelKind[Any]", object_at(place, object))


def scratch_of(op: KernelOp, kinds: Kinds = KINDS) -> Size:
    """Bytes of memory that a kernel needs while it runs, besides what the regions of an op need."""
    return 0 if op.regions or op.name == "kernel.alias" else kind_of(op, kinds).scratch(op.problem)


def roundings(cpu: Cpu, problem: object) -> set[str]:
    """Intrinsics for rounding factors that code for a problem has."""
    return {i.intrinsic for i in cpu.factors} if cpu.factors and _rounds(problem) else set()


def _rounds(part: object) -> bool:
    """Somewhere in a problem factors are rounded."""
    parts = [part]
    while parts:
        part = parts.pop()
        if not isinstance(part, tuple):
            continue
        if part.opcode == "factor" if isinstance(part, Instr) else isinstance(part, Gemm) and part.wide:
            return True
        parts.extend(part)
    return False


def tried(own: Ints, others: Sequence[Ints], kind: KernelKind[Problem], cpu: Cpu, problem: Problem) -> list[Ints]:
    """The heuristic's own choice, then those of the others that fit, each once."""
    return [c for c in dict.fromkeys([own, *others]) if c == own or kind.fits_choice(cpu, problem, c)]
