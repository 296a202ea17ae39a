"""Instruction sets that an object has code for."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.kind import Kinds, kind_of
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.targets import Target, candidates
from mlconv.dialects.kernel import KernelOp
from mlconv.ir.core import Block, walk


def made_for(target: Target, name: str, features: str, block: Block, kinds: Kinds) -> tuple[Cpu, ...]:
    """The instruction sets that an object has code for: those of `candidates` that its kernels use; of a processor's,
    the last one.
    """
    cpus = useful(candidates(target, name, features), block, kinds)
    return cpus[-1:] if name else cpus


def useful(cpus: Sequence[Cpu], block: Block, kinds: Kinds) -> tuple[Cpu, ...]:
    """Without those whose code would be that of another one: what they have besides, no kernel of the model uses."""
    ops = [op for op in walk(block) if isinstance(op, KernelOp) and not op.regions and op.name != "kernel.alias"]
    pieces = [(kind_of(op, kinds), piece.problem) for op in ops for piece in kind_of(op, kinds).pieces(op)]
    out, before = list[Cpu](), set[str]()
    for cpu in cpus:
        used = {name for kind, problem in pieces for name in kind.instructions(cpu, problem)}
        if len(cpus) == 1 or not (cpu.dots or cpu.matrices) or used - before:
            out.append(cpu)
            before |= used
    return tuple(out)
