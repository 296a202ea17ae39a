"""Register tiles, column tiles, blocks and row tiles chosen by timing on this machine, kept in a file by processor and
problem.

Among the candidates (`KernelKind.choices`) the search takes the fastest, and the heuristic's own unless another is
clearly faster.  The fastest few of a first round are timed again beside it, so that none wins by luck.  The file is
JSON: {"version": 3, "choices": {processor: {problem: [numbers of the choice]}}}; the same file gives the same object.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import math
import platform
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path

import numpy as np

from mlconv.codegen.kernels.kind import KINDS, Call, Kinds, kind_of
from mlconv.codegen.llvm.sizes import depends
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import pointer
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.program.memory_plan import nbytes
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.kernel import Ints, KernelOp, known
from mlconv.formats.atomic import replacing
from mlconv.formats.files import read_text
from mlconv.ir.core import Block, walk

Tuned = dict[tuple[str, Hashable], Ints]  # (instruction set, problem) to a choice
_CLEARLY, _ROUNDS, _FINALISTS, _SECONDS = 0.97, 5, 3, 4e-4
_SIGNS = (("model name", "CPU part"), ("flags", "Features"))
_VERSION, _LARGEST = 3, 4096


def problem_key(op: KernelOp, kinds: Kinds = KINDS) -> str:
    """What a kernel computes, by name: its kind and sizes to read, and a digest of all of it but what is chosen."""
    kind = kind_of(op, kinds)
    problem, indexing = kind.without_choice(op.problem), op.indexing
    sizes = "x".join(map(str, (*indexing.rows, *indexing.window, indexing.channels)))
    digest = hashlib.sha256(repr(problem).encode()).hexdigest()[:12]
    return f"{kind.name.removeprefix('kernel.')}-{sizes}-{digest}"


def processor(cpu: Cpu) -> str:
    """This machine's processor (its name, and a digest of its features, since virtual machines hide names) and the
    instruction set.
    """
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
    kept = read_cache(cache) if cache else {}
    mine = dict(kept.get(processor(cpu), {}))
    found: Tuned = {}
    added = False
    for problem, ops in _by_problem(block, kinds).items():
        kind, key = kind_of(ops[0], kinds), problem_key(ops[0], kinds)
        if key not in mine and search:
            mine[key], added = list(fastest(ops[0], cpu, kind.choices(cpu, problem), kinds)), True
        if key in mine and kind.fits_choice(cpu, problem, tuple(mine[key])):
            choice = tuple(mine[key])
            chosen = kind.apply_choice(problem, choice)
            found[cpu.name, chosen] = choice
            for op in ops:
                op.attributes["problem"] = chosen
    if added and cache:
        text = json.dumps({"version": _VERSION, "choices": {**kept, processor(cpu): mine}}, indent=1, sort_keys=True)
        with replacing(Path(cache)) as out:
            out.write(f"{text}\n".encode())
    return found


def _by_problem(block: Block, kinds: Kinds) -> dict[Hashable, list[KernelOp]]:
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
    functions, items = _compiled(op, cpu, choices, kinds)
    kind = kind_of(op, kinds)
    scratch = max(known(tuple(kind.scratch(kind.apply_choice(op.problem, c)) for c in choices)))
    sizes = known((*(nbytes(v) for v in op.inputs), *([scratch] if scratch else []), nbytes(op.result)))
    rng = np.random.default_rng(0)
    arrays = [rng.random(-(-n // 4) + 64).astype(np.float32) for n in sizes]
    pointers = [a.ctypes.data for a in arrays]
    everyone = range(len(choices))

    def timed(some: Iterable[int], rounds: int) -> dict[int, float]:
        """The least time of each, taking turns."""
        times = dict.fromkeys(some, math.inf)
        for _ in range(rounds):
            for i in times:
                times[i] = min(times[i], _seconds(functions[i], [*pointers, 0, items[i]]))
        return times

    first = timed(everyone, _ROUNDS)
    times = timed([0, *sorted(everyone[1:], key=first.__getitem__)[:_FINALISTS]], 3 * _ROUNDS)
    best = min(times, key=times.__getitem__)
    return choices[best] if times[best] < _CLEARLY * times[0] else choices[0]


def _seconds(function: Callable[..., None], arguments: Sequence[int]) -> float:
    """Of one call, over enough of them to be measured."""
    calls, spent = 0, 0.0
    started = time.thread_time()
    while spent < _SECONDS:
        function(*arguments)
        calls, spent = calls + 1, time.thread_time() - started
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
