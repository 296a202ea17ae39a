"""Channels of a convolution in the order in which DEPTH_TO_SPACE of TFLite and TensorFlow reads them."""

from __future__ import annotations

import math

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Value
from mlconv.ir.quant_rules import has_quantized
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Elementwise, has_trait
from mlconv.rewrite import Rewriter, remake
from mlconv.rewrite.core_builder import CoreBuilder


def by_places(op: core.DepthToSpace, e: CoreBuilder) -> Value | None:
    """What an op of mode `crd` reads, made with its channels ordered by places in the block, as `dcr` has them: the
    filters of the convolution in front change their order, ops between them ask for none.  None where something else
    makes it or reads it.
    """
    x, count, between = op.x, op.block_size**2, list[OpDef]()
    while x.has_one_use and isinstance(x.producer, OpDef) and (moved := _element_by_element(x.producer)) is not None:
        between.append(x.producer)
        x = moved
    conv = x.producer
    if not isinstance(conv, core.Conv) or not x.has_one_use or conv.groups != 1 or has_quantized([op.x, x, conv.w]):
        return None
    w, bias = const_of(conv.w), const_of(conv.bias)
    if w is None or (bias is None) != (conv.bias is None):
        return None
    filters = e.constant(_by_places(w, conv.w_layout.index("O"), count))
    added = None if bias is None else e.constant(_by_places(bias, 0, count))
    if isinstance(e.builder, Rewriter):
        e.builder.fuse(conv, *between)
    y = e.y(remake(conv, [conv.x, filters, added]))
    for made in reversed(between):
        taken = _element_by_element(made)
        y = e.y(remake(made, [y if v is taken else v for v in made.operands]))
    return y


def _element_by_element(op: OpDef) -> Value | None:
    """The operand whose elements an op takes one by one, wherever they are: others are single numbers."""
    if not has_trait(op, Elementwise) or len(op.results) != 1:
        return None
    given = [v for v in op.operands if v is not None and ((c := const_of(v)) is None or math.prod(c.shape) != 1)]
    return given[0] if len(given) == 1 and given[0].tensor.shape == op.results[0].tensor.shape else None


def _by_places(c: Const, axis: int, count: int) -> Const:
    before, after = c.shape[:axis], c.shape[axis + 1 :]
    parts = c.reshape((*before, c.shape[axis] // count, count, *after))
    order = list(range(len(parts.shape)))
    order[axis], order[axis + 1] = axis + 1, axis
    return recipes.transpose(parts, tuple(order)).reshape(c.shape)
