"""Graphs with problems: one run also tells the kinds of ops that no rule knows."""

from __future__ import annotations

import pathlib
import shutil
from typing import Any

import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.formats.protos import tf_pb
from mlconv.importers.tf.attributes import AttrDecoder
from mlconv.importers.tf.debug_info import DebugInfo
from mlconv.importers.tf.functions import Library
from mlconv.importers.tf.graph import GraphBuilder
from mlconv.importers.tf.model import import_graph_def
from mlconv.importers.tf.reader import read_graph_def
from mlconv.importers.tf.survey import survey
from mlconv.ir.module import Module
from mlconv.legalize import from_tf
from tests.support.graph_defs import function, graph, node, placeholder, save

X = placeholder("x")
INNER = function(
    "inner", {"a": "float"}, [node("odd", "Gadget", "a"), node("dead", "Unused", "a")], {"b": ("float", "odd:0:0")}
)


def problems(path: pathlib.Path, **options: Any) -> set[tuple[Code, str]]:
    with pytest.raises(ConversionError) as caught:
        mlconv.load(path, **options)
    return {(d.code, d.node) for d in caught.value.diagnostics or (caught.value.diagnostic,)}


def test_all_structure_errors_and_unknown_kinds_at_once(tmp_path: pathlib.Path) -> None:
    """Each input that is not there, a missing attribute, a wrong type; in front of them, behind them and in a function.
    What no output needs is silent.
    """
    proto = graph(
        X,
        node("front", "Widget", "x"),
        node("gap", "AddN", "nowhere", "front", "void", N=3, T="float"),
        node("call", "inner", "gap"),
        node("half", "Relu", "call"),
        node("kind", "Neg", "x", T="double"),
        node("back", "Frobnicate", "half", "kind"),
        node("end", "NoOp", "^side"),
        node("side", "Aside", "x"),
        functions=(INNER,),
    )
    assert problems(save(proto, tmp_path), outputs=["back"]) == {
        (Code.InputNotProduced, "gap"),
        (Code.AttributeInvalid, "half"),
        (Code.TypeMismatch, "kind"),
        (Code.OpUnsupported, "front"),
        (Code.OpUnsupported, "inner/odd"),
        (Code.OpUnsupported, "back"),
    }
    with pytest.raises(ConversionError) as caught:
        mlconv.load(save(proto, tmp_path), outputs=["back"])
    assert [w for w in ("'nowhere'", "'void'") if not any(w in d.message for d in caught.value.diagnostics)] == []


@pytest.mark.parametrize(
    ("nodes", "code"),
    [
        ([node("a", "AddV2", "x", "b", T="float"), node("b", "Widget", "a")], Code.GraphHasCycle),
        ([node("a", "Switch", "x", "x", T="float"), node("b", "Widget", "a")], Code.TypeMismatch),
        (
            [node("a", "PartitionedCall", "x", f="absent", Tin=["float"], Tout=["float"]), node("b", "Widget", "a")],
            Code.InputNotProduced,
        ),
        ([node("a", "Exit", "x", T="float"), node("b", "Widget", "a")], Code.ControlFlowUnstructured),
    ],
)
def test_behind_a_cycle_control_flow_and_calls(nodes: list[Any], code: Code, tmp_path: pathlib.Path) -> None:
    assert {c for c, _ in problems(save(graph(X, *nodes), tmp_path))} == {code, Code.OpUnsupported}


def test_wrong_use_is_told_alone(tmp_path: pathlib.Path) -> None:
    path = save(graph(X, node("y", "Widget", "x")), tmp_path)
    assert {c for c, _ in problems(path, outputs=["z"])} == {Code.NameNotFound}


def test_without_an_engine_problems_are_raised(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConversionError) as caught:
        import_graph_def(str(save(graph(X, node("y", "Neg", "nowhere", T="float")), tmp_path)))
    assert caught.value.code is Code.InputNotProduced


def test_saved_models(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """A function of a SavedModel that reads what is not there, with an op of no known kind behind it; what saves and
    restores is silent.
    """
    path = pathlib.Path(shutil.copytree(models / "digits_cnn_saved_model", tmp_path / "sm"))
    proto = tf_pb("protobuf.saved_model_pb2").SavedModel.FromString((path / "saved_model.pb").read_bytes())
    functions = proto.meta_graphs[0].graph_def.library.function
    body = next(f for f in functions if any(n.op == "Conv2D" for n in f.node_def))
    for changed in body.node_def:
        if changed.op == "Conv2D":
            changed.input[0] = "nowhere:0"
        elif changed.op == "Relu":
            changed.op = "Frobnicate"
    (path / "saved_model.pb").write_bytes(proto.SerializeToString())
    assert {code for code, _ in problems(path)} == {Code.InputNotProduced, Code.OpUnsupported}


def test_what_converts_has_no_unknown_kinds(models: pathlib.Path) -> None:
    files = [*models.glob("*.pb")]
    assert files
    for path in files:
        file, debug, engine = read_graph_def(path), DebugInfo(None), DiagnosticEngine()
        library = Library(file.proto.library, AttrDecoder(file), engine, debug, lambda g: None)
        built, nodes = GraphBuilder(AttrDecoder(file), engine, debug, library.functions).build(
            "", file.proto.node, callees=library.signatures
        )
        source = Module([survey(built, nodes, None, library, debug)], {})
        assert len(list(source.walk())) > 1
        from_tf.legalize(source, engine)
        assert engine.diagnostics == [], path
