"""Damaged and hostile files: each gives its code and names what is wrong.  The files are made here."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.diagnostics import Code, ConversionError, Diagnostic, DiagnosticEngine
from mlconv.driver.check import CheckReport, check_model
from mlconv.importers.onnx.model import import_onnx
from mlconv.legalize import from_onnx
from tests.support.onnx_models import model, save, value

RELU = helper.make_node("Relu", ["x"], ["y"], name="r")
GOOD = model([RELU], [value("x", [2])], [value("y", [2])])


def bad_tensor(**fields: object) -> bytes:
    proto = model([helper.make_node("Add", ["x", "w"], ["y"])], [value("x", [2])], [value("y")])
    proto.graph.initializer.add(name="w", data_type=1, **fields)
    return proto.SerializeToString()


def proto(nodes: list[onnx.NodeProto], outputs: list[str] = ["y"], **kwargs: object) -> bytes:  # noqa: B006
    return model(nodes, [value("x", [2])], [value(o, None) for o in outputs], **kwargs).SerializeToString()  # type: ignore[arg-type]


def node(op: str, inputs: list[str], outputs: list[str], name: str = "") -> onnx.NodeProto:
    return helper.make_node(op, inputs, outputs, name=name)


FILES: dict[str, tuple[Callable[[], bytes], Code, str]] = {
    "empty": (lambda: b"", Code.FileDamaged, "empty"),
    "text": (lambda: b"# a readme, not a model\n" * 9, Code.FileDamaged, "not an ONNX model"),
    "other_text": (lambda: b"hello world\n" * 9, Code.FormatUnknown, "not an ONNX model"),
    "half": (lambda: GOOD.SerializeToString()[: len(GOOD.SerializeToString()) // 2], Code.FileDamaged, "truncated"),
    "endless_varint": (lambda: b"\x08\x08\x3a" + b"\xff" * 99, Code.FileDamaged, "parse"),
    "huge_length": (lambda: b"\x08\x08\x3a\xff\xff\xff\xff\xff\xff\xff\x7f", Code.FileDamaged, "truncated"),
    "no_graph": (lambda: onnx.ModelProto(ir_version=8).SerializeToString(), Code.FileDamaged, "no graph"),
    "no_opset": (
        lambda: model([RELU], [], [value("y")], opset=9).SerializeToString().replace(b"B\x04\n\x00\x10\x09", b""),
        Code.VersionUnsupported,
        "opset",
    ),
    "future_opset": (lambda: proto([RELU], opset=999), Code.VersionUnsupported, "999"),
    "cycle": (
        lambda: proto(
            [node("Add", ["x", "b"], ["a"], "n1"), node("Relu", ["a"], ["b"], "n2"), node("Relu", ["b"], ["y"])]
        ),
        Code.GraphHasCycle,
        "n1",
    ),
    "dangling": (
        lambda: proto([node("Add", ["x", "nowhere"], ["y"], "add")]),
        Code.InputNotProduced,
        "'nowhere' of node 'add'",
    ),
    "no_output": (lambda: proto([RELU], outputs=[]), Code.NoOutputs, "no outputs"),
    "unmade_output": (lambda: proto([RELU], outputs=["z"]), Code.InputNotProduced, "'z'"),
    "twice": (
        lambda: proto([node("Relu", ["x"], ["y"], "a"), node("Exp", ["x"], ["y"], "b")]),
        Code.NameDefinedTwice,
        "'y'.*'a'.*'b'",
    ),
    "huge_dims": (lambda: bad_tensor(dims=[1 << 30, 1 << 30], raw_data=bytes(16)), Code.ConstantInvalid, "16 bytes"),
    "overflowing_dims": (lambda: bad_tensor(dims=[1 << 32, 1 << 32], raw_data=bytes(16)), Code.ConstantInvalid, "size"),
    "negative_dim": (lambda: bad_tensor(dims=[-4], raw_data=bytes(16)), Code.ConstantInvalid, "negative dim"),
    "short_typed": (lambda: bad_tensor(dims=[4], float_data=[1.0]), Code.ConstantInvalid, "16 bytes"),
    "unknown_type": (
        lambda: bad_tensor(dims=[2], raw_data=bytes(8)).replace(b"\x10\x01B", b"\x10\x7fB"),
        Code.ElementTypeUnsupported,
        "127",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_bad_file(name: str, tmp_path: Path) -> None:
    make, code, words = FILES[name]
    path = tmp_path / f"{name}.onnx"
    path.write_bytes(make())
    with pytest.raises(ConversionError, match=words) as caught:
        import_onnx(path)
    assert caught.value.code is code


def test_directory_and_missing(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.onnx"):
        with pytest.raises(ConversionError) as caught:
            import_onnx(path)
        assert caught.value.code is Code.InputNotReadable


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    data = proto([node("Relu", ["x"], ["y"], "NAME")]).replace(b"NAME", b"\xff\xfe\x80A")
    path = tmp_path / "m.onnx"
    path.write_bytes(data)
    assert next(import_onnx(path).walk()).location.name == r"\xff\xfe\x80A"  # type: ignore[union-attr]


def test_every_truncation_and_bit_flip_is_a_coded_error_or_a_model(tmp_path: Path) -> None:
    w = np.arange(600, dtype=np.float32)
    data = model(
        [helper.make_node("Add", ["x", "w"], ["y"])], [value("x", [600])], [value("y")], {"w": w}
    ).SerializeToString()
    random = np.random.default_rng(1)
    path = tmp_path / "m.onnx"
    damaged = [data[:n] for n in range(1, len(data), 37)]
    for _ in range(150):
        flipped = bytearray(data)
        for at in random.integers(0, 120, 3):
            flipped[int(at)] ^= 1 << int(random.integers(8))
        damaged.append(bytes(flipped))
    for bad in damaged:
        path.write_bytes(bad)
        try:
            module = import_onnx(path).module
        except ConversionError:
            continue
        from_onnx.legalize(module, DiagnosticEngine())


def external(folder: Path, location: str, **entries: int) -> Path:
    m = model([helper.make_node("Add", ["x", "w"], ["y"])], [value("x", [64])], [value("y")])
    t = m.graph.initializer.add(name="w", data_type=1, dims=[64], data_location=TensorProto.EXTERNAL)
    for key, text in {"location": location, **{k: str(v) for k, v in entries.items()}}.items():
        t.external_data.add(key=key, value=text)
    return save(folder, m)


@pytest.mark.parametrize(
    ("location", "entries", "words"),
    [
        ("weights.bin", {}, "weights.bin.*not found.*missing"),
        ("../w.bin", {}, r"\.\./.*outside.*refused"),
        ("a/../../w.bin", {}, "outside"),
        ("/etc/passwd", {}, "absolute.*refused"),
        ("C:\\w.bin", {}, "absolute.*refused"),
        ("short.bin", {"length": 256}, "256.*100 bytes"),
        ("short.bin", {}, "256.*100 bytes"),
        ("w.bin", {"length": 8}, "8 bytes of data"),
        ("w.bin", {"offset": -4}, "invalid offset"),
        ("w.bin", {"offset": 1 << 63}, "invalid offset"),
        ("w.bin", {"offset": 4}, "w.bin"),
        ("link.bin", {}, "link leads outside"),
        ("hard.bin", {}, "hard link"),
        ("sub", {}, "regular file"),
    ],
)
def test_external_data(tmp_path: Path, location: str, entries: dict[str, int], words: str) -> None:
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "secret.bin").write_bytes(bytes(256))
    (folder / "short.bin").write_bytes(bytes(100))
    (folder / "w.bin").write_bytes(bytes(256))
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    os.link(tmp_path / "secret.bin", folder / "hard.bin")
    with pytest.raises(ConversionError, match=words) as caught:
        import_onnx(external(folder, location, **entries))
    assert caught.value.code in (Code.ExternalDataInvalid, Code.ConstantInvalid)


LEGALIZED: dict[str, tuple[list[onnx.NodeProto], Code, str]] = {
    "arity": ([node("Conv", ["x"], ["y"], "conv")], Code.WrongArity, "Conv has 1 inputs"),
    "unknown_op": ([node("FrobnicateV9", ["x"], ["y"], "frob")], Code.OpUnsupported, "FrobnicateV9"),
    "random": ([node("RandomNormalLike", ["x"], ["y"])], Code.VariantUnsupported, "random"),
    "bad_axis": ([helper.make_node("Softmax", ["x"], ["y"], axis=5)], Code.ShapeMismatch, "axis 5"),
    "bad_kind": ([helper.make_node("LeakyRelu", ["x"], ["y"], alpha="high")], Code.AttributeInvalid, "alpha"),
    "missing_attribute": ([helper.make_node("Concat", ["x", "x"], ["y"])], Code.AttributeInvalid, "axis"),
}


@pytest.mark.parametrize("name", LEGALIZED)
def test_bad_node(name: str, tmp_path: Path) -> None:
    nodes, code, words = LEGALIZED[name]
    engine = DiagnosticEngine()
    from_onnx.legalize(import_onnx(save(tmp_path, model(nodes, [value("x", [2, 3])], [value("y")]))).module, engine)
    (found,) = engine.diagnostics
    assert found.code is code
    assert words in found.message


def test_all_unsupported_ops_are_reported_at_once(tmp_path: Path) -> None:
    nodes = [node("Foo", ["x"], ["a"], "n_foo"), node("Relu", ["a"], ["b"]), node("Bar", ["b"], ["y"], "n_bar")]
    engine = DiagnosticEngine()
    from_onnx.legalize(import_onnx(save(tmp_path, model(nodes, [value("x", [2])], [value("y")]))).module, engine)
    assert [d.node for d in engine.diagnostics] == ["n_foo", "n_bar"]


FAULTS: dict[str, list[Code]] = {
    "none": [],
    "a name twice": [Code.NameDefinedTwice],
    "a name that nothing makes": [Code.InputNotProduced],
    "an output that nothing makes": [Code.InputNotProduced],
    "a cycle": [Code.GraphHasCycle],
    "a short tensor": [Code.ConstantInvalid],
    "missing data": [Code.ExternalDataInvalid],
    "within a branch": [Code.InputNotProduced],
    "all": [
        Code.NameDefinedTwice,
        Code.InputNotProduced,
        Code.GraphHasCycle,
        Code.ConstantInvalid,
        Code.ExternalDataInvalid,
    ],
}


def faulty(kind: str) -> onnx.ModelProto:
    """Unknown ops, a wrong axis and what follows from them; and the fault."""
    nodes = [
        node("Foo", ["x"], ["f"], "foo"),
        node("Relu", ["f"], ["g"], "behind"),
        helper.make_node("Softmax", ["x"], ["s"], axis=9, name="soft"),
    ]
    nodes.append(node("Bar", ["g"], ["h"], "bar"))
    outputs, tensors = ["g", "s", "h"], []
    if kind in ("a name twice", "all"):
        nodes += [node("Relu", ["x"], ["t"]), node("Neg", ["x"], ["t"])]
    if kind in ("a name that nothing makes", "all"):
        nodes.append(node("Add", ["x", "nowhere"], ["n"]))
        outputs.append("n")
    if kind in ("an output that nothing makes", "all"):
        outputs.append("gone")
    if kind in ("a cycle", "all"):
        nodes += [node("Add", ["x", "c2"], ["c1"]), node("Relu", ["c1"], ["c2"])]
        outputs.append("c1")
    if kind in ("a short tensor", "all"):
        tensors.append(TensorProto(name="w", data_type=1, dims=[2], raw_data=b"abc"))
        nodes.append(node("Add", ["x", "w"], ["v"]))
        outputs.append("v")
    if kind in ("missing data", "all"):
        tensors.append(TensorProto(name="e", data_type=1, dims=[2], data_location=TensorProto.EXTERNAL))
        tensors[-1].external_data.add(key="location", value="missing.bin")
        nodes.append(node("Add", ["x", "e"], ["u"]))
        outputs.append("u")
    if kind in ("within a branch", "all"):
        branch = helper.make_graph(
            [node("Add", ["x", "nowhere"], ["i"], "inner"), node("Baz", ["x"], ["j"])], "b", [], [value("i", [2])]
        )
        nodes += [
            helper.make_node("Cast", ["x"], ["q"], to=9),
            helper.make_node("If", ["q"], ["p"], then_branch=branch, else_branch=branch),
        ]
        outputs.append("p")
    made = model(nodes, [value("x", [2])], [value(o) for o in outputs])
    made.graph.initializer.extend(tensors)
    return made


@pytest.mark.parametrize("kind", FAULTS)
def test_faults_do_not_hide_one_another(kind: str, tmp_path: Path) -> None:
    """One run tells what is wrong with the structure, with tensors, and with ops: each once, and nothing that only
    follows.
    """
    path = save(tmp_path, faulty(kind))
    for check in (
        lambda: check_model(str(path), ("tflite",)),
        lambda: mlconv.convert(path, "tflite", tmp_path / "m.tflite"),
        lambda: mlconv.load(path),
    ):
        found: Sequence[Diagnostic]
        try:
            report = check()
            assert isinstance(report, CheckReport)
            found = report.diagnostics
        except ConversionError as error:
            found = error.diagnostics
        codes = [d.code for d in found]
        assert len(found) == len(set(found)) and {*FAULTS[kind], Code.OpUnsupported, Code.ShapeMismatch} == set(
            codes
        ), found
        assert [d.node for d in found if d.code is Code.OpUnsupported] == ["foo", "bar"]
        assert [d.node for d in found if d.code is Code.ShapeMismatch] == ["soft"]


def test_nodes_that_nothing_needs_are_looked_at_where_names_lead_nowhere(tmp_path: Path) -> None:
    nodes = [RELU, node("Foo", ["x"], ["dead"], "foo")]
    with pytest.raises(ConversionError) as error:
        mlconv.load(save(tmp_path, model(nodes, [value("x", [2])], [value("y"), value("gone")])))
    assert [d.code for d in error.value.diagnostics] == [Code.InputNotProduced, Code.OpUnsupported]
    assert mlconv.load(save(tmp_path, model(nodes, [value("x", [2])], [value("y")]))).main.output_names == ["y"]


def test_an_unknown_op_with_a_fault_is_told_for_both(tmp_path: Path) -> None:
    """But a call of a function of the model, with a fault in it, is no unknown op."""
    function = helper.make_function(
        "my", "Call", ["a"], ["b"], [node("Add", ["a", "nowhere"], ["b"])], [helper.make_opsetid("", 17)]
    )
    outside = helper.make_function(
        "my", "Gone", ["a"], ["c"], [node("Relu", ["a"], ["b"])], [helper.make_opsetid("", 17)]
    )
    calls = [helper.make_node(name, ["x"], [name], domain="my") for name in ("Call", "Gone")]
    nodes = [node("Foo", ["x", "nowhere"], ["y"], "foo"), *calls]
    made = model(
        nodes,
        [value("x", [2])],
        [value(n) for n in ("y", "Call", "Gone")],
        functions=[function, outside],
        domains={"my": 1},
    )
    with pytest.raises(ConversionError) as error:
        mlconv.load(save(tmp_path, made))
    assert sorted((d.code.id, d.node.partition("(")[0]) for d in error.value.diagnostics) == [
        ("MLC0102", "Call"),
        ("MLC0102", "Gone"),
        ("MLC0102", "foo"),
        ("MLC0301", "foo"),
    ]
