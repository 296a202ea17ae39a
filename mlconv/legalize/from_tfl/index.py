"""Builtins that read or write at indices.  Source: tensorflow/lite/kernels (LiteRT), files named after the builtins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.dialects.tfl_types import DTYPES
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tfl.node import TflNode, tfl_rules

RULES: Final = tfl_rules()


@RULES.rule("GATHER")
def gather(n: TflNode) -> Value:
    x = n.number(0)
    axis = n.constant(n.axis(n.attr("axis"), n.rank(x)), DType.I32)
    return n.tf1("GatherV2", [x, n.operand(1), axis], batch_dims=n.attr("batch_dims"))


@RULES.rule("GATHER_ND")
def gather_nd(n: TflNode) -> Value:
    return n.tf1("GatherNd", [n.number(0), n.operand(1)])


@RULES.rule("SCATTER_ND")
def scatter_nd(n: TflNode) -> Value:
    """What is quantized is added up as plain integers, and elsewhere is 0, not what stands for it."""
    return n.tf1("ScatterNd", [n.operand(0), n.integers(1), n.operand(2)])


@RULES.rule("SPARSE_TO_DENSE")
def sparse_to_dense(n: TflNode) -> Value:
    return n.tf1("SparseToDense", [n.operand(0), n.operand(1), n.number(2), n.number(3)])


@RULES.rule("ONE_HOT")
def one_hot(n: TflNode) -> Value:
    return n.tf1("OneHot", [n.operand(0), n.operand(1), n.number(2), n.number(3)], axis=n.attr("axis"))


@RULES.rule("EMBEDDING_LOOKUP")
def embedding_lookup(n: TflNode) -> Value:
    """Operands: indices, rows."""
    return n.gather(n.number(1), n.operand(0), 0)


@RULES.rule("WHERE")
def where(n: TflNode) -> Value:
    return n.tf1("Where", [n.number(0)])


@RULES.rule("UNIQUE")
def unique(n: TflNode) -> Sequence[Value]:
    return n.tf("Unique", [n.number(0)], out_idx=DTYPES[n.attr("idx_out_type")])


@RULES.rule("NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5")
def non_max_suppression(n: TflNode) -> Sequence[Value]:
    """Results have as many rows as may be selected; what is not is 0.

    With a sigma LiteRT's kernel lowers scores and drops boxes above the threshold, too; TensorFlow only lowers them, as
    is done here.
    """
    values = n.numbers()
    kind = "NonMaxSuppressionV4" if n.kind.endswith("4") else "NonMaxSuppressionV5"
    return n.tf(kind, values, pad_to_max_output_size=True)


@RULES.rule("HASHTABLE_LOOKUP")
def hashtable_lookup(n: TflNode) -> Sequence[Value]:
    """Operands: lookup [n], keys [m], values [m, ...].  Results: the values, zeros where there is no such key, and
    whether there was one, uint8 [n].
    """
    lookup, keys, values = n.operand(0), n.operand(1), n.number(2)
    same = n.equal(n.expand_dims(lookup, 1), n.expand_dims(keys, 0))
    hit = n.y(core.ReduceAny(same, axes=(1,)))
    place = n.y(core.ArgMax(n.cast(same, DType.I32), axis=1, dtype=DType.I32))
    found = n.gather(values, place, 0)
    rows = n.expand_dims(hit, *range(1, n.rank(values)))
    return [n.where(rows, found, 0), n.cast(hit, DType.U8)]
