"""Functions that say what they compute, in place of which one op stands.

Source: `tf.function(experimental_implements=...)`, the attribute `_implements` of a FunctionDef;
tensorflow/python/ops/image_ops_impl.py, `non_max_suppression_padded_v2`, whose body suppresses by tiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mlconv.ir.dtypes import DType

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import AttrValue, FunctionDef

IMPLEMENTS: Final = "_implements"
_SHAPES: Final = "_output_shapes"


class Composite(NamedTuple):
    """The op that a function is, of its first operands.  ranks: what those must have; of others the body is taken."""

    op: str
    operands: int
    ranks: tuple[int, ...]
    attributes: dict[str, object]
    results: tuple[DType, ...]


# Boxes of one image, scores, most outputs, IoU threshold, score threshold; whether the boxes are sorted or canonical
# changes no result.
_KNOWN: Final = {
    "non_max_suppression_padded_v2": Composite(
        "NonMaxSuppressionV4", 5, (2, 1), {"pad_to_max_output_size": True}, (DType.I32, DType.I32)
    )
}


def composite_of(function: FunctionDef) -> Composite | None:
    """What a function is; None where it does not say, is not known, or where its parameters do not fit."""
    said = function.attr.get(IMPLEMENTS) if IMPLEMENTS in function.attr else None
    known = None if said is None else _KNOWN.get(said.s.decode("utf-8", "replace"))
    if known is None:
        return None
    if len(function.signature.input_arg) < known.operands or len(function.signature.output_arg) != len(known.results):
        return None
    if any(_rank(function, i) != rank for i, rank in enumerate(known.ranks)):
        return None
    return known


def _rank(function: FunctionDef, argument: int) -> int | None:
    """The rank of a parameter, as tracing left it."""
    attributes: dict[str, AttrValue] = dict(function.arg_attr[argument].attr) if argument in function.arg_attr else {}
    shapes = list(attributes[_SHAPES].list.shape) if _SHAPES in attributes else []
    ranks = [None if shape.unknown_rank else len(shape.dim) for shape in shapes]
    return ranks[0] if len(ranks) == 1 else None
