"""Layers whose precision is chosen one by one: what a rule can select, and what it costs to keep it in more bits."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Op, walk
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.provenance.locations import frames, node_names
from mlconv.quantize.choose import PRODUCTS, is_float, is_lookup
from mlconv.quantize.costs import least, macs_of
from mlconv.quantize.halves import halves_of
from mlconv.quantize.scheme import SCHEMES, Scheme
from mlconv.quantize.select import Selector, may_be_kind

_SPECIAL = re.compile(r"[*?\[]")
_LADDERS = {
    "int16x8": ("float",),
    "dynamic-range": ("float",),
    "int8-weights": ("float",),
    "int4": ("int8-weights", "float"),
    "float16": ("float",),
    "bfloat16": ("float",),
    "bfloat16-weights": ("float",),
}
_FLOAT_BITS = 32


class Layer(NamedTuple):
    """All ops of a node of the source, or of a line.  weights: numbers of constants.  macs: multiplications with
    additions of a run, sizes that are open counted as 1.
    """

    selector: Selector
    ops: tuple[Op, ...]
    weights: int
    macs: int

    def cost(self, base: Scheme, more: Scheme) -> float:
        """Of more bits: bytes of weights, and multiply-adds, counted by the width of what they take."""
        stored = self.weights * max(more.bits - base.bits, 0) / 8
        return stored + self.macs * max(_width(more) / _width(base) - 1, 0)


def _width(scheme: Scheme) -> int:
    """Bits of what products take."""
    if scheme.activations is not None:
        return scheme.activations.bits
    return scheme.bits if scheme.dynamic else _FLOAT_BITS


def ladder_of(scheme: Scheme) -> tuple[Scheme, ...]:
    """Schemes that lose less, the cheapest first; the last one is `float`."""
    return tuple(SCHEMES[name] for name in _LADDERS.get(scheme.name, ("int16x8", "float")))


def layers_of(function: Function, scheme_of: Callable[[Op], Scheme]) -> list[Layer]:
    """Layers that are quantized and that a rule can select, in order."""
    found: dict[str, Selector] = {}
    ops = [op for op in walk(function.block) if isinstance(op, OpDef)]
    for op in ops:
        text = _text_for(op) if _counts(op, scheme_of(op)) else ""
        if text and text not in found:
            found[text] = Selector.parse(text)
    by_text: dict[str, list[OpDef]] = {text: [] for text in found}
    lines = {text: selector for text, selector in found.items() if selector.file}
    for op in ops:
        texts = [text for text in dict.fromkeys(_names_of(op)) if text in by_text]
        for text in texts + [text for text, selector in lines.items() if selector.matches(op)]:
            by_text[text].append(op)
    return [_layer(selector, by_text[text]) for text, selector in found.items()]


def _counts(op: OpDef, scheme: Scheme) -> bool:
    """Quantization takes something from the op that another scheme would leave."""
    if scheme.rounds or scheme.activations is not None:
        return isinstance(op, PRODUCTS) or is_lookup(op)
    return bool(halves_of(op, scheme))


def _text_for(op: Op) -> str:
    """A selector of an op: by the name of its node, or by its line where it has none; empty where neither is known."""
    lines = (f"{frame.file}:{frame.line}" for frame in frames(op.location) if frame.file and frame.line)
    return next(iter(_names_of(op)), "") or next(lines, "")


def _names_of(op: Op) -> list[str]:
    return [selector_of_name(name) for name in node_names(op.location) if name]


def selector_of_name(name: str) -> str:
    """A pattern of names that a name matches, and that is taken for nothing else."""
    text = _SPECIAL.sub(lambda m: f"[{m.group()}]", name)
    text = "".join(c if c.isprintable() else "?" for c in text)
    plain = Selector.parse(text)
    return text if plain.glob and not may_be_kind(text) and not plain.file else f"{text[:-1]}[{text[-1]}]"


def _layer(selector: Selector, ops: list[OpDef]) -> Layer:
    constants = {c: None for op in ops for v in op.operands if is_float(v) and (c := const_of(v)) is not None}
    return Layer(selector, tuple(ops), sum(c.size for c in constants), sum(macs_of(op, least) or 0 for op in ops))
