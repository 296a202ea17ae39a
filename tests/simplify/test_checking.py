"""Nothing is written that gives other numbers, and what could not be run is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError, Severity
from mlconv.ir.constants import make_const
from mlconv.simplifiers import checking
from mlconv.simplifiers.onnx import model
from mlconv.simplifiers.onnx.graph import Graph
from mlconv.simplifiers.onnx.rules import Rules
from mlconv.simplifiers.onnx.simplify import simplify_graph
from tests.support.cli import call
from tests.support.simplified import parsed

TEXT = "g (float[4] x) => (float[4] y) <float[4] a = {1, 2, 3, 4}> {b = Add(a, a) y = Mul(x, b)}"


def saved(folder: Path, text: str = TEXT) -> Path:
    path = folder / "m.onnx"
    path.write_bytes(parsed(text).SerializeToString())
    return path


def wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """A product is a sum, whatever rules are left out."""

    def off(graph: Graph, rules: Rules) -> None:
        simplify_graph(graph, rules)
        for node in graph.nodes:
            node.proto.op_type = node.proto.op_type.replace("Mul", "Add")

    monkeypatch.setattr(model, "simplify_graph", off)


def wrong_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """Constants of four floats are off by a thousandth in one element."""
    become = Graph.become

    def off(self: Graph, node: object, constants: list) -> None:  # type: ignore[type-arg]
        array = constants[0].view().copy()
        array[2] *= 1.001
        become(self, node, [make_const(array)])  # type: ignore[arg-type]

    monkeypatch.setattr(Graph, "become", off)


@pytest.mark.parametrize("runtime", ["ONNX Runtime", "mlconv's interpreter"])
def test_a_difference_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runtime: str) -> None:
    path = saved(tmp_path)
    if runtime != "ONNX Runtime":
        monkeypatch.setattr("mlconv.driver.simplification.has_onnx_runtime", lambda: False)
    assert mlconv.simplify(path, tmp_path / "right.onnx").checked.runtime == runtime
    wrong(monkeypatch)
    with pytest.raises(ConversionError, match=f"other numbers on {runtime}") as caught:
        mlconv.simplify(path, tmp_path / "out.onnx")
    assert caught.value.code is Code.VerificationFailed and caught.value.code.exit_status == 3
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.onnx", "right.onnx"]


@pytest.mark.parametrize("more", ["", "c = Identity(b)", "c = Transpose<perm = [0]>(b)"])
def test_a_rule_that_gives_other_numbers_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: str
) -> None:
    text = TEXT.replace("y = Mul(x, b)", f"{more} y = Mul(x, c)" if more else "y = Mul(x, b)")
    path = saved(tmp_path, text)
    wrong_rule(monkeypatch)
    found = mlconv.simplify(path, tmp_path / "out.onnx")
    (warning,) = found.diagnostics
    assert warning.severity is Severity.WARNING and warning.message.endswith("with it: fold")
    assert "fold" not in found.rules and found.ops_after == {"Add": 1, "Mul": 1}
    assert all(m.verdict.ok for m in found.checked.outputs) and found.checked.runs == 2


def test_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path)
    wrong(monkeypatch)
    ran = call("simplify", path)
    assert ran.exit_code == 3 and "MLC0701" in ran.stderr


def test_sizes_are_searched_for(tmp_path: Path) -> None:
    """A model that takes no input with sizes of 2, as most are tried with first."""
    text = "g (float[1,1,n] x) => (float[1,1,m] y) <float[1,1,9] w> {a = Identity(x) y = Conv(a, w)}"
    found = mlconv.simplify(saved(tmp_path, text), tmp_path / "out.onnx")
    assert found.checked.runs == 2 and not found.diagnostics


def test_what_cannot_be_run_is_told(tmp_path: Path) -> None:
    text = "g (float[4] x) => (float[4] y) <int64[1] s = {5}> {a = Identity(x) y = Reshape(a, s)}"
    path = saved(tmp_path, text)
    found = mlconv.simplify(path, tmp_path / "out.onnx")
    assert not found.checked.runs
    (warning,) = found.diagnostics
    assert warning.code is Code.VerificationImpossible and warning.severity is Severity.WARNING
    ran = call("simplify", path, "-o", tmp_path / "o.onnx")
    assert ran.exit_code == 0 and "not verified" in ran.stdout and "MLC0702" in ran.stderr


def test_given_data(tmp_path: Path) -> None:
    text = "g (float[3,4] x, int64[2] i) => (float[2,4] y) {a = Identity(x) y = Gather(a, i)}"
    path = saved(tmp_path, text)
    data = tmp_path / "in.npz"
    np.savez(data, x=np.ones((3, 4), np.float32), i=np.asarray([2, 0]))
    assert mlconv.simplify(path, tmp_path / "out.onnx", data=str(data)).checked.runs == 1
    np.savez(data, x=np.ones((3, 4), np.float32), i=np.asarray([7, 0]))
    with pytest.raises(ConversionError, match="ONNX Runtime cannot run"):
        mlconv.simplify(path, tmp_path / "out2.onnx", data=str(data))


def test_texts_are_drawn_from_those_of_the_model() -> None:
    from mlconv.ir.dtypes import DType
    from mlconv.ir.types import TensorType

    rng = np.random.default_rng(0)
    drawn = checking._drawn(TensorType(DType.STRING, (50,)), {}, rng, ["blue"], 1)
    assert "blue" in drawn and drawn.shape == (50,)
