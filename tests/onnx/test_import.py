"""What the importer makes of a graph: names, order, constants, functions, cuts, locations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.onnx import message
from mlconv.importers.onnx.model import import_onnx
from mlconv.ir.constants import Mapped
from mlconv.ir.dims import Dim
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import CallStack, NameLocation
from tests.support.onnx_models import model, save, value

RELU = helper.make_node("Relu", ["x"], ["y"], name="r")


def ops(module: object) -> list[str]:
    return [op.name for op in module.walk() if op.name != "mlconv.yield"]  # type: ignore[attr-defined]


def test_newest_opset_is_known() -> None:
    assert onnx.defs.onnx_opset_version() <= message.NEWEST_OPSET


def test_symbolic_dims_and_names(tmp_path: Path) -> None:
    path = save(tmp_path, model([RELU], [value("x", ["N", 3, None])], [value("y", None)]))
    main = import_onnx(path).main
    assert main.input_names == ["x"]
    assert main.output_names == ["y"]
    assert main.inputs[0].type == TensorType(main.inputs[0].tensor.dtype, (Dim.symbol("N"), 3, Dim.symbol("x.2")))


def test_odd_names(tmp_path: Path) -> None:
    odd = "a b/c:0 %ä\"'\n"
    node = helper.make_node("Relu", [odd], ["é"], name="")
    main = import_onnx(save(tmp_path, model([node], [value(odd, [1])], [value("é", [1])]))).main
    assert main.input_names == [odd]
    assert main.output_names == ["é"]


def test_nodes_out_of_order_are_sorted(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Exp", ["b"], ["y"]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Neg", ["x"], ["a"]),
    ]
    assert ops(import_onnx(save(tmp_path, model(nodes, [value("x", [1])], [value("y", [1])])))) == [
        "onnx.Neg",
        "onnx.Relu",
        "onnx.Exp",
    ]


def test_dead_nodes_and_unused_initializers_are_left_out(tmp_path: Path) -> None:
    nodes = [RELU, helper.make_node("Neg", ["x"], ["dead"])]
    path = save(tmp_path, model(nodes, [value("x", [1])], [value("y", [1])], {"unused": np.zeros(3, np.float32)}))
    assert ops(import_onnx(path)) == ["onnx.Relu"]


def test_large_initializers_stay_in_the_file(tmp_path: Path) -> None:
    w = np.random.default_rng(0).random((40, 50)).astype(np.float32)
    path = save(
        tmp_path, model([helper.make_node("Add", ["x", "w"], ["y"])], [value("x", [40, 50])], [value("y")], {"w": w})
    )
    constant = next(op for op in import_onnx(path).walk() if op.name == "onnx.Constant").attributes["value"]
    assert isinstance(constant, Mapped)
    assert (constant.view() == w).all()


@pytest.mark.parametrize(
    "array",
    [
        np.array([1.5, -2], np.float16),
        np.array([True, False]),
        np.array([-1, 5], np.int8),
        np.array([2**63, 1], np.uint64),
        np.array([1 + 2j], np.complex64),
        np.array([], np.float32),
        np.array(3, np.int64),
        np.arange(2000, dtype=np.int64) - 1000,
        np.arange(2000, dtype=np.uint16),
        np.arange(900) % 2 == 0,
        np.linspace(-1, 1, 700).astype(np.float16),
        np.arange(300, dtype=np.float64),
    ],
)
@pytest.mark.parametrize("raw", [True, False])
def test_tensor_storage(tmp_path: Path, array: np.ndarray, raw: bool) -> None:
    dtype = helper.np_dtype_to_tensor_dtype(array.dtype)
    tensor = helper.make_tensor(
        "w", dtype, array.shape, array.tobytes() if raw else array.reshape(-1).tolist(), raw=raw
    )
    m = model([helper.make_node("Identity", ["w"], ["y"])], [], [value("y", None, dtype)])
    m.graph.initializer.append(tensor)
    constant = next(op for op in import_onnx(save(tmp_path, m)).walk() if op.name == "onnx.Constant").attributes[
        "value"
    ]
    assert constant.view().dtype == array.dtype
    np.testing.assert_array_equal(constant.view(), array)


@pytest.mark.parametrize("kind", ["INT4", "UINT4", "BFLOAT16", "FLOAT8E4M3FN", "FLOAT4E2M1", "INT2"])
@pytest.mark.parametrize("count", [5, 3000])
def test_narrow_types(tmp_path: Path, kind: str, count: int) -> None:
    dtype = getattr(TensorProto, kind)
    tensor = helper.make_tensor("w", dtype, [count], [i % 3 - (0 if kind.startswith("U") else 1) for i in range(count)])
    m = model([helper.make_node("Identity", ["w"], ["y"])], [], [value("y", None, dtype)], opset=25)
    m.graph.initializer.append(tensor)
    constant = next(op for op in import_onnx(save(tmp_path, m)).walk() if op.name == "onnx.Constant").attributes[
        "value"
    ]
    np.testing.assert_array_equal(
        constant.view().astype(np.float32), onnx.numpy_helper.to_array(tensor).astype(np.float32)
    )


def test_initializer_that_is_an_input(tmp_path: Path) -> None:
    proto = model(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        [value("x", [2]), value("w", [2])],
        [value("y", [2])],
        {"w": np.ones(2, np.float32)},
    )
    path = save(tmp_path, proto)
    assert import_onnx(path).main.input_names == ["x"]
    assert import_onnx(path, inputs=["x", "w"]).main.input_names == ["x", "w"]


def test_cut(tmp_path: Path) -> None:
    nodes = [
        helper.make_node(op, [a], [b], name=f"n_{b}")
        for op, a, b in [("Neg", "x", "a"), ("Relu", "a", "b"), ("Exp", "b", "y")]
    ]
    proto = model(nodes, [value("x", [2])], [value("y", [2])])
    proto.graph.value_info.append(value("a", [2]))
    path = save(tmp_path, proto)
    module = import_onnx(path, inputs=["a:0"], outputs=["n_b"])
    assert ops(module) == ["onnx.Relu"]
    assert module.main.input_names == ["a"]
    assert module.main.output_names == ["b"]
    with pytest.raises(ConversionError) as caught:
        import_onnx(path, outputs=["nope"])
    assert caught.value.code is Code.NameNotFound


def test_inputs_that_are_read_behind_the_cut_stay(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Neg", ["x"], ["a"]),
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Add", ["a", "z"], ["b"]),
        helper.make_node("Expand", ["b", "s"], ["y"]),
    ]
    proto = model(nodes, [value("x", ["N", 3]), value("z", [1, 3])], [value("y")])
    proto.graph.value_info.append(value("b", [1, 3]))
    module = import_onnx(save(tmp_path, proto), inputs=["b"])
    assert module.main.input_names == ["b", "x"]


def test_shapes_pin_symbols_everywhere(tmp_path: Path) -> None:
    node = helper.make_node("Add", ["x", "z"], ["y"])
    path = save(tmp_path, model([node], [value("x", ["N", 3]), value("z", ["N", 3])], [value("y")]))
    main = import_onnx(path, shapes={"x": [4, 3]}).main
    assert [v.tensor.shape for v in main.inputs] == [(4, 3), (4, 3)]
    for given, wanted in (({"x": ["M", 3]}, "MM"), ({"x": ["M", 3], "z": ["K", 3]}, "MK"), ({"x": [-1, 3]}, "NN")):
        main = import_onnx(path, shapes=given).main
        assert [str((v.tensor.shape or ())[0]) for v in main.inputs] == [*wanted]


def test_values_inside_follow_names_that_are_given(tmp_path: Path) -> None:
    """What the file says of the result of an op that nobody knows, and of others no more than is sure."""
    nodes = [helper.make_node("F", ["x", "z"], ["a"], domain="my")]
    proto = model(nodes, [value("x", ["N", 3]), value("z", ["N", 3])], [value("a", ["N", 3])], domains={"my": 1})
    path = save(tmp_path, proto)
    for shapes, wanted in (({"x": ["M", 3]}, "M"), ({"x": ["M", 3], "z": ["K", 3]}, "N")):
        main = import_onnx(path, shapes=shapes).main
        assert str((main.outputs[0].tensor.shape or ())[0]) == wanted


def test_functions_are_inlined(tmp_path: Path) -> None:
    leaky = helper.make_node("LeakyRelu", ["a"], ["b"])
    leaky.attribute.append(onnx.AttributeProto(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT))
    body = [leaky, helper.make_node("Add", ["b", "c"], ["d"], name="sum")]
    function = helper.make_function("my", "F", ["a", "c"], ["d"], body, [helper.make_opsetid("", 17)], ["slope"])
    call = helper.make_node("F", ["x", "x"], ["y"], domain="my", name="call", slope=0.5)
    module = import_onnx(
        save(tmp_path, model([call], [value("x", [2])], [value("y", [2])], functions=[function], domains={"my": 1}))
    )
    first, second = (op for op in module.walk() if op.name != "mlconv.yield")
    assert first.attributes["alpha"] == 0.5
    assert second.name == "onnx.Add"
    assert isinstance(second.location, NameLocation)
    assert second.location.name == "call/sum"


def test_recursive_function_is_refused(tmp_path: Path) -> None:
    body = [helper.make_node("F", ["a"], ["b"], domain="my")]
    function = helper.make_function(
        "my", "F", ["a"], ["b"], body, [helper.make_opsetid("my", 1), helper.make_opsetid("", 17)]
    )
    call = helper.make_node("F", ["x"], ["y"], domain="my")
    with pytest.raises(ConversionError) as caught:
        import_onnx(
            save(tmp_path, model([call], [value("x", [2])], [value("y", [2])], functions=[function], domains={"my": 1}))
        )
    assert caught.value.code is Code.GraphHasCycle


def test_subgraph_sees_outer_names(tmp_path: Path) -> None:
    then = helper.make_graph([helper.make_node("Neg", ["late"], ["t"])], "then", [], [value("t")])
    orelse = helper.make_graph([], "else", [], [value("x")])
    nodes = [
        helper.make_node("If", ["c"], ["y"], then_branch=then, else_branch=orelse),
        helper.make_node("Exp", ["x"], ["late"]),
    ]
    module = import_onnx(
        save(tmp_path, model(nodes, [value("x", [2]), value("c", [], TensorProto.BOOL)], [value("y")]))
    )
    assert ops(module) == ["onnx.Exp", "onnx.If", "onnx.Neg"]
    branch = next(op for op in module.walk() if op.name == "onnx.If")
    assert sorted(branch.attributes["region_names"]) == ["else_branch", "then_branch"]


def test_torch_stack_trace(tmp_path: Path) -> None:
    node = helper.make_node("Relu", ["x"], ["y"], name="r")
    trace = (
        'File "/home/u/net.py", line 25, in forward\n    return self.head(x)\n  '
        'File "/home/u/net.py", line 14, in forward\n    return relu(h)\n    ^^^^\n'
    )
    node.metadata_props.add(key="pkg.torch.onnx.stack_trace", value=trace)
    module = import_onnx(save(tmp_path, model([node], [value("x", [1])], [value("y", [1])])))
    location = next(module.walk()).location
    assert isinstance(location, NameLocation)
    assert isinstance(location.child, CallStack)
    assert [(f.line, f.text) for f in location.child.frames] == [(14, "return relu(h)"), (25, "return self.head(x)")]


def test_legacy_doc_string_stack(tmp_path: Path) -> None:
    doc = "/u/b.py(8): forward\n/venv/lib/site-packages/torch/m.py(1768): _slow_forward\n/u/b.py(20): <module>"
    node = helper.make_node("Relu", ["x"], ["y"], doc_string=doc)
    location = next(import_onnx(save(tmp_path, model([node], [value("x", [1])], [value("y", [1])]))).walk()).location
    assert isinstance(location, NameLocation)
    assert isinstance(location.child, CallStack)
    assert [f.line for f in location.child.frames] == [8, 20]
    assert location.child.hidden == 1


@pytest.mark.parametrize("form", ["textproto", "onnxtxt", "json"])
def test_text_forms(tmp_path: Path, form: str) -> None:
    proto = model([RELU], [value("x", ["N", 3])], [value("y", ["N", 3])])
    path = tmp_path / f"m.{form}"
    onnx.save_model(proto, path, format=form)
    assert ops(import_onnx(path)) == ["onnx.Relu"]


def test_external_data(tmp_path: Path) -> None:
    w = np.arange(600, dtype=np.float32)
    proto = model([helper.make_node("Add", ["x", "w"], ["y"])], [value("x", [600])], [value("y")], {"w": w})
    onnx.save_model(proto, tmp_path / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    constant = next(op for op in import_onnx(tmp_path / "m.onnx").walk() if op.name == "onnx.Constant").attributes[
        "value"
    ]
    assert isinstance(constant, Mapped)
    assert constant.file.path.endswith("w.bin")
    assert (constant.view() == w).all()
