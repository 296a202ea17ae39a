"""Attributes that became inputs: which they are is read from onnx; both forms mean the same, and go through `Node`."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

import mlconv
from mlconv.legalize.from_onnx.node import Node
from tests.support.onnx_arrays import ints
from tests.support.onnx_models import model, save, value

HELPERS = ("value_of", "computed", "int_of", "parts_of", "list_of", "float_of")
RENAMED = {("Pad", "constant_value"): "value", ("TopK", "K"): "k"}
IMAGE = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
REDUCTIONS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
CASES: dict[str, tuple[np.ndarray, dict[str, Any]]] = {
    "Clip": (IMAGE, {"min": 2.0, "max": 7.5}),
    "DFT": (IMAGE.reshape(1, 4, 4, 1), {"axis": 2}),
    "Dropout": (IMAGE, {"ratio": 0.25}),
    "Pad": (IMAGE, {"pads": [0, 0, 1, 0, 0, 0, 0, 2], "value": 3.5}),
    "Reshape": (IMAGE, {"shape": [2, -1, 1]}),
    "Slice": (IMAGE, {"starts": [1, -3], "ends": [9, -1], "axes": [2, 3]}),
    "Split": (IMAGE, {"split": [3, 1]}),
    "Squeeze": (IMAGE, {"axes": [1]}),
    "TopK": (IMAGE, {"k": 2}),
    "Unsqueeze": (IMAGE, {"axes": [0, 2]}),
    "Upsample": (IMAGE, {"scales": [1.0, 1.0, 2.0, 3.0]}),
    **{f"Reduce{kind}": (IMAGE + 1, {"axes": [2]}) for kind in REDUCTIONS},
}
"""An input and the attributes, for each operator."""
UNREAD = {("Dropout", "ratio")}
"""What inference does not ask for."""


def moved() -> dict[str, tuple[int, int, dict[str, int]]]:
    """By operator: the last version with the attributes, the first with the inputs, and where these are."""
    history: dict[str, list[onnx.defs.OpSchema]] = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "":
            history.setdefault(schema.name, []).append(schema)
    found: dict[str, tuple[int, int, dict[str, int]]] = {}
    for name, schemas in history.items():
        schemas.sort(key=lambda s: s.since_version)
        for old, new in itertools.pairwise(schemas):
            inputs = {RENAMED.get((name, x.name), x.name): i for i, x in enumerate(new.inputs)}
            became = {a: inputs[a] for a in inputs if a in old.attributes and a not in new.attributes}
            if became:
                found[name] = (old.since_version, new.since_version, became)
    return found


MOVED = moved()


def test_every_operator_has_a_case() -> None:
    assert {name: set(became) for name, (_, _, became) in MOVED.items()} == {
        name: set(attributes) for name, (_, attributes) in CASES.items()
    }


def converted(folder: Path, name: str, opset: int, inputs: dict[int, np.ndarray], attributes: dict[str, Any]) -> Any:
    x, given = CASES[name]
    count = len(given.get("split", ())) or (2 if name == "TopK" else 1)
    names = [f"i{k}" if k in {0, *inputs} else "" for k in range(max(inputs, default=0) + 1)]
    node = helper.make_node(name, names, [f"o{k}" for k in range(count)], **attributes)
    if name == "Split":
        node.attribute.append(helper.make_attribute("axis", 2))
    outputs = [onnx.ValueInfoProto(name=f"o{k}") for k in range(count)]
    initializers = {f"i{k}": array for k, array in inputs.items()}
    proto = model([node], [value("i0", list(x.shape))], outputs, initializers, opset)
    return mlconv.load(save(folder, proto)).run({"i0": x})


@pytest.mark.parametrize("name", sorted(MOVED))
def test_both_forms(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: set[str] = set()
    for helper_name in HELPERS:
        monkeypatch.setattr(Node, helper_name, recorded(getattr(Node, helper_name), asked))
    before, since, became = MOVED[name]
    attributes = CASES[name][1]
    one = converted(tmp_path, name, before, {}, attributes)
    assert asked >= {a for a in became if (name, a) not in UNREAD}
    asked.clear()
    arrays = {i: as_input(attributes[a], name) for a, i in became.items()}
    other = converted(tmp_path, name, since, arrays, {})
    assert asked >= {a for a in became if (name, a) not in UNREAD}
    assert len(one) == len(other)
    for a, b in zip(one.values(), other.values(), strict=True):
        np.testing.assert_array_equal(a, b)


def as_input(given: Any, name: str) -> np.ndarray:
    if name == "TopK":
        return ints(given)
    return np.asarray(given, np.float32 if isinstance(given, float) or name == "Upsample" else np.int64)


def recorded(method: Any, asked: set[str]) -> Any:
    def call(node: Node, name: str, *rest: Any, **named: Any) -> Any:
        asked.add(name)
        return method(node, name, *rest, **named)

    return call
