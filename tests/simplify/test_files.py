"""What a simplified ONNX file keeps of the one that it was made of."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from tests.support.simplified import answers, assert_equal, ops, parsed, simplified

SMALL = "g (float[2] x) => (float[2] y) {a = Identity(x) b = Relu(a) c = Identity(b) y = Exp(c)}"


def test_frame_and_notes_stay(tmp_path: Path) -> None:
    model = parsed(SMALL)
    model.producer_name, model.doc_string, model.graph.doc_string = "me", "of the model", "of the graph"
    model.metadata_props.add(key="k", value="v")
    node = model.graph.node[1]
    node.name, node.doc_string = "relu", "of the node"
    node.metadata_props.add(key="line", value="model.py:3")
    model.graph.value_info.append(helper.make_tensor_value_info("b", 1, [2]))
    model.graph.value_info.append(helper.make_tensor_value_info("a", 1, [2]))
    _, before, after = simplified(model, tmp_path)
    for field in ("ir_version", "opset_import", "producer_name", "doc_string", "metadata_props"):
        assert getattr(before, field) == getattr(after, field)
    for field in ("name", "doc_string", "input", "output"):
        assert getattr(before.graph, field) == getattr(after.graph, field)
    assert [n.op_type for n in after.graph.node] == ["Relu", "Exp"]
    kept = after.graph.node[0]
    assert (kept.name, kept.doc_string, kept.output[0]) == ("relu", "of the node", "b")
    assert kept.metadata_props == node.metadata_props
    assert [v.name for v in after.graph.value_info] == ["b"]


def test_same_bytes(tmp_path: Path) -> None:
    simplified(parsed(SMALL), tmp_path)
    first = (tmp_path / "out.onnx").read_bytes()
    simplified(parsed(SMALL), tmp_path)
    assert (tmp_path / "out.onnx").read_bytes() == first


def test_functions_stay(tmp_path: Path) -> None:
    twice = '<domain: "my", opset_import: ["": 17]> Twice (a) => (b) {c = Add(a, a) b = Identity(c)}'
    text = "g (float[2] x) => (float[2] y) {a = Identity(x) t = my.Twice(a) y = Relu(t)}"
    _, before, after = simplified(parsed(text, more=f', "my": 1\n{twice}'), tmp_path)
    assert before.functions == after.functions and ops(after) == "Relu my.Twice"
    assert_equal(tmp_path / "m.onnx", tmp_path / "out.onnx")


def test_unknown_operators_stay(tmp_path: Path) -> None:
    text = (
        "g (float[2] x) => (float[2] y, float[2] w, float[2] v) {a = Identity(x) t = acme.Foo<alpha = 1.5>(a)"
        " unread = acme.Bar(a) u = acme.Foo<alpha = 1.5>(x) b = Identity(t) y = Relu(b) i = Abs(u) v = Identity(i)"
        " s = Shape(x) z = ConstantOfShape(s) w = Add(x, z)}"
    )
    model = parsed(text, more=', "acme": 1')
    model.graph.value_info.append(helper.make_tensor_value_info("t", 1, [2]))
    found, _, after = simplified(model, tmp_path)
    assert ops(after) == "Abs Add Relu acme.Bar acme.Foo acme.Foo"
    assert after.graph.node[0].attribute[0].f == 1.5
    # of u nobody knows a type: what is computed of it was not run
    assert found.checked.aside == ("acme.Foo", "acme.Bar") and found.checked.runs == 2
    assert [m.name for m in found.checked.outputs][:2] == ["y", "w"]


def test_contrib_operators_stay(tmp_path: Path) -> None:
    text = "g (float[2,4] x) => (float[2,4] y) {a = Identity(x) y = com.microsoft.Gelu(a)}"
    _, _, after = simplified(parsed(text, more=', "com.microsoft": 1'), tmp_path)
    assert ops(after) == "com.microsoft.Gelu"


BRANCHES = (
    "g (float[2] x) => (float[2] y) <float zero = {0}> {s = ReduceSum<keepdims = 0>(x) c = Greater(s, zero)"
    " y = If(c) <then_branch = t () => (float[2] o) <float[2] w = {1, 2}> {k = Constant<value_float = 2.0>()"
    " p = Mul(x, w) q = Identity(p) o = Add(q, k)},"
    " else_branch = e () => (float[2] o) <float[2] w = {3, 4}> {p = Add(x, w) o = Identity(p)}>}"
)


def test_names_in_branches_stay(tmp_path: Path) -> None:
    """Both branches use the same names for other values."""
    _, _, after = simplified(parsed(BRANCHES), tmp_path)
    assert_equal(tmp_path / "m.onnx", tmp_path / "out.onnx")
    graphs = {a.name: a.g for a in after.graph.node[-1].attribute}
    assert [t.name for t in graphs["else_branch"].initializer] == ["w"]
    assert [[n.op_type for n in g.node] for g in graphs.values()] == [["Mul", "Add"], ["Add"]]
    assert all(g.output[0].name == "o" for g in graphs.values())


def test_loop_body(tmp_path: Path) -> None:
    body = (
        "b (int64 i, bool c, float[2] a) => (bool d, float[2] e, float[2] f) {d = Identity(c)"
        " k = Constant<value_float = 1.0>() g = Mul(a, k) h = Add(g, w) e = Identity(h) f = Identity(h)}"
    )
    text = (
        "g (float[2] x) => (float[2] y, float[3,2] z) <int64 n = {3}, bool t = {1}, float[2] v = {1, 2}>"
        f" {{w = Add(v, v) y, z = Loop(n, t, x) <body = {body}>}}"
    )
    found, _, _ = simplified(parsed(text), tmp_path)
    assert found.ops_after == {"Add": 1, "Identity": 2, "Loop": 1, "Mul": 1}
    assert_equal(tmp_path / "m.onnx", tmp_path / "out.onnx")


OLD = (
    "g (float[n,3] x, float[3,2] w, float[2] b, float[2] c) => (float[n,2] y)"
    " <float[3,2] w = {1, 2, 3, 4, 5, 6}, float[2] b = {1, 2}, float[2] c = {3, 4}>"
    " {d = Add(b, c) m = MatMul(x, w) y = Add(m, d)}"
)


def test_old_files_list_initializers_as_inputs(tmp_path: Path) -> None:
    _, _, after = simplified(parsed(OLD, opset=7, ir=3), tmp_path)
    assert after.ir_version == 3 and ops(after) == "Gemm"
    initial = [t.name for t in after.graph.initializer]
    assert sorted(v.name for v in after.graph.input) == sorted(["x", *initial])
    assert_equal(tmp_path / "m.onnx", tmp_path / "out.onnx")


def test_what_a_caller_may_replace_stays(tmp_path: Path) -> None:
    text = "g (float[2] x, float[2] w) => (float[2] y) <float[2] w = {0, 0}> {a = Identity(x) y = Add(a, w)}"
    _, _, after = simplified(parsed(text), tmp_path)
    assert ops(after) == "Add" and [v.name for v in after.graph.input] == ["x", "w"]


def test_all_weights_listed_as_inputs_are_constants(tmp_path: Path) -> None:
    """As PyTorch before 1.3 wrote all files."""
    model = parsed("g (float[2] x) => (float[2] y) {y = Relu(x)}", opset=9, ir=4)
    del model.graph.node[:]
    name = "x"
    for i in range(16):
        model.graph.node.append(helper.make_node("Mul" if i % 2 else "Add", [name, f"w{i}"], [f"v{i}"]))
        array = np.full(2, i % 2, np.float32)
        model.graph.initializer.append(numpy_helper.from_array(array, f"w{i}"))
        model.graph.input.append(helper.make_tensor_value_info(f"w{i}", 1, [2]))
        name = f"v{i}"
    model.graph.node.append(helper.make_node("Exp", [name], ["y"]))
    _, _, after = simplified(model, tmp_path)
    assert ops(after) == "Exp" and [v.name for v in after.graph.input] == ["x"]


def test_outputs_that_are_constants(tmp_path: Path) -> None:
    text = (
        "g (float[2] x) => (float[2] y, float[3] z, float[3] w) <float[3] w = {1, 2, 3}>"
        " {y = Relu(x) a = Add(w, w) b = Neg(a) z = Mul(a, b)}"
    )
    _, _, after = simplified(parsed(text), tmp_path)
    assert ops(after) == "Relu"
    assert_equal(tmp_path / "m.onnx", tmp_path / "out.onnx")


def test_absent_inputs_sparse_constants_texts_and_sequences(tmp_path: Path) -> None:
    text = (
        "g (float[6] x, string[3] t) => (float[6] y, string[3] u, float[2] v) <float most = {1}, int64 i = {1},"
        " int64[3] parts = {2, 2, 2}> {a = Clip(x, , most) y = Add(a, sp) u = Identity(t)"
        " s = SplitToSequence(x, parts) r = Identity(s) v = SequenceAt(r, i)}"
    )
    model = parsed(text)
    sparse = helper.make_sparse_tensor(
        numpy_helper.from_array(np.asarray([2, 3], np.float32), "sp"),
        numpy_helper.from_array(np.asarray([1, 4], np.int64), "places"),
        [6],
    )
    model.graph.sparse_initializer.append(sparse)
    _, _, after = simplified(model, tmp_path)
    assert ops(after) == "Add Clip Identity SequenceAt SplitToSequence"
    assert after.graph.sparse_initializer[0] == sparse
    assert_equal(tmp_path / "m.onnx", tmp_path / "out.onnx")


def test_half_precision(tmp_path: Path) -> None:
    text = "g (float16[n,3] x) => (float16[n,2] y) <float16[3,2] w, float16[2] b> {m = MatMul(x, w) y = Add(m, b)}"
    _, _, after = simplified(parsed(text), tmp_path)
    assert ops(after) == "Gemm"
    assert_equal(tmp_path / "m.onnx", tmp_path / "out.onnx", 2e-3)


def test_unsorted_and_unread(tmp_path: Path) -> None:
    model = parsed("g (float[2] x, float[3] unread) => (float[2] y) {a = Abs(x) b = Exp(a) y = Relu(a)}")
    nodes = list(model.graph.node)[::-1]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    found = mlconv.simplify(path, tmp_path / "out.onnx")
    assert found.ops_after == {"Abs": 1, "Relu": 1}
    assert [v.name for v in onnx.load(tmp_path / "out.onnx").graph.input] == ["x", "unread"]


def external(folder: Path) -> Path:
    folder.mkdir()
    rng = np.random.default_rng(0)
    model = parsed("g (float[n,64] x) => (float[n,64] y) {a = MatMul(x, w) y = MatMul(a, t)}")
    model.graph.node.insert(0, helper.make_node("Transpose", ["v"], ["t"], perm=[1, 0]))
    for name in ("w", "v"):
        array = rng.standard_normal((64, 64)).astype(np.float32)
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    path = folder / "m.onnx"
    onnx.save(model, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    return path


def test_external_data_stay_outside(tmp_path: Path) -> None:
    path = external(tmp_path / "a")
    target = tmp_path / "b" / "out.onnx"
    target.parent.mkdir()
    found = mlconv.simplify(path, target)
    assert found.ops_after == {"MatMul": 2}
    assert sorted(p.name for p in target.parent.iterdir()) == ["out.onnx", "out.onnx.data"]
    assert found.bytes_after == sum(p.stat().st_size for p in target.parent.iterdir())
    assert found.bytes_after <= 1.01 * found.bytes_before
    assert_equal(path, target)


def test_sizes_are_pinned(tmp_path: Path) -> None:
    text = (
        "g (float[n,4] x, float[n,4] z) => (float[n,4] y)"
        " {s = Shape(x) c = ConstantOfShape(s) a = Add(x, c) y = Mul(a, z)}"
    )
    found, _, after = simplified(parsed(text), tmp_path, shapes={"x": (5, 4)})
    assert found.ops_after == {"Mul": 1}
    sizes = [[d.dim_value for d in v.type.tensor_type.shape.dim] for v in after.graph.input]
    assert sizes == [[5, 4], [5, 4]]
    assert answers(tmp_path / "out.onnx")["y"].shape == (5, 4)


def test_default_name_and_models_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "net.v2.onnx"
    path.write_bytes(parsed(SMALL).SerializeToString())
    assert mlconv.simplify(path).output == str(tmp_path / "net.v2.simplified.onnx")
    assert (tmp_path / "net.v2.simplified.onnx").is_file()
    held = mlconv.simplify(parsed(SMALL), tmp_path / "held.onnx")
    assert held.ops_after == {"Exp": 1, "Relu": 1}
    with pytest.raises(ConversionError, match="no file name"):
        mlconv.simplify(parsed(SMALL))


def test_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(parsed(SMALL).SerializeToString())
    for settings, code, words in (
        ({"skip": ["nothing"]}, Code.UsageError, "no rule"),
        ({"output": path}, Code.OutputNotWritable, "m.onnx"),
        ({"output": "-"}, Code.UsageError, "no place"),
    ):
        with pytest.raises(ConversionError, match=words) as caught:
            mlconv.simplify(path, settings.pop("output", tmp_path / "out.onnx"), **settings)
        assert caught.value.code is code
    with pytest.raises(TypeError, match="no option 'outputs'"):
        mlconv.simplify(path, tmp_path / "out.onnx", outputs=("b",))  # type: ignore[call-arg]
    graph = tmp_path / "g.pbtxt"
    shutil.copy(Path(__file__).parent.parent.parent / "testdata" / "models" / "digits_cnn.pb", graph)
    with pytest.raises(ConversionError, match="onnx and tflite files"):
        mlconv.simplify(graph)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["g.pbtxt", "m.onnx"]
