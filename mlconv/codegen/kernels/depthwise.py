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
from mlconv.codegen.kernels.products import FLOAT32, ProductTypes, multiplied
from mlconv.codegen.kernels.views import program_flops
from mlconv.codegen.llvm.evaluate import load
from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.sizes import estimate
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value, index, memory_type
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import Depthwise, Ints, known
from mlconv.ir.dims import Size, product

_PLANE_NEAR = 24 << 10  # bytes of one vector of channels of an image that stay in the first-level cache
_STRIPS = (2, 3, 4, 5, 6, 7, 8, 10, 14)  # points, to try


class StripChoice(NamedTuple):
    """Neighbouring points that are done at once; whether units are blocks of channels, not lines."""

    points: int
    by_channels: bool


class DepthwiseGenerator:
    """Emits one problem.  units: blocks of channels when their planes are small, else lines of points.  by_lines: those
    in any case.  types: of the elements.
    """

    def __init__(
        self,
        b: Builder,
        problem: Depthwise,
        cpu: Cpu,
        choice: Sequence[int] = (),
        by_lines: bool = False,
        types: ProductTypes = FLOAT32,
    ) -> None:
        self.b, self.points = b, problem.points if by_lines else merged(problem.points)
        self.types, self.product = types, types.multiply_add(cpu)
        self.x_type, self.weights_type = memory_type(types.x), memory_type(types.weights)
        n, r, c = problem.points.rows
        self.lanes = cpu.lanes(types.sums)
        columns = self.points.rows[2]
        limit = 8 if cpu.registers >= 32 else 4
        self.strip = -(-columns // -(-columns // limit)) if isinstance(columns, int) else limit
        channels = self.points.channels
        plane = n * r * c * self.lanes * self.x_type.size * self.points.window[0]
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

    def run(self, operands: Sequence[Value], out: Value) -> None:
        """operands: x, weights, then those of the epilogue."""
        b = self.b
        if not self.by_channels:

            def one(number: Value) -> None:
                batch, row = line(b, self.points, number)
                for lanes, start, stop in self.blocks:

                    def block(channel: Value, lanes: int = lanes) -> None:
                        self._line(operands, out, batch, row, channel, lanes)

                    b.each(start, stop, lanes, block)

            b.units(one)
            return
        b.units(lambda i: self._plane(operands, out, b.mul(i, index(self.lanes)), self.lanes))
        rest = self.blocks[1:]
        if rest:

            def tail() -> None:
                for lanes, start, stop in rest:

                    def block(channel: Value, lanes: int = lanes) -> None:
                        self._plane(operands, out, channel, lanes)

                    b.each(start, stop, lanes, block)

            b.when(b.icmp("eq", b.end, b.number(self.units)), tail)

    def _plane(self, operands: Sequence[Value], out: Value, channel: Value, lanes: int) -> None:
        """All lines of one block of channels."""
        n, r, _ = self.points.rows

        def batch(i: Value) -> None:
            self.b.each(0, r, 1, lambda j: self._line(operands, out, i, j, channel, lanes))

        self.b.each(0, n, 1, batch)

    def _line(
        self, operands: Sequence[Value], out: Value, batch: Value, row: Value, channel: Value, lanes: int
    ) -> None:
        """All columns of a line, a strip at a time."""
        for start, stop, size in strips(self.points.rows[2], self.strip):

            def body(column: Value, size: int = size) -> None:
                self._points(operands, out, Position(batch, row, column, channel), size, lanes)

            self.b.each(start, stop, size, body)

    def _points(self, operands: Sequence[Value], out: Value, at: Position, count: int, lanes: int) -> None:
        """`count` neighbouring points."""
        b, points, types = self.b, self.points, self.types
        x = b.offset(address(b, operands[0], types.x, points.x, at), self.x_type, at.channel)
        weights = b.offset(operands[1], self.weights_type, at.channel)
        totals: list[Value] = [literal(types.sums, 0.0, lanes)] * count
        outer, inner = _split(points.window)
        step = points.window_strides[-1]
        for i in range(outer):
            start: Size = sum(
                p * s for p, s in zip(_place(i, points.window[:-1]), points.window_strides[:-1], strict=True)
            )
            cells: dict[Size, Value] = {}
            for j in range(inner):
                w = load(
                    b, types.weights, b.moved(weights, self.weights_type, (i * inner + j) * points.channels), lanes
                )
                for k in range(count):
                    where = start + k * points.x.strides[2] + j * step
                    if where not in cells:
                        cells[where] = load(b, types.x, b.moved(x, self.x_type, where), lanes)
                    totals[k] = multiplied(b, self.product, cells[where], w, totals[k])
        epilogue = Epilogue(b, points, types, lanes, operands, out)
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
        own = DepthwiseGenerator(Builder("own", [], {}, cpu), problem, cpu)
        columns = known(own.points.rows)[2]
        sizes = [-(-columns // -(-columns // limit)) for limit in _STRIPS]
        orders = int(own.by_channels), int(not own.by_channels)
        return tried((own.strip, orders[0]), [(n, order) for n in sizes for order in orders], self, cpu, problem)

    def fits_choice(self, cpu: Cpu, problem: Depthwise, choice: Ints) -> bool:
        if len(choice) != len(StripChoice._fields):
            return False
        wide = problem.points.channels >= cpu.lanes(FLOAT32.sums)
        return 1 <= choice[0] <= cpu.registers // 2 and (choice[1] == 0 or (choice[1] == 1 and wide))


DEPTHWISE = _Depthwise()
