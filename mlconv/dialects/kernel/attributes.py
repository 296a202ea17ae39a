"""What kernels compute, as attributes: views of flat buffers, expressions, steps, products and chains of them.

Every tensor is a dense row-major buffer.  A view addresses one by an offset and a stride (elements) for each loop axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Union, overload

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.attributes import attribute
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType

Ints = tuple[int, ...]
Sizes = tuple[Size, ...]  # numbers, or dimensions that are known at run time
SLOTS = 4  # parts of a kernel with scratch memory that may run at once
PANEL = 16  # columns of a panel of packed weights: [ceil(n / 16)][k][16], zeros behind the last column
TILE_ROW = 64  # bytes of a row of a matrix tile (Intel SDM volume 1, AMX: palette 1)
BLOCK_GROUP = 8  # places of a column whose weights of 4 bits lie in four bytes
WORD, LONG = 4, 16  # places of a column that instructions for sums of products of bytes take: most of them, VMLADAVA
_JOINED = 4096  # places of runs of packed weights that are joined, at most
_WASTE = 1.25  # parts that an exact division of a run may have, of those that it has at least


def known(sizes: Sizes) -> Ints:
    """Sizes that must be numbers.  Raises ConversionError InternalError."""
    out = tuple(s for s in sizes if not isinstance(s, Dim))
    if len(out) != len(sizes):
        raise ConversionError(
            Code.InternalError, f"sizes of a kernel that must be numbers are {', '.join(map(str, sizes))}"
        )
    return out


@attribute("kernel.view")
class View(NamedTuple):
    """Element at `offset` + sum(index * stride)."""

    offset: Size
    strides: Sizes


@attribute("kernel.instr")
class Instr(NamedTuple):
    """One step of an expression.  args: positions of earlier values.

    load: args (operand,), value the View.  load_at: args (operand, position of an index), value (View, stride of the
    index, count): a negative index counts from the end.  const: value the number.  Everything else: an elementwise
    function of its arguments.
    """

    opcode: str
    dtype: DType
    args: Ints = ()
    value: Any = None  # what the opcode takes, see above; `verify` checks it


Program = tuple[Instr, ...]


@attribute("kernel.step")
class Step(NamedTuple):
    """for each point of `extents` but the last `reduced` axes: out = after(combine over the last axes of body).

    body: the last value counts.  after: value 0 is what was combined; its views have no reduced axes; nor has `out`.
    combine: a function of two values; `add_wide`: a sum of float32 that is float64, as the mean of many large numbers
    needs; or `greatest`: the maximum of floats where none is NaN, else any of them.
    """

    extents: Sizes
    reduced: int
    combine: str
    body: Program
    after: Program
    out: View

    @property
    def kept(self) -> Sizes:
        """Extents of the axes that the result has."""
        return self.extents[: len(self.extents) - self.reduced]


@attribute("kernel.output_indexing")
class OutputIndexing(NamedTuple):
    """Where a product reads and writes.  rows: extents (batch, rows, columns) of the result.

    x: view over rows, to the first element of each window.  window: extents, and window_strides in x, of the
    reduction's outer axes.
    after: epilogue; out and its loads are views over (batch, rows, columns, channels) whose stride along the channels
    is 1, or 0 for loads.
    borders: steps that fill what lies around the result in its buffer.
    """

    rows: Sizes
    x: View
    window: Ints
    window_strides: Sizes
    channels: int
    after: Program
    out: View
    borders: tuple[Step, ...] = ()


@attribute("kernel.product_types")
class ProductTypes(NamedTuple):
    """Element types of a product: of x, of the weights, of the sums and of the result.

    Integers are widened before they are multiplied, and sums of them are exact: whoever makes a product chooses sums
    that are wide enough, of weights of 4 bits as for 8.  places: of weights of 8 bits that are multiplied at once, as a
    machine wants them.
    """

    x: DType
    weights: DType
    sums: DType
    result: DType
    places: int = WORD

    @property
    def stored(self) -> DType:
        """Element type of packed weights in memory."""
        return DType.I8 if self.weights is DType.I4 else self.weights

    @property
    def shared(self) -> int:
        """Weights that an element of packed weights holds."""
        return self.stored.bits // self.weights.bits

    @property
    def step(self) -> int:
        """Places whose packed weights lie in one group of elements."""
        return self.group if self.sums.is_float else self.group * self.shared

    @property
    def group(self) -> int:
        """Neighbouring places of a reduction that are multiplied at once: of weights of 8 bits, or 4, as many as
        instructions for sums of products of bytes take; two of 16 bits whose sums are of 32; else one.
        """
        if self.sums.is_float:
            return 2 if self.x is self.weights is DType.BF16 else 1
        return self.places if self.weights.bits <= 8 else 2 if self.sums is DType.I32 else 1

    def filled(self, runs: int, run: int) -> tuple[int, int]:
        """How many runs packed weights have, and how many places of each.  Runs that have no whole groups become one,
        where they are short, whose last group has fewer places; else each is filled up with zeros, as is one of weights
        of 4 bits.  Those of bfloat16 are whole tiles (`in_tiles`).
        """
        step = self.step
        joined = run % step and runs * run <= _JOINED
        if self.sums.is_float and self.group > 1:
            return (1, in_tiles(runs * run, self.x.bits)) if joined else (runs, in_tiles(run, self.x.bits))
        if joined:
            return 1, runs * run if self.shared == 1 else -(-runs * run // step) * step
        return runs, -(-run // step) * step

    def columns(self, channels: int, dense: bool = False) -> int:
        """Columns that packed weights have."""
        if self.sums.is_float and self.shared > 1:  # whole vectors, of which halves share bytes
            tail = channels % PANEL
            return channels - tail + tail_lanes(tail) if tail else channels
        return channels if dense or self.weights.is_int else -(-channels // PANEL) * PANEL

    def slack(self, channels: int, dense: bool = False) -> int:
        """Elements behind packed weights that are read, whatever they are."""
        tail = self.columns(channels, dense) % PANEL
        return (tail_lanes(tail) - tail) * self.group if tail else 0


def tile_places(run: int, bits: int) -> int:
    """Places of a run that a row of a matrix tile takes, elements of so many bits: the most that divide it."""
    group, most = 32 // bits, TILE_ROW * 8 // bits
    return next(n for n in range(most, 0, -group) if run % n == 0)


def in_tiles(run: int, bits: int) -> int:
    """A run filled up so that rows of matrix tiles divide it, where they do not without many more of them."""
    group, most = 32 // bits, TILE_ROW * 8 // bits
    count = -(-run // most)
    if run % group == 0 and run <= _WASTE * count * tile_places(run, bits):
        return run
    return count * -(-run // (count * group)) * group


def tail_lanes(channels: int) -> int:
    """Lanes of the vectors that the last panel is done with, where it is not full."""
    return next(lanes for lanes in (4, 8, PANEL) if channels % PANEL <= lanes)


FLOAT32 = ProductTypes(DType.F32, DType.F32, DType.F32, DType.F32)
FLOAT64 = ProductTypes(DType.F64, DType.F64, DType.F64, DType.F64)
STORED = tuple(FLOAT32._replace(weights=t) for t in (DType.I8, DType.I16, DType.I4))
"""Floats times weights that are stored as integers."""
BLOCKS = ProductTypes(DType.I32, DType.U8, DType.F32, DType.F32)
"""Integers of 22 bits times numbers of 4, two in a byte; sums of blocks are float32."""
MOST_OF_BLOCK = 64  # places whose sum, less zero points, is an int32
HALVES = tuple(FLOAT32._replace(weights=t) for t in (DType.BF16, DType.F16))
"""Floats times weights that are stored in 16 bits."""
BFLOAT16 = FLOAT32._replace(x=DType.BF16, weights=DType.BF16)
"""Both factors rounded to bfloat16; sums, and what follows them, are float32."""


def has_code(types: ProductTypes) -> bool:
    """There is code for products of floats of these types; the result may be rounded to bfloat16."""
    floats = FLOAT32, *STORED, *HALVES, BFLOAT16, FLOAT32._replace(x=DType.BF16)
    if types == FLOAT64:
        return True
    return types._replace(result=DType.F32) in floats and types.result in (DType.F32, DType.BF16)


@attribute("kernel.gemm")
class Gemm(NamedTuple):
    """y[i, m, n] = after(sum over window and run of x[...] * w[..., n]).

    run: contiguous innermost length of the reduction.  weight_strides: elements from one (batch, row) to the next in
    the packed weights; zeros when all share them.  shift: is added to elements of x before they are multiplied.
    wide: x lies in memory as float32, and is rounded to the type of its factor on the way.
    pitch: of weights that are not packed, elements from one place of the depth to the next; they fill whole panels.

    Packed weights are [panel][place / group][PANEL][group]: those of a group of neighbouring places lie side by side;
    of the last group, which may have fewer, too.  The last panel of floats is filled up with zeros; that of integers,
    and of floats that are dense, has no more columns than there are, and a vector of its last place reads `slack`
    elements beyond them, which lie in the buffer, or behind a constant.  Those of 4 bits share bytes: of two groups,
    the first one has the lower bits; for sums of floats, of two halves of a place of a panel, the last of which is
    filled up to a vector.
    """

    indexing: OutputIndexing
    run: int
    weight_strides: Sizes = (0, 0)
    types: ProductTypes = FLOAT32
    shift: int = 0
    dense: bool = False
    wide: bool = False
    pitch: int = 0

    @property
    def source(self) -> DType:
        """Element type of x in memory."""
        return DType.F32 if self.wide else self.types.x

    @property
    def depth(self) -> int:
        """Places that packed weights have."""
        return math.prod(self.types.filled(math.prod(self.indexing.window), self.run))

    @property
    def stored_depth(self) -> int:
        """Elements that packed weights have of each column."""
        return self.depth // self.types.shared

    @property
    def joins(self) -> bool:
        """Packed weights run on from one run to the next: they are not filled up one by one."""
        runs, length = self.types.filled(math.prod(self.indexing.window), self.run)
        return runs == 1 or length == self.run

    @property
    def columns(self) -> int:
        """Columns that packed weights have."""
        return self.types.columns(self.indexing.channels, self.dense)

    @property
    def slack(self) -> int:
        """Elements behind packed weights that are read, whatever they are."""
        return self.types.slack(self.indexing.channels, self.dense)


@attribute("kernel.block_gemm")
class BlockGemm(NamedTuple):
    """y[m, n] = after(sum over blocks of s[m, block] * t[block, n] * sum in the block of x[m, k] * (w[k, n] - z)).

    Rows of x are integers of 22 bits, s their scales, and w numbers of 4 or 8 `bits` without a sign.  Operands: x int32
    [rows, depth], weights, s float32 [rows, blocks], sums of x in blocks int32 [rows, blocks], t, then zero points z
    uint8 where there are `zeros`, then those of the epilogue.  zero: z of all where there are none.

    Weights: uint8 [panels, depth / 8, PANEL, 4], a byte has place i of 4 in its low bits and place 4 + i above; of 8
    bits [panels, depth / 8, 2, PANEL, 4], one after the other.
    t, z: [panels, blocks / spread, PANEL], each for `spread` blocks, the last one for those that are left; t of type
    `scales`.
    """

    indexing: OutputIndexing
    depth: int
    block: int
    scales: DType
    spread: int = 1
    zeros: bool = False
    zero: int = 8
    types: ProductTypes = BLOCKS
    bits: int = 4

    @property
    def blocks(self) -> int:
        """Blocks of the depth."""
        return self.depth // self.block

    @property
    def scale_blocks(self) -> int:
        """Blocks that have scales of their own."""
        return -(-self.blocks // self.spread)

    @property
    def place(self) -> int:
        """Bytes of weights of a place, of all columns of a panel."""
        return PANEL * self.bits // 8

    @property
    def panels(self) -> int:
        """Panels of weights."""
        return -(-self.indexing.channels // PANEL)


@attribute("kernel.depthwise")
class Depthwise(NamedTuple):
    """y[i, m, c] = after(sum over window of x[..., c / times] * w[window, c]), or, where groups have several members,
    of x[..., c / members * members + j] * w[window, j, c] for all of them.  Weights: [window, members, pitch].
    """

    indexing: OutputIndexing
    types: ProductTypes = FLOAT32
    pitch: int = 0  # 0: as many as there are channels
    times: int = 1  # results that are made of each channel of x, side by side: a power of two
    members: int = 1  # channels of a group, and results that are made of all of them: a power of two

    @property
    def run(self) -> int:
        """Channels of x."""
        return self.indexing.channels // self.times


@attribute("kernel.row_buffer")
class RowBuffer(NamedTuple):
    """Rows of `pitch` elements between two stages of a `ConvChain`; where no line is written they hold `fill`.

    The maker's line p (of `lines`) is written to row top + p, elements left to right.  Line p of the reader needs rows
    start + p * step and on, `reach` of them.  held: how many rows are there at a time, at most.
    """

    pitch: int
    top: int
    lines: int
    left: int
    right: int
    start: int
    step: int
    reach: int
    held: int
    fill: int = 0

    @property
    def size(self) -> int:
        """Elements of scratch memory, in whole vectors."""
        return -(-self.held * self.pitch // PANEL) * PANEL


def held(buffers: Sequence[RowBuffer], height: int) -> tuple[RowBuffer, ...]:
    """Buffers with the rows that row tiles of so many lines of the last stage need."""
    out: list[RowBuffer] = []
    for t in reversed(buffers):
        height = min(t.held, (height - 1) * t.step + t.reach)
        out.append(t._replace(held=height))
    return tuple(reversed(out))


def row_buffer(made: OutputIndexing, read: OutputIndexing, run: int) -> RowBuffer | None:
    """What lies between two stages of fixed sizes; None when the second does not read what the first makes by whole
    rows.  run: contiguous elements that a place of the reader's window has.  `held` is 0: it goes by the height.
    """
    (_, lines, width), (_, _, read_width) = known(made.rows), known(read.rows)
    (offset,), (_, pitch, across, _) = known((made.out.offset,)), known(made.out.strides)
    (origin,), (_, down, aside) = known((read.x.offset,)), known(read.x.strides)
    strides = known(read.window_strides)
    if pitch < 1 or min(offset, origin, down, aside, *strides) < 0:
        return None
    right = offset % pitch + width * made.channels
    reach, column = 1, origin % pitch + (read_width - 1) * aside + run
    for extent, stride in zip(read.window, strides, strict=True):
        if stride % pitch:
            column += (extent - 1) * stride
        else:
            reach += (extent - 1) * stride // pitch
    step = down // pitch
    if right > pitch or (width > 1 and across != made.channels) or down % pitch or column > pitch:
        return None
    if not 1 <= step <= reach:
        return None
    return RowBuffer(pitch, offset // pitch, lines, offset % pitch, right, origin // pitch, step, reach, 0)


@attribute("kernel.conv_chain")
class ConvChain(NamedTuple):
    """Stages, of one image each, that are done one after the other for every `height` lines of the last one; each but
    the first reads the one before as its x.  What lies between them has one element type.

    numbers: operands of each stage (x, weights, those of the epilogue) as operands of the op; -1 for what the stage
    before made.  buffers: after each stage but the last.  slots: parts of the work that may run at once, each with its
    own scratch memory.  alone: there is one slot, since memory is scarce.
    """

    stages: tuple[Union[Gemm, Depthwise], ...]
    numbers: tuple[Ints, ...]
    buffers: tuple[RowBuffer, ...]
    height: int
    slots: int
    alone: bool = False

    def of_height(self, height: int) -> ConvChain:
        """The same work in row tiles of so many lines; slots: SLOTS, or fewer when there are fewer row tiles."""
        rows = (known(stage.indexing.rows)[1] for stage in self.stages[1:])
        whole = [t._replace(held=(lines - 1) * t.step + t.reach) for t, lines in zip(self.buffers, rows, strict=True)]
        slots = 1 if self.alone else min(SLOTS, -(-known(self.indexing.rows)[1] // height))
        return self._replace(height=height, buffers=held(whole, height), slots=slots)

    @property
    def indexing(self) -> OutputIndexing:
        """Where the last stage writes."""
        return self.stages[-1].indexing

    @property
    def scratch(self) -> int:
        """Bytes of scratch memory."""
        return self.slots * sum(b.size for b in self.buffers) * self.between.itemsize

    @property
    def between(self) -> DType:
        """Element type of what lies between stages."""
        return self.stages[0].types.result


@attribute("kernel.row_reduce")
class RowReduce(NamedTuple):
    """Stages that are done one after the other for each point of `rows`, the outer axes of all of them.

    Stage i but the last leaves its result, elements of temporaries[i], where later stages load it as operand number
    (operands of the op) + i, by views whose strides along the rows are 0.  What has a fixed size is on the stack, the
    rest in scratch memory.
    """

    rows: Sizes
    stages: tuple[Step, ...]
    temporaries: tuple[DType, ...]


@attribute("kernel.attention")
class Attention(NamedTuple):
    """A product, stages over its rows (softmax), and a product of what they leave, for blocks of rows: all three have
    the same (batch, rows, columns).

    scores: its x, weights and epilogue are the first `split` operands of the op; its result, `scores.channels` numbers
    a row, is on the stack, where `stages` expect it as their operand 0 and leave theirs.  values: reads that as x; its
    weights and epilogue are the rest of the operands.
    """

    scores: Gemm
    stages: RowReduce
    values: Gemm
    block: int
    split: int


@overload
def dense(shape: Ints) -> Ints: ...
@overload
def dense(shape: Sizes) -> Sizes: ...
def dense(shape: Sizes) -> Sizes:
    """Strides of a row-major buffer."""
    n: Size = 1
    out = []
    for d in reversed(shape):
        out.append(n)
        n *= d
    return tuple(reversed(out))
