"""Categories: labels for labels, indicator vectors, and maps as tensors."""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.constants import Array, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxRules

RULES = OnnxRules()

_COMPARED = 1 << 12
"""Keys that each element is compared with; more of them are searched by `core.lookup`."""


@RULES.rule("LabelEncoder", domain="ai.onnx.ml", until=1)
def label_encoder_1(n: Node) -> Value:
    """Strings to their places, or places to strings."""
    return _coded(n, "classes_strings", None)


@RULES.rule("CategoryMapper", domain="ai.onnx.ml")
def category_mapper(n: Node) -> Value:
    """Strings to integers, or integers to strings."""
    return _coded(n, "cats_strings", "cats_int64s")


def _coded(n: Node, strings: str, integers: str | None) -> Value:
    x, names = n.x(), np.asarray(n.strings(strings), object)
    numbers = np.arange(len(names)) if integers is None else np.asarray(n.ints(integers, ()), np.int64)
    if len(numbers) != len(names) or not len(names):
        raise ConversionError(Code.AttributeInvalid, f"{n.op_type} has {len(names)} strings and {len(numbers)} numbers")
    if x.tensor.dtype is DType.STRING:
        return looked_up(n, x, names, numbers, np.asarray(n.i("default_int64", -1)))
    return looked_up(n, x, numbers, names, np.asarray(n.s("default_string", "_Unused"), object))


@RULES.rule("LabelEncoder", domain="ai.onnx.ml", since=2)
def label_encoder(n: Node) -> Value:
    keys, values = _listed(n, "keys"), _listed(n, "values")
    if keys is None or values is None or keys.size != values.size:
        raise ConversionError(Code.AttributeInvalid, "LabelEncoder needs keys and values, as many of each")
    if n.version < 4 and keys.dtype.kind == "f":
        known = ~np.isnan(keys)  # NaN is a key from version 4 on
        keys, values = keys[known], values[known]
    return looked_up(n, n.x(), keys, values, _default(n, values))


def _listed(n: Node, what: str) -> Array | None:
    """Keys or values, of whichever attribute has them."""
    for name, dtype in ((f"{what}_int64s", np.int64), (f"{what}_floats", np.float32)):
        if n.has(name):
            return np.asarray(n.floats(name) if dtype is np.float32 else n.ints(name), dtype)
    if n.has(f"{what}_strings"):
        return np.asarray(n.strings(f"{what}_strings"), object)
    held = n.tensor(f"{what}_tensor")
    return None if held is None else held.view().reshape(-1)


def _default(n: Node, values: Array) -> Array:
    held = n.tensor("default_tensor")
    if held is not None:
        return held.view().reshape(-1)[:1].reshape(())
    if values.dtype.kind in "OUS":
        return np.asarray(n.s("default_string", "_Unused"), object)
    if values.dtype.kind == "f":
        return np.asarray(n.f("default_float", -0.0), values.dtype)
    return np.asarray(n.i("default_int64", -1), values.dtype)


def looked_up(n: Node, x: Value, keys: Array, values: Array, default: Array) -> Value:
    """The value of each element's key; of keys that are there twice, the first.  NaN is the key of NaN."""
    kinds = [DType.STRING if a.dtype.kind in "OUS" else DType(_NAMES[a.dtype.name]) for a in (keys, values)]
    if x.tensor.dtype is not kinds[0]:
        raise ConversionError(Code.TypeMismatch, f"{n.op_type} has keys of {kinds[0].display} for {x.type}", operand=0)
    order = np.sort(np.unique(keys.astype(str) if kinds[0] is DType.STRING else keys, return_index=True)[1])
    keys, values = keys[order], values[order]
    hashed = kinds[0] is DType.STRING or (kinds[1] is DType.STRING and keys.dtype.kind == "i")
    if hashed or len(keys) > _COMPARED:
        parts = [make_const(a, k) for a, k in ((default, kinds[1]), (keys, kinds[0]), (values, kinds[1]))]
        return n.y(core.Lookup(x, *map(n.constant, parts)))
    rank = n.rank(x)
    whole = n.expand_dims(x, rank)
    same = n.equal(whole, n.constant(keys))
    if keys.dtype.kind == "f" and np.isnan(keys).any():
        same = n.logical_or(same, n.logical_and(n.y(core.IsNan(whole)), n.constant(np.isnan(keys))))
    places = n.where(same, n.constant(np.arange(1, len(keys) + 1, dtype=np.int32)), 0)
    table = np.concatenate([np.asarray(default, values.dtype).reshape(1), values])
    return n.gather(n.constant(make_const(table, kinds[1])), n.max(places, (rank,)))


_NAMES = {str(d.numpy): d.value for d in (DType.F32, DType.F64, DType.I16, DType.I32, DType.I64)}


@RULES.rule("OneHotEncoder", domain="ai.onnx.ml")
def one_hot_encoder(n: Node) -> Value:
    """x's shape and one more axis: 1 where the category is the element's.  Without `zeros` an element of no category is
    an error of the model's runtime; here it has zeros.
    """
    x, names = n.x(), n.strings("cats_strings")
    if names:
        places = looked_up(n, x, np.asarray(names, object), np.arange(len(names)), np.asarray(-1))
        return n.cast(n.equal(n.expand_dims(places, n.rank(x)), n.constant(np.arange(len(names)))), DType.F32)
    numbers = np.asarray(n.ints("cats_int64s", ()), np.int64)
    if not numbers.size:
        raise ConversionError(Code.AttributeInvalid, "OneHotEncoder has no categories")
    whole = x if x.tensor.dtype is DType.I64 else n.cast(x, DType.I64)
    return n.cast(n.equal(n.expand_dims(whole, n.rank(x)), n.constant(numbers)), DType.F32)


@RULES.rule("ZipMap", domain="ai.onnx.ml")
def zip_map(n: Node) -> Value:
    """A list of maps from labels to scores: as a tensor, the scores, one column for each label in the model's order."""
    return n.x()


@RULES.rule("DictVectorizer", "CastMap", domain="ai.onnx.ml")
def of_maps(n: Node) -> Value:
    """Refused: they read a map, which a model gets from its caller alone, as no operator gives one."""
    raise n.refuse(
        "it takes a map from keys to values, and no target has inputs that are maps",
        help="let the model begin behind it (--inputs), with a tensor of a column for each key of its vocabulary",
    )
