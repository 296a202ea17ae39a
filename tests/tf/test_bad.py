"""Damaged and hostile GraphDefs: each gives its code and names what is wrong.  The files are made here."""

from __future__ import annotations

import pathlib
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.interp import run_function
from mlconv.ir.module import Module
from mlconv.legalize import from_tf
from tests.support.graph_defs import const, function, graph, node, placeholder, save, tensor, type_number
from tests.support.reading import read_graph

X = placeholder("x")


def load(path: pathlib.Path) -> Module:
    """Import and legalize, without the sniffing in front."""
    engine = DiagnosticEngine()
    module = read_graph(str(path), engine)
    from_tf.legalize(module, engine)
    engine.raise_errors()
    return module


GOOD = graph(X, node("y", "Relu", "x", T="float"))


def broken_const(**fields: Any) -> Any:
    proto = tensor(np.zeros((2, 3), np.float32))
    for key, value in fields.items():
        if key == "tensor_shape":
            for size in value:
                proto.tensor_shape.dim.add(size=size)
        else:
            setattr(proto, key, value)
    bad = node("c", "Const", dtype="float")
    bad.attr["value"].tensor.CopyFrom(proto)
    return graph(X, bad, node("y", "AddV2", "x", "c", T="float"))


def huge_splat() -> Any:
    proto = tensor(np.zeros((), np.float32))
    proto.tensor_content = b""
    proto.float_val.append(1.0)
    for _ in range(2):
        proto.tensor_shape.dim.add(size=1 << 30)
    bad = node("c", "Const", dtype="float")
    bad.attr["value"].tensor.CopyFrom(proto)
    return graph(X, bad, node("y", "AddV2", "x", "c", T="float"))


def huge_strings() -> Any:
    proto = node("c", "Const", dtype="string")
    value = proto.attr["value"].tensor
    value.dtype = type_number("string")
    value.string_val.extend([b"a", b"b"])
    value.tensor_shape.dim.add(size=1 << 26)
    return proto


def repeated(size: int) -> Any:
    """A constant of `size` elements that stores three of them."""
    proto = tensor(np.zeros((), np.float32))
    proto.tensor_content = b""
    proto.float_val.extend([1.0, 2.0, 3.0])
    proto.tensor_shape.dim.add(size=size)
    constant = node("c", "Const", dtype="float")
    constant.attr["value"].tensor.CopyFrom(proto)
    return constant


def doubling_functions() -> Any:
    """f0 is called twice by f1, f1 by f2 ...: 2^40 ops."""
    leaf = function("f0", {"a": "float"}, [node("g", "Relu", "a", T="float")], {"b": ("float", "g:activations:0")})
    made = [leaf]
    for k in range(1, 41):
        call = {"f": f"f{k - 1}", "Tin": ["float"], "Tout": ["float"]}
        calls = [node("g", "PartitionedCall", "a", **call), node("h", "PartitionedCall", "g:output:0", **call)]
        made.append(function(f"f{k}", {"a": "float"}, calls, {"b": ("float", "h:output:0")}))
    return graph(X, node("y", "PartitionedCall", "x", f="f40", Tin=["float"], Tout=["float"]), functions=tuple(made))


def without(proto: Any, name: str, attr: str) -> Any:
    copy = type(proto).FromString(proto.SerializeToString())
    for n in copy.node:
        if n.name == name:
            del n.attr[attr]
    return copy


CONV = graph(
    placeholder("x", (1, 4, 4, 1)),
    const("w", np.ones((1, 1, 1, 1), np.float32)),
    node("y", "Conv2D", "x", "w", T="float", strides=[1, 1, 1, 1], padding="SAME"),
)
CALLS_ITSELF = function(
    "f",
    {"a": "float"},
    [node("g", "PartitionedCall", "a", f="f", Tin=["float"], Tout=["float"])],
    {"b": ("float", "g:output:0")},
)
ONE_RESULT = function("f", {"a": "float"}, [node("g", "Relu", "a", T="float")], {"b": ("float", "g:activations:0")})
WHILE = node("w", "While", "x", T=["float"], cond="nothing", body="nothing")


def huge_block() -> Any:
    """A block size of 2^31 numbers, which takes four bytes of the file, around a convolution."""
    image, block, pairs = (
        placeholder("x", (1, 4, 4, 1)),
        const("b", np.array([2, 2], np.int32)),
        const("p", np.zeros((2, 2), np.int32)),
    )
    conv = node("c", "Conv2D", "s", "w", T="float", strides=[1, 1, 1, 1], padding="VALID")
    split = node("s", "SpaceToBatchND", "x", "b", "p", T="float", Tblock_shape="int32", Tpaddings="int32")
    proto = const("h", np.int32(2))
    repeated_value = proto.attr["value"].tensor
    repeated_value.tensor_content = b""
    repeated_value.int_val.append(2)
    repeated_value.tensor_shape.dim.add(size=1 << 31)
    joined = node("y", "BatchToSpaceND", "c", "h", "p", T="float", Tblock_shape="int32", Tcrops="int32")
    return graph(image, const("w", np.ones((1, 1, 1, 1), np.float32)), block, pairs, split, conv, proto, joined)


FILES: dict[str, tuple[Callable[[], Any], Code, tuple[str, ...]]] = {
    "empty": (lambda: b"", Code.FileDamaged, ("empty", "no nodes")),
    "png": (lambda: b"\x89PNG\r\n\x1a\n" + bytes(100), Code.FormatUnknown, ("not",)),
    "truncated": (lambda: GOOD.SerializeToString()[:-20], Code.FileDamaged, ("parse", "truncated")),
    "length": (lambda: bytes.fromhex("0affffffff0761"), Code.FileDamaged, ("parse", "truncated")),
    "utf-8": (
        lambda: GOOD.SerializeToString().replace(b"Placeholder", b"Plac\xff\xfeolder"),
        Code.TextNotUtf8,
        ("UTF-8",),
    ),
    "duplicate": (
        lambda: graph(X, node("y", "Relu", "x", T="float"), node("y", "Tanh", "x", T="float")),
        Code.NameDefinedTwice,
        ("'y'", "duplicate"),
    ),
    "dangling": (lambda: graph(X, node("y", "AddV2", "x", "ghost:1", T="float")), Code.InputNotProduced, ("ghost",)),
    "dangling control": (
        lambda: graph(X, node("y", "Relu", "x", "^ghost", T="float")),
        Code.InputNotProduced,
        ("ghost",),
    ),
    "no such output": (lambda: graph(X, node("y", "Relu", "x:3", T="float")), Code.InputNotProduced, ("x:3",)),
    "cycle": (
        lambda: graph(X, node("a", "AddV2", "x", "b", T="float"), node("b", "Relu", "a", T="float")),
        Code.GraphHasCycle,
        ("cycle", "a", "b"),
    ),
    "arity": (
        lambda: graph(X, node("y", "MatMul", "x", T="float")),
        Code.WrongArity,
        ("MatMul", "'y'", "1 input", "2"),
    ),
    "missing attribute": (lambda: without(CONV, "y", "strides"), Code.AttributeInvalid, ("Conv2D", "strides")),
    "ill-typed attribute": (lambda: graph(X, ill_typed()), Code.AttributeInvalid, ("axis", "string", "int")),
    "short constant": (lambda: broken_const(tensor_content=b"1234567"), Code.ConstantInvalid, ("'c'", "7", "24")),
    "long constant": (lambda: broken_const(tensor_content=bytes(28)), Code.ConstantInvalid, ("'c'", "28", "24")),
    "huge constant": (huge_splat, Code.TensorTooLarge, ("'c'", "large", "size")),
    "huge block": (huge_block, Code.TensorTooLarge, ("2147483648", "BatchToSpaceND")),
    "huge fill": (
        lambda: graph(
            const("d", np.array([1 << 20] * 3)),
            const("v", np.float32(1)),
            node("y", "Fill", "d", "v", T="float", index_type="int64"),
        ),
        Code.TensorTooLarge,
        ("Fill", "large", "size"),
    ),
    "unknown op": (lambda: graph(X, node("y", "QuantumEntangle", "x")), Code.OpUnsupported, ("QuantumEntangle",)),
    "string": (
        lambda: graph(placeholder("s", (2,), "string"), node("y", "StringLower", "s")),
        Code.OpUnsupported,
        ("StringLower",),
    ),
    "recursion": (
        lambda: graph(
            X, node("y", "PartitionedCall", "x", f="f", Tin=["float"], Tout=["float"]), functions=(CALLS_ITSELF,)
        ),
        Code.GraphHasCycle,
        ("f -> f",),
    ),
    "edge of another type": (
        lambda: graph(placeholder("x", (2,), "int32"), node("y", "Relu6", "x", T="float")),
        Code.TypeMismatch,
        ("int32", "float32", "'y'"),
    ),
    "constant of another type": (
        lambda: graph(
            node("c", "Const", dtype="int32", value=np.ones(2, np.float32)), node("y", "Relu", "c", T="int32")
        ),
        Code.AttributeInvalid,
        ("'c'", "int32", "float32"),
    ),
    "variable": (
        lambda: graph(
            node("v", "VariableV2", shape=(2,), dtype="float"),
            node("y", "Identity", "v", T="float"),
            node("z", "Relu", "y", T="float"),
        ),
        Code.OpUnsupported,
        ("VariableV2", "variable"),
    ),
    "huge table": (
        lambda: graph(
            placeholder("x", (3,)),
            const("k", np.int32(0)),
            const("n", np.int32(1 << 30)),
            const("p", np.float32(0)),
            node("y", "MatrixDiagV3", "x", "k", "n", "n", "p", T="float"),
        ),
        Code.TensorTooLarge,
        ("large",),
    ),
    "result of a call that is not there": (
        lambda: graph(
            X,
            node("c", "PartitionedCall", "x", f="f", Tin=["float"], Tout=["float", "float"]),
            node("y", "Relu", "c:1", T="float"),
            functions=(ONE_RESULT,),
        ),
        Code.InputNotProduced,
        ("result 1", "'c'"),
    ),
    "functions that double": (doubling_functions, Code.NestedTooDeeply, ("inlined",)),
    "too many dimensions": (
        lambda: broken_const(tensor_content=b"", tensor_shape=[1] * 71),
        Code.TensorTooLarge,
        ("73 dimensions",),
    ),
    "too many strings": (
        lambda: graph(huge_strings(), node("y", "StringLower", "c")),
        Code.TensorTooLarge,
        ("'c'", "strings"),
    ),
    "no function": (lambda: graph(X, WHILE), Code.InputNotProduced, ("nothing",)),
    "switch alone": (
        lambda: graph(
            X,
            placeholder("p", (), "bool"),
            node("s", "Switch", "x", "p", T="float"),
            node("y", "Relu", "s:1", T="float"),
        ),
        Code.ControlFlowUnstructured,
        ("Switch", "'s'"),
    ),
    "merge alone": (
        lambda: graph(
            X, placeholder("z"), node("m", "Merge", "x", "z", T="float", N=2), node("y", "Relu", "m", T="float")
        ),
        Code.ControlFlowUnstructured,
        ("Merge", "'m'"),
    ),
    "loop without condition": (
        lambda: graph(
            X,
            node("e", "Enter", "x", T="float", frame_name="loop"),
            node("n", "NextIteration", "m", T="float"),
            node("m", "Merge", "e", "n", T="float", N=2),
            node("y", "Exit", "m", T="float"),
        ),
        Code.ControlFlowUnstructured,
        ("loop", "LoopCond"),
    ),
}


def ill_typed() -> Any:
    bad = node("y", "Pack", "x", T="float", N=1)
    bad.attr["axis"].s = b"zero"
    return bad


@pytest.mark.parametrize("name", FILES)
def test_refused(name: str, tmp_path: pathlib.Path) -> None:
    make, code, words = FILES[name]
    with pytest.raises(ConversionError) as raised:
        load(save(make(), tmp_path))
    found = [d for d in raised.value.diagnostics or (raised.value.diagnostic,) if d.code is code]
    assert found, raised.value
    text = f"{found[0].message} {found[0].node} {found[0].op}"
    assert all(word in text for word in words), text


def test_a_repeated_value_takes_no_memory(tmp_path: pathlib.Path) -> None:
    """Three numbers that fill a shape of 3 GB: a recipe, which is computed where it is read."""
    proto = graph(placeholder("x", (1,)), repeated(750_000_000), node("y", "AddV2", "x", "c", T="float"))
    tracemalloc.start()
    load(save(proto, tmp_path))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100e6
    small = graph(placeholder("x", (1,)), repeated(600_000), node("y", "AddV2", "x", "c", T="float"))
    y = run_function(load(save(small, tmp_path)).main, {"x:0": np.zeros(1, np.float32)})["y:0"]
    assert y.tolist()[:4] == [1, 2, 3, 3] and y[-1] == 3 and y.shape == (600_000,)


def test_text_with_a_syntax_error_names_the_line(tmp_path: pathlib.Path) -> None:
    path = save(
        b'# a graph\nnode {\n  name: "a"\n  op: "Placeholder"\n  attr { key: "dtype" value { type: DT_FLOAT }\n',
        tmp_path,
        "g.pbtxt",
    )
    with pytest.raises(ConversionError, match="line 5") as raised:
        load(path)
    assert raised.value.code is Code.FileDamaged


def test_all_problems_are_reported_together(tmp_path: pathlib.Path) -> None:
    proto = graph(
        X,
        node("a", "MatMul", "x", T="float"),
        node("b", "Relu", "ghost", T="float"),
        node("c", "MatrixSquareRoot", "x", T="float"),
    )
    with pytest.raises(ConversionError) as raised:
        load(save(proto, tmp_path))
    assert [d.code for d in raised.value.diagnostics] == [Code.WrongArity, Code.InputNotProduced, Code.OpUnsupported]


def test_random_damage_never_escapes(tmp_path: pathlib.Path) -> None:
    """Flipped bytes give a model or a ConversionError, nothing else."""
    rng = np.random.default_rng(5)
    good = CONV.SerializeToString()
    for _ in range(300):
        data = bytearray(good)
        for _ in range(int(rng.integers(1, 6))):
            data[rng.integers(len(data))] = rng.integers(256)
        try:
            load(save(bytes(data), tmp_path))
        except ConversionError as error:
            assert error.code.id.startswith("MLC")


@pytest.mark.parametrize("name", ["saved_model.pb", "saved_model.pbtxt"])
def test_the_message_of_a_saved_model_names_its_folder(name: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "model" / name
    path.parent.mkdir()
    path.write_bytes(b"\x08\x01" if name.endswith("pb") else b"saved_model_schema_version: 1")
    with pytest.raises(ConversionError) as error:
        mlconv.convert(path, to="tflite", output=tmp_path / "m.tflite")
    assert error.value.code is Code.FormatUnknown and str(path.parent) in error.value.diagnostic.help
