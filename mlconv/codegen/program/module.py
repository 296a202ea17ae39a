"""LLVM IR of a whole object: the kernels and calls of a model, once for each instruction set, and the entry that
chooses among them.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.llvm.instructions import Instructions
from mlconv.codegen.llvm.sizes import emit_size, symbol_at
from mlconv.codegen.llvm.types import I32, I64, LlvmType, Value, integer
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.dispatch import choice
from mlconv.codegen.machines.targets import Target
from mlconv.codegen.objects.objects import WEIGHTS_SECTION
from mlconv.codegen.program.debug import Debug
from mlconv.codegen.program.fits import declarations as intrinsics
from mlconv.codegen.program.fits import idles
from mlconv.codegen.program.plan import Plan
from mlconv.codegen.program.pool import pool_text
from mlconv.codegen.program.program import Program
from mlconv.codegen.settings import Settings
from mlconv.ir.core import Block
from mlconv.ir.dims import Size

ERROR_WORKSPACE, ERROR_CPU, ERROR_DIMENSIONS = 1, 2, 3
_ARGUMENTS = ("inputs", "outputs", "dims", "workspace", "parallel")


def module_text(
    prefix: str,
    target: Target,
    cpus: Sequence[Cpu],
    plan: Plan,
    block: Block,
    settings: Settings,
    check: Sequence[str] = (),
) -> str:
    """The module.  prefix: of every symbol that others see.  check: text of `fits`, where sizes are known at run time.

    Separate weights: their address follows those of the inputs.  Stamps: so does, last of all, that of a table to which
    the times before the first and behind each call go (struct timespec).
    """
    declarations: dict[str, str] = {}
    debug = Debug()
    programs = []
    for i, cpu in enumerate(cpus):
        suffix = f"_{cpu.name.replace('-', '_')}" if len(cpus) > 1 else ""
        programs.append(Program(prefix, cpu, plan, f"#{i + 1}", suffix, declarations, debug, settings))
    bodies = [p.body(block) for p in programs]
    lines = [f'target triple = "{target.triple}"']
    weights = []  # the last variable, so that its data are the last of a WebAssembly object
    if plan.weight_bytes and not settings.separate_weights:
        weights = [
            f'@{prefix}_weights = hidden global [64 x i8] c"{"1" * 64}", '
            f'section "{WEIGHTS_SECTION[target.format]}", align 64'
        ]
    kernels = [text for p in programs for text in p.texts()]
    threads = pool_text(prefix, target, declarations) if settings.pool else []
    # group 0 is what every machine runs: the choice itself must not need what it looks for
    least = target.cpus[0] if target.dispatch else cpus[0]
    groups = [f"attributes #{i} = {{ {cpu.attributes} }}" for i, cpu in enumerate((least, *cpus))]
    entry = [
        *intrinsics(check),
        *check,
        *_entry(prefix, target, plan, [p.name for p in programs], idles(block, settings.kinds)),
    ]
    return "\n".join(
        [
            *lines,
            *sorted(declarations.values()),
            *kernels,
            *bodies,
            *choice(cpus),
            *entry,
            *threads,
            *weights,
            *groups,
            *debug.text(),
            "",
        ]
    )


def _entry(prefix: str, target: Target, plan: Plan, bodies: Sequence[str], idle: bool) -> list[str]:
    """NAME_run and NAME_workspace_bytes, which is the largest number there is for sizes that do not fit.  idle: nothing
    is done where a size is 0.
    """
    type_ = I64 if target.pointer == I64.bits else I32
    size = type_.text
    arguments = ", ".join(f"ptr %{a}" for a in _ARGUMENTS)
    parameters = arguments.replace("ptr %parallel", f"{size} %workspace_bytes, ptr %parallel")
    cases = " ".join(f"i32 {i}, label %run{i}" for i in range(len(bodies)))
    need = Instructions("s", [])
    bytes_ = _sum(need, plan, plan.arena_bytes, type_).text
    lines = [
        f"define i32 @{prefix}_run({parameters}) #0 {{",
        "entry:",
        *_asked(plan),
        "sized:",
        *_idle(plan, idle, "i32"),
        *need.lines,
        f"  %small = icmp ult {size} %workspace_bytes, {bytes_}",
        "  br i1 %small, label %refuse, label %choose",
        f"refuse:\n  ret i32 {ERROR_WORKSPACE}",
        f"foreign:\n  ret i32 {ERROR_CPU}",
        *([f"wrong:\n  ret i32 {ERROR_DIMENSIONS}"] if plan.symbols else []),
        "choose:",
        "  %which = call i32 @choice()",
        f"  switch i32 %which, label %foreign [ {cases} ]",
    ]
    for i, name in enumerate(bodies):
        lines += [f"run{i}:", f"  %result{i} = tail call i32 @{name}({arguments})", f"  ret i32 %result{i}"]
    asked = [
        "entry:",
        *_asked(plan),
        *(["wrong:", f"  ret {size} -1"] if plan.symbols else []),
        "sized:",
        *_idle(plan, idle, size),
    ]
    return [
        *lines,
        "}",
        f"define {size} @{prefix}_workspace_bytes(ptr %dims) #0 {{",
        *asked,
        *need.lines,
        f"  ret {size} {bytes_}",
        "}",
    ]


def _asked(plan: Plan) -> list[str]:
    """Where sizes are known at run time, go on only when they fit."""
    if not plan.symbols:
        return ["  br label %sized"]
    return ["  %fits = call i1 @fits(ptr %dims)", "  br i1 %fits, label %sized, label %wrong"]


def _idle(plan: Plan, idle: bool, type_: str) -> list[str]:
    """Return 0 where a size is 0."""
    lines: list[str] = []
    for i in range(len(plan.symbols) if idle else 0):
        lines += [
            f"  %place{i} = getelementptr i64, ptr %dims, i64 {i}",
            f"  %given{i} = load i64, ptr %place{i}",
            f"  %zero{i} = icmp eq i64 %given{i}, 0",
            f"  br i1 %zero{i}, label %none{i}, label %some{i}",
            f"none{i}:",
            f"  ret {type_} 0",
            f"some{i}:",
        ]
    return lines


def _sum(code: Instructions, plan: Plan, size: Size, type_: LlvmType) -> Value:
    """A size that is computed from %dims, as an integer of a type."""
    if isinstance(size, int):
        return integer(type_, size)
    places = {name: i for i, name in enumerate(plan.symbols)}
    value = emit_size(size, code, lambda name: symbol_at(code, places[name]), {})
    return value if type_ is value.type else code.convert("trunc", value, type_)
