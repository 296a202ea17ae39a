"""What products and chains of kernel ops mean, in numpy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from mlconv.dialects.kernel.attributes import (
    PANEL,
    Attention,
    ConvChain,
    Depthwise,
    Gemm,
    Instr,
    OutputIndexing,
    Program,
    RowReduce,
    Step,
    View,
    dense,
    known,
)
from mlconv.dialects.kernel.winograd import Winograd
from mlconv.dialects.winograd import INPUT_TILE, filter_matrix
from mlconv.interp.kernel_programs import evaluated, places, run_step, store
from mlconv.ir.constants import Array


def gemm(problem: Gemm, buffers: Sequence[Array], out: Array) -> None:
    """Write a product of x, packed weights and the operands of an epilogue."""
    indexing, x = problem.indexing, buffers[0]
    rows, count = known(indexing.rows), math.prod(indexing.window)
    of_place = problem.run if problem.joins else problem.types.filled(count, problem.run)[1]
    weights = _unpacked(problem, buffers[1], rows[:2])
    total = np.zeros((*rows, indexing.channels), _wide(problem))
    for number, view in enumerate(_windows(indexing)):
        at = places(View(view.offset, (*view.strides, 1)), (*rows, problem.run))
        factor = x[np.broadcast_to(at, (*rows, problem.run))]
        if problem.wide:
            factor = factor.astype(problem.types.x.numpy)
        of_window = weights[:, :, number * of_place : number * of_place + problem.run]
        total += (factor.astype(total.dtype) + problem.shift) @ of_window.astype(total.dtype)
    _finish(problem, total, buffers, out)


def depthwise(problem: Depthwise, buffers: Sequence[Array], out: Array) -> None:
    """Write what each channel has with its own weights."""
    indexing, x = problem.indexing, buffers[0]
    rows = known(indexing.rows)
    read, total = (*rows, problem.run), np.zeros((*rows, indexing.channels), _wide(problem))
    for number, view in enumerate(_windows(indexing)):
        factor = x[np.broadcast_to(places(View(view.offset, (*view.strides, 1)), read), read)]
        groups = factor.reshape(*rows, -1, problem.members)
        for member in range(problem.members):
            own = buffers[1][(number * problem.members + member) * (problem.pitch or indexing.channels) :]
            spread = np.repeat(groups[..., member], problem.times * problem.members, axis=-1)
            total += spread.astype(total.dtype) * own[: indexing.channels].astype(total.dtype)
    _finish(problem, total, buffers, out)


def winograd(problem: Winograd, buffers: Sequence[Array], out: Array) -> None:
    """Write the convolution whose filters the transformed weights are of."""
    channels, depth = problem.indexing.channels, problem.depth
    panels = -(-channels // PANEL)
    transformed = buffers[1][: INPUT_TILE**2 * panels * depth * PANEL].astype(np.float64)
    transformed = transformed.reshape(INPUT_TILE, INPUT_TILE, panels, depth, PANEL)
    back = np.linalg.pinv(np.asarray(filter_matrix()))
    filters = np.einsum("ai,bj,ijpkl->abpkl", back, back, transformed)
    packed = filters.reshape(9, panels, depth, PANEL).transpose(1, 0, 2, 3).ravel()
    # the epilogue's operands are numbered as those of the op: the third one is the direct weights
    gemm(Gemm(problem.indexing, depth), [buffers[0], packed, *buffers[2:]], out)


def conv_chain(problem: ConvChain, buffers: Sequence[Array], out: Array) -> None:
    """Write what the last stage makes; what lies between stages is whole here."""
    made: Array | None = None
    for i, (stage, numbers) in enumerate(zip(problem.stages, problem.numbers, strict=True)):
        given = [made if n < 0 and made is not None else buffers[n] for n in numbers]
        target = out
        if i < len(problem.buffers):
            reader, between = problem.stages[i + 1], problem.buffers[i]
            size = max(_end_of_result(stage.indexing), _end_of_x(reader))
            target = np.full(size, between.fill, problem.between.numpy)
            stage = stage._replace(indexing=stage.indexing._replace(borders=()))  # what they write is the filling
        if isinstance(stage, Gemm):
            gemm(stage, given, target)
        else:
            depthwise(stage, given, target)
        made = target


def row_reduce(problem: RowReduce, buffers: Sequence[Array], out: Array) -> None:
    """Write what the last stage makes; temporaries have a place for each row here."""
    rows, given, count = known(problem.rows), list(buffers), len(buffers)
    steps = [_of_rows(problem, i, count) for i in range(len(problem.stages))]
    for i, step in enumerate(steps[:-1]):
        length = math.prod(rows) * math.prod(known(step.kept[len(rows) :]))
        given.append(np.zeros(length, problem.temporaries[i].numpy))
        run_step(step, given, given[-1])
    run_step(steps[-1], given, out)


def attention(problem: Attention, buffers: Sequence[Array], out: Array) -> None:
    """Write the product of what stages make of another product."""
    scores = np.zeros(_end_of_result(problem.scores.indexing), problem.scores.types.result.numpy)
    gemm(problem.scores, buffers[: problem.split], scores)
    last = problem.stages.stages[-1]
    size = int(places(last.out, known(last.kept)).max(initial=-1)) + 1
    made = np.zeros(max(size, _end_of_x(problem.values)), problem.values.types.x.numpy)
    row_reduce(problem.stages, [scores], made)
    gemm(problem.values, [made, *buffers[problem.split :]], out)


def _wide(problem: Gemm | Depthwise) -> type[np.generic]:
    return np.int64 if problem.types.sums.is_int else np.float64


def _windows(indexing: OutputIndexing) -> Iterator[View]:
    """x as each place of a window sees it."""
    strides = known(indexing.window_strides)
    for place in np.ndindex(*indexing.window):
        (offset,) = known((indexing.x.offset,))
        yield View(offset + sum(i * s for i, s in zip(place, strides, strict=True)), indexing.x.strides)


def _finish(problem: Gemm | Depthwise, total: Array, buffers: Sequence[Array], out: Array) -> None:
    indexing = problem.indexing
    shape, sums = total.shape, total.astype(problem.types.sums.numpy)
    store(out, indexing.out, shape, evaluated(indexing.after, buffers, shape, sums))
    for step in indexing.borders:
        run_step(step, buffers, out)


def _unpacked(problem: Gemm, weights: Array, rows: Sequence[int]) -> Array:
    """[batch or 1, row or 1, depth, channels]."""
    strides, channels = known(problem.weight_strides), problem.indexing.channels
    counts = [n if s else 1 for n, s in zip(rows, strides, strict=True)]
    made = [
        _matrix(problem, weights[i * strides[0] + j * strides[1] :], channels)
        for i in range(counts[0])
        for j in range(counts[1])
    ]
    return np.stack(made).reshape(*counts, problem.depth, channels) if made else np.zeros((*counts, 0, channels))


def _matrix(problem: Gemm, weights: Array, channels: int) -> Array:
    """[depth, channels] of packed weights, or of weights that are not."""
    depth, group, shared = problem.depth, problem.types.group, problem.types.shared
    if shared > 1 and problem.types.sums.is_float:
        weights, shared = _whole_bytes(problem, weights), 1
    depth //= shared
    if problem.pitch:
        at = np.arange(problem.depth)[:, None] * problem.pitch + np.arange(channels)
        return np.asarray(weights[at])
    panels = []
    for start in range(0, problem.columns, PANEL):
        width = min(PANEL, problem.columns - start)
        panel = weights[start * depth : (start + width) * depth]
        whole = depth // group * group
        grouped = panel[: whole * width].reshape(-1, 1, width, group).transpose(0, 1, 3, 2)
        if shared > 1:  # the lower bits of bytes are those of the first group
            grouped = _halves(grouped)
        rest = panel[whole * width :].reshape(width, depth - whole).T
        panels.append(np.concatenate([grouped.reshape(whole * shared, width), rest]))
    return np.concatenate(panels, axis=1)[:, :channels]


def _whole_bytes(problem: Gemm, weights: Array) -> Array:
    """Packed weights of which two halves of a place share bytes: the first one has the lower bits."""
    panels = []
    for start in range(0, problem.columns, PANEL):
        width = min(PANEL, problem.columns - start)
        halves = weights[start * problem.depth // 2 :][: width * problem.depth // 2].reshape(-1, 1, width // 2)
        panels.append(_halves(halves).reshape(-1))
    return np.concatenate(panels)


def _halves(stored: Array) -> Array:
    """Integers of the lower bits of bytes [n, 1, ...], and those of the upper ones, [n, 2, ...]."""
    return np.concatenate([stored << 4 >> 4, stored >> 4], axis=1)


def _end_of_result(indexing: OutputIndexing) -> int:
    at = places(indexing.out, (*known(indexing.rows), indexing.channels))
    return int(at.max(initial=-1)) + 1


def _end_of_x(reader: Gemm | Depthwise) -> int:
    rows = known(reader.indexing.rows)
    return max((int(places(v, rows).max(initial=-1)) + reader.run for v in _windows(reader.indexing)), default=0)


def _of_rows(problem: RowReduce, number: int, operands: int) -> Step:
    """A stage whose temporaries have a place for each row."""
    rows, step = known(problem.rows), problem.stages[number]

    def spread(view: View, stage: int) -> View:
        length = math.prod(known(problem.stages[stage].kept[len(rows) :]))
        return View(view.offset, (*(n * length for n in dense(rows)), *view.strides[len(rows) :]))

    def moved(program: Program) -> Program:
        return tuple(_moved(instr, spread, operands) for instr in program)

    out = spread(step.out, number) if number < len(problem.temporaries) else step.out
    return step._replace(body=moved(step.body), after=moved(step.after), out=out)


def _moved(instr: Instr, spread: Callable[[View, int], View], operands: int) -> Instr:
    if instr.opcode not in ("load", "load_at") or instr.args[0] < operands:
        return instr
    stage = instr.args[0] - operands
    if instr.opcode == "load":
        return instr._replace(value=spread(instr.value, stage))
    view, *rest = instr.value
    return instr._replace(value=(spread(view, stage), *rest))
