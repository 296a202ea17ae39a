"""Models that ask for too much: each ends in a coded diagnostic before the work is done, or the work is not done."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.importers.onnx import calls
from mlconv.importers.onnx.model import import_onnx
from mlconv.legalize import from_onnx
from tests.support.onnx_arrays import ints
from tests.support.onnx_models import model, save, value


def test_huge_constants_are_not_folded(tmp_path: Path) -> None:
    """3.6 GB of one number are computed at run time, not here."""
    nodes = [
        helper.make_node("ConstantOfShape", ["s"], ["c"]),
        helper.make_node("Sin", ["c"], ["d"]),
        helper.make_node("ReduceSum", ["d"], ["e"], keepdims=0),
        helper.make_node("Add", ["e", "x"], ["y"]),
    ]
    path = save(tmp_path, model(nodes, [value("x", [1])], [value("y")], {"s": ints(30000, 30000)}))
    mlconv.convert(path, to="hlo", output=tmp_path / "m.hlo")
    assert (tmp_path / "m.hlo").stat().st_size < 1 << 16


def test_lists_of_numbers_are_bounded(tmp_path: Path) -> None:
    """A constant of 2^31 equal numbers is no shape."""
    nodes = [
        helper.make_node("ConstantOfShape", ["s"], ["c"]),
        helper.make_node("Cast", ["c"], ["d"], to=TensorProto.INT64),
    ]
    nodes.append(helper.make_node("Reshape", ["x", "d"], ["y"]))
    engine = DiagnosticEngine()
    from_onnx.legalize(
        import_onnx(save(tmp_path, model(nodes, [value("x", [1])], [value("y")], {"s": ints(1 << 31)}))).module, engine
    )
    assert [d.code for d in engine.diagnostics] == [Code.TensorTooLarge]


def doubling(depth: int) -> onnx.ModelProto:
    """Functions that call the one below twice each."""
    functions = []
    for i in range(depth):
        callee, domain = (f"F{i - 1}", "l") if i else ("Sin", "")
        body = [
            helper.make_node(callee, ["a"], ["t"], domain=domain),
            helper.make_node(callee, ["t"], ["b"], domain=domain),
        ]
        functions.append(
            helper.make_function(
                "l", f"F{i}", ["a"], ["b"], body, [helper.make_opsetid("", 17), helper.make_opsetid("l", 1)]
            )
        )
    top = helper.make_node(f"F{depth - 1}", ["x"], ["y"], domain="l")
    return model([top], [value("x", [4])], [value("y")], functions=functions, domains={"l": 1})


def test_inlining_is_counted_before_it_is_done(tmp_path: Path) -> None:
    with pytest.raises(ConversionError) as caught:
        import_onnx(save(tmp_path, doubling(30)))
    assert caught.value.code is Code.NestedTooDeeply
    assert str(calls.MAX_OPS) in str(caught.value)
    assert sum(op.name == "onnx.Sin" for op in import_onnx(save(tmp_path, doubling(5))).walk()) == 32


def test_types_nested_in_themselves_end(tmp_path: Path) -> None:
    """An opaque type of another domain is taken by its name."""
    proto = model([helper.make_node("Relu", ["x"], ["y"])], [value("x", [2])], [value("y")])
    info = proto.graph.value_info.add(name="y")
    info.type.ParseFromString(b"\x3a\x00")  # TypeProto.opaque_type, field 7
    deep = proto.graph.value_info.add(name="z").type
    for _ in range(40):
        deep = deep.sequence_type.elem_type
    deep.tensor_type.elem_type = 1
    path = save(tmp_path, proto)
    with pytest.raises(ConversionError, match="nested deeper") as caught:
        import_onnx(path)
    assert caught.value.code is Code.NestedTooDeeply


def test_ranks_are_bounded(tmp_path: Path) -> None:
    with pytest.raises(ConversionError) as caught:
        import_onnx(
            save(tmp_path, model([helper.make_node("Relu", ["x"], ["y"])], [value("x", [1] * 65)], [value("y")]))
        )
    assert caught.value.code is Code.TensorTooLarge


@pytest.mark.parametrize("dims", [[0, 1 << 62], [1] * 65, [0, 1 << 40, 1 << 40]])
def test_sizes_of_stored_tensors_are_bounded(dims: list[int], tmp_path: Path) -> None:
    """Also beside a size of 0, where there is nothing to store."""
    proto = model([helper.make_node("Add", ["x", "w"], ["y"])], [value("x", [2])], [value("y")])
    proto.graph.initializer.add(name="w", data_type=1, dims=dims)
    with pytest.raises(ConversionError) as caught:
        import_onnx(save(tmp_path, proto))
    assert caught.value.code is Code.TensorTooLarge


def test_a_long_description_does_not_make_a_text(tmp_path: Path) -> None:
    proto = model([helper.make_node("Relu", ["x"], ["y"])], [value("x", [2])], [value("y")])
    proto.doc_string = "A long description of this model.\n" * 600
    (found,) = mlconv.load(save(tmp_path, proto)).run({"x": np.asarray([-1, 1], np.float32)}).values()
    assert found.tolist() == [0, 1]
