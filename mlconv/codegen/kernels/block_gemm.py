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
from mlconv.codegen.kernels.block_products import PLACES, ByDots, block_products, dot_of
from mlconv.codegen.kernels.borders import fill_borders
from mlconv.codegen.kernels.indexing import Epilogue, Position
from mlconv.codegen.kernels.kind import Call, KernelKind, Piece, Written
from mlconv.codegen.kernels.views import program_flops
from mlconv.codegen.llvm.evaluate import load
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

_LOW_BITS = 7  # of x, in each part but the first
_ROWS = 4  # that are few
_REGISTERS = 32  # that tiles of three rows by two panels take
_STACK = 48 << 10  # bytes for parts of few rows
_NEAR = 768 << 10  # bytes for parts of a block of rows, at most: they stay in a second-level cache
_ROW_BYTES = 4  # of a place of x on the stack, at most
F32 = memory_type(DType.F32)
_LINE = 64  # of a cache, bytes
_ONE_SUM = 4  # bits of weights whose sums with whole integers of x are an int32


class Asked(NamedTuple):
    """What is asked for ahead of one row: how many bytes later it lies, and to the cache of which level."""

    weights: tuple[tuple[int, int], ...]
    scales: tuple[tuple[int, int], ...]


# By bits of a weight.  A core's queue of what waits for memory is the limit; of bytes, scales are too few to be asked
# for line by line.
_ASKED = {
    4: Asked(((768, 1), (8 << 10, 2)), ((512, 1),)),
    8: Asked(((1 << 10, 1), (4 << 10, 2)), ()),
}
_ASKED_NEAREST = Asked(((12 << 10, 1),), ((1 << 10, 1),))


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


class RowParts(NamedTuple):
    """The step ahead of a product of many rows: parts of all of them go to scratch memory."""

    product: BlockGemm


class _Parts:
    """Writes parts of rows of a problem: upper bits, with their sign, and groups of lower ones."""

    def __init__(self, b: Builder, problem: BlockGemm, cpu: Cpu) -> None:
        self.b, self.problem, self.cpu = b, problem, cpu
        products = block_products(cpu, problem.bits)
        self.parts, self.part = products.parts, products.part

    @property
    def row(self) -> int:
        """Elements that a row becomes."""
        return self.parts * self.problem.depth

    def of(self, rows: Value, number: Value, room: Value) -> None:
        """Of a row."""
        b, depth, view = self.b, self.problem.depth, self.problem.indexing.x
        lanes = next(n for n in (self.cpu.lanes(DType.I32), BLOCK_GROUP) if depth % n == 0 and n > 1)
        source = b.offset(b.moved(rows, I32, view.offset), I32, number, view.strides[2])
        target = b.offset(room, self.part, number, self.row)

        def piece(k: Value) -> None:
            x = load(b, DType.I32, b.offset(source, I32, k), lanes)
            for part in range(self.parts):
                below = (self.parts - 1 - part) * _LOW_BITS
                bits = b.binary("ashr", x, integer(x.type, below)) if below else x
                bits = b.and_(bits, integer(x.type, (1 << _LOW_BITS) - 1)) if part else bits
                made = b.convert("trunc", bits, self.part.of_lanes(lanes))
                there = b.moved(target, self.part, part * depth)
                b.store(made, b.offset(there, self.part, k), self.part.align)

        b.each(0, depth, lanes, piece)


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
    return rows > _ROWS if isinstance(rows, int) else b.icmp("sgt", b.number(rows), index(_ROWS))


def _either(b: Builder, many: Value | bool, floats: Callable[[], None], integers: Callable[[], None]) -> None:
    """What is done with many rows, or with few, where their number is known at run time only."""
    if isinstance(many, bool):
        (floats if many else integers)()
        return

    def done(body: Callable[[], None]) -> Carried:
        body()
        return []

    b.choose(many, partial(done, floats), partial(done, integers))


def _few(problem: BlockGemm) -> int:
    """Rows, where they are so few that their parts have room on the stack, else 0."""
    rows = problem.indexing.rows[2]
    return rows if isinstance(rows, int) and rows <= min(_ROWS, _STACK // (_ROW_BYTES * problem.depth)) else 0


class BlockGemmGenerator:
    """Emits one problem, a panel at a time, from the first to the last byte of weights.  items: panels, of few rows;
    else panels of each block of rows, whose parts stay in a near cache.
    """

    def __init__(self, b: Builder, problem: BlockGemm, cpu: Cpu) -> None:
        self.b, self.problem, self.indexing = b, problem, problem.indexing
        self.products, self.parts = block_products(cpu, problem.bits), _Parts(b, problem, cpu)
        self.part, self.few, self.rows = self.parts.part, _few(problem), self.indexing.rows[2]
        self.asked = _ASKED_NEAREST if cpu.nearest else _ASKED[problem.bits]
        self.plane = min(problem.bits, self.products.plane)
        self.planes = problem.bits // self.plane  # of weights
        self.shape, self.cpu, self.many = self._shape(cpu), cpu, _are_many(b, problem, cpu)
        near, each = _NEAR // (_ROW_BYTES * problem.depth), self.shape.rows
        if self.many is not False:
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
        self.room = operands[-1]

        def item(number: Value) -> None:
            first = b.mul(b.udiv(number, groups), index(self.near))
            stop = b.least(b.add(first, index(self.near)), b.number(self.rows))
            self._item(b.urem(number, groups), first, stop)

        b.work_items(item)

    def _item(self, number: Value, first: Value, stop: Value) -> None:
        """A group of panels of the rows from `first` to `stop`."""
        b, width = self.b, self.shape.panels

        def done(panels: Panels) -> None:
            as_floats = partial(self._over_floats, Range(first, stop), panels)
            _either(b, self.many, as_floats, partial(self._over_rows, first, stop, panels))

        if self.whole:
            inside = b.icmp("slt", number, index(self.whole))
            b.when(inside, lambda: done(Panels(b.mul(number, index(width)), (PANEL,) * width)))
        if self.tail:
            behind = b.icmp("eq", number, index(self.whole))
            b.when(behind, lambda: done(Panels(index(self.whole * width), self.tail)))

    def _over_rows(self, first: Value, stop: Value, panels: Panels) -> None:
        """Rows in tiles; what is left of all of them is in the last block."""
        b, each, rows = self.b, self.shape.rows, self.rows
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
        out, scales = list[Value](), [self._of_columns(tile, number, c) for c in tile.columns]
        for row in range(tile.rows):
            scale, of_x = self._of_row(tile.at, row, number)
            for of_column, zero_point in scales:
                n = len(out)
                planes = [
                    self._parts_of([half[n * each : (n + 1) * each] for half in found[plane :: self.planes]])
                    for plane in range(self.planes)
                ]
                wide = self._number([self._joined(parts) for parts in zip(*planes, strict=True)], of_x, zero_point)
                out.append(self._fma(wide, b.fmul(scale, of_column), totals[n]))
        return out

    def _number(self, parts: Sequence[Value], of_x: Value, zero_point: Value) -> Value:
        """The float that sums of parts are, less zero points.  Those of 8 bits are two integers, of the upper bits of x
        and of the last ones; of fewer bits they are one.
        """
        b, type_ = self.b, F32.of_lanes(self.shape.lanes)
        *above, last = parts
        total = above[0]
        for more in above[1:]:
            total = b.add(b.binary("shl", total, integer(total.type, _LOW_BITS)), more)
        if self.problem.bits <= _ONE_SUM:
            total = b.add(b.binary("shl", total, integer(total.type, _LOW_BITS)), last)
            return b.convert("sitofp", b.sub(total, b.mul(of_x, zero_point)), type_)
        of_upper = b.binary("ashr", of_x, integer(of_x.type, _LOW_BITS))
        of_last = b.and_(of_x, integer(of_x.type, (1 << _LOW_BITS) - 1))
        pairs = ((total, of_upper), (last, of_last))
        upper, lower = (b.convert("sitofp", b.sub(x, b.mul(of, zero_point)), type_) for x, of in pairs)
        return self._fma(upper, literal(DType.F32, 1 << _LOW_BITS, self.shape.lanes), lower)

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
                    there = b.moved(tile.x, self.part, (self.parts.parts * row + part) * self.problem.depth)
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

    def _of_row(self, at: Position, row: int, number: Value) -> tuple[Value, Value]:
        """The scale of a block of a row, and its sum."""
        b = self.b
        place = b.add(b.mul(b.add(at.column, index(row)), index(self.problem.blocks)), number)
        scale = b.load(F32, b.offset(self.operands[2], F32, place), F32.align)
        total = b.load(I32, b.offset(self.operands[3], I32, place), I32.align)
        return b.splat(scale, self.shape.lanes), b.splat(total, self.shape.lanes)

    def _of_columns(self, tile: _Tile, number: Value, columns: Columns) -> tuple[Value, Value]:
        """Scales of a block of columns, and their zero points."""
        b, lanes = self.b, self.shape.lanes
        panel, ask = b.add(tile.panel, index(columns.panel)), partial(self._ask, asked=self.asked.scales)
        own = ask if self.shape.rows == 1 else None
        scale, zero = scales_of(b, self.problem, self.operands, panel, number, columns.start, lanes, own)
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
        return [whole] if _few(op.problem) else [Piece(RowParts(op.problem), (inputs[0], inputs[2])), whole]

    def scratch(self, problem: BlockGemm | RowParts) -> Size:
        """Room for the parts of all rows, whatever the instruction set."""
        problem = problem.product if isinstance(problem, RowParts) else problem
        return 0 if _few(problem) else product(problem.indexing.rows) * (room_of(problem) * _ROW_BYTES)

    def generate(self, b: Builder, problem: BlockGemm | RowParts, call: Call) -> Written:
        if isinstance(problem, RowParts):
            of = problem.product
            parts, many, (x, scales, room) = _Parts(b, of, call.cpu), _are_many(b, of, call.cpu), call.operands
            as_floats = partial(b.work_items, lambda row: float_row(b, of, x, scales, row, room))
            _either(b, many, as_floats, partial(b.work_items, lambda row: parts.of(x, row, room)))
            return Written(product(problem.product.indexing.rows), problem.product.depth / 10)
        generator = BlockGemmGenerator(b, problem, call.cpu)
        fill_borders(b, problem.indexing, call, generator.items)
        generator.run(call.operands, call.out)
        return Written(generator.items, generator.nanoseconds)

    def instructions(self, cpu: Cpu, problem: BlockGemm | RowParts) -> set[str]:
        dot = dot_of(cpu)
        asks = {"llvm.prefetch"} if cpu.nearest and isinstance(problem, BlockGemm) else set()
        return asks | (set() if dot is None else {dot.intrinsic})


BLOCK_GEMM = _BlockGemm()
