"""What products of integers read of x, and how it is laid side by side on the stack, in the form in which it is
multiplied, so that what follows neither widens it nor knows windows.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

from mlconv.codegen.kernels.dots import Dots
from mlconv.codegen.kernels.indexing import Position, address, joined_runs, merged
from mlconv.codegen.llvm.evaluate import load, store
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import I32, POINTER, Value, integer, lane_mask, memory_type, zero
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import Gemm, OutputIndexing
from mlconv.ir.dims import Size

# Bytes on the stack for what a tile reads, by bits of vector registers: a program for WebAssembly has 64 KB of stack.
_ROOMS = ((256, 48 << 10), (128, 16 << 10))
_SMALL = 1 << 10  # of machines without vectors, or whose sums of bytes are in general registers
_MASKED = 512  # bits of vector registers where some bytes of one are read, and nothing beyond
_LANES = (4, 8, 16, 32, 64)


def stack_bytes(cpu: Cpu) -> int:
    """Of what a tile reads of x."""
    return next((size for bits, size in _ROOMS if cpu.bits >= bits and not cpu.general), _SMALL)


class Reads(NamedTuple):
    """Windows of a product: `runs` contiguous runs of `run_length` elements, each of `length` places of weights."""

    indexing: OutputIndexing
    run_length: int
    runs: int
    length: int

    @classmethod
    def of(cls, problem: Gemm, by_lines: bool = False) -> Reads:
        """Runs joined where they run on from one to the next, rows too, but for `by_lines`."""
        runs, length = problem.types.filled(math.prod(problem.indexing.window), problem.run)
        joins = runs == 1 or length == problem.run  # not where each run is filled up
        indexing, run_length = joined_runs(problem.indexing, problem.run, joins)
        runs, length = problem.types.filled(math.prod(indexing.window), run_length)
        rows = indexing if by_lines else merged(indexing, problem.weight_strides)
        return cls(rows, run_length, runs, length)


class Staging:
    """Lays windows of neighbouring columns in the room.  pitch: elements from one of them to the next.  limit: columns
    that the stack has room for.
    """

    def __init__(self, b: Builder, problem: Gemm, reads: Reads, dots: Dots, cpu: Cpu) -> None:
        self.b, self.types, self.dots, self.cpu, self.reads = b, problem.types, dots, cpu, reads
        self.x_type, self.staged = memory_type(problem.types.x), memory_type(dots.staged)
        group = problem.types.group
        self.pitch = -(-problem.depth // group) * group
        self.lanes = max(4, cpu.lanes(dots.staged))
        self.is_masked = cpu.bits >= _MASKED and self.x_type.bits == 8 and self.lanes > 4
        self.limit = stack_bytes(cpu) // max(1, self.pitch * self.staged.size)

    def room(self, columns: int) -> Value:
        """Room for so many columns, for the whole function, and what is written beyond the last one."""
        return self.b.room(self.staged, columns * self.pitch + (self.lanes if self.is_masked else 0))

    def lay(self, operand: Value, at: Position, columns: Size, room: Value) -> None:
        """Columns from a position on."""
        b, reads = self.b, self.reads
        x = address(b, operand, self.types.x, reads.indexing.x, at)
        pitch = reads.length if reads.runs > 1 else reads.run_length  # from one run to the next
        short = reads.runs == 1 and self.pitch > math.prod(reads.indexing.window) * reads.run_length

        def column(i: Value) -> None:
            target = b.offset(room, self.staged, i, self.pitch)
            source = b.offset(x, self.x_type, i, reads.indexing.x.strides[2])
            if short:
                self._fill(target, self.pitch)
            self._windows(0, source, target, pitch, reads.length if reads.runs > 1 else 0)

        b.each(0, columns, 1, column)

    def _fill(self, target: Value, length: int) -> None:
        """Zeros in the last places of a run: whatever lies there is multiplied by zeros, but is read."""
        step = self.types.step
        last = self.b.moved(target, self.staged, length - step)
        self.b.store(zero(self.staged.of_lanes(step)), last, self.staged.align)

    def _windows(self, axis: int, source: Value, target: Value, pitch: int, filled: int) -> None:
        """Window axes from `axis` on.  filled: length of runs that are filled up one by one."""
        b, indexing = self.b, self.reads.indexing
        if axis == len(indexing.window):
            if filled > self.reads.run_length:
                self._fill(target, filled)
            self._copy(source, target)
            return
        inside = pitch * math.prod(indexing.window[axis + 1 :])

        def turn(i: Value) -> None:
            there = b.offset(source, self.x_type, i, indexing.window_strides[axis])
            here = b.offset(target, self.staged, i, inside)
            self._windows(axis + 1, there, here, pitch, filled)

        b.each(0, indexing.window[axis], 1, turn)

    def _copy(self, source: Value, target: Value) -> None:
        """A run, in the form in which it is multiplied."""
        b, start, lanes = self.b, 0, self.lanes

        def piece(place: Value, lanes: int, count: int) -> None:
            found = self._read(b.offset(source, self.x_type, place), lanes, count)
            made = self.dots.laid(b, self.dots.made(b, found))
            store(b, self.dots.staged, made, b.offset(target, self.staged, place))

        while start < self.reads.run_length:
            left = self.reads.run_length - start
            if self.is_masked and left < lanes:
                lanes = next(n for n in _LANES if n >= left)
            stop = start + max(left // lanes, self.is_masked) * lanes
            if stop > start:
                b.each(start, stop, lanes, functools.partial(piece, lanes=lanes, count=min(left, lanes)))
            start, lanes = stop, lanes // 2

    def _read(self, pointer: Value, lanes: int, count: int) -> Value:
        """Elements of x, of which `count` are there."""
        if count == lanes:
            return load(self.b, self.types.x, pointer, lanes)
        t = self.x_type.of_lanes(lanes)
        arguments = [pointer, integer(I32, t.align), lane_mask(lanes, count), zero(t)]
        return self.b.call(t, f"llvm.masked.load.{t.name}.{POINTER.name}", arguments)
