"""All values of a run, each tensor once: what is rounded behind an op is one with its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.module import Function
from mlconv.provenance.locations import origins
from mlconv.runtime.layer_values import LayerValue, in_numbers, quant_of_value


def tensors_of(function: Function, inputs: Mapping[str, Array]) -> list[tuple[Value, LayerValue]]:
    """Values of ops, with what they are in numbers."""
    made: list[tuple[Value, Array]] = []

    def keep(op: Op, values: Sequence[Array | None], results: Sequence[Array]) -> Sequence[Array]:
        if op.block is function.block and not isinstance(op, core.Constant):
            made.extend(zip(op.results, results, strict=True))
        return results

    run_function(function, inputs, change=keep)
    outputs = dict(zip(function.outputs, function.output_names, strict=True))
    found = []
    for value, array in made:
        if _is_rounded_behind(value) or isinstance(value.producer, core.Dequantize):
            continue
        same = _same(value)
        names = [n for v in same for n in (v.name, outputs.get(v, "")) if n]
        parts = [p for n in names for p in (n, *(n.split(";") if ";" in n else ()))]
        paths = [
            o for v in same if v.producer is not None and not _is_after(v, value) for o in origins(v.producer.location)
        ]
        nodes = [p.rpartition("/")[0] for p in (*parts, *paths) if "/" in p]
        texts = tuple(dict.fromkeys((*parts, *paths, *filter(None, nodes))))
        quant = quant_of_value(value)
        found.append((value, LayerValue(tuple(dict.fromkeys(parts)), texts, in_numbers(array, quant), quant)))
    return found


def _is_rounded_behind(value: Value) -> bool:
    users = value.users
    return len(users) == 1 and isinstance(users[0], core.Quantize)


def _is_after(v: Value, value: Value) -> bool:
    return v is not value and isinstance(v.producer, core.Dequantize)


def _same(value: Value) -> list[Value]:
    """A value, what is rounded to make it, and what is made of its integers."""
    producer = value.producer
    front = [producer.x] if isinstance(producer, core.Quantize) and len(producer.x.users) == 1 else []
    behind = [op.y for op in value.users if isinstance(op, core.Dequantize)] if value.tensor.quant is not None else []
    return [*front, value, *behind]
