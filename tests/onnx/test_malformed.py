"""Nodes whose operands and attributes do not fit: each ends in a coded diagnostic, from the tables beside the rules or
from the ops that rules make.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.importers.onnx.model import import_onnx
from mlconv.legalize import from_onnx
from tests.onnx import rows_bad_shapes, rows_bad_values
from tests.onnx.rows_fit import FINE
from tests.support.onnx_arrays import FLAT, IMAGE, VECTOR, ints
from tests.support.onnx_models import model, save, value

BAD = rows_bad_shapes.BAD | rows_bad_values.BAD


@pytest.mark.parametrize("name", FINE)
def test_node_that_fits(name: str, tmp_path: Path) -> None:
    op, inputs, attributes, opset = FINE[name]
    assert not legalized(op, inputs, attributes, opset, tmp_path)


@pytest.mark.parametrize("name", BAD)
def test_malformed_node(name: str, tmp_path: Path) -> None:
    op, inputs, attributes, opset, code = BAD[name]
    assert legalized(op, inputs, attributes, opset, tmp_path) == [code]


def legalized(op: str, inputs: list[Any], attributes: dict[str, Any], opset: int, folder: Path) -> list[Code]:
    """The codes that legalizing a model of one node ends with.  Integers of 64 bits are constants, and all inputs but
    the first.
    """
    arrays = {f"i{k}": np.asarray(a) for k, a in enumerate(inputs) if a is not None}
    constants = {n: a for n, a in arrays.items() if a.dtype == np.int64 or n != "i0"}
    infos = [
        value(n, list(a.shape), helper.np_dtype_to_tensor_dtype(a.dtype))
        for n, a in arrays.items()
        if n not in constants
    ]
    domain, _, kind = op.rpartition(".")
    node = helper.make_node(
        kind, ["" if a is None else f"i{k}" for k, a in enumerate(inputs)], ["y"], domain=domain, **attributes
    )
    engine = DiagnosticEngine()
    from_onnx.legalize(
        import_onnx(
            save(folder, model([node], infos, [value("y")], constants, opset, domains={domain: 1} if domain else None))
        ).module,
        engine,
    )
    told = [d.code for d in engine.diagnostics]
    return [code for code in told if code is not Code.DeclaredTypeWrong]  # y is declared float32 whatever gives it


@pytest.mark.parametrize("target", ["tflite", "native", "hlo"])
@pytest.mark.parametrize(
    ("op", "inputs", "attributes"),
    [
        ("NegativeLogLikelihoodLoss", [FLAT, ints(0, 9)], {}),
        ("RoiAlign", [IMAGE, np.ones((2, 4), np.float32), ints(0, 7)], {"sampling_ratio": 2}),
        ("MaxRoiPool", [IMAGE, np.asarray([[7, 0, 0, 3, 3]], np.float32)], {"pooled_shape": [2, 2]}),
        (
            "MaxUnpool",
            [np.ones((1, 1, 1, 1), np.float32), np.full((1, 1, 1, 1), 99, np.int64)],
            {"kernel_shape": [2, 2], "strides": [2, 2]},
        ),
    ],
)
def test_places_that_a_rule_computes_from_constants(
    op: str, inputs: list[np.ndarray], attributes: dict[str, Any], target: str, tmp_path: Path
) -> None:
    """They are known after constant folding, where the ops that read there are asked again."""
    names = [f"i{k}" for k in range(len(inputs))]
    node = helper.make_node(op, names, ["y"], name="wrong", **attributes)
    path = save(
        tmp_path,
        model(
            [node], [value("i0", list(inputs[0].shape))], [value("y")], dict(zip(names[1:], inputs[1:], strict=True))
        ),
    )
    with pytest.raises(ConversionError, match="out of bounds") as caught:
        mlconv.convert(path, to=target, output=tmp_path / "m.out")
    assert (caught.value.diagnostic.code, caught.value.diagnostic.node) == (Code.ShapeMismatch, "wrong")


@pytest.mark.parametrize(
    ("op", "inputs", "words"),
    [
        ("Gather", [FLAT, ints(9)], "out of bounds"),
        ("GatherND", [VECTOR, ints(9)], "out of bounds"),
        ("Reshape", [FLAT, ints(4, 2)], "elements"),
    ],
)
def test_constants_that_do_not_fit_are_errors_of_the_file(
    op: str, inputs: list[np.ndarray], words: str, tmp_path: Path
) -> None:
    """numpy's errors in constant folding name the node."""
    nodes = [helper.make_node(op, ["a", "b"], ["c"], name="wrong"), helper.make_node("Mul", ["x", "c"], ["y"])]
    path = save(tmp_path, model(nodes, [value("x", [1])], [value("y")], {"a": inputs[0], "b": inputs[1]}))
    with pytest.raises(ConversionError, match=words) as caught:
        mlconv.convert(path, to="hlo", output=tmp_path / "m.hlo")
    assert (caught.value.diagnostic.code, caught.value.diagnostic.node) == (Code.ShapeMismatch, "wrong")


@pytest.mark.parametrize("target", ["tflite", "native", "hlo"])
def test_a_number_is_reduced_along_its_first_axis(target: str, tmp_path: Path) -> None:
    path = save(
        tmp_path,
        model([helper.make_node("ReduceL1", ["x"], ["y"], axes=[0])], [value("x", [])], [value("y")], opset=13),
    )
    mlconv.convert(path, to=target, output=tmp_path / "m.out")
    assert mlconv.load(path).run({"x": np.float32(-2)})["y"] == 2


def code_of(proto: onnx.ModelProto, tmp_path: Path) -> Code:
    """The code of the error that legalizing a model ends with."""
    module, engine = import_onnx(save(tmp_path, proto)).module, DiagnosticEngine()
    from_onnx.legalize(module, engine)
    with pytest.raises(ConversionError) as caught:
        engine.raise_errors()
    return caught.value.code


def test_a_sequence_where_a_tensor_belongs(tmp_path: Path) -> None:
    """The initial state of a recurrent layer is a tensor."""
    made = helper.make_node("SequenceConstruct", ["x"], ["s"])
    layer = helper.make_node("GRU", ["x", "w", "r", "", "", "s"], ["y"], hidden_size=2)
    weights = {name: np.ones((1, 6, k), np.float32) for name, k in (("w", 3), ("r", 2))}
    assert (
        code_of(model([made, layer], [value("x", [4, 1, 3])], [value("y")], initializers=weights), tmp_path)
        is Code.TypeMismatch
    )


@pytest.mark.parametrize(("query", "own"), [("H", 2), (4, "H"), ("G", "H")])
def test_how_many_query_heads_share_a_key_head_is_known(query: str | int, own: str | int, tmp_path: Path) -> None:
    inputs = [value("q", ["N", query, 5, 8]), value("k", ["N", own, 5, 8]), value("v", ["N", own, 5, 8])]
    assert (
        code_of(
            model([helper.make_node("Attention", ["q", "k", "v"], ["y"])], inputs, [value("y")], opset=23), tmp_path
        )
        is Code.ShapeNotStatic
    )


def test_all_structure_errors_are_reported_at_once(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Add", ["x", "nowhere"], ["a"], name="dangling"),
        helper.make_node("Relu", ["a"], ["b"], name="first"),
        helper.make_node("Exp", ["a"], ["b"], name="second"),
        helper.make_node("Add", ["x", "d"], ["c"], name="ring1"),
        helper.make_node("Relu", ["c"], ["d"], name="ring2"),
        helper.make_node("Sum", ["b", "c", "w"], ["y"], name="last"),
    ]
    proto = model(nodes, [value("x", [2])], [value("y"), value("z")])
    proto.graph.initializer.add(name="w", data_type=1, dims=[-2], raw_data=bytes(8))
    with pytest.raises(ConversionError) as caught:
        import_onnx(save(tmp_path, proto))
    found = [(d.code, d.message) for d in caught.value.diagnostics]
    assert {c for c, _ in found} == {
        Code.NameDefinedTwice,
        Code.InputNotProduced,
        Code.GraphHasCycle,
        Code.ConstantInvalid,
    }
    assert len(found) == 5
    for words in ("'nowhere'", "'b'", "ring1", "'z'", "'w'"):
        assert any(words in message for _, message in found), words


def test_unknown_ops_are_reported_behind_errors(tmp_path: Path) -> None:
    """In the branches of an `If` whose condition failed, and after a node that failed."""
    then = helper.make_graph(
        [helper.make_node("FrobnicateV9", ["x"], ["t"], name="in_branch")], "then", [], [value("t")]
    )
    other = helper.make_graph([helper.make_node("Relu", ["x"], ["e"])], "else", [], [value("e")])
    nodes = [
        helper.make_node("Softmax", ["x"], ["s"], axis=7, name="bad_axis"),
        helper.make_node("Cast", ["s"], ["c"], to=TensorProto.BOOL),
        helper.make_node("If", ["c"], ["i"], then_branch=then, else_branch=other),
        helper.make_node("Gadget", ["i"], ["y"], name="after"),
    ]
    engine = DiagnosticEngine()
    from_onnx.legalize(import_onnx(save(tmp_path, model(nodes, [value("x", [1])], [value("y")]))).module, engine)
    assert {(d.code, d.node) for d in engine.diagnostics} == {
        (Code.ShapeMismatch, "bad_axis"),
        (Code.OpUnsupported, "in_branch"),
        (Code.OpUnsupported, "after"),
    }
