"""The file: schema table, writer, structural check, versions, names."""

from __future__ import annotations

import pathlib
import random
import struct
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core, tfl_table
from mlconv.exporters.tflite import writer
from mlconv.exporters.tflite.buffers import BufferPool, encode_strings, pack_bits
from mlconv.exporters.tflite.check import check_file, problems_of
from mlconv.exporters.tflite.export import build, export
from mlconv.exporters.tflite.model import (
    Operator,
    OperatorCode,
    Quantization,
    RawBytes,
    Signature,
    SubGraph,
    Tensor,
    TflModel,
)
from mlconv.exporters.tflite.versions import OpFacts, min_runtime, op_version
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Inline, Mapped, SourceFile, Splat, make_const
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.recipes import transpose
from tests.support.litert import data, file_bytes, run_litert, to_tfl
from tests.support.modules import const, module

ROOT = pathlib.Path(__file__).parents[2]
TYPES = tfl_table.ENUMS["TensorType"]


def chain(n: int, constant: bytes = np.ones(4, np.float32).tobytes()) -> TflModel:
    """n ADDs with RELU of a constant to an input [-1, 4]."""
    size = len(constant) // 4
    graph = SubGraph("main", [Tensor("x", 0, (1, 4), signature=(-1, 4)), Tensor("c", 0, (size // 4, 4), 1)], [0])
    for i in range(n):
        graph.tensors.append(Tensor(f"t{i}", 0, (1, 4), signature=(-1, 4)))
        graph.operators.append(Operator(0, (i + 1 if i else 0, 1), (i + 2,), {"fused_activation_function": 1}))
    graph.outputs = [n + 1]
    buffers: list[Any] = [RawBytes(b""), RawBytes(constant), RawBytes(b"1.5.0".ljust(16, b"\0"))]
    signature = Signature("serving_default", [("x", 0)], [("y", n + 1)])
    return TflModel([graph], [OperatorCode("ADD")], buffers, [signature], {"min_runtime_version": 2})


def test_table_is_what_its_generator_writes() -> None:
    run = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "gen_tfl_table.py")], capture_output=True, text=True, check=True
    )
    assert run.stdout == (ROOT / "mlconv" / "dialects" / "tfl_table.py").read_text()


def test_table_agrees_with_the_runtime() -> None:
    from ai_edge_litert import schema_py_generated as schema

    assert {
        k: v for k, v in vars(schema.BuiltinOperator).items() if isinstance(v, int) and not k.startswith("__")
    } == tfl_table.BUILTINS
    assert dict(tfl_table.OPTION_FIELDS)["Conv2DOptions"][4] == ("dilation_w_factor", 4, "int32", 1)
    for table in tfl_table.OPTIONS_OF.values():
        assert table in tfl_table.UNION_ID or table in tfl_table.UNION2_ID


def test_written_file_reads_back() -> None:
    from ai_edge_litert import schema_py_generated as schema

    model = chain(3)
    model.subgraphs[0].tensors[1].quantization = Quantization((0.5,), (3,))
    model.codes.append(OperatorCode("CUSTOM", 2, "Wobble"))
    read = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(file_bytes(model), 0))
    graph = read.subgraphs[0]
    assert [t.name for t in graph.tensors] == [b"x", b"c", b"t0", b"t1", b"t2"]
    assert list(graph.tensors[0].shapeSignature) == [-1, 4] and list(graph.tensors[0].shape) == [1, 4]
    assert list(graph.tensors[1].quantization.scale) == [0.5] and list(graph.tensors[1].quantization.zeroPoint) == [3]
    assert [list(op.inputs) for op in graph.operators] == [[0, 1], [2, 1], [3, 1]]
    assert graph.operators[0].builtinOptions.fusedActivationFunction == 1
    assert (read.operatorCodes[1].builtinCode, read.operatorCodes[1].version, read.operatorCodes[1].customCode) == (
        32,
        2,
        b"Wobble",
    )
    assert (
        read.signatureDefs[0].signatureKey == b"serving_default" and read.signatureDefs[0].outputs[0].tensorIndex == 4
    )
    assert bytes(bytearray(read.buffers[1].data)) == np.ones(4, np.float32).tobytes() and read.version == 3


def test_blocks_have_a_tensor_of_scales(tmp_path: pathlib.Path) -> None:
    from ai_edge_litert import schema_py_generated as schema

    for at, size, wrong in ((1, 2, ()), (0, 2, ("tensor 0 does not",)), (1, 3, ("blocks of 3",))):
        model = chain(1)
        graph = model.subgraphs[0]
        model.buffers[1] = RawBytes(np.ones(2, np.float16).tobytes())
        graph.tensors[1] = Tensor("s", TYPES["FLOAT16"], (1, 2), 1)
        model.buffers.append(RawBytes(pack_bits(np.ones(4, np.int8), 4)))
        graph.tensors.append(Tensor("w", TYPES["INT4"], (1, 4), 3, quantization=Quantization((), (), 0, (at, size))))
        target = tmp_path / "m.tflite"
        target.write_bytes(file_bytes(model))
        found = problems_of(target)
        assert len(found) == len(wrong) and all(part in text for part, text in zip(wrong, found, strict=True))
    read = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(target.read_bytes(), 0))
    details = read.subgraphs[0].tensors[3].quantization.details
    assert (details.scales, details.zeroPoints, details.blockSize) == (1, -1, 3)


def test_same_model_same_bytes() -> None:
    assert file_bytes(chain(20)) == file_bytes(chain(20))


def test_constants_outside_a_file_that_grows_too_large(tmp_path: pathlib.Path) -> None:
    x = np.ones((2, 4), np.float32)
    model = chain(2, data("float32", 8192, 4).tobytes())
    target = tmp_path / "large.tflite"
    size = writer.write_model(model, target, check_file, limit=1 << 16)
    assert size == target.stat().st_size and not problems_of(target)
    big = np.ones((8192, 4), np.float32)
    inside = run_litert(file_bytes(model), [big])
    assert np.array_equal(run_litert(target.read_bytes(), [big])[0], inside[0])
    small = writer.write_model(chain(2), tmp_path / "small.tflite", check_file)
    assert small < 2000 and np.all(run_litert((tmp_path / "small.tflite").read_bytes(), [x])[0] == 3)


def test_tables_alone_above_the_limit_are_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConversionError) as e:
        writer.write_model(chain(100), tmp_path / "m.tflite", check_file, limit=1000)
    assert e.value.code is Code.TensorTooLarge and not list(tmp_path.iterdir())


def test_numbers_that_the_schema_has_no_room_for_are_refused() -> None:
    place: dict[str, Any] = {
        "strides": (1, 1),
        "pads": ((0, 0), (0, 0)),
        "x_layout": "N01C",
        "w_layout": "O01I",
        "y_layout": "N01C",
    }

    def make(b: Builder, x: Value) -> Value:
        return b.emit(core.Conv(x, const(b, np.ones((1, 1, 1, 1)), "float32"), dilations=(1 << 31, 1), **place)).y

    wide = module(make, [data("float32", 1, 2, 2, 1)])
    with pytest.raises(ConversionError, match="no room") as e:
        file_bytes(to_tfl(wide))
    assert e.value.code is Code.TargetLacksOp


def test_nothing_is_left_behind_on_failure(tmp_path: pathlib.Path) -> None:
    broken = chain(3)
    broken.subgraphs[0].outputs = [99]
    with pytest.raises(ConversionError) as e:
        writer.write_model(broken, tmp_path / "m.tflite", check_file)
    assert e.value.code is Code.ArtifactInvalid and not list(tmp_path.iterdir())
    with pytest.raises(ConversionError) as e:
        writer.write_model(chain(3), tmp_path / "no" / "m.tflite", check_file)
    assert e.value.code is Code.OutputNotWritable


def test_a_constant_that_lies_about_its_size_is_refused(tmp_path: pathlib.Path) -> None:
    class Short(RawBytes):
        @property
        def nbytes(self) -> int:
            return 16

    model = chain(3)
    model.buffers[1] = Short(b"1234")
    with pytest.raises(ConversionError) as e:
        writer.write_model(model, tmp_path / "m.tflite")
    assert e.value.code is Code.ConstantInvalid and not list(tmp_path.iterdir())


def test_mapped_constants_are_copied_from_their_file(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "weights.bin"
    values = data("float32", 50_000)
    source.write_bytes(b"head" * 3 + values.tobytes())
    mapped = Mapped(SourceFile(source), 12, DType.F32, (50_000,))
    m = module(
        lambda b, x: b.emit(core.Add(x, b.emit(core.Constant(value=mapped)).y)).y, [np.zeros(50_000, np.float32)]
    )
    to_tfl(m)
    export(m, tmp_path / "m.tflite")
    assert np.array_equal(run_litert((tmp_path / "m.tflite").read_bytes(), [np.zeros(50_000, np.float32)])[0], values)


def test_equal_constants_share_a_buffer() -> None:
    pool = BufferPool()
    big = data("float32", 64, 64)
    first = pool.add(Inline(big))
    assert pool.add(Inline(big.copy())) == first
    assert pool.add(Inline(big.reshape(-1))) == first
    assert pool.add(transpose(Inline(big), (1, 0))) != first
    changed = big.copy()
    changed[-1, -1] += 1
    assert pool.add(Inline(changed)) != first
    assert pool.add(Splat(0.0, DType.F32, (8,))) == pool.add(make_const(np.zeros(8, np.float32)))


def test_constants_that_live_shortly_are_not_taken_for_one_another() -> None:
    pool = BufferPool()
    big = data("float32", 64, 64)
    pool.add(Inline(big))
    for i in range(1, 50):
        other = big.copy()
        other[-1, -1] += i
        assert pool.add(Inline(big.copy())) == 1
        assert pool.add(Inline(other)) == i + 1


def test_encodings() -> None:
    assert encode_strings([b"ab", "c"]) == struct.pack("<4i", 2, 16, 18, 19) + b"abc"
    assert pack_bits(np.asarray([1, -1, 7], np.int8), 4) == bytes([0xF1, 0x07])
    assert pack_bits(np.asarray([1, -1, -2, 0, 1], np.int8), 2) == bytes([0b00_10_11_01, 0b01])


def test_damage_is_found(tmp_path: pathlib.Path) -> None:
    """Every truncation is reported; bit flips are reported or harmless, and never crash the check."""
    target = tmp_path / "m.tflite"
    whole = file_bytes(chain(10))
    for cut in range(0, len(whole), 7):
        target.write_bytes(whole[:cut])
        assert problems_of(target)
    rng, found = random.Random(1), 0
    for _ in range(1500):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        target.write_bytes(damaged)
        found += bool(problems_of(target))
    assert found > 900


@pytest.mark.parametrize(
    "change, text",
    [
        (lambda m: m.subgraphs[0].operators[1].__setattr__("inputs", (9, 1)), "input tensor 9 of 5"),
        (lambda m: m.subgraphs[0].operators.reverse(), "used before it is produced"),
        (lambda m: m.subgraphs[0].tensors[1].__setattr__("shape", (5,)), "takes 20"),
        (lambda m: m.subgraphs[0].tensors[1].__setattr__("buffer", 7), "buffer 7 of 3"),
        (lambda m: m.subgraphs[0].tensors[0].__setattr__("signature", (-1,)), "shape signature"),
        (lambda m: m.signatures[0].inputs.append(("z", 3)), "no input or output"),
        (lambda m: m.codes.__setitem__(0, OperatorCode("ADD", 99)), "version 99"),
        (lambda m: m.metadata.__setitem__("min_runtime_version", 1), "min_runtime_version"),
        (lambda m: m.buffers.__setitem__(0, RawBytes(b"x")), None),
    ],
)
def test_unsound_models_are_found(change: Any, text: str | None, tmp_path: pathlib.Path) -> None:
    model = chain(3)
    change(model)
    (tmp_path / "m.tflite").write_bytes(file_bytes(model))
    problems = problems_of(tmp_path / "m.tflite")
    assert not problems if text is None else any(text in p for p in problems), problems


def facts(*types: str, out: str = "FLOAT32", rank: int = 2, quantized: bool = False, **options: Any) -> OpFacts:
    quantization = Quantization((0.5,), (0,)) if quantized else None
    ins = [Tensor("", TYPES[t], (2,) * rank, quantization=quantization) for t in types]
    return OpFacts(ins, [Tensor("", TYPES[out], (2,) * rank)], options)


@pytest.mark.parametrize(
    "op, given, version",
    [
        ("ADD", facts("FLOAT32", "FLOAT32"), 1),
        ("ADD", facts("INT64", "INT64"), 4),
        ("ADD", facts("INT16", "INT16", out="INT16"), 5),
        ("CONV_2D", facts("FLOAT32", "FLOAT32", "FLOAT32"), 1),
        ("CONV_2D", facts("INT8", "INT8", "INT32", out="INT8"), 3),
        ("CONV_2D", facts("FLOAT32", "INT8", "FLOAT32"), 2),
        ("DEPTHWISE_CONV_2D", facts("FLOAT32", "FLOAT32", dilation_w_factor=2), 2),
        ("FULLY_CONNECTED", facts("FLOAT32", "FLOAT32"), 6),
        ("FULLY_CONNECTED", facts("FLOAT32", "FLOAT32", "FLOAT32", keep_num_dims=True), 5),
        ("FULLY_CONNECTED", facts("INT8", "INT8", "INT32", out="INT8"), 4),
        ("TRANSPOSE", facts("FLOAT32", "INT32", rank=5), 4),
        ("TRANSPOSE", facts("BOOL", "INT32"), 3),
        ("PAD", facts("FLOAT32", "INT32", rank=5), 4),
        ("GATHER", facts("FLOAT32", "INT32", batch_dims=1), 5),
        ("GATHER", facts("BOOL", "INT32", out="BOOL"), 3),
        ("STRIDED_SLICE", facts("FLOAT32", "INT32", "INT32", "INT32", rank=5), 4),
        ("RESIZE_BILINEAR", facts("FLOAT32", "INT32", half_pixel_centers=True), 3),
        ("RESIZE_NEAREST_NEIGHBOR", facts("FLOAT32", "INT32", align_corners=True), 3),
        ("CAST", facts("INT8", out="FLOAT32"), 3),
        ("CAST", facts("FLOAT16", out="FLOAT32"), 5),
        ("BROADCAST_TO", facts("FLOAT32", "INT32"), 2),
        ("SPLIT", facts("INT32", "FLOAT32"), 1),
        ("TRANSPOSE_CONV", facts("INT32", "FLOAT32", "FLOAT32", "FLOAT32"), 3),
        ("SELECT_V2", facts("BOOL", "FLOAT32", "FLOAT32"), 1),
        ("WHERE", facts("FLOAT32", out="INT64"), 2),
        ("MUL", facts("INT8", "INT8", out="INT8"), 2),
        ("FLOOR_DIV", facts("FLOAT32", "FLOAT32"), 2),
        ("SIGN", facts("INT32", out="INT32"), 2),
        ("LOGISTIC", facts("FLOAT32"), 1),
    ],
)
def test_versions(op: str, given: OpFacts, version: int) -> None:
    assert op_version(op, given) == version


def test_min_runtime() -> None:
    assert min_runtime([("ADD", 1), ("BROADCAST_TO", 2), ("CONV_2D", 1)]) == "2.5.0"
    assert min_runtime([]) == ""


def test_names_and_signature() -> None:
    n = Dim.symbol("N")

    def make(b: Any, x: Any, y: Any) -> Any:
        first = b.emit(core.Add(x, const(b, [1.0], "float32"))).y
        second = b.emit(core.Add(first, y)).y
        first.name = second.name = "same"
        return [second, first]

    m = module(make, [data("float32", 2, 3), data("float32", 2, 3)], [(n, 3), (n, 3)])
    m.main.output_names = ["out/b:0", "out/a:0"]
    to_tfl(m)
    model = build(m)
    graph, signature = model.subgraphs[0], model.signatures[0]
    names = [t.name for t in graph.tensors]
    assert len(set(names)) == len(names) and "same" in names
    assert [k for k, _ in signature.inputs] == ["in0", "in1"] and [k for k, _ in signature.outputs] == [
        "out/b:0",
        "out/a:0",
    ]
    assert graph.tensors[0].shape == (1, 3) and graph.tensors[0].signature == (-1, 3)


def test_time_grows_with_the_number_of_ops(tmp_path: pathlib.Path) -> None:
    seconds = []
    for n in (2_000, 20_000):
        model, start = chain(n), time.perf_counter()
        writer.write_model(model, tmp_path / "m.tflite", check_file)
        seconds.append(time.perf_counter() - start)
    assert seconds[1] < 25 * max(seconds[0], 0.01)
