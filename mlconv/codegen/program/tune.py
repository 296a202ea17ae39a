"""Register tiles, column tiles, blocks and row tiles chosen by timing on this machine, kept in a file by processor and
problem.

Among the candidates (`KernelKind.choices`) the search takes the fastest, and the heuristic's own unless another is
clearly faster.  The fastest few of a first round are timed again beside it, so that none wins by luck.  The file is
JSON: {"version": 3, "choices": {processor: {problem: [numbers of the choice]}}}; the same file gives the same object.
"""

from __future__ import annotations

import ctypes
import json
import math
import platform
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mlconv.codegen.kernels.kind import KINDS, Call, Kinds, kind_of
from mlconv.codegen.llvm.sizes import depends
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import pointer
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.targets import candidates, target_named
from mlconv.codegen.program.compile import host_cpus
from mlconv.codegen.program.libraries import bind_function
from mlconv.codegen.program.memory_plan import nbytes
from mlconv.codegen.program.sets import useful
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.kernel import Ints, KernelOp, known
from mlconv.formats.atomic import replacing
from mlconv.formats.files import read_text
from mlconv.ir.constants import Array
from mlconv.ir.core import Block, Value, walk

Tuned = dict[tuple[str, Hashable], Ints]  # (instruction set, problem) to a choice
_CLEARLY, _ROUNDS, _FINALISTS, _SECONDS = 0.97, 5, 3, 4e-4
_SIGNS = (("model name", "CPU part"), ("flags", "Features"))
_VERSION, _LARGEST = 3, 4096


def problem_key(op: KernelOp, kinds: Kinds = KINDS) -> str:
    """What a kernel computes, by name: its kind and sizes to read, and a digest of all of it but what is chosen."""
    import hashlib

    kind = kind_of(op, kinds)
    problem, indexing = kind.without_choice(op.problem), op.indexing
    sizes = "x".join(map(str, (*indexing.rows, *indexing.window, indexing.channels)))
    digest = hashlib.sha256(repr(problem).encode()).hexdigest()[:12]
    return f"{kind.name.removeprefix('kernel.')}-{sizes}-{digest}"


def processor(cpu: Cpu) -> str:
    """This machine's processor (its name, and a digest of its features, since virtual machines hide names) and the
    instruction set.
    """
    import hashlib

    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    name, features = (
        next((line.split(":", 1)[1].strip() for line in lines if line.startswith(signs)), "") for signs in _SIGNS
    )
    return f"{name or platform.machine()}, {hashlib.sha256(features.encode()).hexdigest()[:8]}, {cpu.name}"


def read_cache(path: str) -> dict[str, dict[str, list[int]]]:
    """Choices by processor and problem; empty when there is no file yet.  Raises ConversionError InputNotReadable for a
    file that is none of these.
    """
    try:
        data = json.loads(read_text(path))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as e:
        raise ConversionError(Code.InputNotReadable, f"{path} is not a readable tuning cache: {e}") from e
    choices: object = data.get("choices") if isinstance(data, dict) and data.get("version") == _VERSION else None
    if not isinstance(choices, dict) or not all(
        isinstance(v, dict) and all(map(_is_choice, v.values())) for v in choices.values()
    ):
        raise ConversionError(Code.InputNotReadable, f"{path} is no tuning cache of version {_VERSION}")
    return choices


def _is_choice(value: object) -> bool:
    return (
        isinstance(value, list) and 1 <= len(value) <= 3 and all(type(v) is int and -1 <= v <= _LARGEST for v in value)
    )


def tuned(block: Block, cpu: Cpu, search: bool, cache: str, kinds: Kinds = KINDS) -> Tuned:
    """Choices for the problems of a block on this machine's `cpu`: those of the cache, and with `search` also new ones,
    which are added to it.

    Those that are part of their problems are put into the ops.  Raises ConversionError InputNotReadable,
    OutputNotWritable.
    """
    known_choices = Cache.read(cache, cpu)
    found: Tuned = {}
    for problem, ops in by_problem(block, kinds).items():
        kind = kind_of(ops[0], kinds)
        if search:
            known_choices.fastest(ops[0], kinds)
        kept = known_choices.choices.get(problem_key(ops[0], kinds))
        if kept is not None and kind.fits_choice(cpu, problem, tuple(kept)):
            choice = tuple(kept)
            chosen = kind.apply_choice(problem, choice)
            found[cpu.name, chosen] = choice
            for op in ops:
                op.attributes["problem"] = chosen
    known_choices.write()
    return found


def tuning_cpu(machine: str, cpu: str, search: bool, block: Block, kinds: Kinds = KINDS) -> Cpu:
    """The instruction set that is timed: of those that an object of a block has, the one that this machine takes.
    machine, cpu: what the object is for, as `Settings` have them.  Raises ConversionError UsageError where this machine
    cannot time it.
    """
    here = target_named("")
    if target_named(machine).arch != here.arch:
        raise ConversionError(Code.UsageError, f"tiles are chosen by timing on this machine, which is not {machine}")
    had = host_cpus()
    given = [c for c in candidates(here, cpu, "") if cpu or not here.dispatch or c.name in had]
    chosen = useful(given, block, kinds)[-1]
    if search and here.dispatch and chosen.name not in had:
        raise ConversionError(
            Code.UsageError, f"tiles are chosen by timing on this machine, which has {had[-1]} and not {chosen.name}"
        )
    return chosen


@dataclass(slots=True)
class Cache:
    """What was chosen for one instruction set of this machine.  path: of the file, or empty.  others: of its other
    processors.  choices: numbers by problem.  added: there is something new.
    """

    path: str
    cpu: Cpu
    others: dict[str, dict[str, list[int]]]
    choices: dict[str, list[int]]
    added: bool = False

    @staticmethod
    def read(path: str, cpu: Cpu) -> Cache:
        """Raises ConversionError InputNotReadable."""
        kept = read_cache(path) if path else {}
        return Cache(path, cpu, kept, dict(kept.get(processor(cpu), {})))

    def fastest(self, op: KernelOp, kinds: Kinds = KINDS) -> Ints:
        """The choice for a kernel, which is searched for where there is none."""
        key = problem_key(op, kinds)
        if key not in self.choices:
            self.add(key, list(fastest(op, self.cpu, kind_of(op, kinds).choices(self.cpu, op.problem), kinds)))
        return tuple(self.choices[key])

    def add(self, key: str, choice: list[int]) -> None:
        self.choices[key], self.added = choice, True

    def write(self) -> None:
        """Raises ConversionError OutputNotWritable."""
        if not self.added or not self.path:
            return
        choices = {**self.others, processor(self.cpu): self.choices}
        text = json.dumps({"version": _VERSION, "choices": choices}, indent=1, sort_keys=True)
        with replacing(Path(self.path)) as out:
            out.write(f"{text}\n".encode())


def by_problem(block: Block, kinds: Kinds) -> dict[Hashable, list[KernelOp]]:
    """Kernels that have choices and fixed sizes, by problem."""
    out: dict[Hashable, list[KernelOp]] = {}
    for op in walk(block):
        if not isinstance(op, KernelOp) or op.name not in kinds or not kind_of(op, kinds).has_choices:
            continue
        if not depends(op.problem) and all(v.tensor.is_static for v in (*op.inputs, op.result)):
            out.setdefault(op.problem, []).append(op)
    return out


def fastest(op: KernelOp, cpu: Cpu, choices: Sequence[Ints], kinds: Kinds = KINDS) -> Ints:
    """The fastest choice for a problem, by the time of one thread."""
    if len(choices) == 1:
        return choices[0]
    timed = timer(op, cpu, choices, kinds)
    everyone = range(len(choices))
    first = timed(everyone, _ROUNDS)
    times = timed([0, *sorted(everyone[1:], key=first.__getitem__)[:_FINALISTS]], 3 * _ROUNDS)
    best = min(times, key=times.__getitem__)
    return choices[best] if times[best] < _CLEARLY * times[0] else choices[0]


def timer(
    op: KernelOp, cpu: Cpu, choices: Sequence[Ints], kinds: Kinds = KINDS
) -> Callable[[Iterable[int], int], dict[int, float]]:
    """A function that gives the least seconds of some of the choices, by their numbers, which take turns for so many
    rounds.
    """
    functions, items = _compiled(op, cpu, choices, kinds)
    kind = kind_of(op, kinds)
    scratch = max(known(tuple(kind.scratch(kind.apply_choice(op.problem, c)) for c in choices)))
    sizes = known((*(nbytes(v) for v in op.inputs), *([scratch] if scratch else []), nbytes(op.result)))
    rng = np.random.default_rng(0)
    arrays = [rng.random(-(-n // 4) + 64).astype(np.float32) for n in sizes]

    def timed(some: Iterable[int], rounds: int) -> dict[int, float]:
        pointers = [a.ctypes.data for a in arrays]
        times = dict.fromkeys(some, math.inf)
        for _ in range(rounds):
            for i in times:
                times[i] = min(times[i], _seconds(functions[i], [*pointers, 0, items[i]]))
        return times

    return timed


Timed = Sequence[tuple[KernelOp, Ints]]
"""Kernels in order, each with a choice, or none."""


def race(first: Timed, second: Timed, cpu: Cpu, kinds: Kinds = KINDS) -> tuple[float, float]:
    """Seconds of processor time, of all threads, that kernels take; both take turns.  Functions of other libraries are
    those of this process.  Raises ConversionError ForeignUnavailable.
    """
    runs = [_runs(some, cpu, kinds) for some in (first, second)]
    times = [math.inf, math.inf]
    for _ in range(3 * _ROUNDS):
        for i, run in enumerate(runs):
            times[i] = min(times[i], _seconds(run, (), time.process_time))
    return times[0], times[1]


def _runs(some: Timed, cpu: Cpu, kinds: Kinds) -> Callable[..., None]:
    """A function that runs kernels on numbers that are anything."""
    rng = np.random.default_rng(0)
    held: dict[Value, Array] = {}
    rooms: list[Array] = []
    calls: list[tuple[Callable[..., None], list[int]]] = []

    def address(value: Value) -> int:
        if value not in held:
            (size,) = known((nbytes(value),))
            held[value] = rng.random(-(-size // 4) + 64).astype(np.float32)
        return int(held[value].ctypes.data)

    for op, choice in some:
        kind = kind_of(op, kinds)
        for function in kind.foreign(op.problem):
            bind_function(function.name, function.libraries, what=op.name)
        (compiled,), (items,) = _compiled(op, cpu, [choice], kinds)
        (scratch,) = known((kind.scratch(kind.apply_choice(op.problem, choice)),))
        rooms.append(np.zeros(scratch + 64, np.uint8))
        more = [int(rooms[-1].ctypes.data)] if scratch else []
        calls.append((compiled, [*map(address, op.inputs), *more, address(op.result), 0, items]))

    def run() -> None:
        for function, arguments in calls:
            function(*arguments)

    run.__dict__["held"] = held, rooms
    return run


def _seconds(
    function: Callable[..., None], arguments: Sequence[int], clock: Callable[[], float] = time.thread_time
) -> float:
    """Of one call, over enough of them to be measured."""
    calls, spent = 0, 0.0
    started = clock()
    while spent < _SECONDS:
        function(*arguments)
        calls, spent = calls + 1, clock() - started
    return spent / calls


def _compiled(op: KernelOp, cpu: Cpu, choices: Sequence[Ints], kinds: Kinds) -> tuple[list[Callable[..., None]], Ints]:
    """A function, and its items, for each choice."""
    from llvmlite import binding as llvm

    declarations: dict[str, str] = {}
    operands, texts, items = [pointer(f"%a{i}") for i in range(len(op.operands))], [], []
    kind = kind_of(op, kinds)
    operands += [pointer("%scratch")] if kind.scratch(op.problem) else []
    for i, choice in enumerate(choices):
        call = Call(cpu, op.result.tensor.dtype, operands, choice=choice)
        b = Builder(f"try{i}", [*operands, call.out], declarations, cpu)
        items.append(kind.generate(b, kind.apply_choice(op.problem, choice), call).items)
        texts.append(b.text().replace("define internal", "define", 1))
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly("\n".join([*declarations.values(), *texts, f"attributes #0 = {{ {cpu.attributes} }}"]))
    engine = llvm.create_mcjit_compiler(module, llvm.Target.from_default_triple().create_target_machine(opt=2))
    engine.finalize_object()
    signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(operands) + 1), ctypes.c_int64, ctypes.c_int64)
    return [_Kept(signature(engine.get_function_address(f"try{i}")), engine) for i in range(len(choices))], known(
        tuple(items)
    )


class _Kept:
    """A function whose code lives as long as it does."""

    def __init__(self, function: Callable[..., None], engine: object) -> None:
        self._function, self._engine = function, engine

    def __call__(self, *arguments: int) -> None:
        self._function(*arguments)
