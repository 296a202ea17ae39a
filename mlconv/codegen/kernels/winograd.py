"""Generator of `kernel.winograd`: block by block, elements are transformed, multiplied place by place as 36 matrix
products, and transformed back.

A block whose numbers differ too much in magnitude is summed directly (`Evenness`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.borders import fill_borders
from mlconv.codegen.kernels.direct_sums import Line, sum_line
from mlconv.codegen.kernels.gemm import GemmGenerator
from mlconv.codegen.kernels.indexing import Epilogue, Position, address, blocks
from mlconv.codegen.kernels.kind import MAX_SCRATCH, Call, KernelKind, Written, tried
from mlconv.codegen.kernels.winograd_elements import Elements
from mlconv.codegen.kernels.winograd_points import Points
from mlconv.codegen.llvm.evaluate import load
from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.llvm.types import TRUE, Value, index, memory_type, number_of
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import FLOAT32, PANEL, Gemm, Ints, OutputIndexing, View, Winograd
from mlconv.dialects.winograd import OUTPUT_TILE, PLACES
from mlconv.ir.dims import Size, product
from mlconv.ir.estimates import estimate
from mlconv.ir.shapes import static

_PARTS = (1, 2, 3, 4, 6, 8, 12, 16, 32)  # of an image's tiles, to try as blocks


class _Block(NamedTuple):
    """Where a block lies: its image and first row of tiles.  skip: rows of tiles that the block before has done."""

    batch: Value
    start: Value
    skip: Value


class WinogradGenerator:
    """Emits one problem.  items: slots, each of which does an equal share of the parts of all blocks; a call works in
    the scratch memory of its slots as if it were one, and transforms the elements of a block once.

    The last block of an image starts early enough to be a whole one; what it shares with the one before is not written
    again: either may be summed directly, and which of them comes first is not said.
    """

    def __init__(self, b: Builder, problem: Winograd, cpu: Cpu) -> None:
        self.b, self.problem, self.cpu, self.indexing, self.types = b, problem, cpu, problem.indexing, FLOAT32
        types = self.types
        # what lies in scratch memory: transformed elements as x has them, and sums
        self.x_type, self.sums_type = memory_type(types.x), memory_type(types.sums)
        self.high, self.wide = problem.tiles
        self.lanes = cpu.lanes(types.sums)
        self.width = self.indexing.channels // problem.parts
        self.some = self.width // PANEL if problem.parts > 1 else 0
        self.elements, self.points = Elements(b, problem), Points(b, problem, self.width)

    @property
    def items(self) -> int:
        """How many work items there are."""
        return self.problem.slots

    @property
    def nanoseconds(self) -> float:
        """Nanoseconds of an item, roughly."""
        tiles = estimate(self.problem.units) / self.problem.parts * estimate(self.problem.block_rows * self.wide)
        return tiles * PLACES * self.problem.depth * self.indexing.channels / self.items / 50

    def run(self, operands: Sequence[Value], out: Value) -> None:
        """operands: x, transformed weights, weights of direct summation, those of the epilogue, scratch memory."""
        b, problem = self.b, self.problem
        elements = b.offset(operands[-1], self.x_type, b.begin, PLACES * problem.slot)
        products = b.moved(elements, self.x_type, PLACES * problem.pitches[0])
        first, last = self._unit(b.begin), self._unit(b.end)
        parts = index(problem.parts)

        def block(number: Value) -> None:
            before = b.mul(number, parts)
            some = b.most(b.sub(first, before), index(0)), b.least(b.sub(last, before), parts)
            self._block(operands, out, number, some, (elements, products))

        stop = b.udiv(b.add(last, index(problem.parts - 1)), parts)
        b.over_each(b.udiv(first, parts), stop, block)

    def _unit(self, slot: Value) -> Value:
        """The first part of a block that a slot does."""
        b = self.b
        return b.udiv(b.mul(slot, b.number(self.problem.units)), index(self.items))

    def _block(
        self,
        operands: Sequence[Value],
        out: Value,
        number: Value,
        some: tuple[Value, Value],
        scratch: tuple[Value, Value],
    ) -> None:
        """The parts from the first to behind the last of `some`.  scratch: for elements, transformed, and for
        products.
        """
        b, rows, of_image = self.b, self.problem.block_rows, self.b.number(self.problem.of_image)
        batch = b.udiv(number, of_image)
        own = b.mul(b.urem(number, of_image), b.number(rows))
        start = b.least(own, b.number(self.high - rows))
        at = _Block(batch, start, index(0) if self.high % rows == 0 else b.sub(own, start))
        if self.problem.fewest:
            (direct,) = b.choose(
                self._is_small(),
                lambda: [TRUE],
                lambda: [self._uneven(operands[0], scratch[0], at)],
            )
        else:
            direct = self._uneven(operands[0], scratch[0], at)
        b.choose(
            direct,
            lambda: self._summed(operands, out, at, some, scratch[1]),
            lambda: self._minimal(operands, out, at, some, scratch),
        )

    def _is_small(self) -> Value:
        """So many of the points of the tiles lie outside of the image that direct summation is faster."""
        b, points = self.b, product(self.indexing.rows[1:])
        least = self.high * self.wide * (OUTPUT_TILE**2 * self.problem.fewest)
        return b.icmp("slt", b.number(points * 100), b.number(least))

    def _uneven(self, x: Value, elements: Value, at: _Block) -> Value:
        """Transform the elements of a block; whether these are too uneven for the rest."""
        return self.elements.transform(x, elements, at.batch, at.start)

    def _over_parts(self, some: tuple[Value, Value], body: Callable[[Value], None]) -> None:
        """body(part) for some parts of the channels."""
        if self.problem.parts == 1:
            body(index(0))
        else:
            self.b.over_each(*some, body)

    def _summed(
        self,
        operands: Sequence[Value],
        out: Value,
        at: _Block,
        some: tuple[Value, Value],
        sums: Value,
    ) -> Carried:
        """The lines of a block, by direct summation.  sums: memory for those of a line."""
        b, height = self.b, self.b.number(self.indexing.rows[1])
        first = b.mul(at.start, index(OUTPUT_TILE))
        begin = first if number_of(at.skip) == 0 else b.add(first, b.mul(at.skip, index(OUTPUT_TILE)))
        end = b.least(b.add(first, b.number(self.problem.block_rows * OUTPUT_TILE)), height)
        epilogues = self._epilogues(operands, out)

        def part(number: Value) -> None:
            b.over_each(
                begin, end, lambda row: self._line(operands, Position(at.batch, row, index(0), number), sums, epilogues)
            )

        self._over_parts(some, part)
        return []

    def _line(self, operands: Sequence[Value], at: Position, sums: Value, epilogues: Mapping[int, Epilogue]) -> None:
        """A line of a part of the channels, at.channel, by direct summation."""
        b, problem, panels = self.b, self.problem, -(-self.width // PANEL)
        part, at = at.channel, at._replace(channel=index(0))
        x = address(b, operands[0], self.types.x, self.indexing.x, at)
        weights = b.offset(operands[2], memory_type(self.types.weights), self._panel(part), 9 * problem.depth * PANEL)
        columns = b.number(self.indexing.rows[2])
        strides = (self.indexing.x.strides[2], *self.indexing.window_strides)
        sizes = [b.number(n) for n in (problem.depth, panels, *strides)]
        sum_line(b, columns, Line(x, weights, sums, *sizes))
        first = b.mul(part, index(self.width)) if self.some else index(0)

        def point(column: Value) -> None:
            source = b.offset(sums, self.sums_type, column, panels * PANEL)
            for lanes, low, high in blocks(self.width, self.lanes):

                def group(channel: Value, lanes: int = lanes) -> None:
                    starts = epilogues[lanes].start(at._replace(column=column, channel=b.add(first, channel)))
                    total = load(b, self.types.sums, b.offset(source, self.sums_type, channel), lanes)
                    epilogues[lanes].finish(total, starts, 0, 0)

                b.each(low, high, lanes, group)

        b.over_each(index(0), columns, point)

    def _epilogues(self, operands: Sequence[Value], out: Value) -> dict[int, Epilogue]:
        """What follows the sums, by lanes."""
        return {
            lanes: Epilogue(self.b, self.indexing, self.types, lanes, operands, out)
            for lanes, _, _ in blocks(self.width, self.lanes)
        }

    def _panel(self, part: Value) -> Value:
        """The first panel of a part of the channels."""
        return self.b.mul(part, index(self.some)) if self.some else index(0)

    def _minimal(
        self,
        operands: Sequence[Value],
        out: Value,
        at: _Block,
        some: tuple[Value, Value],
        scratch: tuple[Value, Value],
    ) -> Carried:
        """The rest of a block by Winograd's algorithm."""
        b, (elements, products) = self.b, scratch

        def made(part: Value) -> Value:
            """Where the products of a part lie."""
            pitch = PLACES * self.problem.pitches[1]
            return b.offset(products, self.sums_type, b.sub(part, some[0]), pitch) if self.some else products

        def place(number: Value) -> None:
            self._over_parts(some, lambda part: self._products(elements, operands[1], made(part), number, part))

        b.each(0, PLACES, 1, place)
        first, skipped = b.add(at.start, at.skip), b.mul(at.skip, b.number(self.wide))
        end = b.add(at.start, b.number(self.problem.block_rows))

        def back(part: Value) -> None:
            channel = b.mul(part, index(self.width)) if self.some else index(0)
            source = b.offset(made(part), self.sums_type, skipped, self.width)
            self.points.transform(source, operands, out, Position(at.batch, first, index(0), channel), end)

        self._over_parts(some, back)
        return []

    def _products(self, elements: Value, weights: Value, products: Value, place: Value, part: Value) -> None:
        """Those of one place, for a part of the channels."""
        b, depth, (from_, to) = self.b, self.problem.depth, self.problem.pitches
        indexing = OutputIndexing(
            (PLACES, 1, self.problem.of_block),
            View(0, (from_, 0, depth)),
            (),
            (),
            self.indexing.channels,
            (),
            View(0, (to, 0, self.width, 1)),
        )
        tile = Gemm(indexing, depth, (-(-self.indexing.channels // PANEL) * depth * PANEL, 0))
        gemm = GemmGenerator(b, tile, self.cpu, some=self.some)
        gemm.first = self._panel(part)
        if self.some:  # products of a part lie at its own channels
            products = b.offset(products, self.sums_type, b.sub(index(0), part), self.width)
        with b.part(place, b.add(place, index(1))):
            gemm.run([elements, weights], products)


class _Winograd(KernelKind[Winograd]):
    """A choice: the rows of tiles of a block, which are a part of the problem."""

    name = "kernel.winograd"
    has_choices = True

    def flops(self, problem: Winograd) -> int:
        """Of the products alone."""
        rows, columns = problem.tiles
        tiles = estimate(problem.indexing.rows[0] * rows * columns)
        return 2 * PLACES * tiles * problem.depth * problem.indexing.channels

    def scratch(self, problem: Winograd) -> Size:
        return problem.scratch

    def generate(self, b: Builder, problem: Winograd, call: Call) -> Written:
        generator = WinogradGenerator(b, problem, call.cpu)
        fill_borders(b, problem.indexing, call, generator.items)
        generator.run(call.operands, call.out)
        return Written(generator.items, generator.nanoseconds)

    def choices(self, cpu: Cpu, problem: Winograd) -> list[Ints]:
        high = problem.tiles[0]
        if not isinstance(high, int) or not isinstance(problem.block_rows, int):
            return []
        return tried((problem.block_rows,), [(-(-high // n),) for n in _PARTS], self, cpu, problem)

    def fits_choice(self, cpu: Cpu, problem: Winograd, choice: Ints) -> bool:
        fixed = static((*problem.tiles, problem.block_rows))
        if fixed is None or len(choice) != 1 or not 1 <= choice[0] <= fixed[0]:
            return False
        scratch = self.scratch(self.apply_choice(problem, choice))
        return isinstance(scratch, int) and scratch <= MAX_SCRATCH

    def apply_choice(self, problem: Winograd, choice: Ints) -> Winograd:
        return problem._replace(block_rows=choice[0])

    def without_choice(self, problem: Winograd) -> Winograd:
        return problem._replace(block_rows=1) if isinstance(problem.block_rows, int) else problem


WINOGRAD = _Winograd()
