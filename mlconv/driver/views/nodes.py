"""Each op of a model: operands and results, attributes, parameters, arithmetic, bytes, line of the user's source."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from mlconv.driver.counting import place_of
from mlconv.driver.types import TypeFacts, facts_of
from mlconv.driver.views.seen import Match, Seen, constant_of, held_by, line_of, name_of
from mlconv.ir.constants import Const
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType, Type

_MAX_TEXT = 80
_HIDDEN = frozenset({"node_def", "opset_version", "region_names"})


class ValueFacts(TypeFacts):
    """constant: its data are in the file."""

    name: str
    constant: bool


class NodeFacts(TypedDict):
    """op: its kind.  parameters, parameter_bytes: of the constants that it reads.  macs, flops: of one run; a size that
    is open is an expression, None where nobody counts it.  bytes: of operands and results, each once.  line: of the
    user's source.  inside: names of the ops around it, the outermost first.  signature: of its function.
    """

    op: str
    name: str
    inputs: list[ValueFacts | None]
    outputs: list[ValueFacts]
    attributes: dict[str, str]
    parameters: int
    parameter_bytes: int
    macs: int | str | None
    flops: int | str | None
    bytes: int | str | None
    line: str
    inside: list[str]
    signature: str


class NodesFacts(TypedDict):
    """nodes: those that were asked for, in order of the file, or the first by size.  ops, macs, flops, parameters: of
    all that match; an op within a loop counts once.
    """

    ops: int
    matched: int
    parameters: int
    parameter_bytes: int
    macs: int | str | None
    flops: int | str | None
    uncounted: int
    nodes: list[NodeFacts]


def nodes_view(seen: Seen, match: str = "", top: int | None = None) -> NodesFacts:
    """match: see `Match`.  top: so many ops, those first that have the most arithmetic, then bytes."""
    chosen = list(filter(Match(match), seen.ops)) if match else seen.ops
    works = [seen.work(op) for op in chosen]
    counted = [w for w in works if w.flops is not None]
    held: dict[object, Const] = {place_of(c): c for op in chosen for c in held_by(op)}
    facts = [_node(seen, op) for op in chosen]
    if top is not None:
        facts = sorted(facts, key=_weight, reverse=True)[:top]
    return {
        "ops": len(seen.ops),
        "matched": len(chosen),
        "parameters": sum(c.size for c in held.values()),
        "parameter_bytes": sum(stored_bytes(c) for c in held.values()),
        "macs": None if any(w.macs is None for w in counted) else plain(total(w.macs or 0 for w in counted)),
        "flops": plain(total(w.flops or 0 for w in counted)),
        "uncounted": len(works) - len(counted),
        "nodes": facts,
    }


def total(sizes: Iterable[Size]) -> Size:
    """The sum of numbers and expressions."""
    found: Size = 0
    for size in sizes:
        found = size + found
    return found


def plain(size: Size | None) -> int | str | None:
    """A size that is known at run time is its expression."""
    return size if size is None or isinstance(size, int) else str(size)


def _weight(facts: NodeFacts) -> tuple[int, int, int]:
    def number(value: int | str | None) -> int:
        return value if isinstance(value, int) else 0

    return number(facts["flops"]), number(facts["bytes"]), facts["parameter_bytes"]


def _node(seen: Seen, op: Op) -> NodeFacts:
    place = seen.function_of[op]
    held = {place_of(c): c for c in held_by(op)}
    work = seen.work(op)
    values = dict.fromkeys([*op.inputs, *op.results])
    sizes = [bytes_of(seen.type_of(v), constant_of(v)) for v in values]
    return {
        "op": op.name,
        "name": name_of(op),
        "inputs": [None if v is None else value_facts(seen, v) for v in op.operands],
        "outputs": [value_facts(seen, v) for v in op.results],
        "attributes": _attributes(op),
        "parameters": sum(c.size for c in held.values()),
        "parameter_bytes": sum(stored_bytes(c) for c in held.values()),
        "macs": plain(work.macs),
        "flops": plain(work.flops),
        "bytes": None if None in sizes else plain(total(s for s in sizes if s is not None)),
        "line": line_of(op),
        "inside": _around(op),
        "signature": seen.module.functions[place].signature,
    }


def _around(op: Op) -> list[str]:
    found: list[str] = []
    region = op.block.parent if op.block is not None else None
    while region is not None and region.parent is not None:
        found.insert(0, name_of(region.parent))
        block = region.parent.block
        region = block.parent if block is not None else None
    return found


def value_facts(seen: Seen, value: Value) -> ValueFacts:
    """Name and type of a value."""
    return {
        "name": value.name,
        **facts_of(seen.type_of(value)),
        "constant": constant_of(value) is not None,
    }


def stored_bytes(constant: Const) -> int:
    """Bytes of its elements, of which those of less than 8 bits share one."""
    return constant.dtype.packed_bytes(constant.size) if constant.dtype.bits else constant.nbytes


def bytes_of(t: Type, constant: Const | None = None) -> Size | None:
    """None where the shape, or the size of an element, is not known."""
    if constant is not None:
        return stored_bytes(constant)
    if not isinstance(t, TensorType) or t.shape is None or not t.dtype.bits:
        return None
    count = product(t.shape)
    return t.dtype.packed_bytes(count) if isinstance(count, int) else count * t.dtype.itemsize


def _attributes(op: Op) -> dict[str, str]:
    """Attributes as short texts; constants by type and shape."""
    return {name: _short(value) for name, value in sorted(op.attributes.items()) if name not in _HIDDEN}


def _short(value: object) -> str:
    if isinstance(value, Const):
        return f"{value.dtype.display}{list(value.shape)}"
    if isinstance(value, DType):
        return value.display
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 3]}..."
