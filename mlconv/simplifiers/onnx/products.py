"""Products of matrices: with what is added as one Gemm, and those that read the same side by side."""

from __future__ import annotations

import numpy as np

from mlconv.ir import recipes
from mlconv.ir.constants import Const, make_const
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.simplifiers.onnx.graph import Graph, Node
from mlconv.simplifiers.onnx.rules import Rules
from mlconv.simplifiers.onnx.shapes import replaced

RULES = Rules()
_FLOATS = frozenset({DType.F16, DType.F32, DType.F64})


def _are_matrices(g: Graph, *names: str) -> bool:
    types = [g.type_of(name) for name in names]
    return all(t is not None and t.dtype in _FLOATS and t.rank == 2 for t in types)


@RULES.on("Add")
def _product_with_sum(g: Graph, n: Node) -> bool:
    """MatMul of matrices, or Gemm without a sum, and Add are a Gemm."""
    if g.model.opset() < 7:
        return False
    for i in (0, 1):
        inner, other = g.sole(n.inputs[i], "MatMul", "Gemm"), n.inputs[1 - i]
        if inner is None or inner.has(2) or other == n.inputs[i]:
            continue
        if not _are_matrices(g, *inner.inputs[:2], n.output) or g.shape(n.inputs[i]) != g.shape(n.output):
            continue
        type_ = g.type_of(other)
        whole = g.type_of(n.output)
        if type_ is None or whole is None or type_.dtype is not whole.dtype or type_.rank is None or type_.rank > 2:
            continue
        old = list(n.inputs)
        kept = {name: inner.attribute(name) for name in ("alpha", "transA", "transB")}
        g.emit("Gemm", [*inner.inputs[:2], other], [n.output], inner, **kept)
        replaced(g, n, old)
        return True
    return False


@RULES.on("Gemm", "MatMul")
def _transposed_operand(g: Graph, n: Node) -> bool:
    """A Gemm transposes by itself."""
    if g.model.opset() < 11 or not _are_matrices(g, *n.inputs[:2]):
        return False
    for i, word in ((0, "transA"), (1, "transB")):
        inner = g.sole(n.inputs[i], "Transpose")
        if inner is None or (n.inputs[0] == n.inputs[1]):
            continue
        turned = {w: n.integer(w, 0) for w in ("transA", "transB")}
        turned[word] = 1 - turned[word]
        inputs = list(n.inputs)
        inputs[i] = inner.inputs[0]
        old = list(n.inputs)
        kept = {name: n.attribute(name) for name in ("alpha", "beta")}
        g.emit("Gemm", inputs, [n.output], n, **kept, **{w: t or None for w, t in turned.items()})
        replaced(g, n, old)
        return True
    return False


@RULES.on("MatMul")
def _products_side_by_side(g: Graph, n: Node) -> bool:
    """Products of one value with several matrices are one product with all, and a Split; what is added to them, too.

    Three products, or two with sums, make fewer nodes so.
    """
    if g.model.opset() < 2 or g.home(n.inputs[0]) is not g:
        return False
    group = [m for m in g.readers.get(n.inputs[0], ()) if _is_product(g, m, n)]
    if len(group) < 2 or n not in group:
        return False
    sums = [_sum_of(g, m) for m in group]
    adds = [a for a, _ in (s for s in sums if s is not None)]
    with_sums = len(adds) == len(group)
    if not with_sums and len(group) < 3:
        return False
    ends = adds if with_sums else group
    order = {m: i for i, m in enumerate(group)}
    ends = sorted(ends, key=lambda m: order.get(m, 0)) if not with_sums else ends
    weights = [c for c in (g.constant(m.inputs[1]) for m in group) if c is not None]
    biases = [s[1] for s in sums if s is not None] if with_sums else []
    if any(g.rank(m.output) is None for m in ends):
        return False
    _merge(g, n, group, ends, weights, biases)
    return True


def _is_product(g: Graph, m: Node, n: Node) -> bool:
    """Of the value that n multiplies, too, with a matrix of its own."""
    if m.key != "MatMul" or m in g.gone or m.inputs[0] != n.inputs[0] or m.inputs[1] == n.inputs[0]:
        return False
    weights, own = g.constant(m.inputs[1]), g.constant(n.inputs[1])
    if weights is None or own is None or len(weights.shape) != 2 or not g.once(m.inputs[1]):
        return False
    return weights.dtype is own.dtype and weights.dtype in _FLOATS and weights.shape[0] == own.shape[0]


def _sum_of(g: Graph, m: Node) -> tuple[Node, Const] | None:
    """What a vector is added to a product by, and the vector."""
    readers = list(g.readers.get(m.output, ()))
    if len(readers) != 1 or not g.once(m.output) or readers[0].key != "Add" or readers[0] in g.gone:
        return None
    add = readers[0]
    bias = g.constant(add.inputs[1] if add.inputs[0] == m.output else add.inputs[0])
    weights = g.constant(m.inputs[1])
    if bias is None or weights is None or bias.shape != (weights.shape[1],):
        return None
    return add, bias


def _merge(g: Graph, n: Node, group: list[Node], ends: list[Node], weights: list[Const], biases: list[Const]) -> None:
    """One product, with one sum where there are such, and a Split, at the first of the products."""
    source, outputs = n.inputs[0], [m.output for m in ends]
    sizes = [c.shape[1] for c in weights]
    types = [g.type_of(name) for name in outputs]
    base = group[0].output
    whole = g.add(recipes.concat(tuple(weights), 1), f"{group[0].inputs[1]}/joined")
    made = g.model.fresh(f"{base}/joined")
    g.emit("MatMul", [source, whole], [made], group[0])
    first = types[0]
    if first is not None and first.shape:
        g.note(made, TensorType(first.dtype, (*first.shape[:-1], sum(sizes))))
    if biases:
        added = g.model.fresh(f"{base}/joined_sum")
        bias = np.concatenate([c.view() for c in biases])
        g.emit("Add", [made, g.add(make_const(bias), f"{base}/joined_bias")], [added], ends[0])
        g.note(added, g.type_of(made))
        made = added
    if g.model.opset() >= 13:
        inputs = [made, g.add(make_const(np.asarray(sizes, np.int64)), f"{base}/sizes")]
        g.emit("Split", inputs, outputs, group[0], axis=-1)
    else:
        rank = g.rank(made)
        g.emit("Split", [made], outputs, group[0], axis=(rank or 0) - 1, split=sizes)
    for m in (*ends, *group):
        if m not in g.gone:
            g.retire(m)
