"""What two models differ in: ops, weights, interface, sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TypedDict

import numpy as np

from mlconv.diagnostics import DiagnosticEngine
from mlconv.driver.context import context_of
from mlconv.driver.counting import counted
from mlconv.driver.files import bytes_of, file_facts, files_of
from mlconv.driver.loading import import_model, to_core
from mlconv.driver.matching import Matching, Node, attributes_text, constant_of_op, digest_of, order_of
from mlconv.driver.options import Options
from mlconv.driver.types import TypeFacts, type_facts
from mlconv.ir.constants import Array, Const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.types import TensorType
from mlconv.passes.pipeline import parse_pipeline, run_pipeline
from mlconv.provenance.locations import frames

_CLEAN = "canonicalize,fold,cse,layout,canonicalize,fold,cse,dce"
_MAX_TEXT = 120


class OpFacts(TypedDict):
    """An op of one of the two.  line: of the user's source, where it is known."""

    op: str
    name: str
    line: str


class ChangedOp(TypedDict):
    """An op that both have.  changes: what is otherwise, as texts `attribute: old -> new`."""

    op: str
    name: str
    line: str
    changes: list[str]


class ChangedWeight(TypedDict):
    """A constant that both have.  max_abs, relative: of the differences of numbers, also where one of both, or either,
    is stored as integers; None where shapes differ.  change: of type and shape.  changed: how many elements are others.
    """

    name: str
    op: str
    change: str
    elements: int
    changed: int
    max_abs: float | None
    relative: float | None


class Size(TypedDict):
    """Of one model.  bytes: of its file."""

    path: str
    format: str
    bytes: int
    ops: int
    parameters: int
    parameter_bytes: int


class Differences(TypedDict):
    """level: of the ops that were compared, `source` where both files are of one format, else `core`."""

    a: Size
    b: Size
    level: str
    matched: int
    interface: list[str]
    added: list[OpFacts]
    removed: list[OpFacts]
    changed: list[ChangedOp]
    weights: list[ChangedWeight]


def differences(a: str, b: str, options: Options) -> Differences:
    """b beside a.  Raises ConversionError for files that cannot be read."""
    loaded = [_read(path, options) for path in (a, b)]
    sizes = [_size(path, module) for path, module in zip((a, b), loaded, strict=True)]
    same = loaded[0].source.get("format") == loaded[1].source.get("format")
    if not same:
        for module in loaded:
            to_core(module, DiagnosticEngine())
            run_pipeline(module, parse_pipeline(_CLEAN))
    matching = Matching(*loaded)
    pairs = list(matching.of_a.items())
    removed = [n for n in matching.a if n not in matching.of_a]
    found = set(matching.of_a.values())
    by_op = {one.op: other.op for one, other in pairs}
    changed = [_changed(one, other, by_op) for one, other in pairs]
    return {
        "a": sizes[0],
        "b": sizes[1],
        "level": "source" if same else "core",
        "matched": len(pairs),
        "interface": _interface(*loaded),
        "added": [_facts(n) for n in matching.b if n not in found],
        "removed": [_facts(n) for n in removed],
        "changed": [c for c in changed if c["changes"]],
        "weights": [w for one, other in pairs for w in _weights(one, other)],
    }


def differs(found: Differences, gate: str) -> bool:
    """Whether the two differ in what a gate names."""
    in_ops = bool(found["added"] or found["removed"] or found["changed"])
    by_gate = {"interface": bool(found["interface"]), "ops": in_ops, "weights": bool(found["weights"])}
    return any(by_gate.values()) if gate == "any" else by_gate[gate]


def _read(path: str, options: Options) -> Module:
    engine = DiagnosticEngine()
    context = context_of(options.plugins, paths=[path])
    module = import_model(path, options, engine, context).module
    engine.raise_errors()
    return module


def _size(path: str, module: Module) -> Size:
    found = counted(module)
    return {
        "path": path,
        "format": str(module.source.get("format", "")),
        "bytes": bytes_of(file_facts(files_of(path))),
        "ops": found.ops.total(),
        "parameters": found.parameters,
        "parameter_bytes": found.parameter_bytes,
    }


def _line(node: Node) -> str:
    stack = frames(node.op.location)
    return f"{stack[0].file}:{stack[0].line}" if stack else ""


def _facts(node: Node) -> OpFacts:
    return {"op": node.kind, "name": node.name, "line": _line(node)}


# Interface


def _interface(a: Module, b: Module) -> list[str]:
    """What callers see: signatures, and names, types and order of inputs and outputs."""
    ours, theirs = ({f.signature: f for f in m.functions} for m in (a, b))
    if len(ours) == len(theirs) == 1:
        pairs = [(next(iter(ours.values())), next(iter(theirs.values())))]
        changes = []
    else:
        pairs = [(ours[key], theirs[key]) for key in ours if key in theirs]
        changes = [f"signature {key} is gone" for key in ours if key not in theirs]
        changes += [f"signature {key} is new" for key in theirs if key not in ours]
    for one, other in pairs:
        for what, old, new in zip(("input", "output"), _ports(one), _ports(other), strict=True):
            changes += _port_changes(what, old, new)
    return changes


def _ports(function: Function) -> tuple[dict[str, TypeFacts], dict[str, TypeFacts]]:
    inputs = {v.name: type_facts(v) for v in function.inputs}
    return inputs, {n: type_facts(v) for n, v in zip(function.output_names, function.outputs, strict=True)}


def _port_changes(what: str, old: dict[str, TypeFacts], new: dict[str, TypeFacts]) -> Iterator[str]:
    for name in old:
        if name not in new:
            yield f"{what} {name} is gone"
        elif what == "input" and _type(old[name]) != _type(new[name]):
            yield f"{what} {name}: {_type(old[name])} -> {_type(new[name])}"
        elif old[name]["dtype"] != new[name]["dtype"]:
            yield f"{what} {name}: {old[name]['dtype']} -> {new[name]['dtype']}"
    yield from (f"{what} {name} is new" for name in new if name not in old)
    if sorted(old) == sorted(new) and list(old) != list(new):
        yield f"{what}s have another order: {', '.join(old)} -> {', '.join(new)}"


def _type(facts: TypeFacts) -> str:
    """Open sizes have no names: those are no part of what a caller sees."""
    sizes = "*" if facts["shape"] is None else ",".join(str(d) if isinstance(d, int) else "?" for d in facts["shape"])
    return f"{facts['dtype']}[{sizes}]"


# Ops and weights


def _changed(one: Node, other: Node, by_op: Mapping[Op, Op]) -> ChangedOp:
    """What is otherwise with two ops that are the same.  by_op: ops of the second model by those of the first."""
    if one.kind != other.kind:
        changes = [f"op: {one.kind} -> {other.kind}"]
    else:
        old, new = attributes_text(one.op), attributes_text(other.op)
        changes = [
            f"{name}: {_short(old.get(name, 'none'))} -> {_short(new.get(name, 'none'))}"
            for name in sorted({*old, *new})
            if old.get(name) != new.get(name)
        ]
    ours, theirs = one.op.operands, other.op.operands
    if len(ours) != len(theirs):
        changes.append(f"operands: {len(ours)} -> {len(theirs)}")
    for i, (x, y) in enumerate(zip(ours, theirs, strict=False)):
        if not (i in one.constants and i in other.constants) and _moved(x, y, by_op):
            changes.append(f"operand {i}: {x.name if x else 'none'} -> {y.name if y else 'none'}")
    return {"op": one.kind, "name": one.name, "line": _line(one), "changes": changes}


def _moved(x: Value | None, y: Value | None, by_op: Mapping[Op, Op]) -> bool:
    """An operand is another value; one whose maker has no partner is told by that."""
    if x is None or y is None:
        return x is not y
    if x.producer is None and y.producer is None:  # inputs may have another order, or other names
        return x.index != y.index and not (x.name and x.name == y.name)
    if x.producer is None or y.producer is None:
        return True
    known = by_op.get(x.producer)
    return known is not None and (known is not y.producer or x.index != y.index)


def _short(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 3] + "..."


def _weights(one: Node, other: Node) -> Iterator[ChangedWeight]:
    """Constants of two ops that are the same, where they differ."""
    for i, (name, old) in one.constants.items():
        if i not in other.constants:
            continue
        new = other.constants[i][1]
        if one.kind != other.kind and old.shape != new.shape:
            continue  # an operand of another op that means something else
        told = name or f"operand {i}"
        if old.dtype is not new.dtype or old.shape != new.shape:
            change = f"{old.dtype.display}{list(old.shape)} -> {new.dtype.display}{list(new.shape)}"
            numbers = _numbers(one, i), _numbers(other, i)
            yield _weight(told, one, old, change, new.size, *_far(*numbers))
        elif old.key != new.key and digest_of(old) != digest_of(new):
            yield _weight(told, one, old, "", *_distance(old, new))


def _numbers(node: Node, i: int) -> Array | None:
    """What a constant stands for, where that is numbers; with its axes in one order."""
    value = node.op.operands[i]
    constant = None if value is None or value.producer is None else constant_of_op(value.producer)
    quant = value.type.quant if value is not None and isinstance(value.type, TensorType) else None
    if constant is None or (quant is None and not constant.dtype.is_float):
        return None
    array = constant.view()
    numbers = np.asarray(array if quant is None else quant.dequantize(array), np.float64)
    return numbers.transpose(order_of(node.op, i, numbers.ndim))


def _far(old: Array | None, new: Array | None) -> tuple[float | None, float | None]:
    """The largest difference, and the root of the squares of all over that of the old ones; None of other shapes, and
    of integers that stand for nothing that is known.
    """
    if old is None or new is None or old.shape != new.shape or not old.size:
        return None, None
    difference, whole = np.abs(new - old), float(np.square(old).sum())
    if not math.isfinite(whole) or not np.isfinite(difference).all():
        return None, None
    return float(difference.max()), math.sqrt(float(np.square(difference).sum()) / whole) if whole else None


def _weight(
    name: str, node: Node, old: Const, change: str, changed: int, max_abs: float | None, relative: float | None
) -> ChangedWeight:
    return {
        "name": name,
        "op": node.name,
        "change": change,
        "elements": old.size,
        "changed": changed,
        "max_abs": max_abs,
        "relative": relative,
    }


def _distance(old: Const, new: Const) -> tuple[int, float | None, float | None]:
    """How many elements are others, the largest difference, and the root of the squares of all over that of the old
    ones; read in blocks.  None of texts, and of numbers that are not finite.
    """
    if old.dtype is DType.STRING:
        return int((old.view() != new.view()).sum()), None, None
    changed, largest, squares, whole = 0, 0.0, 0.0, 0.0
    for x, y in zip(_pieces(old), _pieces(new), strict=True):
        difference = np.abs(y - x)
        changed += int((difference != 0).sum())
        largest = max(largest, float(difference.max(initial=0.0)))
        squares += float((difference**2).sum())
        whole += float((np.abs(x) ** 2).sum())
    if not math.isfinite(squares) or not math.isfinite(whole):
        return changed, None, None
    return changed, largest, math.sqrt(squares / whole) if whole else None


def _pieces(constant: Const) -> Iterator[Array]:
    """The numbers of a constant, float64 or complex128, block by block."""
    numpy_type = constant.dtype.numpy
    wide = np.complex128 if constant.dtype.is_complex else np.float64
    for block in constant.blocks():
        yield np.frombuffer(block, numpy_type).astype(wide)
