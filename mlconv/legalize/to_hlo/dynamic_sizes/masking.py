"""HLO ops over sizes with a range: which numbers of a result are valid, and masks where an op would mix them with what
lies behind.

Most ops work place by place: computed at the largest size, their results are valid as far as their operands are.  Those
that join places of a dynamic axis (reduce, dot over it, windows along it, ...) get operands with neutral numbers behind
the valid part.  What the rules of core ops made for the size at run time is taken as they state it.  All else is
refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.dialects.hlo import HloOp
from mlconv.dialects.hlo_table import BINARY, UNARY
from mlconv.ir.core import Block, captures
from mlconv.ir.size_facts import simplify
from mlconv.ir.types import Shape
from mlconv.legalize.to_hlo.dynamic_sizes import valid
from mlconv.legalize.to_hlo.dynamic_sizes.masks import Derived, Masks, made_in, refuse
from mlconv.legalize.to_hlo.dynamic_sizes.symbols import Sizes, is_dynamic, shape_text
from mlconv.rewrite.convert import diagnose

_MASKED = ("convolution", "reduce-window")  # a rule that states their shape does not mask their operands


def mask_padding(block: Block, sizes: Sizes, engine: DiagnosticEngine) -> None:
    """Go over the ops of the entry in order.  What cannot be told apart is refused, with the op's name."""
    masks = Masks(sizes)
    for op in block.ops:
        if not isinstance(op, HloOp):
            continue
        try:
            propagate(op, masks)
        except ConversionError as error:
            engine.add(diagnose(op, error))
            return


def propagate(op: HloOp, masks: Masks) -> None:
    """Find the valid sizes of an op's results, and mask its operands.  Raises ConversionError TargetLacksOp."""
    sizes = masks.sizes
    dynamic = any(
        v in sizes.shapes
        for v in (*op.inputs, *(v for region in op.regions for v in (*captures(region), *made_in(region.block))))
    )
    if not dynamic:
        return
    if op.opcode not in _MASKED and all(v in sizes.stated for v in op.results):
        sizes.shapes.update({v: sizes.stated[v] for v in op.results if is_dynamic(sizes.stated[v])})
        return
    rule = valid.RULES.get(op.opcode, valid.places if op.opcode in UNARY or op.opcode in BINARY else None)
    if rule is None:
        raise refuse(op, "has no form for it")
    found = rule(op, masks) if op.opcode not in ("while", "conditional") else _CONTROL[op.opcode](op, masks)
    for value, derived in zip(list(op.results), found, strict=True):
        shape = sizes.stated.get(value)
        if shape is None:
            derived = tuple(None if d is None else simplify(d, sizes.facts) for d in derived)
            largest = value.tensor.static_shape()
            if value in sizes.fixed:
                derived = tuple(n if d is None else d for d, n in zip(derived, largest, strict=True))
            shape = _agreed(op, derived, sizes.shapes.get(value), largest)
        if is_dynamic(shape):
            sizes.shapes[value] = shape


def _agreed(op: HloOp, derived: Derived, want: Shape | None, largest: Sequence[int]) -> Shape:
    """What follows from the operands against what the core op promised; a part that is valid to its end holds any
    smaller one.
    """
    if want is None:
        if any(d is None for d in derived):
            raise refuse(op, "takes a part whose size is not known")
        return tuple(d for d in derived if d is not None)
    for d, w, n in zip(derived, want, largest, strict=True):
        if d is not None and d != w and d != n:
            raise refuse(
                op, f"gives {shape_text([n if x is None else x for x in derived])}, the model has {shape_text(want)}"
            )
    return want


def _while(op: HloOp, masks: Masks) -> list[Derived]:
    """What a loop carries is valid as far as all that goes in and all that comes back."""
    sizes, blocks = masks.sizes, [region.block for region in op.regions]
    inside = [v for block in blocks for v in made_in(block)]
    wanted = {v: sizes.shapes[v] for v in inside if v in sizes.shapes}
    carried = [sizes.of(v) for v in op.inputs]
    before, masks.dry = masks.dry, True
    while True:  # each turn lets at least one more size move
        for v in inside:
            sizes.shapes.pop(v, None)
        sizes.shapes.update(wanted)
        for argument, shape in ((a, s) for block in blocks for a, s in zip(block.arguments, carried, strict=True)):
            joined = _meet(op, shape, sizes.of(argument))
            if is_dynamic(joined):
                sizes.shapes[argument] = joined
        _inside(blocks, masks)
        back = [_meet(op, a, sizes.of(v)) for a, v in zip(carried, blocks[1].outputs, strict=True)]
        if back == carried:
            break
        carried = back
    masks.dry = before
    if not masks.dry:
        _inside(blocks, masks)
    return list(carried)


def _conditional(op: HloOp, masks: Masks) -> list[Derived]:
    """Either side gives the results: they are valid as far as both."""
    blocks = [region.block for region in op.regions]
    _inside(blocks, masks)
    found = [[masks.sizes.of(v) for v in block.outputs] for block in blocks]
    return [_meet(op, a, b) for a, b in zip(*found, strict=True)]


_CONTROL = {"while": _while, "conditional": _conditional}


def _inside(blocks: Sequence[Block], masks: Masks) -> None:
    for op in (o for block in blocks for o in block.ops if isinstance(o, HloOp)):
        propagate(op, masks)


def _meet(op: HloOp, a: Shape, b: Shape) -> Shape:
    return tuple(valid.joined(op, pair) for pair in zip(a, b, strict=True))
