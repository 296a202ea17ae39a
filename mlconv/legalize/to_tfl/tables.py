"""Lookups: HASHTABLE with HASHTABLE_FIND, filled by HASHTABLE_IMPORT once.

Source: kernels/hashtable.cc, hashtable_find.cc, hashtable_import.cc.  A table goes from int64 to string or from string
to int64; others are composed of these: a number is gathered at the position that the key is found at.  Tables are known
by their number in the whole interpreter, variables likewise: numbers of tables start high enough to be none of a
variable.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.tfl import tfl_op
from mlconv.dialects.tfl_types import RESOURCE
from mlconv.ir import recipes
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Const, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.facts import Facts
from mlconv.ir.module import Function
from mlconv.legalize.lookups import by_comparison
from mlconv.legalize.to_tfl.builder import TflBuilder, shape_of

FIRST_NUMBER = 1 << 20
_WIDENED = (DType.I8, DType.I16, DType.I32, DType.U8, DType.U16, DType.U32)


class Tables:
    """Numbers of the tables of a module, each content once.  The facts of a function have those that it looks into."""

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}
        self.facts = Facts()

    def start_function(self, function: Function) -> None:
        self.facts = function.facts

    def lookup(self, op: core.Lookup, e: TflBuilder) -> Value:
        """The rule of core.lookup."""
        keys, values = const_of(op.keys), const_of(op.values)
        if DType.STRING not in (op.keys.tensor.dtype, op.values.tensor.dtype):
            return by_comparison(op, e.y, "TFLite")
        if keys is None or values is None:
            raise ConversionError(Code.ShapeNotStatic, "the keys and values of a table must be constants", operand=2)
        x, kind = op.x, keys.dtype
        if kind in _WIDENED:
            x, keys, kind = e.cast(x, DType.I64), recipes.cast(keys, DType.I64), DType.I64
        if kind not in (DType.I64, DType.STRING):
            raise ConversionError(Code.TargetLacksType, f"TFLite has no table with keys of {kind.display}")
        if kind is not values.dtype and {kind, values.dtype} == {DType.I64, DType.STRING}:
            return self._find(e, x, op.default, keys, values)
        if kind is not DType.STRING:
            raise ConversionError(
                Code.TargetLacksType, f"TFLite has no table from {kind.display} to {values.dtype.display}"
            )
        places = make_const(np.arange(1, keys.size + 1, dtype=np.int64))
        place = self._find(e, x, e.constant(0, DType.I64), keys, places)
        if values.dtype is DType.STRING:
            return self._find(e, place, op.default, places, values)
        row = e.y(core.Concat([e.reshape(op.default, (1,)), op.values], axis=0))
        return e.y(core.Gather(row, place, axis=0))

    def _find(self, e: TflBuilder, x: Value, default: Value, keys: Const, values: Const) -> Value:
        number = self._number(keys, values)
        shape_of(x)
        handle = _handle(e.builder, number, keys, values)
        return e.one("HASHTABLE_FIND", [handle, x, default], x.tensor.with_dtype(values.dtype))

    def _number(self, keys: Const, values: Const) -> int:
        number = self.numbers.setdefault((keys.key, values.key), FIRST_NUMBER + len(self.numbers))
        self.facts.tables[str(number)] = (keys, values)
        return number


def fill_tables(builder: Builder, contents: Mapping[str, tuple[Const, Const]]) -> None:
    """Fill tables, in the graph of CALL_ONCE.  contents: keys and values by number."""
    for number in sorted(contents, key=int):
        keys, values = contents[number]
        handle = _handle(builder, int(number), keys, values)
        given = [builder.emit(core.Constant(value=c)).y for c in (keys, values)]
        builder.emit(tfl_op("HASHTABLE_IMPORT", [handle, *given], {}, []))


def _handle(builder: Builder, number: int, keys: Const, values: Const) -> Value:
    kinds = {DType.I64: "INT64", DType.STRING: "STRING"}
    attributes = {"table_id": number, "key_dtype": kinds[keys.dtype], "value_dtype": kinds[values.dtype]}
    return builder.emit(tfl_op("HASHTABLE", [], attributes, [RESOURCE])).result
