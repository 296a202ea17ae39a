"""Numbers and tokens to places of a vocabulary, and places to vectors.  Source: keras/src/layers/preprocessing."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Rules
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType

RULES: Final = Rules()
_DENSE: Final = 1 << 16  # numbers between the least and the largest token, for a table with a place for each
_COMPARED: Final = 1 << 12  # tokens that each number is compared with
_NONE: Final = np.iinfo(np.int64).max  # a place that no vector has


def _encoded(n: Call, index: Value, depth: int, mode: str, dtype: DType) -> Value:
    """Source: `encode_categorical_inputs` of keras/src/utils/numerical_utils.py."""
    rank = n.rank(index)
    if mode == "one_hot":
        if rank > 1 and n.shape(index)[-1] == 1:
            index = n.squeeze(index, rank - 1)
    elif rank != 2:
        raise n.unknown(f"{mode} of an input of rank {rank}")
    one_hot = n.y(
        core.OneHot(
            index,
            n.constant(depth, DType.I64),
            n.constant(1, dtype),
            n.constant(0, dtype),
            axis=n.rank(index),
        )
    )
    if mode == "one_hot":
        return one_hot
    return n.max(one_hot, [1]) if mode == "multi_hot" else n.sum(one_hot, [1])


_MODES: Final = ("one_hot", "multi_hot", "count")


@RULES.rule("CategoryEncoding", keeps_mask=False)
def category_encoding(n: Call) -> Value:
    """One number for each token."""
    x = n.x
    n.fields.absent("sparse")
    if x.tensor.dtype not in (DType.I32, DType.I64):
        raise n.unknown(f"its input is of {x.tensor.dtype.display}")
    depth, mode = n.fields.integer("num_tokens", None, 1), n.fields.text("output_mode", "multi_hot", _MODES)
    return _encoded(n, x, depth, mode, n.dtype)


@RULES.rule("Discretization", keeps_mask=False)
def discretization(n: Call) -> Value:
    """How many of the boundaries are not above a number, int32, or encoded.  NaN is behind all."""
    x = n.args[0] if len(n.args) == 1 else None
    given: object = n.fields.get("bin_boundaries")
    n.fields.unused("num_bins", "epsilon")
    n.fields.absent("sparse")
    if not isinstance(x, Value) or x.tensor.dtype is not DType.F32:
        raise n.unknown("its input is not of float32")
    if not isinstance(given, list) or not given or not all(isinstance(b, (int, float)) for b in given):
        raise n.fields.wrong("bin_boundaries")
    bounds = n.constant(np.sort(np.asarray(given, np.float32)), DType.F32)
    reached = n.cast(n.logical_not(n.less(n.expand_dims(x, n.rank(x)), bounds)), DType.I32)
    index = n.sum(reached, [n.rank(x)])
    mode = n.fields.text("output_mode", "int", ("int", *_MODES))
    return index if mode == "int" else _encoded(n, index, len(given) + 1, mode, n.dtype)


class _Vocabulary(NamedTuple):
    """tokens: int64, those that are no special ones.  oov: how many places there are for others, behind that of the
    mask, `first`.
    """

    tokens: Array
    mask: int | None
    oov: int
    first: int

    @property
    def size(self) -> int:
        return self.first + self.oov + len(self.tokens)


def _vocabulary(n: Call, mode: str) -> _Vocabulary:
    """Source: `set_vocabulary` of index_lookup.py."""
    f, given = n.fields, n.fields.get("vocabulary")
    if not isinstance(given, list) or not given or not all(isinstance(t, int) and abs(t) < 1 << 62 for t in given):
        raise f.wrong("vocabulary")
    mask = f.integer("mask_token", None, -(1 << 30)) if f.get("mask_token") is not None else None
    oov, first = f.integer("num_oov_indices", 1, 0), int(mask is not None and mode == "int")
    special = [mask] * first + [f.get("oov_token", -1)] * oov
    tokens = given[len(special) :] if given[: len(special)] == special else given
    return _Vocabulary(np.asarray(tokens, np.int64), mask, oov, first)


@RULES.rule("IntegerLookup", keeps_mask=False)
def integer_lookup(n: Call) -> Value:
    """Places of integers in a vocabulary, int64, or encoded; or the other way around."""
    f, x = n.fields, n.args[0] if len(n.args) == 1 else None
    if not isinstance(x, Value) or x.tensor.dtype not in (DType.I32, DType.I64):
        raise n.unknown("its input is no integer")
    f.absent("sparse", "salt")
    f.text("oov_method", "floormod", ("floormod",))
    dtype = {"int32": DType.I32, "int64": DType.I64}[f.text("vocabulary_dtype", "int64", ("int32", "int64"))]
    mode = f.text("output_mode", "int", ("int", *_MODES))
    v = _vocabulary(n, mode)
    f.unused("vocabulary_size", "has_input_vocabulary")
    depth = f.integer("max_tokens", v.size, v.size)
    depth = depth if f.flag("pad_to_max_tokens") else v.size
    if f.flag("invert"):
        return _inverted(n, n.cast(x, DType.I64), v, dtype)
    x = n.cast(x, DType.I64)
    place, found = _found(n, x, v.tokens)
    other = n.full_like(x, -1) if v.oov == 0 else n.full_like(x, v.first)
    if v.oov > 1:
        other = n.add(n.y(core.FloorMod(x, n.constant(v.oov, DType.I64))), v.first)
    y = n.where(found, n.add(place, v.first + v.oov), other)
    if v.mask is not None:
        y = n.where(n.equal(x, v.mask), 0 if mode == "int" else _NONE, y)
    return y if mode == "int" else _encoded(n, y, depth, mode, DType.I64)


def _found(n: Call, x: Value, tokens: Array) -> tuple[Value, Value]:
    """The place of each number in a list, and whether it is there."""
    low, high = int(tokens.min()), int(tokens.max())
    if high - low < _DENSE:
        table = np.full(high - low + 1, -1)
        table[tokens - low] = np.arange(len(tokens))
        inside = n.logical_and(n.less_equal(low, x), n.less_equal(x, high))
        at = n.sub(n.minimum(n.maximum(x, low), high), low)
        place = n.gather(n.constant(table, DType.I64), at)
        return place, n.logical_and(inside, n.less_equal(0, place))
    if len(tokens) > _COMPARED:
        raise n.unknown(f"a vocabulary of {len(tokens)} numbers that are far apart")
    rank = n.rank(x)
    same = n.equal(n.expand_dims(x, rank), n.constant(tokens, DType.I64))
    place = n.sum(n.where(same, n.constant(np.arange(len(tokens)), DType.I64), 0), [rank])
    return place, n.y(core.ReduceAny(same, axes=(rank,)))


def _inverted(n: Call, x: Value, v: _Vocabulary, dtype: DType) -> Value:
    """Tokens at places; elsewhere the token of others, at 0 that of the mask."""
    begin, count = v.first + v.oov, len(v.tokens)
    other = n.fields.integer("oov_token", -1)
    n.fields.text("output_mode", "int", ("int",))
    inside = n.logical_and(n.less_equal(begin, x), n.less(x, begin + count))
    at = n.minimum(n.maximum(n.sub(x, begin), 0), count - 1)
    y = n.where(inside, n.gather(n.constant(v.tokens, DType.I64), at), other)
    return n.cast(y if v.mask is None else n.where(n.equal(x, 0), v.mask, y), dtype)
