"""Generator of `kernel.depthwise`: a few neighbouring points and one vector of channels at a time, each cell of x
loaded once for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.borders import fill_borders
from mlconv.codegen.kernels.kind import Call, KernelKind, Written, tried
from mlconv.codegen.kernels.points import Epilogue, Position, address, blocks, line, merged, strips
from mlconv.codegen.kernels.views import program_flops
from mlconv.codegen.llvm.evaluate import load
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.sizes import estimate
from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import Depthwise, Ints, known
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType

_PLANE_NEAR = 24 << 10  # bytes of one vector of channels of an image that stay in the first-level cache
_STRIPS = (2, 3, 4, 5, 6, 7, 8, 10, 14)  # points, to try


class StripChoice(NamedTuple):
    """Neighbouring points that are done at once; whether units are blocks of channels, not lines."""

    points: int
    by_channels: bool


class DepthwiseGenerator:
    """Emits one problem.  units: blocks of channels when their planes are small, else lines of points.  by_lines: those
    in any case.
    """

    def __init__(
        self, b: Builder, problem: Depthwise, cpu: Cpu, choice: Sequence[int] = (), by_lines: bool = False
    ) -> None:
        self.b, self.points = b, problem.points if by_lines else merged(problem.points)
        n, r, c = problem.points.rows
        self.lanes = cpu.width
        columns = self.points.rows[2]
        limit = 8 if cpu.registers >= 32 else 4
        self.strip = -(-columns // -(-columns // limit)) if isinstance(columns, int) else limit
        channels = self.points.channels
        plane = n * r * c * self.lanes * 4 * self.points.window[0]
        self.by_channels = (
            not by_lines and isinstance(plane, int) and plane <= _PLANE_NEAR * 2 and channels // self.lanes >= 4
        )
        if choice and not by_lines:
            self.strip, self.by_channels = choice[0], bool(choice[1])
        self.blocks = blocks(channels, self.lanes)

    @property
    def units(self) -> Size:
        """How many units of work there are."""
        return self.points.channels // self.lanes if self.by_channels else self.points.rows[0] * self.points.rows[1]

    @property
    def cost(self) -> float:
        """Nanoseconds of a unit, roughly."""
        cells = estimate(product(self.points.rows)) * self.points.channels * math.prod(self.points.window)
        return cells / max(1, estimate(self.units)) / 15

    def run(self, operands: Sequence[str], out: str) -> None:
        """operands: x, weights, then those of the epilogue."""
        b = self.b
        if not self.by_channels:

            def one(index: str) -> None:
                batch, row = line(b, self.points, index)
                for lanes, start, stop in self.blocks:

                    def block(channel: str, _: Carried, lanes: int = lanes) -> Carried:
                        self._line(operands, out, batch, row, channel, lanes)
                        return []

                    b.loop(start, stop, lanes, [], block)

            b.units(one)
            return
        b.units(lambda i: self._plane(operands, out, b.op(f"mul i64 {i}, {self.lanes}"), self.lanes))
        rest = self.blocks[1:]
        if rest:

            def tail() -> None:
                for lanes, start, stop in rest:

                    def block(channel: str, _: Carried, lanes: int = lanes) -> Carried:
                        self._plane(operands, out, channel, lanes)
                        return []

                    b.loop(start, stop, lanes, [], block)

            b.when(b.op(f"icmp eq i64 {b.end}, {self.units}"), tail)

    def _plane(self, operands: Sequence[str], out: str, channel: str, lanes: int) -> None:
        """All lines of one block of channels."""
        n, r, _ = self.points.rows

        def batch(i: str, _: Carried) -> Carried:
            def row(j: str, _: Carried) -> Carried:
                self._line(operands, out, i, j, channel, lanes)
                return []

            return self.b.loop(0, r, 1, [], row)

        self.b.loop(0, n, 1, [], batch)

    def _line(self, operands: Sequence[str], out: str, batch: str, row: str, channel: str, lanes: int) -> None:
        """All columns of a line, a strip at a time."""
        for start, stop, size in strips(self.points.rows[2], self.strip):

            def body(column: str, _: Carried, size: int = size) -> Carried:
                self._points(operands, out, Position(batch, row, column, channel), size, lanes)
                return []

            self.b.loop(start, stop, size, [], body)

    def _points(self, operands: Sequence[str], out: str, at: Position, count: int, lanes: int) -> None:
        """`count` neighbouring points."""
        b, points, ops = self.b, self.points, Scalars(self.b, lanes)
        x = b.offset(address(b, operands[0], points.x, at), "float", at.channel)
        weights = b.offset(operands[1], "float", at.channel)
        totals = [ops.literal(DType.F32, 0.0)] * count
        outer, inner = _split(points.window)
        step = points.window_strides[-1]
        for i in range(outer):
            start: Size = sum(
                p * s for p, s in zip(_place(i, points.window[:-1]), points.window_strides[:-1], strict=True)
            )
            cells: dict[Size, str] = {}
            for j in range(inner):
                w = load(b, DType.F32, b.offset(weights, "float", str((i * inner + j) * points.channels)), lanes)
                for k in range(count):
                    where = start + k * points.x.strides[2] + j * step
                    if where not in cells:
                        cells[where] = load(b, DType.F32, b.moved(x, "float", where), lanes)
                    totals[k] = ops.intrinsic("fma", DType.F32, [cells[where], w, totals[k]])
        epilogue = Epilogue(b, points, lanes, operands, out)
        starts = epilogue.start(at)
        for k in range(count):
            epilogue.finish(totals[k], starts, k, 0)


def _split(window: tuple[int, ...]) -> tuple[int, int]:
    return math.prod(window[:-1]), window[-1]


def _place(index: int, extents: tuple[int, ...]) -> tuple[int, ...]:
    """Coordinates of a position in row-major order."""
    out = []
    for extent in reversed(extents):
        out.append(index % extent)
        index //= extent
    return tuple(reversed(out))


class _Depthwise(KernelKind[Depthwise]):
    """A choice: `StripChoice`."""

    name = "kernel.depthwise"
    has_choices = True

    def flops(self, problem: Depthwise) -> int:
        points = problem.points
        results = estimate(product(points.rows)) * points.channels
        return results * (2 * math.prod(points.window) + program_flops(points.after))

    def generate(self, b: Builder, problem: Depthwise, call: Call) -> Written:
        generator = DepthwiseGenerator(b, problem, call.cpu, call.choice)
        fill_borders(b, problem.points, call)
        generator.run(call.operands, call.out)
        return Written(generator.units, generator.cost)

    def choices(self, cpu: Cpu, problem: Depthwise) -> list[Ints]:
        own = DepthwiseGenerator(Builder("own", ["%out"], {}), problem, cpu)
        columns = known(own.points.rows)[2]
        sizes = [-(-columns // -(-columns // limit)) for limit in _STRIPS]
        orders = int(own.by_channels), int(not own.by_channels)
        return tried((own.strip, orders[0]), [(n, order) for n in sizes for order in orders], self, cpu, problem)

    def fits_choice(self, cpu: Cpu, problem: Depthwise, choice: Ints) -> bool:
        if len(choice) != len(StripChoice._fields):
            return False
        wide = problem.points.channels >= cpu.width
        return 1 <= choice[0] <= cpu.registers // 2 and (choice[1] == 0 or (choice[1] == 1 and wide))


DEPTHWISE = _Depthwise()
