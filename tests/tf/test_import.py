"""Structure: inputs and outputs, names, locations, functions, text files, tables, attributes."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.tf.model import import_graph_def
from mlconv.importers.tf.reader import looks_like_text
from mlconv.ir.dims import Dim
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import CallStack, NameLocation
from tests.support.graph_defs import const, function, graph, node, placeholder, save

X = placeholder("x")
ROW = np.arange(3, dtype=np.float32)


def run(proto: Any, folder: pathlib.Path, feed: dict[str, Any], **options: Any) -> dict[str, Any]:
    return mlconv.load(save(proto, folder), **options).run(feed)


def test_inputs_and_outputs_are_found(tmp_path: pathlib.Path) -> None:
    """Outputs are what nothing reads; control edges, asserts and no-ops do not count; unused placeholders are no
    inputs.
    """
    proto = graph(
        placeholder("unused"),
        X,
        placeholder("z", None),
        node("sum", "AddV2", "x", "z", T="float"),
        node("read", "Identity", "x", T="float"),
        node("noop", "NoOp", "^read"),
        node("out", "Identity", "sum", "^noop", T="float"),
        node("other", "Relu", "x", T="float"),
    )
    module = import_graph_def(save(proto, tmp_path))
    assert module.main.input_names == ["x:0", "z:0"]
    assert module.main.output_names == ["out:0", "other:0"]
    assert module.main.inputs[1].tensor.shape is None


def test_a_function_body_saved_as_a_graph(tmp_path: pathlib.Path) -> None:
    """`_Arg` nodes are its inputs, `_Retval` nodes name its outputs in order."""
    argument, first, second = (
        node("a", "_Arg", index=0),
        node("r0", "_Retval", "n", index=1),
        node("r1", "_Retval", "m", index=0),
    )
    argument.attr["T"].type = 1
    proto = graph(argument, node("n", "Neg", "a", T="float"), node("m", "Relu", "n", T="float"), first, second)
    module = mlconv.load(save(proto, tmp_path))
    assert module.main.input_names == ["a:0"]
    assert module.main.output_names == ["m:0", "n:0"]


@pytest.mark.parametrize(("inputs", "outputs"), [(["mid"], ["y"]), (["mid:0"], ["y:0"])])
def test_flags_cut_the_graph(inputs: list[str], outputs: list[str], tmp_path: pathlib.Path) -> None:
    proto = graph(
        X,
        node("mid", "MatrixSquareRoot", "x", T="float"),
        node("y", "Neg", "mid", T="float"),
        node("tail", "Qr", "y", T="float"),
    )
    module = mlconv.load(save(proto, tmp_path), inputs=inputs, outputs=outputs, shapes={"mid": (2, 3)})
    found = module.run({"mid:0": np.ones((2, 3), np.float32)})
    assert list(found) == ["y:0"]
    np.testing.assert_array_equal(found["y:0"], -np.ones((2, 3)))


def test_unknown_names_are_told(tmp_path: pathlib.Path) -> None:
    path = save(graph(X, node("result", "Relu", "x", T="float")), tmp_path)
    for options in ({"outputs": ["resultt"]}, {"inputs": ["xx"]}, {"shapes": {"q": (1,)}}):
        with pytest.raises(ConversionError) as raised:
            import_graph_def(path, **options)
        assert raised.value.code is Code.NameNotFound
    with pytest.raises(ConversionError) as raised:
        import_graph_def(path, outputs=["resultt"])
    assert "result" in raised.value.diagnostic.help


def test_dynamic_sizes_are_symbols_and_shapes_override(tmp_path: pathlib.Path) -> None:
    path = save(graph(placeholder("a/x", (-1, 3)), node("y", "Relu", "a/x", T="float")), tmp_path)
    assert import_graph_def(path).main.inputs[0].tensor.shape == (Dim.symbol("a/x_0"), 3)
    assert import_graph_def(path, shapes={"a/x": (5, -1)}).main.inputs[0].tensor.shape == (5, Dim.symbol("a/x_1"))


def test_placeholder_with_default(tmp_path: pathlib.Path) -> None:
    """Keeps its default, unless it is named as an input."""
    proto = graph(
        const("d", ROW),
        node("p", "PlaceholderWithDefault", "d", dtype="float", shape=(3,)),
        X,
        node("y", "AddV2", "x", "p", T="float"),
    )
    x = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(run(proto, tmp_path, {"x:0": x})["y:0"], x + ROW)
    found = run(proto, tmp_path, {"p:0": 2 * ROW, "x:0": x}, inputs=["p", "x"])
    np.testing.assert_array_equal(found["y:0"], x + 2 * ROW)


def test_text_file_with_comments(tmp_path: pathlib.Path) -> None:
    proto = graph(X, node("y", "Neg", "x", T="float"))
    text = "# first a comment: node {\n\n# another\n" + text_format.MessageToString(proto)
    module = mlconv.load(save(text.encode(), tmp_path, "graph.pbtxt"))
    np.testing.assert_array_equal(module.run({"x:0": np.ones((2, 3), np.float32)})["y:0"], -np.ones((2, 3)))


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"node {", True),
        (b"node: {", True),
        (b"# c\n  library <", True),
        (b"versions { producer", True),
        (b"\x0a\x32\x0a\x01x", False),
        (b"saved_model_schema_version: 1", False),
        (b"", False),
    ],
)
def test_text_is_told_from_binary(head: bytes, expected: bool) -> None:
    assert looks_like_text(head) is expected


BODY = [node("y", "Mul", "a", "a", T="float"), node("q", "Qr", "a", T="float")]
SQUARE = function("square", {"a": "float"}, BODY, {"b": ("float", "y:z:0"), "unused": ("float", "q:q:0")})


@pytest.mark.parametrize(
    "call",
    [
        node("c", "PartitionedCall", "x", f="square", Tin=["float"], Tout=["float", "float"]),
        node("c", "StatefulPartitionedCall", "x", f="square", Tin=["float"], Tout=["float", "float"]),
        node("c", "square", "x"),
    ],
)
def test_calls_are_inlined(call: Any, tmp_path: pathlib.Path) -> None:
    """Also legacy calls, whose op is the function; results that nobody uses are left out with what they need."""
    proto = graph(X, call, node("out", "Neg", "c:0", T="float"), functions=(SQUARE,))
    module = mlconv.load(save(proto, tmp_path), outputs=["out"])
    np.testing.assert_array_equal(module.run({"x:0": np.full((2, 3), 3, np.float32)})["out:0"], np.full((2, 3), -9))


def test_locations_carry_the_call_path_and_frames(tmp_path: pathlib.Path) -> None:
    """Library frames are left out; the innermost user frame leads; both layouts of GraphDebugInfo are read."""
    inner = function("square", {"a": "float"}, [node("q", "Mul", "a", "a", T="float")], {"b": ("float", "q:z:0")})
    proto = graph(
        X,
        node("call", "PartitionedCall", "x", f="square", Tin=["float"], Tout=["float"]),
        node("y", "Neg", "call", T="float"),
        functions=(inner,),
    )
    info = proto.debug_info
    info.files.extend(["/home/me/model.py", "/usr/lib/python3.11/site-packages/tensorflow/ops.py"])
    stack = info.traces["q@square"].file_line_cols
    for file, line, name in ((0, 30, "<module>"), (0, 7, "step"), (1, 99, "multiply")):
        stack.add(file_index=file, line=line, func=name)
    info.frames_by_id[5].line = 12
    info.traces_by_id[9].frame_id.append(5)
    info.name_to_trace_id["y@"] = 9
    module = import_graph_def(save(proto, tmp_path))
    places = {op.name: op.location for op in module.walk()}
    product, negation = places["tf.Mul"], places["tf.Neg"]
    assert isinstance(product, NameLocation) and isinstance(negation, NameLocation)
    assert product.name == "call/q"
    assert isinstance(product.child, CallStack) and isinstance(negation.child, CallStack)
    assert [(f.line, f.function) for f in product.child.frames] == [(7, "step"), (30, "<module>")]
    assert product.child.hidden == 1
    assert negation.child.frames[0].line == 12


def test_frames_that_are_no_text_are_kept_readable(tmp_path: pathlib.Path) -> None:
    proto = graph(X, node("y", "Neg", "x", T="float"))
    proto.debug_info.files.append("/home/me/model.py")
    proto.debug_info.traces["y@"].file_line_cols.add(file_index=0, line=3, func="step")
    content = proto.SerializeToString().replace(b"/home/me", b"/home/\xff\xfe").replace(b"step", b"st\xffp")
    place = next(op.location for op in import_graph_def(save(content, tmp_path)).walk() if op.name == "tf.Neg")
    assert isinstance(place, NameLocation) and isinstance(place.child, CallStack)
    assert (place.child.frames[0].file, place.child.frames[0].function) == ("/home/\\xff\\xfe/model.py", "st\\xffp")


def test_while_keeps_only_what_changes(tmp_path: pathlib.Path) -> None:
    """Variables that the body returns unchanged are captured, those that nobody reads are dropped."""
    types = {"i": "int32", "count": "int32", "v": "float", "step": "float"}
    cond = function(
        "cond",
        types,
        [const("n", np.int32(3)), node("less", "Less", "i", "n:output:0", T="int32")],
        {"go": ("bool", "less:z:0")},
    )
    body = function(
        "body",
        types,
        [
            const("one", np.int32(1)),
            node("next", "AddV2", "i", "one:output:0", T="int32"),
            node("more", "AddV2", "count", "one:output:0", T="int32"),
            node("sum", "AddV2", "v", "step", T="float"),
            node("same", "Identity", "step", T="float"),
        ],
        {
            "i2": ("int32", "next:z:0"),
            "c2": ("int32", "more:z:0"),
            "v2": ("float", "sum:z:0"),
            "s2": ("float", "same:output:0"),
        },
    )
    start = [const("zero", np.int32(0)), const("step", ROW)]
    proto = graph(
        X,
        *start,
        node(
            "w", "While", "zero", "zero", "x", "step", T=["int32", "int32", "float", "float"], cond="cond", body="body"
        ),
        node("y", "Neg", "w:2", T="float"),
        functions=(cond, body),
    )
    path = save(proto, tmp_path)
    loop = next(op for op in import_graph_def(path).walk() if op.name == "tf.While")
    assert len(loop.operands) == 2
    x = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(mlconv.load(path).run({"x:0": x})["y:0"], -(x + 3 * ROW))


def test_lookup_in_a_static_table(tmp_path: pathlib.Path) -> None:
    table = node("t", "HashTableV2", key_dtype="int64", value_dtype="float")
    proto = graph(
        placeholder("k", (4,), "int64"),
        table,
        const("keys", np.array([7, 3, 5])),
        const("values", np.array([1, 2, 3], np.float32)),
        const("d", np.float32(-1)),
        node("fill", "LookupTableImportV2", "t", "keys", "values", Tin="int64", Tout="float"),
        node("init", "NoOp", "^fill"),
        node("y", "LookupTableFindV2", "t", "k", "d", "^init", Tin="int64", Tout="float"),
    )
    found = run(proto, tmp_path, {"k:0": np.array([5, 7, 9, 3])}, outputs=["y"])
    np.testing.assert_array_equal(found["y:0"], np.array([3, 1, -1, 2], np.float32))


def test_defaults_of_attributes_are_filled_in(tmp_path: pathlib.Path) -> None:
    proto = graph(
        placeholder("x", (1, 4, 4, 1)),
        const("w", np.ones((1, 1, 1, 1), np.float32)),
        node("y", "Conv2D", "x", "w", T="float", strides=[1, 1, 1, 1], padding="SAME"),
    )
    conv = next(op for op in import_graph_def(save(proto, tmp_path)).walk() if op.name == "tf.Conv2D")
    assert conv.attributes["data_format"] == "NHWC"
    assert conv.attributes["dilations"] == (1, 1, 1, 1)
    assert conv.attributes["use_cudnn_on_gpu"] is True


def test_an_output_may_be_an_input_or_a_constant(tmp_path: pathlib.Path) -> None:
    proto = graph(X, const("c", ROW), node("i", "Identity", "x", T="float"))
    found = run(proto, tmp_path, {"x:0": np.ones((2, 3), np.float32)}, outputs=["x", "c", "i"])
    assert list(found) == ["x:0", "c:0", "i:0"]
    np.testing.assert_array_equal(found["c:0"], ROW)


def test_tensorflow_is_not_imported(tmp_path: pathlib.Path) -> None:
    path = save(graph(X, node("y", "Relu", "x", T="float")), tmp_path)
    code = (
        "import sys, mlconv; mlconv.load(sys.argv[1]); assert "
        "'tensorflow' not in sys.modules, 'tensorflow was imported'"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, timeout=60)


def test_a_chain_of_many_nodes(tmp_path: pathlib.Path) -> None:
    """No recursion over the graph."""
    nodes = [X, *(node(f"n{k}", "Neg", f"n{k - 1}" if k else "x", T="float") for k in range(5000))]
    module = import_graph_def(save(graph(*nodes), tmp_path))
    assert module.main.block.size == 5001
    assert isinstance(module.main.inputs[0].type, TensorType)
