"""Times of all register tiles of products of floats, for whoever chooses defaults by them: here, or on workers, to
which a kernel goes as text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.depthwise import DepthwiseGenerator
from mlconv.codegen.kernels.gemm_kind import float_gemm
from mlconv.codegen.kernels.kind import KINDS, kind_of
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.targets import target_named
from mlconv.codegen.program.compile import host_cpus
from mlconv.codegen.program.tune import by_problem, fastest, problem_key, processor, timer
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import DIALECTS
from mlconv.dialects.kernel import Depthwise, Gemm, Ints, KernelOp, known
from mlconv.ir.core import Block, Yield, clone_op
from mlconv.ir.module import Function, Module
from mlconv.ir.parser import parse_module
from mlconv.ir.printer import print_module
from mlconv.provenance.locations import NameLocation

_ROUNDS = 6


class Surveyed(NamedTuple):
    """A problem.  columns: of its lines, as the generator joins them.  size: panels of a GEMM, elements of the window
    of a depthwise convolution.  near: the heuristic may do the latter block by block of channels.  channels: of it.
    """

    kind: str
    columns: int
    size: int
    near: bool = False
    channels: int = 0


def surveyed(op: KernelOp, cpu: Cpu) -> Surveyed | None:
    """None where nothing is chosen."""
    problem, b = op.problem, Builder("own", [], {}, cpu)
    if isinstance(problem, Gemm) and problem.types.sums.is_float and problem.types.group == 1:
        gemm = float_gemm(b, problem, cpu)
        return Surveyed("gemm", known(gemm.indexing.rows)[2], gemm.panels)
    if isinstance(problem, Depthwise) and problem.types.sums.is_float:
        found = DepthwiseGenerator(b, problem, cpu)
        indexing = found.indexing
        size = math.prod(indexing.window)
        return Surveyed("depthwise", known(indexing.rows)[2], size, found.is_near, indexing.channels)
    return None


def tiles_of(op: KernelOp, cpu: Cpu) -> list[Ints]:
    """Choices, the heuristic's own first; of a GEMM those with the order of loops that it has."""
    choices = kind_of(op).choices(cpu, op.problem)
    if isinstance(op.problem, Gemm):
        return [c for c in choices if c[2] == choices[0][2]]
    return choices


def kernels_of(block: Block, cpu: Cpu) -> Iterator[tuple[str, KernelOp]]:
    """One kernel of each problem that tiles are chosen for, by its key."""
    for ops in by_problem(block, KINDS).values():
        if surveyed(ops[0], cpu) is not None and len(tiles_of(ops[0], cpu)) > 1:
            yield problem_key(ops[0]), ops[0]


def text_of(op: KernelOp) -> str:
    """A module of a kernel alone."""
    location = NameLocation("survey")
    values = list(dict.fromkeys(op.inputs))
    function = Function.create("main", [v.type for v in values], [f"x{i}" for i in range(len(values))], location)
    copy = clone_op(op, dict(zip(values, function.inputs, strict=True)))
    copy.location = location
    for each in (copy, Yield(copy.results)):
        function.block.insert(each, None)
    function.output_names = [f"y{i}" for i in range(len(copy.results))]
    return print_module(Module([function]))


def timed_tiles(_: Sequence[object], text: str, name: str) -> list[tuple[Ints, float]]:
    """Least seconds of all tiles of a kernel.  name: of an instruction set that this machine has.  Raises
    ConversionError TargetUnavailable where it has not.
    """
    if name not in host_cpus():
        raise ConversionError(Code.TargetUnavailable, f"tiles for {name} cannot be timed on a machine that lacks it")
    cpu = next(c for c in target_named("").cpus if c.name == name)
    op = next(op for op in parse_module(text, DIALECTS).walk() if isinstance(op, KernelOp))
    tiles = tiles_of(op, cpu)
    times = timer(op, cpu, tiles)(range(len(tiles)), _ROUNDS)
    return [(tile, times[i]) for i, tile in enumerate(tiles)]


def fastest_of(_: Sequence[object], text: str, name: str, of: str) -> Ints:
    """The fastest choice for a kernel.  name: of an instruction set.  of: the processor that it is chosen for.  Raises
    ConversionError TargetUnavailable where this is another one.
    """
    cpu = next((c for c in target_named("").cpus if c.name == name), None)
    if cpu is None or name not in host_cpus() or processor(cpu) != of:
        raise ConversionError(
            Code.TargetUnavailable,
            f"a worker has another processor than {of}, and its times say nothing of this one",
            help="take workers of one kind of machine, or tune on each kind by itself",
        )
    op = next(op for op in parse_module(text, DIALECTS).walk() if isinstance(op, KernelOp))
    return fastest(op, cpu, kind_of(op).choices(cpu, op.problem))
