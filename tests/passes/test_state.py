"""Variables as inputs and outputs: order of reads and assignments, branches, loops, names, refusals, and what a program
is told of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.dialects import DIALECTS, core
from mlconv.driver.interface import interface_of
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module, clone_module
from mlconv.ir.parser import parse_module
from mlconv.ir.printer import print_module
from mlconv.ir.types import TensorType
from mlconv.ir.verifier import verify
from mlconv.passes.pipeline import parse_pipeline, run_pipeline
from mlconv.provenance.locations import NameLocation
from mlconv.runtime.arrays import read_safetensors
from mlconv.runtime.xla_program import run_hlo
from tests.support.graphs import Graph

FLOATS = TensorType(DType.F32, (3,))
HERE = Path(__file__).parent


def _read(b: Builder, name: str = "v") -> Value:
    return b.emit(core.ReadVariable(variable=name, of=FLOATS)).y


def _assign(b: Builder, value: Value, name: str = "v") -> None:
    b.emit(core.AssignVariable(value, variable=name))


def _region(fill: Any, *types: TensorType) -> Region:
    block = Block(types)
    b = Builder(block, NameLocation("inside"))
    b.emit(Yield(fill(b, *block.arguments)))
    return Region(block)


def _explicit(m: Module) -> Module:
    copy = clone_module(m)
    run_pipeline(copy, parse_pipeline("state,canonicalize,cse,dce"))
    verify(copy)
    return copy


def _agree(m: Module, runs: int = 3) -> Module:
    """The explicit form, fed with what it gave, equals runs with a store, outputs and variables alike."""
    explicit, rng = _explicit(m), np.random.default_rng(3)
    assert not any(isinstance(op, (core.ReadVariable, core.AssignVariable)) for op in explicit.walk())
    slots = explicit.main.facts.state
    store: dict[str, Any] = {}
    fed = {slot.input: slot.initial.view() for slot in slots.values()}
    plain = [v for v in explicit.main.inputs if v.name not in fed]
    for _ in range(runs):
        inputs = {v.name: rng.standard_normal(v.tensor.static_shape()).astype(np.float32) for v in plain}
        expected, got = run_function(m.main, inputs, store), run_function(explicit.main, {**inputs, **fed})
        for name, array in expected.items():
            np.testing.assert_array_equal(got[name], array)
        for name, slot in slots.items():
            np.testing.assert_array_equal(got[slot.output], store[name])
        fed = {slot.input: got[slot.output] for slot in slots.values()}
    return explicit


def _branching() -> Module:
    """Only one branch assigns; a read between two assignments sees the first."""
    g = Graph((3,))
    first = _read(g)
    _assign(g, g.e(core.Add(first, g.xs[0])))
    test = g.e(core.Less(g.e(core.ReduceSum(g.xs[0], axes=(0,), keepdims=False)), g.const(np.float32(0))))

    def then(b: Builder) -> list[Value]:
        middle = _read(b)
        _assign(b, b.emit(core.Mul(middle, g.xs[0])).y)
        return [middle]

    either = g.emit(core.If(test, then=_region(then), orelse=_region(lambda b: [_read(b, "w")]))).ys[0]
    m = g.finish(either, _read(g))
    m.main.facts.variables = {
        "v": make_const(np.ones(3, np.float32)),
        "w": make_const(np.full(3, 7, np.float32)),
    }
    return m


def test_a_branch_that_assigns_gives_the_variable_as_a_result() -> None:
    explicit = _agree(_branching())
    assert explicit.main.input_names == ["x0", "v", "w"] and explicit.main.output_names == ["y0", "y1", "v", "w"]
    again = parse_module(print_module(explicit), DIALECTS)
    assert again.main.facts.state.keys() == {"v", "w"} and again.main.facts.state["w"].initial.view().tolist() == [
        7,
        7,
        7,
    ]


def _counting() -> Module:
    """A loop adds x to the variable until its first element is above 5; an if inside doubles it when it is below 1.  No
    result of either is used.
    """
    g = Graph((3,))
    step = g.e(core.Exp(g.xs[0]))

    def first_below(b: Builder, value: Value, limit: float) -> Value:
        head = b.emit(core.ReduceMax(value, axes=(0,), keepdims=False)).y
        return b.emit(core.Less(head, b.emit(core.Constant(value=make_const(np.float32(limit)))).y)).y

    def test(b: Builder) -> list[Value]:
        return [first_below(b, _read(b), 5.0)]

    def double(b: Builder) -> list[Value]:
        value = _read(b)
        _assign(b, b.emit(core.Add(value, value)).y)
        return [value]

    def turn(b: Builder) -> list[Value]:
        _assign(b, b.emit(core.Add(_read(b), step)).y)
        b.emit(core.If(first_below(b, _read(b), 1.0), then=_region(double), orelse=_region(lambda c: [step])))
        return []

    g.emit(core.While([], cond=_region(test), body=_region(turn)))
    m = g.finish(g.e(core.Neg(_read(g))))
    m.main.facts.variables = {"v": make_const(np.zeros(3, np.float32))}
    return m


def test_a_loop_that_assigns_carries_the_variable(tmp_path: Path) -> None:
    m = _counting()
    _agree(m)
    mlconv.convert(m, "hlo", tmp_path / "m.hlo.pb", verify=True, verify_each=True)
    mlconv.convert(m, "tflite", tmp_path / "m.tflite", verify=True)


def test_names_that_are_taken_get_a_number() -> None:
    g = Graph((3,))
    old = _read(g, "x0")
    _assign(g, g.xs[0], "x0")
    m = g.finish(old)
    m.main.output_names = ["x0"]
    m.main.facts.variables = {"x0": make_const(np.zeros(3, np.float32))}
    explicit = _agree(m)
    assert explicit.main.facts.state["x0"][:2] == ("x0_1", "x0_1")


@pytest.mark.parametrize("target", ["hlo", "stablehlo"])
def test_two_runs_on_xla_from_the_files_alone(tmp_path: Path, target: str) -> None:
    """TensorFlow's outputs of three steps, from the artifact, its initial state and the model interface."""
    path = tmp_path / f"m.{target}"
    mlconv.convert(HERE.parent / "tf" / "stateful_saved_model", target, path, io_json=True, verify=True)
    interface = json.loads((tmp_path / f"{path.name}.io.json").read_text())
    (signature,) = interface["signatures"]
    held = read_safetensors(str(tmp_path / interface["initial_state"]))
    state = {s["input"]: held[s["variable"]] for s in signature["state"]}
    with np.load(HERE.parent / "tf" / "stateful.npz") as z:
        golden = dict(z)
    for x, y, n in zip(golden["x"], golden["y"], golden["n"], strict=True):
        given = {"x": x, **state}
        got = dict(
            zip(
                [o["name"] for o in signature["outputs"]],
                run_hlo(str(path), [given[i["name"]] for i in signature["inputs"]]),
                strict=True,
            )
        )
        np.testing.assert_allclose(got["y"], y, rtol=1e-6, atol=1e-7)
        assert got["n"] == n
        state = {s["input"]: got[s["output"]] for s in signature["state"]}


def test_the_interface_of_a_target_that_keeps_variables_says_so() -> None:
    (signature,) = interface_of(_branching(), "tflite", "m.tflite")["signatures"]
    assert signature["state"] == [
        {"variable": "v", "input": None, "output": None},
        {"variable": "w", "input": None, "output": None},
    ]
