"""Functions that say what they compute, in place of which one op stands.

Source: `tf.function(experimental_implements=...)`, the attribute `_implements` of a FunctionDef;
tensorflow/python/ops/image_ops_impl.py, `non_max_suppression_padded_v2`, whose body suppresses by tiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mlconv.ir.dtypes import DType

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import FunctionDef

IMPLEMENTS: Final = "_implements"
_SHAPES: Final = "_output_shapes"


class Composite(NamedTuple):
    """The op that a function is, of its first operands.  ranks: what those must have; of others the body is taken.
    stacked: results that the function has behind an axis of 1.
    """

    op: str
    operands: int
    ranks: tuple[int, ...]
    attributes: dict[str, object]
    results: tuple[DType, ...]
    stacked: tuple[int, ...] = ()


# Boxes of one image, scores, most outputs, IoU threshold, score threshold; whether the boxes are sorted or canonical
# changes no result.  The body sees a batch, and gives the indices [1, most].
_KNOWN: Final = {
    "non_max_suppression_padded_v2": Composite(
        "NonMaxSuppressionV4", 5, (2, 1), {"pad_to_max_output_size": True}, (DType.I32, DType.I32), (0,)
    )
}


def composite_of(function: FunctionDef) -> Composite | None:
    """What a function is; None where it does not say, is not known, or where its parameters do not fit."""
    known = _KNOWN.get(function.attr[IMPLEMENTS].s.decode("utf-8", "replace")) if IMPLEMENTS in function.attr else None
    if known is None:
        return None
    if len(function.signature.input_arg) < known.operands or len(function.signature.output_arg) != len(known.results):
        return None
    if any(_rank(function, i) != rank for i, rank in enumerate(known.ranks)):
        return None
    return known


def _rank(function: FunctionDef, argument: int) -> int | None:
    """The rank of a parameter, as tracing left it."""
    if argument not in function.arg_attr or _SHAPES not in function.arg_attr[argument].attr:
        return None
    shapes = function.arg_attr[argument].attr[_SHAPES].list.shape
    ranks = [None if shape.unknown_rank else len(shape.dim) for shape in shapes]
    return ranks[0] if len(ranks) == 1 else None
