"""Products with weights, and lookups.  Source: keras/src/layers/core."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Rules
from mlconv.importers.keras.layers.activation import activated
from mlconv.importers.keras.layers.einsum import einsum
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType

RULES: Final = Rules()
_TERMS: Final = re.compile(r"(\.\.\.)?([a-zA-Z]+)(\.\.\.)?,([a-zA-Z]+)->(\.\.\.)?([a-zA-Z]+)(\.\.\.)?")
# letters that a spelled out ellipsis takes, which no equation uses
_SPARE: Final = "".join(map(chr, range(0x3B1, 0x3B1 + 12)))


@RULES.rule("Dense", keeps_mask=True)
def dense(n: Call) -> Value:
    """Kernel: channels, units."""
    x, units = n.x, n.fields.integer("units", None, 1)
    channels = n.size(x, -1)
    if n.fields.flag("use_bias", True):
        w, bias = n.own((channels, units), (units,))
        return activated(n, "activation", n.add(n.matmul(x, w), bias))
    (w,) = n.own((channels, units))
    return activated(n, "activation", n.matmul(x, w))


@RULES.rule("EinsumDense", keeps_mask=False)
def einsum_dense(n: Call) -> Value:
    """Kernel and bias as the equation says; an ellipsis stands for axes that both sides have."""
    x = n.x
    equation = n.fields.text("equation").replace(" ", "")
    found = _TERMS.fullmatch(equation)
    if found is None:
        raise n.fields.wrong("equation")
    before, given, behind, kernel, _, wanted, _ = (part or "" for part in found.groups())
    spare = _SPARE[: n.rank(x) - len(given)] if before or behind else ""
    front, back = (spare, "") if before else ("", spare)
    if len(front + given + back) != n.rank(x) or (bool(before), bool(behind)) != (bool(found[5]), bool(found[7])):
        raise n.fields.wrong("equation")
    sizes = dict(zip(front + given + back, n.shape(x), strict=True))
    listed = n.fields.get("output_shape")
    outputs = [listed] if isinstance(listed, int) else list(listed) if isinstance(listed, (list, tuple)) else []
    whole = front + wanted + back
    own = outputs[len(outputs) - len(wanted) :] if before else outputs[: len(wanted) - 1]
    for label, size in zip(wanted if before else wanted[1:], own, strict=False):
        sizes.setdefault(label, size)
    if not all(isinstance(sizes.get(c), int) for c in kernel):
        raise n.fields.wrong("output_shape")
    shape = [int(str(sizes[c])) for c in kernel]
    axes = n.fields.get("bias_axes")
    if not isinstance(axes, (str, type(None))):
        raise n.fields.wrong("bias_axes")
    if not axes:
        (w,) = n.own(shape)
        return activated(n, "activation", einsum(n, front + given + back, kernel, whole, x, w))
    bias_shape = _bias_shape(n, axes, wanted, sizes) + [1] * len(back)
    w, bias = n.own(shape, bias_shape)
    return activated(n, "activation", n.add(einsum(n, front + given + back, kernel, whole, x, w), bias))


def _bias_shape(n: Call, axes: str, wanted: str, sizes: Mapping[str, object]) -> list[int]:
    """Source: `_analyze_split_string` of einsum_dense.py."""
    if not set(axes) <= set(wanted):
        raise n.fields.wrong("bias_axes")
    first = min(wanted.index(c) for c in axes)
    shape = [sizes.get(c) if c in axes else 1 for c in wanted[first:]]
    if not all(isinstance(s, int) for s in shape):
        raise n.fields.wrong("bias_axes")
    return [int(str(s)) for s in shape]


@RULES.rule("Embedding")
def embedding(n: Call) -> Value:
    """Rows of a table.  With mask_zero the steps of index 0 do not count."""
    (table,) = n.own(_table(n))
    return _rows(n, table)


def _table(n: Call) -> tuple[int, int]:
    return n.fields.integer("input_dim", None, 1), n.fields.integer("output_dim", None, 1)


def _rows(n: Call, table: Value) -> Value:
    if len(n.args) != 1 or not isinstance(n.args[0], Value):
        raise n.unknown("it is given no tensor")
    x = n.args[0]
    n.fields.unused("input_length", "batch_input_shape", "sparse")
    index = x if x.tensor.dtype in (DType.I32, DType.I64) else n.cast(x, DType.I32)
    y = n.y(core.Gather(table, index, axis=0))
    if n.fields.flag("mask_zero"):
        n.masks[y] = n.y(core.NotEqual(x, n.asarray(0, x)))
    return y


@RULES.rule("ReversibleEmbedding")
def reversible_embedding(n: Call) -> Value:
    """Rows of a table, or with `reverse` the product with the table, or with one of its own."""
    rows, channels = _table(n)
    tied, reverse = n.fields.flag("tie_weights", True), n.kwarg("reverse", False) is True
    n.fields.text("reverse_dtype", "float32", ("float32",))
    tables = n.own((rows, channels), *[(channels, rows)] * (not tied))
    n.fields.unused("mask_zero", "logit_soft_cap")
    if not reverse:
        return _rows(n, tables[0])
    y = n.matmul(n.x, tables[-1], transpose_b=tied)
    if n.fields.get("logit_soft_cap") is None:
        return y
    cap = n.fields.number("logit_soft_cap")
    return n.mul(n.tanh(n.div(y, cap)), cap)


@RULES.rule("Masking")
def masking(n: Call) -> Value:
    """Steps all of whose numbers are a value become zeros, and do not count."""
    x = n.x
    counts = n.y(
        core.ReduceAny(
            n.y(core.NotEqual(x, n.asarray(n.fields.number("mask_value", 0.0), x))),
            axes=(n.rank(x) - 1,),
            keepdims=True,
        )
    )
    y = n.where(counts, x, 0.0)
    n.masks[y] = n.squeeze(counts, n.rank(x) - 1)
    return y
