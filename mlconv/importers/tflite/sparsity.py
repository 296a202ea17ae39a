"""Sparse constants as dense ones.

Source: tensorflow/lite/schema/schema.fbs, table SparsityParameters; "The Tensor Algebra Compiler" (Kjolstad et al.), on
which it is modelled; tensorflow/lite/kernels/internal/utils/sparsity_format_converter.cc.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tfl_types import INDEX_CODES
from mlconv.formats.flatbuffer import FlatReader, Table
from mlconv.ir.constants import Array

_SPARSE = 1  # DimensionType: DENSE 0, SPARSE_CSR 1


class Level(NamedTuple):
    """One axis of the traversal.  size: of a dense one; else where the parts of each row begin, and their places."""

    size: int
    segments: Array | None
    indices: Array | None


class Sparsity(NamedTuple):
    """order: the axes in the order of the levels; those behind the tensor's own are inner axes of blocks, of the axes
    that `blocks` lists.
    """

    order: tuple[int, ...]
    blocks: tuple[int, ...]
    levels: tuple[Level, ...]


def read_sparsity(reader: FlatReader, table: Table) -> Sparsity:
    """The table SparsityParameters.  Raises DamagedError, ConversionError ConstantInvalid."""
    levels = []
    for entry in reader.tables(table, 2):
        if reader.scalar(entry, 0, code="<b") != _SPARSE:
            levels.append(Level(reader.scalar(entry, 1, code="<i"), None, None))
            continue
        levels.append(Level(0, _numbers(reader, entry, 2), _numbers(reader, entry, 4)))
    return Sparsity(reader.ints(table, 0), reader.ints(table, 1), tuple(levels))


def _numbers(reader: FlatReader, entry: Table, slot: int) -> Array:
    code = INDEX_CODES.get(reader.scalar(entry, slot, code="<B"))
    position = reader.target(entry, slot + 1)
    if code is None or not position:
        raise ConversionError(Code.ConstantInvalid, "an axis of a sparse constant lacks its segments or indices")
    return np.asarray(reader.numbers(reader.table(position), 0, code), np.int64)


def densified(values: Array, shape: tuple[int, ...], how: Sparsity) -> Array:
    """The dense tensor of the values of a sparse one, zeros elsewhere.  Raises ConversionError ConstantInvalid for
    numbers that do not fit one another.
    """
    rank, sizes = len(shape), _checked_sizes(shape, how)
    places = np.zeros((1, 0), np.int64)
    for axis, level in zip(how.order, how.levels, strict=True):
        places = _expanded(places, level, sizes[axis])
    if len(places) != values.size:
        raise ConversionError(Code.ConstantInvalid, f"{values.size} values at {len(places)} places of a sparse tensor")
    by_axis = {axis: places[:, i] for i, axis in enumerate(how.order)}
    index = []
    for axis in range(rank):
        place = by_axis[axis]
        for k, of in enumerate(how.blocks):
            if of == axis:
                place = place * sizes[rank + k] + by_axis[rank + k]
        index.append(place)
    dense = np.zeros(shape, values.dtype)
    dense[tuple(index)] = values
    return dense


def _checked_sizes(shape: tuple[int, ...], how: Sparsity) -> list[int]:
    """How long the axis of each level is: those of blocks are of dense levels, and the others are divided by them."""
    rank = len(shape)
    count = rank + len(how.blocks)
    if (
        sorted(how.order) != list(range(count))
        or len(how.levels) != count
        or any(not 0 <= b < rank for b in how.blocks)
        or len(set(how.blocks)) != len(how.blocks)
    ):
        raise ConversionError(Code.ConstantInvalid, f"the axes {list(how.order)} of a sparse tensor of rank {rank}")
    level_of = dict(zip(how.order, how.levels, strict=True))
    sizes = list(shape)
    for k, axis in enumerate(how.blocks):
        block = level_of[rank + k].size
        if block < 1 or shape[axis] % block:
            raise ConversionError(Code.ConstantInvalid, f"blocks of {block} along an axis of {shape[axis]}")
        sizes[axis] //= block
        sizes.append(block)
    for axis, level in level_of.items():
        if level.segments is None and level.size != sizes[axis]:
            raise ConversionError(
                Code.ConstantInvalid, f"a dense axis of {level.size} of a sparse tensor, expected {sizes[axis]}"
            )
    return sizes


def _expanded(places: Array, level: Level, size: int) -> Array:
    """All places of the next level, each behind its row's."""
    rows = len(places)
    if level.segments is None or level.indices is None:
        if rows * size > math.prod((1 << 31,)):
            raise ConversionError(Code.TensorTooLarge, "a sparse tensor has more than 2^31 places")
        repeated = np.repeat(places, size, axis=0)
        return np.concatenate([repeated, np.tile(np.arange(size), rows)[:, None]], axis=1)
    starts, indices = level.segments, level.indices
    counts = np.diff(starts)
    if len(counts) != rows or starts[0] != 0 or starts[-1] != indices.size or (counts < 0).any():
        raise ConversionError(Code.ConstantInvalid, "the segments of a sparse axis do not fit its indices")
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        raise ConversionError(Code.ConstantInvalid, f"an index of a sparse axis is outside of its {size} places")
    return np.concatenate([np.repeat(places, counts, axis=0), indices[:, None]], axis=1)
