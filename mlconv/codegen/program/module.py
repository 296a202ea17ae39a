"""LLVM IR of a whole object: the kernels and calls of a model, once for each instruction set, and the entry that
chooses among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from mlconv.codegen.llvm.function import CodeFunction
from mlconv.codegen.llvm.instructions import Instructions
from mlconv.codegen.llvm.sizes import Made, emit_size, symbol_at
from mlconv.codegen.llvm.types import DIMS, I1, I32, I64, LlvmType, Value, index, integer
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.targets import Target
from mlconv.codegen.objects.objects import WEIGHTS_SECTION
from mlconv.codegen.program.alike import called_directly, merged
from mlconv.codegen.program.calls import PARAMETERS, body
from mlconv.codegen.program.debug import Debug
from mlconv.codegen.program.dispatch import choice
from mlconv.codegen.program.errors import ERROR_CPU, ERROR_DIMENSIONS, ERROR_POINTER, ERROR_WORKSPACE
from mlconv.codegen.program.fits import declarations as intrinsics
from mlconv.codegen.program.fits import idle, needed, outputs_that_may_be_empty
from mlconv.codegen.program.memory_plan import MemoryPlan
from mlconv.codegen.program.pointers import ask_pointers, misplaced
from mlconv.codegen.program.program import WORKSPACE, Program, suffix_of
from mlconv.codegen.settings import Settings
from mlconv.ir.core import Block
from mlconv.ir.data_sizes import upper
from mlconv.ir.dims import Dim, Size


class ModuleText(NamedTuple):
    """nanoseconds: of one run, as `Program` has them, of the instruction set for which they are most."""

    text: str
    nanoseconds: float


def module_text(
    prefix: str,
    target: Target,
    cpus: Sequence[Cpu],
    plan: MemoryPlan,
    block: Block,
    settings: Settings,
    check: Sequence[str] = (),
) -> ModuleText:
    """The module.  prefix: of every symbol that others see.  check: text of `fits`, where sizes are known at run time.

    Separate weights: their address follows those of the inputs.  Stamps: so does, last of all, that of a table to which
    the times before the first and behind each call go (struct timespec).
    """
    declarations: dict[str, str] = {}
    debug = Debug()
    programs = list[Program]()
    for i, cpu in enumerate(cpus):
        suffix = suffix_of(cpu) if len(cpus) > 1 else ""
        base = _base(cpu, programs, target)
        common = programs[0] if programs and target.dispatch and cpus[0] is target.cpus[0] else None
        programs.append(Program(prefix, cpu, plan, f"#{i + 1}", suffix, declarations, debug, settings, base, common))
    kernels, bodies = _functions(programs, block, debug, settings)
    lines = [f'target triple = "{target.normal_triple}"']
    weights = []  # the last variable, so that its data are the last of a WebAssembly object
    if plan.weight_bytes and not settings.separate_weights:
        weights = [
            f'@{prefix}_weights = hidden global [64 x i8] c"{"1" * 64}", '
            f'section "{WEIGHTS_SECTION[target.format]}", align 64'
        ]
    threads = list[str]()
    if settings.pool:
        from mlconv.codegen.program.pool import pool_text

        threads = pool_text(prefix, target, declarations)
    # group 0 is what every machine runs: the choice itself must not need what it looks for
    least = target.cpus[0] if target.dispatch else cpus[0]
    unwound = " uwtable" if target.unwinds and not settings.here else ""
    groups = [f"attributes #{i} = {{ {cpu.attributes}{unwound} }}" for i, cpu in enumerate((least, *cpus))]
    there = needed(block, plan, settings.kinds)
    entry = [*intrinsics(check), *check, *_entry(target, plan, block, programs, there)]
    text = "\n".join(
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
    return ModuleText(text, max(p.nanoseconds for p in programs))


def _functions(
    programs: Sequence[Program], block: Block, debug: Debug, settings: Settings
) -> tuple[list[str], list[str]]:
    """All functions but the bodies, and these."""
    bodies = [body(p, block) for p in programs]
    kernels = merged([text for p in programs for text in p.texts()], debug, places=bool(settings.runs))
    return called_directly(kernels, bodies) if settings.runs else (kernels, bodies)


def _base(cpu: Cpu, programs: Sequence[Program], target: Target) -> Program | None:
    """That of the instruction set which one adds to, or of the nearest one below that an object has code for."""
    rows, made = {c.name: c for c in target.cpus}, {p.cpu.name: p for p in programs}
    name = cpu.base
    while name and name not in made:
        name = rows[name].base
    return made.get(name)


def _entry(
    target: Target, plan: MemoryPlan, block: Block, programs: Sequence[Program], there: Sequence[Size]
) -> list[str]:
    """NAME_run and NAME_workspace_bytes, which is the largest number there is for sizes that do not fit.  there: sizes
    of what must have elements: nothing is done where one is 0, or all outputs are without, as `idle` says.
    """
    outputs = outputs_that_may_be_empty(block, plan) if plan.symbols else []
    may_idle = bool(there or outputs)
    size = I64 if target.pointer == I64.bits else I32
    return [
        *(idle(there, outputs, plan.symbols) if may_idle else ()),
        *([_arena(plan).text()] if isinstance(upper(plan.arena_bytes, plan.defined), Dim) else ()),
        _run(plan, block, programs, may_idle, size).text(),
        _workspace_bytes(f"{programs[0].prefix}_workspace_bytes", plan, may_idle, size).text(),
    ]


def _run(plan: MemoryPlan, block: Block, programs: Sequence[Program], may_idle: bool, size: LlvmType) -> CodeFunction:
    """size: the type of numbers of bytes."""
    given = Value(size, "%workspace_bytes")
    *places, parallel = PARAMETERS
    code = CodeFunction(I32, f"{programs[0].prefix}_run", [*places, given, parallel], {}, linkage="")
    _ask(code, plan)
    code.label("sized")
    _leave_idle(code, may_idle, integer(I32, 0))
    made = Made()
    need = _needed_bytes(code, plan, size)
    small = code.icmp("ult", given, need)
    code.branch(code.or_(small, misplaced(code, WORKSPACE, need)), "refuse", "placed")
    code.label("placed")
    number = partial(_sum, code, plan, type_=I64, made=made)
    if programs[0].settings.runs:  # by this program, which passes what there is
        code.goto("choose")
    else:
        ask_pointers(code, block, programs[0].reads_weights, number, ("nowhere", "choose"))
    errors = {"refuse": ERROR_WORKSPACE, "foreign": ERROR_CPU, "nowhere": ERROR_POINTER}
    for label, error in (errors | {"wrong": ERROR_DIMENSIONS} if plan.symbols else errors).items():
        code.label(label)
        code.ret(integer(I32, error))
    code.label("choose")
    table = _table(code, plan)
    runs = [f"run{i}" for i in range(len(programs))]
    code.switch(code.invoke(I32, "choice", []), runs, "foreign")
    for label, function in zip(runs, programs, strict=True):
        code.label(label)
        passed = [table if p is DIMS else p for p in PARAMETERS]
        code.ret(code.invoke(I32, function.name, passed, tail=table is DIMS))
    return code


def _table(code: Instructions, plan: MemoryPlan) -> Value:
    """The table of sizes with room for those that data decide."""
    if not plan.defined:
        return DIMS
    table = code.room(I64, len(plan.symbols) + len(plan.defined))
    for i in range(len(plan.symbols)):
        code.store(symbol_at(code, i), code.gep(I64, table, index(i)), 8)
    for i in range(len(plan.symbols), len(plan.symbols) + len(plan.defined)):
        code.store(index(0), code.gep(I64, table, index(i)), 8)
    return table


def _workspace_bytes(name: str, plan: MemoryPlan, may_idle: bool, size: LlvmType) -> CodeFunction:
    code = CodeFunction(size, name, [DIMS], {}, linkage="")
    _ask(code, plan)
    if plan.symbols:
        code.label("wrong")
        code.ret(integer(size, -1))
    code.label("sized")
    _leave_idle(code, may_idle, integer(size, 0))
    code.ret(_needed_bytes(code, plan, size))
    return code


def _arena(plan: MemoryPlan) -> CodeFunction:
    """`i64 @arena_bytes(ptr %dims)`, for sizes that fit."""
    code = CodeFunction(I64, "arena_bytes", [DIMS], {})
    code.ret(_sum(code, plan, plan.arena_bytes, I64, Made()))
    return code


def _needed_bytes(code: Instructions, plan: MemoryPlan, type_: LlvmType) -> Value:
    """Of the workspace."""
    most = upper(plan.arena_bytes, plan.defined)
    if isinstance(most, int):
        return integer(type_, most)
    value = code.invoke(I64, "arena_bytes", [DIMS])
    return value if type_ is value.type else code.convert("trunc", value, type_)


def _ask(code: Instructions, plan: MemoryPlan) -> None:
    """Where sizes are known at run time, go on only when they fit."""
    if plan.symbols:
        code.branch(code.invoke(I1, "fits", [DIMS]), "sized", "wrong")
    else:
        code.goto("sized")


def _leave_idle(code: Instructions, may_idle: bool, nothing: Value) -> None:
    """Return nothing where nothing is to be done."""
    if may_idle:
        code.branch(code.invoke(I1, "idle", [DIMS]), "none", "some")
        code.label("none")
        code.ret(nothing)
        code.label("some")


def _sum(code: Instructions, plan: MemoryPlan, size: Size, type_: LlvmType, made: Made) -> Value:
    """A size that is computed from %dims, or the most that it may be, as an integer of a type.  made: what has been
    computed, where it can be used.
    """
    size = upper(size, plan.defined)
    if isinstance(size, int):
        return integer(type_, size)
    for i, name in enumerate(plan.symbols):
        if Dim.symbol(name) not in made:
            made[Dim.symbol(name)] = symbol_at(code, i)
    value = emit_size(size, code, lambda name: made[Dim.symbol(name)], made)
    return value if type_ is value.type else code.convert("trunc", value, type_)
