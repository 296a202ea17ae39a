"""Einsum as reductions, transposes and one matrix product for each further operand.  Source:
tensorflow/core/ops/linalg_ops.cc, EinsumShape.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size, product
from mlconv.legalize.einsum_axes import leading_columns, leading_rows
from mlconv.legalize.from_tf.operands import (
    dim_value,
    rank_of,
    reshape,
    shape_of,
    tf_rules,
)
from mlconv.legalize.matrices import between
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()


class Labelled(NamedTuple):
    """A tensor and one label for each of its axes."""

    value: Value
    labels: str


@RULES.rule("Einsum")
def einsum(n: SourceNode) -> Value:
    equation = str(n.attr("equation")).replace(" ", "")
    if equation.count("->") != 1:
        raise ConversionError(Code.AttributeInvalid, f"equation '{equation}' of Einsum has no '->'")
    left, out = equation.split("->")
    terms = left.split(",")
    if len(terms) != n.n_operands:
        raise ConversionError(
            Code.WrongArity, f"equation '{equation}' has {len(terms)} terms for {n.n_operands} operands"
        )
    depth = (
        max(rank_of(v) - len(t.replace("...", "")) for t, v in zip(terms, n.operands(), strict=True) if "..." in t)
        if "..." in left
        else 0
    )
    spare = "".join(c for c in map(chr, range(0x3B1, 0x3B1 + depth)))  # labels that no equation uses
    parts = [_labelled(n, t, v, spare) for t, v in zip(terms, n.operands(), strict=True)]
    wanted = out.replace("...", spare)
    total = _reduced(n, parts[0], set(wanted).union(*(p.labels for p in parts[1:])))
    for i, part in enumerate(parts[1:], 2):
        later = set(wanted).union(*(p.labels for p in parts[i:]))
        total = _contract(n, total, _reduced(n, part, later | set(total.labels)), later)
    total = _reduced(n, total, set(wanted))
    if set(total.labels) != set(wanted) or len(set(wanted)) != len(wanted):
        raise n.unsupported(f"equation '{equation}' repeats or invents a label of the result")
    return n.transpose(total.value, [total.labels.index(c) for c in wanted])


def _labelled(n: SourceNode, term: str, value: Value, spare: str) -> Labelled:
    """Labels with the ellipsis spelled out; missing leading broadcast axes are added, repeated labels become
    diagonals.
    """
    rank = rank_of(value, "an operand of Einsum")
    if "..." in term:
        head, tail = term.split("...", 1)
        present = rank - len(head) - len(tail)
        labels = head + spare[len(spare) - present :] + tail
        missing = len(spare) - present
        if present < 0:
            raise ConversionError(Code.ShapeMismatch, f"term '{term}' of Einsum does not fit {value.tensor}")
        if missing:
            value = n.expand_dims(value, *range(len(head), len(head) + missing))
            labels = head + spare + tail
    else:
        labels = term
    if len(labels) != rank_of(value):
        raise ConversionError(Code.ShapeMismatch, f"term '{term}' of Einsum does not fit {value.tensor}")
    return _diagonals(n, Labelled(value, labels))


def _diagonals(n: SourceNode, part: Labelled) -> Labelled:
    """ii -> i."""
    value, labels = part
    for label in sorted({c for c in labels if labels.count(c) > 1}):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            value = between(n, value, first, second)
            labels = labels[:second] + labels[second + 1 :]
    return Labelled(value, labels)


def _reduced(n: SourceNode, part: Labelled, needed: set[str]) -> Labelled:
    """Sum over the axes whose labels nothing else needs."""
    axes = tuple(i for i, c in enumerate(part.labels) if c not in needed)
    if not axes:
        return part
    return Labelled(n.emit(core.ReduceSum(part.value, axes=axes)).y, "".join(c for c in part.labels if c in needed))


def _contract(n: SourceNode, a: Labelled, b: Labelled, later: set[str]) -> Labelled:
    """The product of two tensors, summed over the labels that only they share."""
    shared = [c for c in a.labels if c in b.labels]
    batch = [c for c in shared if c in later]
    inner = [c for c in shared if c not in later]
    rows = [c for c in a.labels if c not in b.labels]
    columns = [c for c in b.labels if c not in a.labels]
    if not inner:
        return _outer(n, a, b, batch, rows, columns)
    is_constant = isinstance(b.value.producer, core.Constant)
    lead = leading_rows(a.labels, batch, inner, dict(zip(a.labels, shape_of(a.value), strict=True)), is_constant)
    beside = leading_columns(b.labels, batch, rows, inner)
    rows, columns = ([c for c in own if c not in kept] for own, kept in ((rows, lead), (columns, beside)))
    left = n.transpose(a.value, [a.labels.index(c) for c in (*lead, *batch, *rows, *inner)])
    right = n.transpose(b.value, [b.labels.index(c) for c in (*batch, *beside, *inner, *columns)])
    front, k = len(lead) + len(batch), len(lead) + len(batch) + len(beside)
    left2 = n.expand_dims(_merge(n, left, [front, len(rows), len(inner)]), *range(front, k))
    right2 = _merge(n, right, [len(batch) + len(beside), len(inner), len(columns)])
    y = n.emit(core.MatMul(left2, n.expand_dims(right2, *range(len(lead))) if batch else right2)).y
    labels = "".join((*lead, *batch, *beside, *rows, *columns))
    if len(rows) == 1 and len(columns) == 1:
        return Labelled(y, labels)
    sources = [(left, front + i) for i in range(len(rows))]
    sources += [(right, len(batch) + len(beside) + len(inner) + i) for i in range(len(columns))]
    sizes: list[int | Value] = [_run_time(n, y, i) for i in range(k)]
    sizes += [_run_time(n, v, axis) for v, axis in sources]
    open_sizes = [i for i, s in enumerate(sizes) if isinstance(s, Value)]
    if len(open_sizes) == 1:
        sizes[open_sizes[0]] = -1
    return Labelled(n.emit(core.Reshape(y, n.stack(sizes))).y, labels)


def _run_time(n: SourceNode, x: Value, axis: int) -> int | Value:
    size = shape_of(x)[axis]
    return size if isinstance(size, int) else dim_value(n, x, axis)


def _outer(n: SourceNode, a: Labelled, b: Labelled, batch: list[str], rows: list[str], columns: list[str]) -> Labelled:
    """Nothing is summed: a product with broadcasting."""
    left = n.transpose(a.value, [a.labels.index(c) for c in (*batch, *rows)])
    right = n.transpose(b.value, [b.labels.index(c) for c in (*batch, *columns)])
    first = len(batch) + len(rows)
    if columns:
        left = n.expand_dims(left, *range(first, first + len(columns)))
    if rows:
        right = n.expand_dims(right, *range(len(batch), first))
    return Labelled(n.mul(left, right), "".join((*batch, *rows, *columns)))


def _merge(n: SourceNode, x: Value, groups: list[int]) -> Value:
    """The batch axes stay; every further group of axes becomes one."""
    shape = shape_of(x)
    if groups[1] == groups[2] == 1:
        return x
    sizes: list[Size] = list(shape[: groups[0]])
    at = groups[0]
    for count in groups[1:]:
        sizes.append(product(shape[at : at + count]))
        at += count
    if sum(isinstance(s, Dim) for s in sizes) <= 1:
        return reshape(n, x, sizes)
    parts: list[int | Value] = []
    for i, size in enumerate(sizes):
        parts.append(size if isinstance(size, int) else _run_time_product(n, x, i, groups))
    return n.emit(core.Reshape(x, n.stack(parts))).y


def _run_time_product(n: SourceNode, x: Value, i: int, groups: list[int]) -> Value:
    """Size of one axis of the merged tensor at run time."""
    if i < groups[0]:
        return dim_value(n, x, i)
    begin = groups[0] + (groups[1] if i > groups[0] else 0)
    count = groups[1] if i == groups[0] else groups[2]
    part = n.emit(core.DynamicSlice(n.emit(core.ShapeOf(x)).y, n.vector([begin]), n.vector([count]))).y
    return n.emit(core.ReduceProd(part, axes=(0,))).y
