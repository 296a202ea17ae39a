"""Kernels that plug-ins claim for libraries: theirs where they are faster, or where nobody measures.

A rule for the pass `kernel-claim` makes other kernels of one (`@CLAIMS.rule("kernel.gemm")`), or says why not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from mlconv.codegen.kernels.kind import KINDS, Kinds, kind_of
from mlconv.codegen.llvm.sizes import depends
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects import core
from mlconv.dialects.kernel import KernelOp
from mlconv.ir.core import Block, Op, Value, walk
from mlconv.ir.module import Function
from mlconv.legalize.to_kernel.builder import KernelBuilder
from mlconv.passes.base import Pass, PassContext
from mlconv.rewrite import NoMatch, Replacement, Rewriter, Rule, Rules

if TYPE_CHECKING:
    from mlconv.codegen.program.tune import Cache

_THEIRS, _OURS = [1], [0]
Faster = Callable[[Rule, KernelOp, Sequence[Op]], bool]


@dataclass(frozen=True, eq=False, repr=False)
class KernelClaim(Pass):
    """Kernels that plug-ins have rules for become theirs.  tune: only where they are faster on this machine.  cache: a
    file that keeps what was found.  machine, cpu: what the object is for.
    """

    name: ClassVar[str] = "kernel-claim"
    tune: bool = False
    cache: str = ""
    machine: str = ""
    cpu: str = ""

    def run_on_function(self, function: Function, context: PassContext) -> None:
        rules = context.rules_for(self.name)
        if not rules.by_op:
            return
        kinds: Kinds = {**KINDS, **context.kernels}
        cache: Cache | None = None
        cpu: Cpu | None = None
        if self.tune or self.cache:
            from mlconv.codegen.program.tune import Cache, tuning_cpu

            cpu = tuning_cpu(self.machine, self.cpu, self.tune, function.block, kinds)
            cache = Cache.read(self.cache, cpu)

        def is_faster(rule: Rule, op: KernelOp, made: Sequence[Op]) -> bool:
            if cache is None or cpu is None:
                return True
            return _is_faster(rule, op, made, cpu, cache, self.tune, kinds)

        claimed = claim(function.block, rules, is_faster)
        if cache is not None:
            cache.write()
        context.count(self.name, claimed)


def claim(block: Block, rules: Rules, is_faster: Faster) -> int:
    """Ask the rules about all kernels of a block and of the regions in it; returns how many were replaced."""
    count = 0
    for op in [op for op in walk(block) if isinstance(op, KernelOp) and not op.regions]:
        count += any(_replaced(op, rule, is_faster) for rule in rules.find(op.name))
    return count


def _replaced(op: KernelOp, rule: Rule, is_faster: Faster) -> bool:
    rewriter = Rewriter(op)
    made = rule.apply(op, KernelBuilder(rewriter))
    if isinstance(made, NoMatch) or not is_faster(rule, op, rewriter.emitted):
        rewriter.undo()
        return False
    _replace(op, made, rewriter)
    return True


def _replace(op: KernelOp, made: Replacement, rewriter: Rewriter) -> None:
    """Constants that only the op has read go with it."""
    constants = [v.producer for v in dict.fromkeys(op.inputs) if isinstance(v.producer, core.Constant)]
    rewriter.replace(op, made)
    for constant in constants:
        if not constant.y.uses:
            constant.erase()


def _is_faster(
    rule: Rule, op: KernelOp, made: Sequence[Op], cpu: Cpu, cache: Cache, search: bool, kinds: Kinds
) -> bool:
    """Whether a rule's kernels take less time than an op, by the cache or by timing; those of sizes that are known at
    run time are not timed, and are the rule's.
    """
    from mlconv.codegen.program.tune import problem_key, race

    kernels = [o for o in made if isinstance(o, KernelOp) and o.name != "kernel.alias"]
    values: list[Value] = [v for o in (op, *kernels) for v in (*o.inputs, *o.results)]
    if not all(v.tensor.is_static for v in values) or any(depends(o.problem) for o in (op, *kernels)):
        return True
    key = f"{rule.name} or {problem_key(op, kinds)}"
    kept = cache.choices.get(key)
    if kept is None and not search:
        return True
    if kept is None:
        own = cache.fastest(op, kinds) if kind_of(op, kinds).has_choices else ()
        theirs, ours = race([(o, ()) for o in kernels], [(op, own)], cpu, kinds)
        kept = _THEIRS if theirs < ours else _OURS
        cache.add(key, kept)
    return kept == _THEIRS
