"""Each tensor of a model: type, bytes, what makes it; statistics of constants where they are asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypedDict

import numpy as np

from mlconv.driver.types import TypeFacts, facts_of
from mlconv.driver.views.nodes import bytes_of, plain
from mlconv.driver.views.seen import Match, Seen, constant_of, name_of
from mlconv.ir.constants import Const
from mlconv.ir.core import Value, walk
from mlconv.ir.dtypes import DType


class StatisticsFacts(TypedDict):
    """Of the numbers of a constant.  zeros: how many are 0.  not_finite: how many are NaN or infinite; the others are
    those that the rest is of, None where there are none.
    """

    min: float | None
    max: float | None
    mean: float | None
    std: float | None
    zeros: int
    not_finite: int


class TensorFacts(TypeFacts):
    """kind: `input`, `output` (of the model), `constant`, or `value`.  bytes: an expression of open sizes, None where
    the shape is not known.  op, node: what makes it.  readers: how many ops read it.
    """

    name: str
    kind: str
    bytes: int | str | None
    op: str
    node: str
    readers: int
    signature: str
    statistics: StatisticsFacts | None


class TensorsFacts(TypedDict):
    """tensors: how many match.  constant_bytes: of these; shown: those that were asked for, or the largest."""

    tensors: int
    constants: int
    constant_bytes: int
    shown: list[TensorFacts]


def tensors_view(seen: Seen, match: str = "", top: int | None = None, statistics: bool = False) -> TensorsFacts:
    """match: of the ops that make or read a tensor.  top: so many, the largest first.  statistics: constants are read,
    in blocks.
    """
    chosen = list(values_of(seen, match))
    facts = [_tensor(seen, value, place) for value, place in chosen]
    pairs = list(zip(facts, chosen, strict=True))
    if top is not None:
        pairs = sorted(pairs, key=lambda p: p[0]["bytes"] if isinstance(p[0]["bytes"], int) else 0, reverse=True)[:top]
    for one, (value, _) in pairs if statistics else ():
        constant = constant_of(value)
        one["statistics"] = None if constant is None else _statistics(constant)
    held = [f for f in facts if f["kind"] == "constant"]
    return {
        "tensors": len(facts),
        "constants": len(held),
        "constant_bytes": sum(f["bytes"] for f in held if isinstance(f["bytes"], int)),
        "shown": [one for one, _ in pairs],
    }


def values_of(seen: Seen, match: str) -> Iterator[tuple[Value, int]]:
    """Values with the places of their functions, in order."""
    chooses = Match(match) if match else None
    for place, function in enumerate(seen.module.functions):
        made = list(walk(function.block))
        arguments = [*function.inputs, *(v for op in made for r in op.regions for v in r.block.arguments)]
        for value in (*arguments, *(v for op in made for v in op.results)):
            near = (value.producer, *value.users)
            if chooses is None or any(op is not None and chooses(op) for op in near):
                yield value, place


def _tensor(seen: Seen, value: Value, place: int) -> TensorFacts:
    function, constant = seen.module.functions[place], constant_of(value)
    op = value.producer
    names = [n for n, v in zip(function.output_names, function.outputs, strict=True) if v is value]
    is_input = value in function.inputs
    t = seen.type_of(value)
    return {
        "name": value.name or next(iter(names), ""),
        **facts_of(t),
        "kind": "constant" if constant is not None else "input" if is_input else "output" if names else "value",
        "bytes": plain(bytes_of(t, constant)),
        "op": op.name if op is not None and constant is None else "",
        "node": name_of(op) if op is not None else "",
        "readers": len({*value.users}),
        "signature": function.signature,
        "statistics": None,
    }


def _statistics(constant: Const) -> StatisticsFacts | None:
    """None of texts and of complex numbers."""
    if constant.dtype is DType.STRING or constant.dtype.is_complex:
        return None
    low, high, total, squares = math.inf, -math.inf, 0.0, 0.0
    zeros = finite = 0
    for block in constant.blocks():
        x = np.frombuffer(block, constant.dtype.numpy).astype(np.float64)
        zeros += int((x == 0).sum())
        x = x[np.isfinite(x)]
        if x.size:
            low, high = min(low, float(x.min())), max(high, float(x.max()))
            total, squares = total + float(x.sum()), squares + float(np.square(x).sum())
            finite += x.size
    mean = total / finite if finite else None
    return {
        "min": low if finite else None,
        "max": high if finite else None,
        "mean": mean,
        "std": None if mean is None else math.sqrt(max(squares / finite - mean * mean, 0.0)),
        "zeros": zeros,
        "not_finite": constant.size - finite,
    }
