"""What stands in the file: locations, layouts, names, control flow, weights as parameters; and what is refused before
it is written.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.hlo import hlo_op
from mlconv.exporters.hlo.export import clean, export
from mlconv.exporters.hlo.instruction import check_written
from mlconv.exporters.hlo.shapes import varints
from mlconv.formats.protos import hlo_pb
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import CallStack, FileLocation, NameLocation
from mlconv.runtime.xla_program import run_hlo
from tests.support.lowering import lower
from tests.support.modules import const, module
from tests.support.xla import check, to_hlo

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def entry_of(m: Module) -> Any:
    proto = hlo_pb().HloModuleProto.FromString(to_hlo(m))
    return proto, next(c for c in proto.computations if c.id == proto.entry_computation_id)


def test_instructions_carry_node_line_and_stack() -> None:
    frames = (FileLocation("/home/u/model.py", 12, 5, "call"), FileLocation("/home/u/train.py", 40, 1, "main"))

    def make(b: Builder, x: Value) -> Value:
        b.location = NameLocation("layer/Exp", CallStack(frames))
        return b.emit(core.Exp(x)).y

    proto, entry = entry_of(module(make, [X]))
    (found,) = [i for i in entry.instructions if i.opcode == "exponential"]
    meta = found.metadata
    assert (meta.op_type, meta.op_name, meta.source_file, meta.source_line) == (
        "core.exp",
        "layer/Exp",
        "/home/u/model.py",
        12,
    )
    index = proto.stack_frame_index
    inner = index.stack_frames[meta.stack_frame_id - 1]
    outer = index.stack_frames[inner.parent_frame_id - 1]
    assert [index.file_locations[f.file_location_id - 1].line for f in (inner, outer)] == [
        12,
        40,
    ] and outer.parent_frame_id == 0


def test_layouts_ids_and_names() -> None:
    proto, entry = entry_of(
        module(lambda b, x: [b.emit(core.Softmax(x, axis=1)).y, b.emit(core.ReduceSum(x, axes=(0,))).y], [X])
    )
    everything = [i for c in proto.computations for i in c.instructions]
    assert len({i.id for i in everything}) == len({i.name for i in everything}) == len(everything)
    assert all(list(i.shape.layout.minor_to_major) == list(range(len(i.shape.dimensions)))[::-1] for i in everything)
    root = next(i for i in entry.instructions if i.id == entry.root_id)
    assert root.opcode == "tuple" and len(proto.host_program_shape.result.tuple_shapes) == 2
    assert clean("a/b:0") == "a_b_0" and clean("1x") == "_1x"


def test_branches_use_outer_values() -> None:
    def make(b: Builder, x: Value, big: Value) -> list[Value]:
        weights = const(b, np.arange(900, dtype=np.float32).reshape(3, 300))
        branches = []
        for factor in (2.0, -1.0):
            block = Block()
            inner = b.at(block)
            scaled = inner.emit(core.Mul(x, const(inner, factor, "float32"))).y
            inner.emit(Yield([inner.emit(core.MatMul(scaled, weights)).y]))
            branches.append(Region(block))
        return b.emit(core.If(big, then=branches[0], orelse=branches[1])).ys

    for flag in (True, False):
        check(module(make, [X, np.asarray(flag)]), [X, np.asarray(flag)])


def growing(b: Builder, x: Value) -> list[Value]:
    """Appends x * i, four times."""
    row = TensorType(DType.F32, (2, 3))
    types = [TensorType(DType.I64, ()), TensorType(DType.F32, (Dim.unknown(), 2, 3)), row]
    cond, body = Block(types), Block(types)
    c, t = b.at(cond), b.at(body)
    c.emit(Yield([c.emit(core.Less(cond.arguments[0], const(c, 4, "int64"))).y]))
    following = t.emit(core.Add(body.arguments[0], const(t, 1, "int64"))).y
    doubled = t.emit(core.Add(body.arguments[2], x)).y
    piece = t.emit(core.ExpandDims(doubled, axes=(0,))).y
    t.emit(Yield([following, t.emit(core.Concat([body.arguments[1], piece], axis=0)).y, doubled]))
    inits = [const(b, 0, "int64"), const(b, np.zeros((0, 2, 3)), "float32"), x]
    return b.emit(core.While(inits, cond=Region(cond), body=Region(body))).ys


def test_loops_that_collect_rows_get_their_size() -> None:
    m = module(growing, [X])
    check(m, [X])


def test_dynamic_inputs_are_refused_by_name() -> None:
    m = module(lambda b, x: b.emit(core.Exp(x)).y, [X])
    m.main.inputs[0].type = TensorType(DType.F32, (Dim.symbol("N"), 3))
    engine = DiagnosticEngine()
    lower(m, "hlo", engine)
    (found,) = engine.diagnostics
    assert found.code is Code.ShapeNotStatic and "in0" in found.message and "--shape in0=1,3" in found.help


@pytest.mark.parametrize(
    ("opcode", "attributes", "shape"),
    [
        ("transpose", {"dimensions": (0, 0)}, (2, 3)),
        ("broadcast", {"dimensions": (0, 1)}, (3, 2)),
        ("reshape", {}, (7,)),
        ("slice", {"starts": (0, 0), "limits": (2, 4), "strides": (1, 1)}, (2, 4)),
        ("pad", {"padding": ((0, 0, 0), (0, 0, 0))}, (2, 4)),
        ("negate", {}, (3, 3)),
    ],
)
def test_malformed_ops_are_not_written(opcode: str, attributes: dict[str, Any], shape: tuple[int, ...]) -> None:
    block = Block([TensorType(DType.F32, (2, 3))])
    with pytest.raises(ConversionError) as error:
        hlo_op(opcode, [block.arguments[0]], attributes, [TensorType(DType.F32, shape)]).check()
    assert error.value.code is Code.ArtifactInvalid


PLACE: dict[str, Any] = {"x_layout": "N0C", "w_layout": "0IO", "y_layout": "N0C", "groups": 1}


@pytest.mark.parametrize(
    ("more", "shape"), [({"batch_groups": 2}, (1, 3, 2)), ({"reversed": (0,)}, (2, 3, 2))], ids=["groups", "reversed"]
)
def test_forms_that_are_only_read_are_not_written(more: dict[str, Any], shape: tuple[int, ...]) -> None:
    block = Block([TensorType(DType.F32, (2, 3, 1)), TensorType(DType.F32, (1, 1, 2))])
    attributes = {**PLACE, "window": ((1, 1, 0, 0, 1, 1),), **more}
    conv = hlo_op("convolution", block.arguments, attributes, [TensorType(DType.F32, shape)])
    conv.check()
    with pytest.raises(ConversionError) as error:
        check_written(conv)
    assert error.value.code is Code.TargetLacksOp


def test_nothing_is_left_behind_on_failure(tmp_path: pathlib.Path) -> None:
    m = module(lambda b, x: b.emit(core.Exp(x)).y, [X])
    with pytest.raises(ConversionError):
        export(m, tmp_path / "m.hlo.pb")  # still core ops
    assert list(tmp_path.iterdir()) == []


def test_weights_as_parameters(tmp_path: pathlib.Path) -> None:
    weights = np.arange(900, dtype=np.float32).reshape(3, 300) / 900

    def make(b: Builder, x: Value) -> Value:
        return b.emit(core.MatMul(x, const(b, weights))).y

    path = tmp_path / "m.hlo.pb"
    mlconv.convert(module(make, [X]), to="hlo", output=path, weights="parameters", verify=True)
    names = json.loads((tmp_path / "m.hlo.pb.json").read_text())
    assert names["inputs"] == ["in0"] and names["outputs"] == ["out0"] and len(names["weights"]) == 1
    (y,) = run_hlo(str(path), [X, weights])
    np.testing.assert_allclose(y, X @ weights, rtol=1e-5)


def test_varints() -> None:
    numbers = np.array([0, 1, 127, 128, 300, -1, -(2**63), 2**63 - 1], np.int64)
    literal = hlo_pb().HloModuleProto().computations.add().instructions.add().literal
    data = b"".join(varints(numbers))
    literal.MergeFromString(b"\x2a" + bytes([len(data)]) + data)
    assert list(literal.s64s) == numbers.tolist()
