"""Cutting payloads out of serialized messages: same content, byte ranges that are right, damage that is found."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats import wire
from mlconv.formats.protos import onnx_pb, tf_pb
from mlconv.formats.varints import packed_varints
from mlconv.importers.onnx.message import TABLES


def tensor(n: int, raw: bool = True) -> object:
    t = onnx_pb().TensorProto(name=f"w{n}", dims=[n], data_type=1)
    data = np.arange(n, dtype=np.float32)
    if raw:
        t.raw_data = data.tobytes()
    else:
        t.float_data.extend(data.tolist())
    return t


def model_with(*tensors: object) -> bytes:
    m = onnx_pb().ModelProto(ir_version=8)
    m.graph.initializer.extend(tensors)
    return bytes(m.SerializeToString())


@pytest.mark.parametrize("raw", [True, False])
def test_payload_range_and_rest(raw: bool) -> None:
    data = model_with(tensor(4, raw), tensor(1000, raw), tensor(300, raw))
    reduced = wire.reduce(data, TABLES, "ModelProto")
    parsed = onnx_pb().ModelProto.FromString(reduced.proto)
    assert [p.nbytes for p in reduced.payloads] == [4000, 1200]
    assert len(reduced.proto) < 400
    small, large, _ = parsed.graph.initializer
    assert wire.payloads_of(small, reduced) == {}
    (payload,) = wire.payloads_of(large, reduced).values()
    found = np.frombuffer(data, np.float32, 1000, payload.offset)
    assert (found == np.arange(1000)).all()
    assert large.name == "w1000"


def test_nested_in_attributes_and_subgraphs() -> None:
    pb = onnx_pb()
    m = pb.ModelProto()
    node = m.graph.node.add(op_type="If")
    branch = node.attribute.add(name="then_branch", type=5)
    branch.g.node.add(op_type="Constant").attribute.add(name="value", type=4).t.CopyFrom(tensor(500))
    reduced = wire.reduce(m.SerializeToString(), TABLES, "ModelProto")
    parsed = pb.ModelProto.FromString(reduced.proto)
    inner = parsed.graph.node[0].attribute[0].g.node[0].attribute[0].t
    assert [p.nbytes for p in wire.payloads_of(inner, reduced).values()] == [2000]


def test_tensorflow_table() -> None:
    graph = tf_pb("framework.graph_pb2").GraphDef()
    node = graph.node.add(name="c", op="Const")
    node.attr["value"].tensor.tensor_content = bytes(5000)
    reduced = wire.reduce(graph.SerializeToString(), wire.TENSORFLOW, "GraphDef")
    parsed = type(graph).FromString(reduced.proto)
    assert [p.nbytes for p in wire.payloads_of(parsed.node[0].attr["value"].tensor, reduced).values()] == [5000]


def test_nothing_to_cut_is_unchanged() -> None:
    data = model_with(tensor(3))
    assert wire.reduce(data, TABLES, "ModelProto").proto == data


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"\x08\x08" + b"\x3a" + b"\xff" * 200, Code.FileDamaged, "varint"),
        (b"\x3a\x80\x80\x80\x80\x80\x80\x80\x80\x10\x00", Code.FileDamaged, "truncated"),
        (model_with(tensor(1000))[:2000], Code.FileDamaged, "truncated"),
        (b"\x0f", Code.FileDamaged, "tag"),
        (b"\x09\x00", Code.FileDamaged, "truncated"),
    ],
)
def test_damage(data: bytes, code: Code, words: str) -> None:
    with pytest.raises(ConversionError, match=words) as caught:
        wire.reduce(data, TABLES, "ModelProto")
    assert caught.value.code is code


def test_deep_nesting_is_refused() -> None:
    inner = bytes(wire.MIN_CUT)
    for _ in range(300):
        for tag in (b"\x32", b"\x2a", b"\x0a"):  # g, attribute, node
            length = bytearray()
            size = len(inner)
            while size > 127:
                length.append(size & 127 | 128)
                size >>= 7
            inner = tag + bytes(length) + bytes([size]) + inner
    with pytest.raises(ConversionError, match="nested") as caught:
        wire.reduce(inner, TABLES, "GraphProto")
    assert caught.value.code is Code.NestedTooDeeply


def test_packed_varints() -> None:
    values = np.array([0, 1, 127, 128, 300, 2**63, 2**64 - 1], np.uint64)
    t = onnx_pb().TensorProto(uint64_data=values.tolist())
    packed = t.SerializeToString()[2:]
    assert (packed_varints(packed) == values).all()
    with pytest.raises(ConversionError, match="within a number"):
        packed_varints(packed[:-1])


def test_hundred_thousand_nodes_are_scanned_quickly() -> None:
    import time

    m = onnx_pb().ModelProto()
    for i in range(100_000):
        m.graph.node.add(op_type="Relu", name=f"n{i}", input=[f"v{i}"], output=[f"v{i + 1}"])
    data = m.SerializeToString()
    start = time.perf_counter()
    wire.reduce(data, TABLES, "ModelProto")
    assert time.perf_counter() - start < 1.5


def test_packages_are_not_imported() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from mlconv.formats.protos import onnx_pb, tf_pb; onnx_pb(); tf_pb('protobuf.saved_model_pb2'); "
        "tf_pb('framework.graph_debug_info_pb2'); assert not [m for m "
        "in sys.modules if m.split('.')[0] in ('onnx', 'tensorflow')]; "
        "import onnx; assert onnx.ModelProto is onnx_pb().ModelProto"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
