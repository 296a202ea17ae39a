"""Generator of `kernel.block_gemm`: weights of 4 or 8 bits, read once and taken apart in registers, by rows of 22 bits.

Sums of a block are integers, and exact, on every instruction set: each of the parts of a row, its upper and its lower
bits, which lie on the stack, is multiplied by itself (`block_products`).  They become floats behind the block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from mlconv.codegen.kernels.block_floats import (
    MOST_ROWS,
    BlockFloats,
    Range,
    float_row,
    room_of,
    scales_of,
    tile_rows,
    words_of,
)
from mlconv.codegen.kernels.block_parts import FEW_ROWS, LOW_BITS, ROW_BYTES, Parts, RowParts, few_rows
from mlconv.codegen.kernels.block_products import PLACES, ByDots, block_products, dot_of
from mlconv.codegen.kernels.block_tiles import BlockTiles, TilePanels, TileSums, fills_tiles, tiles_of
from mlconv.codegen.kernels.borders import fill_borders
from mlconv.codegen.kernels.indexing import Epilogue, Position
from mlconv.codegen.kernels.kind import Call, KernelKind, Piece, Written
from mlconv.codegen.kernels.matrix_tiles import ROWS
from mlconv.codegen.kernels.views import program_flops
from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.llvm.types import (
    I8,
    I32,
    Value,
    index,
    integer,
    memory_type,
    zero,
)
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import BLOCK_GROUP, PANEL, BlockGemm, KernelOp
from mlconv.ir.dims import Size, ceildiv, product
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate

_REGISTERS = 32  # that tiles of three rows by two panels take
_NEAR = 768 << 10  # bytes for parts of a block of rows, at most: they stay in a second-level cache
F32 = memory_type(DType.F32)
_LINE = 64  # of a cache, bytes
_WORTH_A_TILE = {4: 10, 8: 14}  # rows, by bits of a weight
_ONE_SUM = 4  # bits of weights whose sums with whole integers of x are an int32


class Asked(NamedTuple):
    """What is asked for ahead of one row: how many bytes later it lies, and to the cache of which level."""

    weights: tuple[tuple[int, int], ...]
    scales: tuple[tuple[int, int], ...]


# By bits of a weight.  A core's queue of what waits for memory is the limit; of bytes, scales are too few to be asked
# for line by line.  Apart: for cores that foresee nothing behind the end of a page.
_ASKED = {
    4: Asked(((768, 1), (8 << 10, 2)), ((512, 1),)),
    8: Asked(((1 << 10, 1), (4 << 10, 2)), ()),
}
_ASKED_APART = {
    4: Asked(((2 << 10, 1), (12 << 10, 2)), ((256, 1), (4 << 10, 2))),
    8: Asked(((12 << 10, 1),), ((1 << 10, 1),)),
}


class Shape(NamedTuple):
    """Of what is done at once: rows, panels, columns of a vector."""

    rows: int
    panels: int
    lanes: int


class Panels(NamedTuple):
    """Panels that are done at once.  first: number of the first one; columns: that there are of each."""

    first: Value
    columns: tuple[int, ...]


class Columns(NamedTuple):
    """A vector of columns.  panel: whose place among those that are done at once; start: of the vector, in its
    panel."""

    panel: int
    start: int


class _Tile(NamedTuple):
    """What is summed at once.  at: its first row and channel; panel: number of the first panel; x: parts of the rows;
    weights: of the first panel."""

    at: Position
    rows: int
    columns: Sequence[Columns]
    panel: Value
    x: Value
    weights: Value


def _are_many(b: Builder, problem: BlockGemm, cpu: Cpu) -> Value | bool:
    """Whether there are so many rows that they are multiplied as floats; sums of four products of bytes are faster."""
    if not cpu.has_vectors or isinstance(block_products(cpu, problem.bits), ByDots):
        return False
    rows = problem.indexing.rows[2]
    return rows > FEW_ROWS if isinstance(rows, int) else b.icmp("sgt", b.number(rows), index(FEW_ROWS))


def _either(b: Builder, many: Value | bool, floats: Callable[[], None], integers: Callable[[], None]) -> None:
    """What is done with many rows, or with few, where their number is known at run time only."""
    if isinstance(many, bool):
        (floats if many else integers)()
        return

    def done(body: Callable[[], None]) -> Carried:
        body()
        return []

    b.choose(many, partial(done, floats), partial(done, integers))


class BlockGemmGenerator:
    """Emits one problem, a panel at a time, from the first to the last byte of weights.  items: panels, of few rows;
    else panels of each block of rows, whose parts stay in a near cache.
    """

    def __init__(self, b: Builder, problem: BlockGemm, cpu: Cpu) -> None:
        self.b, self.problem, self.indexing = b, problem, problem.indexing
        self.products, self.parts = block_products(cpu, problem.bits), Parts(b, problem, cpu)
        self.part, self.few, self.rows = self.parts.part, few_rows(problem), self.indexing.rows[2]
        self.asked = (_ASKED_APART if cpu.apart else _ASKED)[problem.bits]
        self.plane = min(problem.bits, self.products.plane)
        self.planes = problem.bits // self.plane  # of weights
        self.shape, self.cpu, self.many = self._shape(cpu), cpu, _are_many(b, problem, cpu)
        self.tiled = fills_tiles(b, problem, cpu)
        near, each = _NEAR // (ROW_BYTES * problem.depth), self.shape.rows
        if self.tiled is not False:
            near, each = min(near, MOST_ROWS), ROWS
        elif self.many is not False:
            near, each = min(near, MOST_ROWS), tile_rows(cpu, self.shape.panels * PANEL // self.shape.lanes)
        self.near = max(1, near // each) * each
        if isinstance(self.rows, int):
            count = -(-self.rows // self.near)
            self.near = -(-self.rows // (count * each)) * each
        full, rest = divmod(self.indexing.channels, PANEL)
        self.whole, left = divmod(full, self.shape.panels)
        self.tail = (*[PANEL] * left, *([rest] if rest else []))  # columns of the panels that are left

    def _shape(self, cpu: Cpu) -> Shape:
        """A part of a row is read for each column: at once for two panels, since as many are read in a cycle as
        multiplied in half of one."""
        lanes = self.products.lanes
        if cpu.registers < _REGISTERS or lanes != PANEL or self.rows == 1:
            return Shape(1, 1, lanes)
        return Shape(next((n for n in (3, 2) if self.few % n == 0), 1), 2, lanes)

    @property
    def groups(self) -> int:
        """Groups of panels that are done at once."""
        return self.whole + bool(self.tail)

    @property
    def items(self) -> Size:
        """How many work items there are."""
        return self.groups * (1 if self.few else ceildiv(self.rows, self.near))

    @property
    def nanoseconds(self) -> float:
        """Nanoseconds of an item, roughly."""
        work = estimate(product(self.indexing.rows)) * self.problem.panels * PANEL * self.problem.depth
        return work / max(1, estimate(self.items)) / 40

    def run(self, operands: Sequence[Value], out: Value) -> None:
        """operands: as `BlockGemm` has them, then scratch memory where there are many rows."""
        b, groups = self.b, index(self.groups)
        self.operands = operands
        self.epilogue = Epilogue(b, self.indexing, self.problem.types, self.shape.lanes, operands, out)
        if self.few:
            self.room = b.room(self.part, self.few * self.parts.row)
            for row in range(self.few):
                self.parts.of(operands[0], index(row), self.room)
            b.work_items(lambda number: self._item(number, index(0), index(self.few)))
            return
        self.room, matrix = operands[-1], tiles_of(self.cpu, self.problem.bits)

        def item(number: Value) -> None:
            first = b.mul(b.udiv(number, groups), index(self.near))
            stop = b.least(b.add(first, index(self.near)), b.number(self.rows))
            self._item(b.urem(number, groups), first, stop)

        if self.tiled is False or matrix is None:
            b.work_items(item)
            return
        self.tiles = BlockTiles(b, self.problem, matrix, self.parts.parts, self.parts.row, self.shape.panels)
        self.tiles.within(lambda: b.work_items(item))

    def _item(self, number: Value, first: Value, stop: Value) -> None:
        """A group of panels of the rows from `first` to `stop`."""
        b, width = self.b, self.shape.panels

        def done(panels: Panels) -> None:
            as_floats = partial(self._over_floats, Range(first, stop), panels)
            as_integers = partial(self._over_rows, first, stop, panels)
            by_tiles = partial(self._over_tiles, Range(first, stop), panels)
            _either(b, self.tiled, by_tiles, partial(_either, b, self.many, as_floats, as_integers))

        if self.whole:
            inside = b.icmp("slt", number, index(self.whole))
            b.when(inside, lambda: done(Panels(b.mul(number, index(width)), (PANEL,) * width)))
        if self.tail:
            behind = b.icmp("eq", number, index(self.whole))
            b.when(behind, lambda: done(Panels(index(self.whole * width), self.tail)))

    def _over_rows(self, first: Value, stop: Value, panels: Panels) -> None:
        """Rows in tiles; what is left of all of them is in the last block."""
        b, each, rows = self.b, self.shape.rows, self.rows if self.tiled is False else None
        if self.few:
            b.each(0, self.few, each, lambda row: self._panels(row, each, panels))
            return
        if each == 1 or (isinstance(rows, int) and rows % each == 0):
            b.over_each(first, stop, lambda row: self._panels(row, each, panels), each)
            return
        left = b.urem(b.sub(stop, first), index(each))
        whole = b.sub(stop, left)
        b.over_each(first, whole, lambda row: self._panels(row, each, panels), each)
        if isinstance(rows, int):
            b.when(b.icmp("ne", left, index(0)), lambda: self._panels(whole, rows % each, panels))
        else:
            b.over_each(whole, stop, lambda row: self._panels(row, 1, panels))

    def _over_floats(self, rows: Range, panels: Panels) -> None:
        """All rows, many at a time."""
        floats = BlockFloats(self.b, self.problem, self.cpu, self.shape.lanes, len(panels.columns))

        def finish(row: Value, count: int, totals: Sequence[Value]) -> None:
            self._finish(row, count, panels, totals)

        floats.panels(rows, panels.first, self.room, self.operands, finish)

    def _over_tiles(self, rows: Range, panels: Panels) -> None:
        """All rows, one panel after the other; those that are left are too few for a tile of their own."""
        b, end = self.b, self._end_of_tiles(rows)
        b.when(b.icmp("slt", rows.first, end), lambda: self._tiled(Range(rows.first, end), panels))
        if not isinstance(self.rows, int) or self.rows % ROWS:
            b.when(b.icmp("slt", end, rows.stop), lambda: self._over_rows(end, rows.stop, panels))

    def _end_of_tiles(self, rows: Range) -> Value:
        b, left = self.b, self.b.urem(rows.size(self.b), index(ROWS))
        is_worth = b.icmp("sge", left, index(_WORTH_A_TILE[self.problem.bits]))
        return b.select(is_worth, rows.stop, b.sub(rows.stop, left))

    def _tiled(self, rows: Range, panels: Panels) -> None:
        """Full panels at once."""
        b, size, full = self.b, self.problem.depth * self.problem.place, panels.columns.count(PANEL)
        for start, count in ((0, full), (full, len(panels.columns) - full)):
            if not count:
                continue
            first = b.add(panels.first, index(start))
            own = Panels(first, panels.columns[start : start + 1])

            def scales(i: Value, number: Value, first: Value = first) -> tuple[Value, Value]:
                return self._of_columns(b.add(first, i), number, 0, asks=False)

            def finish(i: Value, row: Value, total: Value, of: Panels = own) -> None:
                self._finish(row, 1, of._replace(first=b.add(of.first, i)), [total])

            group = TilePanels(b.offset(self.operands[1], I8, first, size), count)
            self.tiles.panels(rows, self.room, group, TileSums(scales, self._row, self._added), finish)

    # -- panels ------------------------------------------------------------------------------------

    def _panels(self, row: Value, rows: int, panels: Panels) -> None:
        """All blocks of some panels and rows, then the epilogue."""
        b, problem, lanes = self.b, self.problem, self.shape.lanes
        at = self._at(row, panels)
        x = b.offset(self.room, self.part, row, self.parts.row)
        weights = b.offset(self.operands[1], I8, panels.first, problem.depth * problem.place)
        columns = self._columns(panels)
        tile = _Tile(at, rows, columns, panels.first, x, weights)
        nothing: Carried = [zero(F32.of_lanes(lanes))] * (rows * len(columns))
        totals = b.loop(0, problem.blocks, 1, nothing, lambda i, totals: self._block(tile, i, totals))
        self._finish(row, rows, panels, totals)

    def _at(self, row: Value, panels: Panels) -> Position:
        return Position(index(0), index(0), row, self.b.mul(panels.first, index(PANEL)))

    def _columns(self, panels: Panels) -> list[Columns]:
        return [Columns(p, start) for p in range(len(panels.columns)) for start in range(0, PANEL, self.shape.lanes)]

    def _finish(self, row: Value, rows: int, panels: Panels, totals: Sequence[Value]) -> None:
        """The epilogue of sums of some rows."""
        starts, lanes, following = self.epilogue.start(self._at(row, panels)), self.shape.lanes, iter(totals)
        for i in range(rows):
            for panel, start in self._columns(panels):
                total, left = next(following), panels.columns[panel] - start
                if left > 0:
                    self.epilogue.finish(total, starts, i, panel * PANEL + start, left if left < lanes else 0)

    def _block(self, tile: _Tile, number: Value, totals: Carried) -> Carried:
        """Sums of a block, as floats."""
        b, problem = self.b, self.problem
        place = b.mul(number, index(problem.block))
        halves, each = self.products.halves(tile.rows, problem.block), self.parts.parts * self.products.registers
        nothing: Carried = self.products.nothing() * (halves * self.planes * len(totals) * self.parts.parts)
        unrolled = self.products.unrolled
        step = BLOCK_GROUP * (unrolled if problem.block % (BLOCK_GROUP * unrolled) == 0 else 1)

        def groups(k: Value, values: Carried) -> Carried:
            for group in range(0, step, BLOCK_GROUP):
                values = self._group(tile, b.add(b.add(place, k), index(group)), values)
            return values

        sums = b.loop(0, problem.block, step, nothing, groups)
        size = len(totals) * each
        found = [sums[start : start + size] for start in range(0, len(sums), size)]
        out = list[Value]()
        scales = [self._of_columns(b.add(tile.panel, index(c.panel)), number, c.start) for c in tile.columns]
        for row in range(tile.rows):
            at = self._row(b.add(tile.at.column, index(row)))
            for scale, zero_point in scales:
                n = len(out)
                planes = [
                    self._parts_of([half[n * each : (n + 1) * each] for half in found[plane :: self.planes]])
                    for plane in range(self.planes)
                ]
                parts = [self._joined(p) for p in zip(*planes, strict=True)]
                out.append(self._added(at, number, parts, scale, zero_point, totals[n]))
        return out

    def _added(
        self,
        row: Sequence[Value],
        number: Value,
        parts: Sequence[Value],
        scale: Value,
        zero_point: Value | None,
        total: Value,
    ) -> Value:
        """A total, and what sums of a block are.  row: as `_row` has it.  scale, zero_point: of the columns."""
        b, lanes = self.b, self.shape.lanes
        of_row, of_x = (b.offset(pointer, type_, number) for pointer, type_ in zip(row, (F32, I32), strict=True))
        scale = b.fmul(b.splat(b.load(F32, of_row, F32.align), lanes), scale)
        off = None if zero_point is None else (b.splat(b.load(I32, of_x, I32.align), lanes), zero_point)
        return self._fma(self._number(parts, off), scale, total)

    def _number(self, parts: Sequence[Value], off: tuple[Value, Value] | None) -> Value:
        """The float that sums of parts are.  Those of 8 bits are two integers, of the upper bits of x and of the last
        ones; of fewer bits they are one.  off: sums of x, and the zero points that these are multiplied with.
        """
        b, type_ = self.b, F32.of_lanes(self.shape.lanes)

        def less(total: Value, of_x: Value) -> Value:
            return b.convert("sitofp", b.sub(total, b.mul(of_x, off[1])) if off else total, type_)

        *above, last = parts
        total = above[0]
        for more in above[1:]:
            total = b.add(b.binary("shl", total, integer(total.type, LOW_BITS)), more)
        of_x = off[0] if off else total
        if self.problem.bits <= _ONE_SUM:
            return less(b.add(b.binary("shl", total, integer(total.type, LOW_BITS)), last), of_x)
        upper = less(total, b.binary("ashr", of_x, integer(of_x.type, LOW_BITS)))
        lower = less(last, b.and_(of_x, integer(of_x.type, (1 << LOW_BITS) - 1)))
        return self._fma(upper, literal(DType.F32, 1 << LOW_BITS, self.shape.lanes), lower)

    def _joined(self, planes: Sequence[Value]) -> Value:
        """The sum with whole weights, of those with their lower and their upper bits."""
        b, (total, *higher) = self.b, planes
        for n, more in enumerate(higher, 1):
            total = b.add(total, b.binary("shl", more, integer(more.type, n * self.plane)))
        return total

    def _fma(self, x: Value, y: Value, z: Value) -> Value:
        return self.b.call(x.type, f"llvm.fma.{x.type.name}", [x, y, z])

    def _group(self, tile: _Tile, k: Value, values: Carried) -> Carried:
        """Eight places of each column, from place k on."""
        b, out, each = self.b, list(values), self.parts.parts * self.products.registers
        lanes, size = self.shape.lanes, tile.rows * len(tile.columns) * each
        group = b.offset(tile.weights, I8, k, self.problem.place)
        for line in range(0, BLOCK_GROUP * self.problem.place if tile.rows == 1 else 0, _LINE):
            self._ask(b.moved(group, I8, line), self.asked.weights)
        words = list[list[Value]]()
        for panel, start in tile.columns:
            behind = panel * self.problem.depth * self.problem.place + start * PLACES
            words.append(words_of(b, self.problem, b.moved(group, I8, behind), lanes))
        for half in range(2):
            place = b.add(k, index(half * PLACES))
            planes = [self._factors(word, half, plane) for plane in range(self.planes) for word in words]
            of_half = half * size * self.planes if len(out) > size * self.planes else 0  # where its sums begin
            for row in range(tile.rows):
                for part in range(self.parts.parts):
                    there = b.moved(tile.x, self.part, row * self.parts.row + part * self.problem.depth)
                    x = self.products.spread(b, b.offset(there, self.part, place))
                    for i, factor in enumerate(planes):
                        plane, n = divmod(i, len(words))
                        first = plane * size + (row * len(words) + n) * each + part * self.products.registers
                        sums = slice(of_half + first, of_half + first + self.products.registers)
                        out[sums] = self.products.added(b, x, factor, out[sums])
        return out

    def _factors(self, words: Sequence[Value], half: int, plane: int) -> Sequence[Value]:
        """Of four places of each column: whole bytes, or the lower or the upper halves."""
        b, word = self.b, words[half % len(words)]
        if self.plane < I8.bits:
            upper = half if len(words) == 1 else plane
            bits = b.binary("lshr", word, integer(word.type, self.plane)) if upper else word
            word = b.and_(bits, integer(word.type, 0x0F0F0F0F))
        return self.products.factors(b, b.bitcast(word, I8.of_lanes(PLACES * word.type.lanes)))

    def _ask(self, pointer: Value, asked: Sequence[tuple[int, int]]) -> None:
        """For what comes later: a page's first lines are not foreseen by processors."""
        for distance, level in asked:
            self.b.prefetch(self.b.moved(pointer, I8, distance), level)

    def _parts_of(self, halves: Sequence[Carried]) -> list[Value]:
        """An integer for each column, of the sums of each part."""
        b, registers = self.b, self.products.registers
        return [
            self.products.total(b, [half[n * registers : (n + 1) * registers] for half in halves])
            for n in range(self.parts.parts)
        ]

    # -- numbers of blocks -------------------------------------------------------------------------

    def _row(self, row: Value) -> tuple[Value, Value]:
        """Where the scales of a row's blocks lie, and their sums."""
        scales, sums = self.operands[2:4]
        blocks = self.problem.blocks
        return self.b.offset(scales, F32, row, blocks), self.b.offset(sums, I32, row, blocks)

    def _of_columns(self, panel: Value, number: Value, start: int, asks: bool = True) -> tuple[Value, Value]:
        """Scales of a block of columns, and their zero points.  asks: for what one row reads next."""
        b, lanes = self.b, self.shape.lanes
        ask = partial(self._ask, asked=self.asked.scales) if asks and self.shape.rows == 1 else None
        scale, zero = scales_of(b, self.problem, self.operands, panel, number, start, lanes, ask)
        return scale, integer(I32.of_lanes(lanes), self.problem.zero) if zero is None else zero


class _BlockGemm(KernelKind[BlockGemm | RowParts]):
    name = "kernel.block_gemm"

    def flops(self, problem: BlockGemm | RowParts) -> int:
        if isinstance(problem, RowParts):
            return 0
        results = estimate(product(problem.indexing.rows)) * problem.indexing.channels
        return results * (2 * problem.depth + program_flops(problem.indexing.after))

    def pieces(self, op: KernelOp) -> list[Piece]:
        inputs = tuple(op.inputs)
        whole = Piece(op.problem, inputs)
        return [whole] if few_rows(op.problem) else [Piece(RowParts(op.problem), (inputs[0], inputs[2])), whole]

    def scratch(self, problem: BlockGemm | RowParts) -> Size:
        """Room for the parts of all rows, whatever the instruction set."""
        problem = problem.product if isinstance(problem, RowParts) else problem
        return 0 if few_rows(problem) else product(problem.indexing.rows) * (room_of(problem) * ROW_BYTES)

    def generate(self, b: Builder, problem: BlockGemm | RowParts, call: Call) -> Written:
        if isinstance(problem, RowParts):
            of = problem.product
            parts, many, (x, scales, room) = Parts(b, of, call.cpu), _are_many(b, of, call.cpu), call.operands
            as_floats = partial(b.work_items, lambda row: float_row(b, of, x, scales, row, room))
            _either(b, many, as_floats, partial(b.work_items, lambda row: parts.of(x, row, room)))
            return Written(product(problem.product.indexing.rows), problem.product.depth / 10)
        generator = BlockGemmGenerator(b, problem, call.cpu)
        fill_borders(b, problem.indexing, call, generator.items)
        generator.run(call.operands, call.out)
        return Written(generator.items, generator.nanoseconds)

    def instructions(self, cpu: Cpu, problem: BlockGemm | RowParts) -> set[str]:
        dot = dot_of(cpu)
        if isinstance(problem, BlockGemm) and fills_tiles(None, problem, cpu) is not False:
            return {m.intrinsic for m in cpu.signed_matrices}
        asks = {"llvm.prefetch"} if cpu.apart and isinstance(problem, BlockGemm) else set()
        return asks | (set() if dot is None else {dot.intrinsic})


BLOCK_GEMM = _BlockGemm()
