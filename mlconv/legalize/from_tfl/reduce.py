"""Reductions.  Source: tensorflow/lite/kernels/reduce.cc, arg_min_max.cc, cumsum.cc, topk_v2.cc, segment_sum.cc,
unsorted_segment.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.dialects.tfl_types import DTYPES
from mlconv.ir.core import Value
from mlconv.legalize.from_tfl.node import Handler, TflNode, tfl_rules

RULES: Final = tfl_rules()

_REDUCE: Final = {
    "MEAN": "Mean",
    "REDUCE_ALL": "All",
    "REDUCE_ANY": "Any",
    "REDUCE_MAX": "Max",
    "REDUCE_MIN": "Min",
    "REDUCE_PROD": "Prod",
    "SUM": "Sum",
}
_SEGMENTS: Final = {
    "SEGMENT_SUM": "SegmentSum",
    "UNSORTED_SEGMENT_MAX": "UnsortedSegmentMax",
    "UNSORTED_SEGMENT_MIN": "UnsortedSegmentMin",
    "UNSORTED_SEGMENT_PROD": "UnsortedSegmentProd",
    "UNSORTED_SEGMENT_SUM": "UnsortedSegmentSum",
}


def _axes(n: TflNode, i: int, rank: int) -> Value:
    """Operand i as axes from the front, each once: the kernels take them in any form."""
    known = n.const_or_none(i)
    if known is None:
        return n.operand(i)
    return n.constant([int(a) for a in sorted({n.axis(int(a), rank) for a in known.reshape(-1)})])


def _reduction(kind: str) -> Handler:
    def run(n: TflNode) -> Value:
        x = n.number(0)
        return n.tf1(kind, [x, _axes(n, 1, n.rank(x))], keep_dims=n.attr("keep_dims"))

    return run


for _name, _kind in _REDUCE.items():
    RULES.add(_name, _reduction(_kind))


def _segments(kind: str) -> Handler:
    return lambda n: n.tf1(kind, [n.number(0), *n.operands(1)])


for _name, _kind in _SEGMENTS.items():
    RULES.add(_name, _segments(_kind))


@RULES.rule("ARG_MAX", "ARG_MIN")
def arg(n: TflNode) -> Value:
    kind = "ArgMax" if n.kind == "ARG_MAX" else "ArgMin"
    return n.tf1(kind, [n.number(0), n.operand(1)], output_type=DTYPES[n.attr("output_type")])


@RULES.rule("CUMSUM")
def cumsum(n: TflNode) -> Value:
    return n.tf1("Cumsum", [n.number(0), n.operand(1)], exclusive=n.attr("exclusive"), reverse=n.attr("reverse"))


@RULES.rule("TOPK_V2")
def top_k(n: TflNode) -> Sequence[Value]:
    return n.tf("TopKV2", [n.number(0), n.operand(1)], index_type=n.plain_types()[1].dtype)
