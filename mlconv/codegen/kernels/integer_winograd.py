"""Generator of `kernel.integer_winograd`: block by block, bytes are transformed to int16, multiplied place by place as
16 matrix products, and transformed back, all in whole numbers.  Instruction sets that multiply four bytes at once sum
windows directly: that takes fewer instructions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain

from mlconv.codegen.kernels.borders import fill_borders
from mlconv.codegen.kernels.dots import Dots
from mlconv.codegen.kernels.gemm_kind import GEMM
from mlconv.codegen.kernels.indexing import Epilogue, Position, Sums, address, blocks, finish_all
from mlconv.codegen.kernels.integer_gemm import IntegerGemmGenerator
from mlconv.codegen.kernels.integer_kind import integer_generator
from mlconv.codegen.kernels.kind import Call, KernelKind, Written
from mlconv.codegen.llvm.evaluate import load, store
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value, index, integer, memory_type
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import PAIRS, IntegerWinograd
from mlconv.dialects.winograd import SMALL_INPUT, SMALL_PLACES, SMALL_SCALE, SMALL_TILE
from mlconv.ir.dims import Size, product
from mlconv.ir.estimates import estimate


class IntegerWinogradGenerator:
    """Emits one problem.  items: slots, each of which does an equal share of the parts of all blocks; a call works in
    the scratch memory of its slots as if it were one, and transforms the elements of a block once.
    """

    def __init__(self, b: Builder, problem: IntegerWinograd, cpu: Cpu) -> None:
        self.b, self.problem, self.cpu, self.indexing = b, problem, cpu, problem.indexing
        self.dots = Dots(problem.types, problem.shift, cpu)
        self.x_type, self.sums_type = memory_type(PAIRS.x), memory_type(PAIRS.sums)
        self.high, self.wide = problem.tiles

    def run(self, operands: Sequence[Value], out: Value) -> None:
        """operands: x, transformed weights, those of direct summation, those of the epilogue, scratch memory."""
        b, problem = self.b, self.problem
        room = b.offset(operands[-1], self.x_type, b.begin, problem.slot // self.x_type.size)
        products = b.moved(room, self.x_type, SMALL_PLACES * problem.pitches[0])
        lanes = {n for n, _, _ in blocks(problem.width, self.cpu.lanes(PAIRS.sums))}
        epilogues = {n: Epilogue(b, self.indexing, problem.types, n, operands, out) for n in lanes}
        parts, units = index(problem.parts), product(self.indexing.rows[:1]) * problem.of_image * problem.parts
        first, last = (b.udiv(b.mul(slot, b.number(units)), index(problem.slots)) for slot in (b.begin, b.end))

        def block(number: Value) -> None:
            batch, place = b.udiv(number, index(problem.of_image)), b.urem(number, index(problem.of_image))
            start = b.mul(place, index(problem.block_rows))
            end, before = b.least(b.add(start, index(problem.block_rows)), index(self.high)), b.mul(number, parts)
            self._over_tiles(start, end, partial(self._transform, operands[0], room, batch))

            def part(number: Value) -> None:
                weights = b.offset(operands[1], self.x_type, number, problem.width * problem.depth)
                b.each(0, SMALL_PLACES, 1, lambda place: self._multiply([room, weights], products, place))
                at = Position(batch, start, index(0), b.mul(number, index(problem.width)))
                self._over_tiles(start, end, partial(self._finish, products, epilogues, at))

            some = b.most(b.sub(first, before), index(0)), b.least(b.sub(last, before), parts)
            b.over_each(*some, part)

        stop = b.udiv(b.add(last, index(problem.parts - 1)), parts)
        b.over_each(b.udiv(first, parts), stop, block)

    def _over_tiles(self, start: Value, end: Value, body: Callable[[Value, Value, Value], None]) -> None:
        """body(row, column, number) for the tiles of a block."""
        b = self.b

        def row(i: Value) -> None:
            first = b.mul(b.sub(i, start), index(self.wide))
            b.each(0, self.wide, 1, lambda j: body(i, j, b.add(first, j)))

        b.over_each(start, end, row)

    def _multiply(self, operands: Sequence[Value], products: Value, place: Value) -> None:
        """All products of a place."""
        with self.b.part(place, self.b.add(place, index(1))):
            IntegerGemmGenerator(self.b, self.problem.products, self.cpu).run(operands, products)

    # -- elements ----------------------------------------------------------------------------------

    def _transform(self, x: Value, room: Value, batch: Value, row: Value, column: Value, tile: Value) -> None:
        """B^T x B of a tile."""
        b, problem = self.b, self.problem
        zero, x_type = index(0), memory_type(problem.types.x)
        image = address(b, x, problem.types.x, self.indexing.x, Position(batch, zero, zero, zero))
        line = b.offset(image, x_type, b.mul(row, index(SMALL_TILE)), self.indexing.window_strides[0])
        source = b.offset(line, x_type, b.mul(column, index(SMALL_TILE)), problem.depth)
        target = b.offset(room, self.x_type, tile, problem.depth)
        for lanes, low, high in blocks(problem.depth, self.cpu.lanes(PAIRS.x)):

            def group(channel: Value, lanes: int = lanes) -> None:
                self._elements(b.offset(source, x_type, channel), b.offset(target, self.x_type, channel), lanes)

            b.each(low, high, lanes, group)

    def _elements(self, source: Value, target: Value, lanes: int) -> None:
        """Those of a vector of channels.  Columns one by one, in an order that needs few registers."""
        b, problem = self.b, self.problem

        def column(j: int) -> list[Value]:
            places = [i * self.indexing.window_strides[0] + j * problem.depth for i in range(SMALL_INPUT)]
            lines = [load(b, problem.types.x, b.moved(source, memory_type(problem.types.x), p), lanes) for p in places]
            return self._of_four([self.dots.made(b, v) for v in lines])

        def put(j: int, column: Sequence[Value]) -> None:
            for i, value in enumerate(column):
                place = (i * SMALL_INPUT + j) * problem.pitches[0]
                store(b, PAIRS.x, value, b.moved(target, self.x_type, place))

        first, third = column(0), column(2)
        put(0, [b.sub(p, q) for p, q in zip(first, third, strict=True)])
        second = column(1)
        put(1, [b.add(p, q) for p, q in zip(second, third, strict=True)])
        put(2, [b.sub(q, p) for p, q in zip(second, third, strict=True)])
        put(3, [b.sub(p, q) for p, q in zip(second, column(3), strict=True)])

    def _of_four(self, x: Sequence[Value]) -> list[Value]:
        """B^T x."""
        b = self.b
        return [b.sub(x[0], x[2]), b.add(x[1], x[2]), b.sub(x[2], x[1]), b.sub(x[1], x[3])]

    # -- points ------------------------------------------------------------------------------------

    def _finish(
        self, products: Value, epilogues: dict[int, Epilogue], at: Position, row: Value, column: Value, tile: Value
    ) -> None:
        """A^T m A of a tile, and what follows."""
        b, width = self.b, self.problem.width
        source = b.offset(products, self.sums_type, tile, width)
        at = at._replace(row=b.mul(row, index(SMALL_TILE)), column=b.mul(column, index(SMALL_TILE)))
        for lanes, low, high in blocks(width, self.cpu.lanes(PAIRS.sums)):

            def group(channel: Value, lanes: int = lanes) -> None:
                there = b.offset(source, self.sums_type, channel)
                self._points(there, epilogues[lanes], at._replace(channel=b.add(at.channel, channel)))

            b.each(low, high, lanes, group)

    def _points(self, source: Value, epilogue: Epilogue, at: Position) -> None:
        """Those of a vector of channels; what lies beyond the image is not written."""
        b, pitch, lanes = self.b, self.problem.pitches[1], epilogue.lanes
        columns = list[list[Value]]()
        for j in range(SMALL_INPUT):
            places = [b.moved(source, self.sums_type, (i * SMALL_INPUT + j) * pitch) for i in range(SMALL_INPUT)]
            columns.append(self._of_sums([load(b, PAIRS.sums, p, lanes) for p in places]))
        lines = list[list[Sums]]()
        for i in range(SMALL_TILE):
            line = self._of_sums([c[i] for c in columns])
            totals = [b.binary("ashr", v, integer(v.type, SMALL_SCALE)) for v in line]
            starts = epilogue.start(at._replace(row=b.add(at.row, index(i))))
            lines.append([Sums(epilogue, total, starts, j) for j, total in enumerate(totals)])
        self._finish_inside(at, lines, *self.indexing.rows[1:])

    def _finish_inside(self, at: Position, lines: Sequence[Sequence[Sums]], height: Size, width: Size) -> None:
        """Results of a tile, as many at once as there are for certain."""
        if height % SMALL_TILE == width % SMALL_TILE == 0:
            finish_all([*chain.from_iterable(lines)])
            return

        def finish(line: Sequence[Sums]) -> None:
            whole = [line] if width % SMALL_TILE == 0 else [[one] for one in line]
            for j, some in enumerate(whole):
                self._inside(at.column, j, width, partial(finish_all, some))

        for i, line in enumerate(lines):
            self._inside(at.row, i, height, partial(finish, line))

    def _of_sums(self, m: Sequence[Value]) -> list[Value]:
        """A^T m."""
        b = self.b
        return [b.add(b.add(m[0], m[1]), m[2]), b.sub(b.sub(m[1], m[2]), m[3])]

    def _inside(self, start: Value, offset: int, extent: Size, body: Callable[[], None]) -> None:
        """body() where start + offset lies before `extent`, as the first of a tile does."""
        b = self.b
        if offset == 0 or (isinstance(extent, int) and extent % SMALL_TILE == 0):
            body()
        else:
            b.when(b.icmp("slt", b.add(start, index(offset)), b.number(extent)), body)


class _IntegerWinograd(KernelKind[IntegerWinograd]):
    name = "kernel.integer_winograd"

    def flops(self, problem: IntegerWinograd) -> int:
        """Of the products that direct summation has."""
        return GEMM.flops(problem.direct)

    def scratch(self, problem: IntegerWinograd) -> int:
        return problem.slots * problem.slot

    def generate(self, b: Builder, problem: IntegerWinograd, call: Call) -> Written:
        if Dots(problem.types, problem.shift, call.cpu).rows:
            direct = integer_generator(b, problem.direct, call)
            fill_borders(b, problem.indexing, call, direct.items)
            direct.run([call.operands[0], *call.operands[2:3], *call.operands[2:]], call.out)
            return Written(direct.items, direct.nanoseconds)
        fill_borders(b, problem.indexing, call, problem.slots)
        IntegerWinogradGenerator(b, problem, call.cpu).run(call.operands, call.out)
        tiles = estimate(problem.indexing.rows[0]) * problem.of_image * problem.of_block
        products = tiles * SMALL_PLACES * problem.depth * problem.indexing.channels
        return Written(problem.slots, products / problem.slots / 50)

    def reused(self, problem: IntegerWinograd) -> int:
        return GEMM.reused(problem.direct)

    def instructions(self, cpu: Cpu, problem: IntegerWinograd) -> set[str]:
        return GEMM.instructions(cpu, problem.direct)


INTEGER_WINOGRAD = _IntegerWinograd()
