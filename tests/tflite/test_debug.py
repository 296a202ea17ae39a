"""Debug metadata: what a reader of debug_metadata.fbs finds for each operator."""

from __future__ import annotations

import pathlib
import struct
from typing import Any

import numpy as np

import mlconv
from mlconv.dialects import core
from mlconv.ir.core import Block, Region, Yield
from mlconv.ir.module import Module
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import CallStack, FileLocation, Fused, Location, NameLocation
from mlconv.runtime.litert import run_tflite
from tests.support.graphs import Graph

USER = FileLocation("/home/ann/net.py", 12, 5, "forward")
CALLER = FileLocation("/home/ann/train.py", 3)
STACK = CallStack((USER, CALLER))


class Reader:
    """A flatbuffer by slots; the schema's field order is written out where it is read."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def u32(self, at: int) -> int:
        return int(struct.unpack_from("<I", self.data, at)[0])

    def field(self, table: int, slot: int) -> int | None:
        vtable = table - struct.unpack_from("<i", self.data, table)[0]
        size, entry = struct.unpack_from("<H", self.data, vtable)[0], 4 + 2 * slot
        offset = struct.unpack_from("<H", self.data, vtable + entry)[0] if entry < size else 0
        return table + offset if offset else None

    def at(self, table: int, slot: int) -> int:
        found = self.field(table, slot)
        assert found is not None
        return found + self.u32(found)

    def number(self, table: int, slot: int) -> int:
        found = self.field(table, slot)
        return 0 if found is None else self.u32(found)

    def vector(self, table: int, slot: int) -> list[int]:
        start = self.at(table, slot)
        return [start + 4 + 4 * i for i in range(self.u32(start))]

    def text(self, table: int, slot: int) -> str:
        start = self.at(table, slot)
        return self.data[start + 4 : start + 4 + self.u32(start)].decode()

    def location(self, attributes: list[int], index: int) -> Any:
        """A location as nested tuples."""
        entry = attributes[index] + self.u32(attributes[index])
        kind = self.data[self.field(entry, 0) or 0]
        inner = self.at(entry, 1)

        def child(slot: int) -> Any:
            assert self.number(inner, slot) < index
            return self.location(attributes, self.number(inner, slot))

        if kind == 1:
            return ("call", child(0), child(1))
        if kind == 2:
            return (self.text(inner, 0), self.number(inner, 1), self.number(inner, 2))
        if kind == 3:
            return ("fused", *[self.location(attributes, self.u32(p)) for p in self.vector(inner, 0)])
        if kind == 4:
            return (self.text(inner, 0), child(1))
        assert kind == 6
        return None


def operators(path: pathlib.Path) -> list[list[tuple[str, Any]]]:
    """(name of the first result, location) of each operator, by subgraph."""
    from ai_edge_litert import schema_py_generated as schema

    model = schema.ModelT.InitFromPackedBuf(path.read_bytes(), 0)
    reader = Reader(
        bytes(next(bytes(model.buffers[m.buffer].data) for m in model.metadata if m.name == b"debug_metadata"))
    )
    (conversion,) = [p + reader.u32(p) for p in reader.vector(reader.u32(0), 1)]
    attributes = reader.vector(conversion, 2)
    graphs = [p + reader.u32(p) for p in reader.vector(conversion, 0)]
    out = []
    for i, graph in enumerate(model.subgraphs):
        assert graph.debugMetadataIndex == i
        rows = [p + reader.u32(p) for p in reader.vector(graphs[i], 0)]
        places = [
            reader.location(attributes, reader.u32(reader.vector(rows[op.debugMetadataIndex], 0)[0]))
            for op in graph.operators
        ]
        out.append(
            list(zip([graph.tensors[op.outputs[0]].name.decode() for op in graph.operators], places, strict=True))
        )
    return out


def placed() -> Module:
    """Two ops, the second with two origins, and a branch."""
    g = Graph((2, 3))

    def put(op: Any, location: Location) -> Any:
        op.location = location
        return g.emit(op).results[0]

    y = put(core.Sin(g.xs[0]), NameLocation("net/sin", STACK))
    y = put(
        core.Exp(y), Fused((NameLocation("net/exp", FileLocation("/home/ann/net.py", 20)), NameLocation("net/log")))
    )
    block = Block()
    block.insert(_at(core.Cos(y), NameLocation("net/cos", STACK)))
    block.insert(Yield([block.last.results[0]], NameLocation("end")))  # type: ignore[union-attr]
    other = Block()
    other.insert(Yield([y], NameLocation("end")))
    total = put(core.ReduceSum(y, axes=(0, 1)), NameLocation("net/sum"))
    test = put(core.Less(total, g.const(np.float32(0))), NameLocation("net/less"))
    z = put(core.If(test, then=Region(block), orelse=Region(other)), NameLocation("net/if", STACK))
    assert isinstance(z.type, TensorType)
    return g.finish(z)


def _at(op: Any, location: Location) -> Any:
    op.location = location
    return op


LINE = ("@forward", ("/home/ann/net.py", 12, 5))
CALL = ("call", LINE, ("/home/ann/train.py", 3, 0))


def test_each_operator_has_its_node_and_lines(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m.tflite"
    mlconv.convert(placed(), output=path, verify=True)
    main, *regions = operators(path)
    found = [place for _, place in main]
    assert found[0] == ("net/sin", CALL)
    assert found[1] == ("fused", ("net/exp", ("/home/ann/net.py", 20, 0)), ("net/log", None))
    assert found[-1] == ("net/if", CALL) and ("net/sum", None) in found
    assert ("net/cos", CALL) in [place for region in regions for _, place in region]


def test_lines_are_stripped_and_paths_mapped(tmp_path: pathlib.Path) -> None:
    bare, mapped = tmp_path / "bare.tflite", tmp_path / "mapped.tflite"
    mlconv.convert(placed(), output=bare, strip_locations=True)
    assert b"debug_metadata" not in bare.read_bytes() and b"net.py" not in bare.read_bytes()
    mlconv.convert(placed(), output=mapped, path_map=(("/home/ann", "src"),))
    assert b"/home/ann" not in mapped.read_bytes()
    assert operators(mapped)[0][0][1] == (
        "net/sin",
        ("call", ("@forward", ("src/net.py", 12, 5)), ("src/train.py", 3, 0)),
    )
    x = np.ones((2, 3), np.float32)
    (a,), (b,) = (run_tflite(str(p), {"x0": x}, "serving_default").values() for p in (bare, mapped))
    np.testing.assert_array_equal(a, b)


def test_a_model_without_lines_has_no_debug_metadata(tmp_path: pathlib.Path) -> None:
    g = Graph((2, 3))
    mlconv.convert(g.finish(g.e(core.Sin(g.xs[0]))), output=tmp_path / "m.tflite")
    assert b"debug_metadata" not in (tmp_path / "m.tflite").read_bytes()
