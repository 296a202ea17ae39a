"""LLVM IR of a whole object: the kernels and calls of a model, once for each instruction set, and the entry that chooses among them."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.exporters.native.cpus import Cpu
from mlconv.exporters.native.debug import Debug
from mlconv.exporters.native.dispatch import choice
from mlconv.exporters.native.objects import WEIGHTS_SECTION
from mlconv.exporters.native.plan import Plan
from mlconv.exporters.native.pool import pool_text
from mlconv.exporters.native.program import Program
from mlconv.exporters.native.settings import Settings
from mlconv.exporters.native.targets import Target
from mlconv.ir.core import Block

ERROR_WORKSPACE, ERROR_CPU = 1, 2
_ARGUMENTS = ("inputs", "outputs", "dims", "workspace", "parallel")


def module_text(prefix: str, target: Target, cpus: Sequence[Cpu], plan: Plan, block: Block, settings: Settings) -> str:
    """The module.  prefix: of every symbol that others see.

    Separate weights: their address follows those of the inputs.  Stamps: so does, last of all, that of a table to which the times before the first and
    behind each call go (struct timespec).
    """
    declarations: dict[str, str] = {}
    debug = Debug()
    programs = []
    for i, cpu in enumerate(cpus):
        suffix = f"_{cpu.name.replace('-', '_')}" if len(cpus) > 1 else ""
        programs.append(Program(prefix, cpu, plan, f"#{i}", suffix, declarations, debug, settings))
    bodies = [p.body(block) for p in programs]
    lines = [f'target triple = "{target.triple}"']
    weights = []  # the last variable, so that its data are the last of a WebAssembly object
    if plan.weight_bytes and not settings.separate_weights:
        weights = [f'@{prefix}_weights = hidden global [64 x i8] c"{"1" * 64}", section "{WEIGHTS_SECTION[target.format]}", align 64']
    kernels = [text for p in programs for text in p.texts()]
    threads = pool_text(prefix, target, declarations) if settings.pool else []
    groups = [f"attributes #{i} = {{ {cpu.attributes} }}" for i, cpu in enumerate(cpus)]
    entry = _entry(prefix, target, plan, [p.name for p in programs])
    return "\n".join([*lines, *sorted(declarations.values()), *kernels, *bodies, *choice(cpus), *entry, *threads, *weights, *groups, *debug.text(), ""])


def _entry(prefix: str, target: Target, plan: Plan, bodies: Sequence[str]) -> list[str]:
    """NAME_run and NAME_workspace_bytes."""
    size = f"i{target.pointer}"
    arguments = ", ".join(f"ptr %{a}" for a in _ARGUMENTS)
    parameters = arguments.replace("ptr %parallel", f"{size} %workspace_bytes, ptr %parallel")
    cases = " ".join(f"i32 {i}, label %run{i}" for i in range(len(bodies)))
    lines = [
        f"define i32 @{prefix}_run({parameters}) #0 {{", "entry:", f"  %small = icmp ult {size} %workspace_bytes, {plan.arena_bytes}",
        "  br i1 %small, label %refuse, label %choose", f"refuse:\n  ret i32 {ERROR_WORKSPACE}", f"foreign:\n  ret i32 {ERROR_CPU}",
        "choose:", "  %which = call i32 @choice()", f"  switch i32 %which, label %foreign [ {cases} ]",
    ]  # fmt: skip
    for i, name in enumerate(bodies):
        lines += [f"run{i}:", f"  %result{i} = tail call i32 @{name}({arguments})", f"  ret i32 %result{i}"]
    return [*lines, "}", f"define {size} @{prefix}_workspace_bytes(ptr %dims) #0 {{\n  ret {size} {plan.arena_bytes}\n}}"]
