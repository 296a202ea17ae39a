"""What is quantized in a model, how, and what stays in floats among integers.

ONNX files and others that round with ops of their own are read as core: what `quantize` gives has integers' type there.
"""

from __future__ import annotations

from collections import Counter
from typing import TypedDict

from mlconv.driver.views.nodes import value_facts
from mlconv.driver.views.seen import Match, Seen, constant_of, line_of, name_of
from mlconv.driver.views.tensors import values_of
from mlconv.ir.core import Op, Value
from mlconv.ir.quant import PerAxis, PerTensor, QuantType
from mlconv.ir.types import TensorType, Type
from mlconv.quantize.choose import PRODUCTS

_BORDERS = {"core.quantize": "quantize", "core.dequantize": "dequantize", "core.fake_quant": "fake"}
_RELABELS = ("core.storage_cast", "core.to_integers", "core.from_integers", "core.constant", "core.cast")
_MOST_SCALES = 4096


class QuantizedFacts(TypedDict):
    """scheme: `per-tensor`, `per-axis` or `blocked`.  axis: of scales; None of one scale.  block: elements that share
    one along the axis.  scales, zero_points: at most the first 4096; least, greatest: of all.
    """

    name: str
    shape: list[int | str] | None
    storage: str
    expressed: str
    scheme: str
    axis: int | None
    block: int | None
    scales: list[float]
    zero_points: list[int]
    least_scale: float
    greatest_scale: float
    constant: bool


class FloatOpFacts(TypedDict):
    """An op that computes with floats in a model that has integers."""

    op: str
    name: str
    line: str


class BorderFacts(FloatOpFacts):
    """kind: `quantize`, `dequantize`, or `fake` (rounded and floats again).  value: what it makes."""

    kind: str
    value: str


class QuantizationFacts(TypedDict):
    """tensors: those with integers that stand for numbers.  numerics: ops that compute with `integers`, with floats
    that are `rounded` on all sides (QDQ: a runtime may compute with integers), with `weights` alone in integers, with
    `floats`, or with neither (`other`).  floats: the ops that stay, where there are quantized ones.
    """

    tensors: list[QuantizedFacts]
    numerics: dict[str, int]
    floats: list[FloatOpFacts]
    borders: list[BorderFacts]


def quantization_view(seen: Seen, match: str = "", top: int | None = None) -> QuantizationFacts:
    """match: of the ops that are told, and that make or read tensors.  top: so many of each list."""
    chooses = Match(match) if match else None
    ops = [op for op in seen.ops if chooses is None or chooses(op)]
    numerics: Counter[str] = Counter()
    floats, borders = [], []
    for op in ops:
        kind = _border(seen, op)
        if kind:
            value = op.results[0].name if op.results else ""
            borders.append(BorderFacts(op=op.name, name=name_of(op), line=line_of(op), kind=kind, value=value))
            continue
        what = _numerics(seen, op)
        numerics[what] += 1
        if what == "floats":
            floats.append(FloatOpFacts(op=op.name, name=name_of(op), line=line_of(op)))
    tensors = _tensors(seen, match)
    any_rounded = bool(tensors or borders)
    return {
        "tensors": tensors[:top],
        "numerics": dict(numerics),
        "floats": floats[:top] if any_rounded else [],
        "borders": borders[:top],
    }


def _tensors(seen: Seen, match: str) -> list[QuantizedFacts]:
    """Each name once."""
    found: dict[str, QuantizedFacts] = {}
    for value, place in values_of(seen, match):
        quant = _quant(rounded_type(seen, value))
        if quant is not None:
            facts = value_facts(seen, value)
            found.setdefault(
                f"{place}/{facts['name']}", _quantized(facts["name"], facts["shape"], quant, facts["constant"])
            )
    for op in seen.ops:
        place = seen.function_of[op]
        for made in seen.core_of(op) if op.inputs and op.inputs[0].name else ():
            quant = _quant(made.inputs[0].type) if made.name == "core.dequantize" else None
            if quant is not None and (not match or Match(match)(op)):  # of stored integers, which have plain types
                facts = value_facts(seen, op.inputs[0])
                found.setdefault(
                    f"{place}/{facts['name']}", _quantized(facts["name"], facts["shape"], quant, facts["constant"])
                )
    return list(found.values())


def rounded_type(seen: Seen, value: Value) -> Type:
    """The type that core gives it, which says what its integers stand for; else that of the file."""
    if _quant(value.type) is not None:
        return value.type
    return seen.deduced.types.get(value, value.type)


def _quant(t: Type) -> QuantType | None:
    return t.quant if isinstance(t, TensorType) else None


def _quantized(name: str, shape: list[int | str] | None, quant: QuantType, constant: bool) -> QuantizedFacts:
    scales, zeros = quant.scales.view().ravel(), quant.zero_array().ravel()
    scheme = quant.scheme
    kind = "per-tensor" if isinstance(scheme, PerTensor) else "per-axis" if isinstance(scheme, PerAxis) else "blocked"
    return {
        "name": name,
        "shape": shape,
        "storage": quant.storage.display,
        "expressed": quant.expressed.display,
        "scheme": kind,
        "axis": quant.axis,
        "block": getattr(scheme, "size", None),
        "scales": [float(s) for s in scales[:_MOST_SCALES]],
        "zero_points": [int(z) for z in zeros[:_MOST_SCALES]],
        "least_scale": float(scales.min()),
        "greatest_scale": float(scales.max()),
        "constant": constant,
    }


def _border(seen: Seen, op: Op) -> str:
    """What an op of the source does between floats and integers; empty where it does something else."""
    made = seen.core_of(op)
    kinds = {_BORDERS[c.name] for c in made if c.name in _BORDERS}
    works = [c for c in made if c.name not in (*_BORDERS, *_RELABELS)]
    return next(iter(sorted(kinds)), "") if kinds and not works else ""


def _numerics(seen: Seen, op: Op) -> str:
    types = [rounded_type(seen, v) for v in op.inputs if constant_of(v) is None]
    results = [rounded_type(seen, v) for v in op.results]
    weights = [rounded_type(seen, v) for v in op.inputs if constant_of(v) is not None]
    if any(c.name.startswith(("core.quant_", "core.integer_", "core.dynamic_")) for c in seen.core_of(op)):
        return "integers"
    if any(_quant(t) is not None for t in (*types, *results)):
        return "integers"
    floats = [v for v, t in zip(op.results, results, strict=True) if isinstance(t, TensorType) and t.dtype.is_float]
    if not floats and not any(isinstance(t, TensorType) and t.dtype.is_float for t in types):
        return "other"
    if any(_quant(t) is not None for t in weights):
        return "weights"
    read = _floats_of(seen, op)
    is_product = _is_product(seen, op)
    before = read and all(_rounded_before(seen, v, not is_product, _DEEPEST) for v in read)
    return "rounded" if before and all(_rounded_behind(seen, v, _DEEPEST) for v in floats) else "floats"


_OUT, _IN = ("dequantize", "fake"), ("quantize", "fake")
_DEEPEST = 8
"""So many ops, an activation and a pooling say, may lie between a product and what rounds."""


def _rounded_before(seen: Seen, value: Value, product: bool, left: int) -> bool:
    """What a value is computed of was rounded.  product: one product may lie between."""
    op = value.producer
    if op is None or not left:
        return False
    if _border(seen, op) in _OUT:
        return True
    is_product = _is_product(seen, op)
    if is_product and not product:
        return False
    read = _floats_of(seen, op)
    return bool(read) and all(_rounded_before(seen, v, product and not is_product, left - 1) for v in read)


def _rounded_behind(seen: Seen, value: Value, left: int) -> bool:
    """What a value goes into is rounded, but for ops that read nothing else but constants."""
    if not value.users or not left:
        return False
    for op in {*value.users}:
        if _border(seen, op) in _IN:
            continue
        alone = op.results and _floats_of(seen, op) == [value] and not _is_product(seen, op)
        if not alone or not all(_rounded_behind(seen, v, left - 1) for v in op.results):
            return False
    return True


def _floats_of(seen: Seen, op: Op) -> list[Value]:
    """The operands of floats that are computed."""
    return [v for v in dict.fromkeys(op.inputs) if constant_of(v) is None and _is_float(seen, v)]


def _is_product(seen: Seen, op: Op) -> bool:
    return any(isinstance(made, PRODUCTS) for made in seen.core_of(op))


def _is_float(seen: Seen, value: Value) -> bool:
    t = seen.type_of(value)
    return isinstance(t, TensorType) and t.dtype.is_float
