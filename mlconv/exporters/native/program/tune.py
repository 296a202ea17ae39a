"""Tiles chosen by timing on this machine, kept in a file by processor and problem.

A tile obeys the rule for registers; among those that do, the search takes the fastest, and the heuristic's own unless another is clearly faster.
The file is JSON: {"version": 1, "tiles": {processor: {problem: [rows, panels]}}}; the same file gives the same object.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import math
import platform
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.kernel import PANEL, KernelOp, Tile, known
from mlconv.exporters.atomic import replacing
from mlconv.exporters.native.codegen.lowering import lower_for
from mlconv.exporters.native.codegen.sizes import depends
from mlconv.exporters.native.codegen.text import Builder
from mlconv.exporters.native.kernels.generate import generate
from mlconv.exporters.native.kernels.tile import TileGenerator
from mlconv.exporters.native.machines.cpus import Cpu
from mlconv.exporters.native.program.plan import nbytes
from mlconv.ir.core import Block, walk

Shape = tuple[int, int]
Tuned = dict[tuple[str, Any], Shape]  # (instruction set, problem) to rows and panels
_CLEARLY, _ROUNDS, _SECONDS = 0.97, 5, 4e-4
_ROW_LIMITS = (28, 14, 12, 10, 8, 6)


def problem_key(tile: Tile) -> str:
    """A problem by name: its sizes to read, and a digest of all of it."""
    points = tile.points
    sizes = "x".join(map(str, (*points.rows, *points.window, tile.run, points.channels)))
    return f"{sizes}-{hashlib.sha256(repr(tile).encode()).hexdigest()[:12]}"


def processor(cpu: Cpu) -> str:
    """This machine's processor and the instruction set."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith(("model name", "CPU part"))), "")
    except OSError:
        name = ""
    return f"{name or platform.machine()}, {cpu.name}"


def candidates(cpu: Cpu, tile: Tile) -> list[Shape]:
    """Rows and panels to try, the heuristic's own first."""
    own = TileGenerator(Builder("own", ["%out"], {}), tile, cpu)
    per_panel, (_, _, columns) = max(1, PANEL // cpu.width), known(own.points.rows)
    found = {(own.rows, own.count): None}
    for count in range(1, min(own.panels, 4) + 1):
        vectors = count * per_panel
        most = min((cpu.registers - vectors - 1) // vectors, columns)
        for limit in {min(most, r) for r in _ROW_LIMITS if most >= 1}:
            found[(-(-columns // -(-columns // limit)), count)] = None
            found[(limit, count)] = None
    return list(found)


def read_cache(path: str) -> dict[str, dict[str, Any]]:
    """Tiles by processor and problem; empty when there is no file yet.  Raises ConversionError MLC0001 for a file that is none of these."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as e:
        raise ConversionError(Code.MLC0001, f"{path} is not a readable tuning cache: {e}") from e
    tiles = data.get("tiles") if isinstance(data, dict) and data.get("version") == 1 else None
    if not isinstance(tiles, dict) or not all(isinstance(v, dict) and all(map(_is_shape, v.values())) for v in tiles.values()):
        raise ConversionError(Code.MLC0001, f"{path} is no tuning cache of version 1")
    return tiles


def _is_shape(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(v) is int and 1 <= v <= 64 for v in value)


def tuned_tiles(block: Block, cpu: Cpu, search: bool, cache: str) -> Tuned:
    """Tiles for the problems of a block on this machine's `cpu`: those of the cache, and with `search` also new ones, which are added to it."""
    known = read_cache(cache) if cache else {}
    mine = dict(known.get(processor(cpu), {}))
    found: Tuned = {}
    added = False
    for op in _distinct(block):
        key, choices = problem_key(op.problem), candidates(cpu, op.problem)
        if key not in mine and search:
            mine[key], added = list(fastest(op, cpu, choices)), True
        if key in mine and _fits(cpu, tuple(mine[key])):
            found[cpu.name, op.problem] = (mine[key][0], mine[key][1])
    if added and cache:
        text = json.dumps({"version": 1, "tiles": {**known, processor(cpu): mine}}, indent=1, sort_keys=True)
        with replacing(Path(cache)) as out:
            out.write(f"{text}\n".encode())
    return found


def _fits(cpu: Cpu, shape: Sequence[int]) -> bool:
    """The rule for registers; (1, 1) always."""
    vectors = shape[1] * max(1, PANEL // cpu.width)
    return tuple(shape) == (1, 1) or (shape[0] + 1) * vectors + 1 <= cpu.registers


def _distinct(block: Block) -> Iterable[KernelOp]:
    """Tiles, one for each problem whose sizes are fixed."""
    tiles = (op for op in walk(block) if isinstance(op, KernelOp) and op.name == "kernel.tile")
    return {op.problem: op for op in tiles if not depends(op.problem) and all(v.tensor.is_static for v in (*op.inputs, *op.results))}.values()


def fastest(op: KernelOp, cpu: Cpu, choices: Sequence[Shape]) -> Shape:
    """The fastest tile of a problem, by the time of one thread."""
    if len(choices) == 1:
        return choices[0]
    functions, units = _compiled(op, cpu, choices)
    sizes = known(tuple(nbytes(v) for v in (*op.inputs, op.results[0])))
    rng = np.random.default_rng(0)
    arrays = [rng.random(-(-n // 4) + 64).astype(np.float32) for n in sizes]
    times = [math.inf] * len(choices)
    for _ in range(_ROUNDS):
        for i, function in enumerate(functions):
            times[i] = min(times[i], _seconds(function, [*(a.ctypes.data for a in arrays), 0, units[i]]))
    best = min(range(len(choices)), key=times.__getitem__)
    return choices[best] if times[best] < _CLEARLY * times[0] else choices[0]


def _seconds(function: Callable[..., None], arguments: Sequence[int]) -> float:
    """Of one call, over enough of them to be measured."""
    calls, spent = 0, 0.0
    started = time.thread_time()
    while spent < _SECONDS:
        function(*arguments)
        calls, spent = calls + 1, time.thread_time() - started
    return spent / calls


def _compiled(op: KernelOp, cpu: Cpu, choices: Sequence[Shape]) -> tuple[list[Callable[..., None]], tuple[int, ...]]:
    """A function, and its units, for each tile."""
    from llvmlite import binding as llvm

    declarations: dict[str, str] = {}
    operands, texts, units = [f"%a{i}" for i in range(len(op.operands))], [], []
    for i, shape in enumerate(choices):
        b = Builder(f"try{i}", [*operands, "%out"], declarations, lower=lower_for(cpu))
        units.append(generate(b, op.problem, op.results[0].tensor.dtype, cpu, operands, tile=shape)[0])
        texts.append(b.text().replace("define internal", "define", 1))
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly("\n".join([*declarations.values(), *texts, f"attributes #0 = {{ {cpu.attributes} }}"]))
    engine = llvm.create_mcjit_compiler(module, llvm.Target.from_default_triple().create_target_machine(opt=2))
    engine.finalize_object()
    signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(operands) + 1), ctypes.c_int64, ctypes.c_int64)
    return [_Kept(signature(engine.get_function_address(f"try{i}")), engine) for i in range(len(choices))], known(tuple(units))


class _Kept:
    """A function whose code lives as long as it does."""

    def __init__(self, function: Callable[..., None], engine: Any) -> None:
        self._function, self._engine = function, engine

    def __call__(self, *arguments: int) -> None:
        self._function(*arguments)
