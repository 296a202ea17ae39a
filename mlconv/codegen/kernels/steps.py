"""Generator of steps: loop nests with an expression inside, in vectors along the innermost kept or reduced axis."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from mlconv.codegen.kernels.arrange import certainly_below, interleaves, is_spaced, scattering, turning
from mlconv.codegen.kernels.column_sums import AT_ONCE, ColumnSums, Sums
from mlconv.codegen.kernels.division import Division, divided, places_of
from mlconv.codegen.kernels.product_tiles import ProductTiles, product_tile
from mlconv.codegen.kernels.reductions import FOLDED, PARTIAL, fits_lanes, fold, halves, identity, lanes_at_once
from mlconv.codegen.kernels.row_values import NOTHING, fits_lanes_along, is_map, row_of, varying
from mlconv.codegen.kernels.spans import Span, overlapping, spans
from mlconv.codegen.kernels.transposed_tiles import Pointers, TransposedTiles, tile_size
from mlconv.codegen.kernels.views import collapse, program_flops
from mlconv.codegen.llvm.evaluate import Values, last_values, store
from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.over_lanes import over_lanes
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.llvm.types import Value, index, lane_mask, memory_type
from mlconv.dialects.kernel import DIVISIONS, LOADS, REMAINDERS, Instr, Program, Step, needs_scalars, view_of
from mlconv.ir.dims import Size, ceildiv, product
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate

_TOGETHER = 4  # sums of neighbours that wait for numbers one by one
_PLAIN = 2  # functions that take no longer than a sum that waits


class StepGenerator:
    """Emits one step.  pointers: one for each load of body and after, then the output's."""

    def __init__(self, b: Builder, step: Step, dtype: DType) -> None:
        self.b, self.step, self.dtype = b, scattering(collapse(step)), dtype
        self._list_loads()
        self.kept = len(self.step.kept)
        self.widens = step.combine == "add_wide"
        # an epilogue in float64 is one for each sum
        often = varying(self.step) if self.widens else (*varying(self.step), *self.step.after)
        widest = max([dtype.itemsize, *(i.dtype.itemsize for i in often)])
        self.scatters = self.step.reduced == 0 and self.kept > 1 and self.step.out.strides[-2:-1] == (1,)
        self.lanes = 8 if widest >= 8 else max(16, b.cpu.lanes(DType.I8)) if widest == 1 else 16
        scalar = any(self._needs_scalars(i) for i in (*self.step.body, *self.step.after))
        self.along_kept = not scalar and not interleaves(self.step) and self._fits_kept()
        self.along_reduced = not scalar and not self.along_kept and self._fits_reduced()
        self._along = self.kept - 1 if self.along_kept else -1
        self._row = NOTHING
        self.turned = None if scalar or self.along_kept else self._turned()
        self.tiles = self._tiles() if self.along_kept else None
        plain = self.along_kept and self._gains_width()
        self.sums = ColumnSums.of(self.step, self.dtype_of_sum(), self.lanes, b.cpu.bits) if plain else None
        self.division = self._division()

    def _needs_scalars(self, i: Instr) -> bool:
        by_floats = i.opcode in (DIVISIONS if i.dtype.is_int else REMAINDERS)
        return needs_scalars(i.opcode, i.dtype) or (by_floats and not self.b.cpu.has_vectors)

    def _fits_kept(self) -> bool:
        axis, step = self.kept - 1, self.step
        if axis < 0 or certainly_below(step.extents[axis], 4) or not (step.out.strides[axis] == 1 or self.scatters):
            return False
        spaced = self.b.cpu.has_vectors and not self._is_product()
        if any(view_of(i).strides[axis] not in (0, 1) and not (spaced and is_spaced(i, axis)) for i in self.loads):
            return False
        return self._fits_both(self.step, axis)

    def _is_product(self) -> bool:
        return self.step.reduced > 0 and self.step.combine == "add" and self.step.body[-1].opcode == "mul"

    def _fits_both(self, step: Step, axis: int) -> bool:
        """Vectors along an axis may go through all that a step computes."""
        fits = functools.partial(fits_lanes_along, self.b.cpu, axis=axis)
        return fits(step.body, before=()) and fits(step.after, before=[self._total()])

    def _fits_reduced(self) -> bool:
        step, axis = self.step, len(self.step.extents) - 1
        fits = fits_lanes(step.combine, self.dtype_of_sum(), self.b.cpu)
        least = self.lanes if self.dtype_of_sum().is_int else 16
        if step.reduced == 0 or not fits or certainly_below(step.extents[axis], least):
            return False
        return all(view_of(i).strides[axis] in (0, 1) and i.opcode == "load" for i in self.body_loads)

    def _waits(self) -> bool:
        """It sums floats one by one, which takes longer than what is summed."""
        plain = not self.along_kept and not self.along_reduced and self.turned is None
        return plain and self.step.reduced > 0 and self.step.combine == "add" and self.dtype_of_sum().is_float

    def dtype_of_sum(self) -> DType:
        """Element type of what the body yields; in it terms are combined, the partial ones of an `add_wide`."""
        return self.step.body[-1].dtype

    def _total(self) -> DType:
        """Element type of what is combined: value 0 of the epilogue."""
        return DType.F64 if self.widens else self.dtype_of_sum()

    def _turned(self) -> TransposedTiles | None:
        """Tiles of the two innermost axes, where reading runs along one and writing along the other."""
        plain = all(i.dtype.is_numeric and not i.dtype.is_complex for i in self.loads)
        step = turning(self.step, tile_size(self.dtype)) if plain else None
        if step is None or not self._fits_both(step, self.kept - 2):
            return None
        self.step = step
        self._list_loads()
        return TransposedTiles(self.b, step, self.dtype, self._advance, self._value)

    def _tiles(self) -> ProductTiles | None:
        """Tiles of the two innermost kept axes of a product."""
        lanes = 8 if self.dtype_of_sum() is DType.F64 else max(self.lanes, 16)  # of int64 those of int32 for a while
        tile = product_tile(self.step, lanes, self.b.cpu)
        if tile is None:
            return None

        def finish(total: Value, pointers: Pointers) -> None:
            values = Values(self.b, lanes)
            values.add(total, self._total(), False)
            split = len(self.body_loads)
            value = self._evaluate(values, self.step.after, pointers[split:-1], self.kept - 1)
            self._store(value, pointers[-1], lanes)

        return ProductTiles(self.b, self.step, tile, lanes, self._advance, finish)

    def _list_loads(self) -> None:
        self.body_loads = [i for i in self.step.body if i.opcode in LOADS]
        self.after_loads = [i for i in self.step.after if i.opcode in LOADS]
        self.loads = [*self.body_loads, *self.after_loads]

    def _division(self) -> Division:
        one_by_one = self.kept > 1 and not self.step.reduced and not self.along_kept and self.turned is None
        widths = self._widths(self.step.extents[self.kept - 1]) if self.along_kept else (int(one_by_one),)
        lanes = min(widths[0], _TOGETHER * self.lanes)  # an element, or one sum that waits, is too little for an item
        free = self.kept - (2 if self.turned is not None else min(lanes, 1))
        if self.sums is not None and not free:  # some columns of all rows
            return Division(0, AT_ONCE, (ceildiv(self.step.extents[0], AT_ONCE),))
        found = divided(self.step.extents, free, lanes, self._total_ns)
        if self.tiles is None or found.axes < self.kept - 1:
            return found
        rows = ceildiv(self.step.extents[self.kept - 2], self.tiles.shape.rows)  # an item has those of a tile
        return Division(found.axes, 0, (*found.sizes[: found.axes - 1], rows))

    @property
    def items(self) -> Size:
        """Work items: places along the outermost axes, and pieces of the vectors of few rows; else blocks of tiles."""
        if self.turned is not None and self.kept == 2:
            return self.turned.items
        return product(self.division.sizes)

    @property
    def _total_ns(self) -> float:
        """Nanoseconds of all, roughly."""
        scalar = 1 if self.along_kept or self.along_reduced else 2 if self.turned is not None else 8
        return estimate(product(self.step.extents)) * (len(self.step.body) + 1) * scalar / 20

    @property
    def nanoseconds(self) -> float:
        """Nanoseconds of an item, roughly."""
        return self._total_ns / max(1, estimate(self.items))

    def run(self, operands: Sequence[Value], out: Value, as_items: bool = False) -> None:
        """Emit the loops; as_items: only those work items that the call is asked for."""
        starts = [self.b.moved(operands[i.args[0]], memory_type(i.dtype), view_of(i).offset) for i in self.loads]
        pointers = [*starts, self.b.moved(out, memory_type(self.dtype), self.step.out.offset)]
        turned = self.turned if self.kept == 2 else None
        if not as_items or self.items == 1:
            self._axis(0, pointers)
        elif turned is not None:
            self.b.work_items(lambda number: turned.item(pointers, number))
        else:
            self.b.work_items(lambda number: self._item(number, pointers))

    def _item(self, number: Value, pointers: Pointers) -> None:
        b, (axes, chunk, sizes) = self.b, self.division
        places = places_of(b, number, sizes)
        tiles = self.tiles if axes == self.kept - 1 else None
        for axis, place in enumerate(places[: axes if tiles is None else axes - 1]):
            pointers = self._advance(pointers, axis, place)
        if tiles is not None:
            begin = b.mul(places[-1], index(tiles.shape.rows))
            end = b.least(b.add(begin, index(tiles.shape.rows)), b.number(self.step.extents[axes - 1]))
            self._rows(tiles, pointers, begin, end)
            return
        if not chunk:
            self._axis(axes, pointers)
            return
        start, extent = b.mul(places[-1], index(chunk)), self.step.extents[axes]
        left = b.sub(b.number(extent), start)
        self._vectors(self._advance(pointers, axes, start), b.least(left, index(chunk)), extent % self.lanes, chunk)

    def _vectors(self, pointers: Pointers, length: Value, left: Size, most: int = 0) -> None:
        """The first elements of the innermost kept axis, which vectors lie along.  left: how many of them do not fill
        whole vectors, at the end of the axis; elsewhere all do.  most: that length may be, where that is known.
        """
        b, start = self.b, self.b.number(0)
        pointers = self._begin_row(pointers)
        widths = self._widths(self.step.extents[self.kept - 1]) if self.along_kept else (1,)
        widths = tuple(w for w in widths if w <= (most or w))
        if self.sums is not None:
            start, widths = self._by_rows(self.sums, pointers, length), widths[-2:]
        for width in widths:
            if width < self.lanes and width < widths[0] and certainly_below(left, width):
                continue
            stop = b.and_(length, index(-width))

            def body(at: Value, width: int = width) -> None:
                self._point(self._advance(pointers, self.kept - 1, at), width)

            b.over_each(start, stop, body, width)
            start, left = stop, left % width

    def _by_rows(self, sums: ColumnSums, pointers: Pointers, length: Value) -> Value:
        """Vectors of the innermost kept axis, row by row; how far they go."""
        axis = self.kept - 1

        def terms(first: Value, count: int, column: Value, total: Value) -> Value:
            places = self._advance(pointers, axis, column)
            for i in range(count):
                row = self._advance(places, self.kept, self.b.add(first, index(i)))
                total = self._combine(self.lanes, total, row[: len(self.body_loads)], axis)
            return total

        def finish(column: Value, total: Value) -> None:
            places = self._advance(pointers, axis, column)
            self._store(self._finished(total, places, self.lanes, axis), places[-1], self.lanes)

        nothing, wide = self._nothing(self.lanes, self.dtype_of_sum()), self._identity(self.lanes)
        return sums.run(self.b, length, Sums(nothing, (wide,) if self.widens else (), terms, self._widened, finish))

    def _advance(self, pointers: Pointers, axis: int, index: Value) -> Pointers:
        """Pointers at `index` of an axis."""
        out = list(pointers)
        for k, instr in enumerate(self.loads):
            strides = view_of(instr).strides
            if axis < len(strides) and strides[axis]:
                out[k] = self.b.offset(out[k], memory_type(instr.dtype), index, strides[axis])
        if axis < self.kept and self.step.out.strides[axis]:
            out[-1] = self.b.offset(out[-1], memory_type(self.dtype), index, self.step.out.strides[axis])
        return out

    def _axis(self, axis: int, pointers: Pointers) -> None:
        if axis == self.kept:
            self._point(pointers, 1)
            return
        if self.turned is not None and axis == self.kept - 2:
            self.turned.run(pointers)
            return
        if self.tiles is not None and axis == self.kept - 2:
            self._rows(self.tiles, pointers, self.b.number(0), self.b.number(self.step.extents[axis]))
            return
        extent = self.step.extents[axis]
        if self.sums is not None and axis == self.kept - 1:
            self._vectors(pointers, self.b.number(extent), extent % self.lanes)
            return
        if axis == self.kept - 1:
            pointers = self._begin_row(pointers)
        narrow = axis == self.kept - 2 and self._is_narrow()
        for span in self._spans(extent) if axis == self.kept - 1 else spans(extent, (_TOGETHER, 1) if narrow else (1,)):

            def body(index: Value, width: int = span.width) -> None:
                inner = self._advance(pointers, axis, index)
                if narrow or (axis == self.kept - 1 and width > 1 and not self.along_kept):
                    self._several(axis, width, inner)
                elif axis == self.kept - 1:
                    self._point(inner, width)
                else:
                    self._axis(axis + 1, inner)

            self.b.each(*span, body)

    def _begin_row(self, pointers: Pointers) -> Pointers:
        """Compute what is the same all along the innermost kept axis; pointers of what is left."""
        if not (self.along_kept and is_map(self.step)):
            return pointers
        split = len(self.body_loads)
        self._row, loads = row_of(self.b, self.step.body, self.kept - 1, pointers[:split])
        return [*loads, *pointers[split:]]

    def _spans(self, extent: Size) -> list[Span]:
        """How the innermost kept axis is covered: vectors of it may overlap, as nothing is read that is written."""
        plain, widths = self.along_kept and all(i.opcode == "load" for i in self.loads), self._widths(extent)
        return overlapping(extent, widths, self.lanes) if plain else spans(extent, widths)

    def _rows(self, tiles: ProductTiles, pointers: Pointers, begin: Value, end: Value) -> None:
        """Some rows of a product: tiles as far as they go, then what is left of each row."""
        b, axis = self.b, self.kept - 2
        length = self.step.extents[axis + 1]
        columns = length - length % tiles.width
        rows = b.sub(end, b.urem(b.sub(end, begin), index(tiles.shape.rows)))

        def tiled(row: Value) -> None:
            first = self._advance(pointers, axis, row)
            b.each(0, columns, tiles.width, lambda at: tiles.run(self._advance(first, axis + 1, at), nothing))

        def rest(row: Value) -> None:
            begin = b.select(b.icmp("slt", row, rows), b.number(columns), index(0))
            first = self._advance(self._advance(pointers, axis, row), axis + 1, begin)
            self._vectors(first, b.sub(b.number(length), begin), length % self.lanes)

        nothing = self._identity(tiles.lanes)
        b.over_each(begin, rows, tiled, tiles.shape.rows)
        if columns != length:
            b.over_each(begin, end, rest)
        elif self.step.extents[axis] % tiles.shape.rows != 0:
            b.over_each(rows, end, rest)

    def _widths(self, extent: Size) -> tuple[int, ...]:
        """How many neighbours are done at once, the most first.  A sum of products waits for the one before; several
        vectors of sums wait together, and share what all are multiplied by, or read one stretch of each row.
        """
        cpu = self.b.cpu
        if not self.along_kept:
            return (_TOGETHER, 1) if self._waits() else (1,)
        if not self._gains_width():
            return (self.lanes, 4, 1)
        held = 4 if self.widens else 2  # vectors in half of the registers, or those of float64 beside them
        most = cpu.registers // held * cpu.lanes(DType.F32) // self.lanes
        several = (8, 4, 2) if isinstance(extent, int) else (4,)
        return (*(n * self.lanes for n in several if n <= most), self.lanes, 4, 1)

    def _gains_width(self) -> bool:
        """Sums of several vectors of float32 wait together."""
        few = self._is_product() or (self.step.reduced > 0 and program_flops(self.step.body) <= _PLAIN)
        return few and self.dtype_of_sum() is DType.F32 and self.step.out.strides[self.kept - 1] == 1

    def _evaluate(self, values: Values, program: Program, pointers: Pointers, axis: int) -> Value:
        """Run a program; axis: the one that lanes lie along, or -1.  pointers: those of its loads."""
        following, row = iter(pointers), self._row if program is self.step.body else NOTHING
        for number, instr in enumerate(program):
            pointer = next(following) if instr.opcode in LOADS else None
            if number in row.values:
                values.add(row.values[number], instr.dtype, True)
            elif pointer is not None:
                strides = view_of(instr).strides
                load = values.read if number in row.placed else values.load
                load(instr, pointer, strides[axis] if 0 <= axis < len(strides) else 0)
            else:
                values.compute(instr)
        return values.vector(last_values(values, program))

    def _point(self, pointers: Pointers, lanes: int) -> None:
        """All of one point of the kept axes, or of `lanes` neighbours."""
        self._store(self._value(pointers, lanes, self.kept - 1), pointers[-1], lanes)

    def _value(self, pointers: Pointers, lanes: int, axis: int) -> Value:
        """What is computed at one point of the kept axes, or at `lanes` neighbours along an axis."""
        split, axis = len(self.body_loads), axis if lanes > 1 else -1
        if self.step.reduced:
            return self._finished(self._reduced(pointers, lanes, axis), pointers, lanes, axis)
        values, made = Values(self.b, lanes), Values(self.b, lanes)
        self._evaluate(values, self.step.body, pointers[:split], axis)
        made.add(self._widened(values.values[-1]), self._total(), values.uniform[-1])
        return self._evaluate(made, self.step.after, pointers[split:-1], axis)

    def _reduced(self, pointers: Pointers, lanes: int, axis: int) -> Value:
        if self.along_reduced:
            return self._reduce_wide(pointers)
        return self._reduce(self.kept, pointers, lanes, self._identity(lanes), axis, 1)

    def _finished(self, total: Value, pointers: Pointers, lanes: int, axis: int) -> Value:
        """What follows a reduction."""
        values = Values(self.b, lanes)
        values.add(total, self._total(), lanes == 1)
        return self._evaluate(values, self.step.after, pointers[len(self.body_loads) : -1], axis)

    def _store(self, value: Value, pointer: Value, lanes: int) -> None:
        """Neighbours, or elements that lie apart, one by one."""
        stride = self.step.out.strides[self.kept - 1] if lanes > 1 else 1
        if stride == 1:
            store(self.b, self.dtype, value, pointer)
            return
        for lane in range(lanes):
            place = self.b.moved(pointer, memory_type(self.dtype), lane * stride)
            store(self.b, self.dtype, self.b.lane(value, lane), place)

    def _identity(self, lanes: int) -> Value:
        return self._nothing(lanes, self._total())

    def _nothing(self, lanes: int, dtype: DType) -> Value:
        return literal(dtype, identity(self.step.combine, dtype), lanes)

    def _widened(self, value: Value) -> Value:
        """A partial result as what is combined."""
        return Scalars(self.b, value.type.lanes).cast(value, self.dtype_of_sum(), self._total())

    def _combine(self, lanes: int, total: Value, pointers: Pointers, axis: int) -> Value:
        """total combined with the body at pointers; a product that is summed becomes one fma."""
        body, dtype = self.step.body, self.dtype_of_sum()
        values, ops = Values(self.b, lanes), Scalars(self.b, lanes)
        combine = "add" if self.widens else self.step.combine
        if combine == "add" and body[-1].opcode == "mul" and dtype in (DType.F32, DType.F64):
            self._evaluate(values, body[:-1], pointers, axis)
            x, y = (values.vector(i) for i in body[-1].args)
            return ops.intrinsic("fma", dtype, [x, y, total])
        return ops.apply(combine, dtype, [total, self._evaluate(values, body, pointers, axis)], [dtype, dtype])

    def _reduce(
        self, axis: int, pointers: Pointers, lanes: int, total: Value, along: int, stride: int, start: Size = 0
    ) -> Value:
        """Combine over axis and the ones inside it.  start, stride: of the innermost axis, for a vectorised
        reduction.
        """
        last = len(self.step.extents) - 1
        if axis > last:
            return self._combine(lanes, total, pointers[: len(self.body_loads)], along)
        extent, step = self.step.extents[axis], stride if axis == last else 1
        begin: Size = start if axis == last else 0
        stop = begin + (extent - begin) // step * step
        if axis == last and self.widens:
            return self._add_wide(pointers, lanes, total, along, (begin, stop, step))

        def body(index: Value, carried: Carried) -> Carried:
            return [
                self._reduce(axis + 1, self._advance(pointers, axis, index), lanes, carried[0], along, stride, start)
            ]

        return self.b.loop(begin, stop, step, [total], body)[0]

    def _kept_lanes(self, lanes: int) -> int:
        """Lanes of what is combined: partial sums along the reduced axis are folded before they are widened."""
        return min(lanes, FOLDED) if self.widens and self.along_reduced else lanes

    def _add_wide(
        self, pointers: Pointers, lanes: int, total: Value, along: int, span: tuple[Size, Size, int]
    ) -> Value:
        """Sum along the innermost axis: float64, to which the float32 sums of a few terms each are added.  span: begin,
        stop, step.
        """
        axis, totals = len(self.step.extents) - 1, Scalars(self.b, self._kept_lanes(lanes))
        partial, wide = self.dtype_of_sum(), self._total()
        begin, stop, step = span

        def few(first: Pointers, low: Size, high: Size, before: Value) -> Value:
            def term(index: Value, carried: Carried) -> Carried:
                return [
                    self._combine(lanes, carried[0], self._advance(first, axis, index)[: len(self.body_loads)], along)
                ]

            found = self.b.loop(low, high, step, [self._nothing(lanes, partial)], term)[0]
            for n in halves(lanes, self._kept_lanes(lanes)):
                found = fold(self.b, self.step.combine, partial, found, n)
            return totals.apply("add", wide, [before, self._widened(found)], [wide, wide])

        def block(index: Value, carried: Carried) -> Carried:
            return [few(self._advance(pointers, axis, index), 0, PARTIAL * step, carried[0])]

        rest = begin + (stop - begin) // (PARTIAL * step) * (PARTIAL * step)
        if rest != begin:
            total = self.b.loop(begin, rest, PARTIAL * step, [total], block)[0]
        return few(pointers, rest, stop, total) if rest != stop else total

    def _reduce_wide(self, pointers: Pointers) -> Value:
        """A reduction with lanes along its innermost axis, then over the lanes, then what does not fill a vector."""
        last, dtype = len(self.step.extents) - 1, self._total()
        extent: Size = self.step.extents[last]
        start: Size = 0
        wide = self._identity(self._kept_lanes(self.lanes))
        most = self._lanes_of_sums()
        if most > self.lanes:
            wide = self._reduce(self.kept, pointers, most, self._identity(most), last, most)
            for lanes in halves(most, self.lanes):
                wide = fold(self.b, self.step.combine, self.dtype_of_sum(), wide, lanes)
            start = extent - extent % most
        if not certainly_below(extent - start, self.lanes):
            wide = self._reduce(self.kept, pointers, self.lanes, wide, last, self.lanes, start)
        rest = extent % self.lanes
        if rest != 0 and isinstance(extent, int) and self.step.reduced == 1 and not self.widens:
            places = self._advance(pointers, last, index(extent - self.lanes))[: len(self.body_loads)]
            found = self._combine(self.lanes, wide, places, last)  # its first lanes are in already
            wide, rest = self.b.select(lane_mask(self.lanes, self.lanes - extent % self.lanes), wide, found), 0
        total = over_lanes(self.b, self.step.combine, dtype, wide)
        return self._reduce(self.kept, pointers, 1, total, -1, 1, extent - rest) if rest != 0 else total

    def _lanes_of_sums(self) -> int:
        """What is combined takes less time than it waits for: more lanes go on meanwhile."""
        few = program_flops(self.step.body) <= _PLAIN and self.dtype_of_sum() is DType.F32 and not self.widens
        return lanes_at_once(self.b.cpu, self.lanes, self.step.extents[-1]) if few else self.lanes

    def _is_narrow(self) -> bool:
        """A vector is all of the innermost kept axis: what is combined would wait for itself."""
        combines = self.step.reduced > 0 and self.tiles is None and self.sums is None and not self.widens
        return combines and self.along_kept and self.step.extents[self.kept - 1] == self.lanes

    def _several(self, axis: int, count: int, pointers: Pointers) -> None:
        """Sums at so many neighbours of a kept axis, each in its order: while one waits, others go on."""
        split, lanes = len(self.body_loads), self.lanes if self.along_kept else 1
        places = [self._advance(pointers, axis, self.b.number(i)) for i in range(count)]
        sums = self._sums(self.kept, [p[:split] for p in places], [self._identity(lanes)] * count)
        for place, found in zip(places, sums, strict=True):
            self._store(self._finished(found, place, lanes, self._along), place[-1], lanes)

    def _sums(self, axis: int, places: Sequence[Pointers], totals: Carried) -> Carried:
        """Combine over axis and the ones inside it at several places.  places: pointers of the body's loads of each."""
        if axis == len(self.step.extents):
            return [self._combine(t.type.lanes, t, p, self._along) for t, p in zip(totals, places, strict=True)]

        def body(at: Value, carried: Carried) -> Carried:
            return self._sums(axis + 1, [self._advance(p, axis, at) for p in places], carried)

        return self.b.loop(0, self.step.extents[axis], 1, totals, body)
