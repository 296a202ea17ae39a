"""What TFLite files hold besides operators: signatures, variables, packed and sparse constants, places, damage."""

from __future__ import annotations

import pathlib
import struct

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects.core import Constant
from mlconv.exporters.tflite.model import Quantization
from mlconv.importers.format import LoadRequest
from mlconv.importers.tflite.sparsity import Level, Sparsity, densified
from mlconv.importers.tflite_format import FORMAT
from mlconv.ir.constants import Array
from mlconv.legalize.pass_through import flexbuffer, select_options
from mlconv.provenance.locations import FileLocation, NameLocation, frames
from tests.support.litert import data, file_bytes, run_litert
from tests.support.tfl_files import TflFile

F = "float32"


def doubled() -> TflFile:
    """y = x + x, and z = x * x as another signature."""
    file = TflFile(2)
    for graph, builtin in enumerate(("ADD", "MUL")):
        x = file.tensor(F, (-1, 3), graph=graph, name=f"serving_x{graph}:0")
        y = file.tensor(F, (-1, 3), graph=graph, name=f"call:{graph}")
        file.op(builtin, [x, x], [y], graph=graph)
        file.interface([x], [y], graph)
        file.signature(("add", "multiply")[graph], {"x": x}, {"y": y}, graph)
    return file


def write(file: TflFile, folder: pathlib.Path) -> pathlib.Path:
    path = folder / "m.tflite"
    path.write_bytes(file.content())
    return path


def test_the_first_signature_is_read_and_others_are_named(tmp_path: pathlib.Path) -> None:
    path = write(doubled(), tmp_path)
    engine = DiagnosticEngine()
    loaded = FORMAT.load(str(path), LoadRequest(engine))
    assert [f.signature for f in loaded.functions] == ["add"]
    assert "multiply" in engine.diagnostics[0].message
    assert loaded.main.input_names == ["x"] and loaded.main.output_names == ["y"]
    assert str(loaded.main.inputs[0].type) == "float32[x_0,3]"


@pytest.mark.parametrize(("asked", "expected"), [("*", ["add", "multiply"]), ("multiply", ["multiply"])])
def test_signatures_by_name(asked: str, expected: list[str], tmp_path: pathlib.Path) -> None:
    path = write(doubled(), tmp_path)
    loaded = FORMAT.load(str(path), LoadRequest(DiagnosticEngine(), signature=asked))
    assert [f.signature for f in loaded.functions] == expected
    mlconv.convert(path, output=tmp_path / "again.tflite", signature=asked)
    x = data(F, 2, 3)
    got = run_litert((tmp_path / "again.tflite").read_bytes(), [x])[0]
    np.testing.assert_array_equal(got, x + x if asked == "*" else x * x)


def test_a_signature_that_is_none_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConversionError, match="no signature 'sub'") as error:
        mlconv.load(write(doubled(), tmp_path), signature="sub")
    assert error.value.code is Code.NameNotFound


def test_shapes_are_given_by_the_names_of_signatures_and_tensors(tmp_path: pathlib.Path) -> None:
    path = write(doubled(), tmp_path)
    for name in ("x", "serving_x0:0"):
        assert str(mlconv.load(path, shapes={name: (4, 3)}).main.inputs[0].type) == "float32[4,3]"
    with pytest.raises(ConversionError, match="'z', which is not an input"):
        mlconv.load(path, shapes={"z": (4, 3)})
    with pytest.raises(ConversionError, match="the size 5 on axis 1"):
        mlconv.load(path, shapes={"x": (4, 5)})


def counting(scale: tuple[float, int] | None = None) -> TflFile:
    """A variable that the input is added to; it starts at 5."""
    file = TflFile(2)
    kind = "int8" if scale else F
    handle = file.tensor("RESOURCE", (), graph=1)
    first = file.tensor(kind, (2,), np.asarray([5, 5], kind), quant=scale, graph=1)
    file.op("VAR_HANDLE", [], [handle], {"shared_name": "count"}, graph=1)
    file.op("ASSIGN_VARIABLE", [handle, first], [], graph=1)
    file.interface([], [], 1)
    x = file.tensor(kind, (2,), quant=scale, name="x")
    own = file.tensor("RESOURCE", ())
    before, after = (file.tensor(kind, (2,), quant=scale) for _ in "ab")
    file.op("CALL_ONCE", [], [], {"init_subgraph_index": 1})
    file.op("VAR_HANDLE", [], [own], {"shared_name": "count"})
    file.op("READ_VARIABLE", [own], [before])
    file.op("ADD", [before, x], [after])
    file.op("ASSIGN_VARIABLE", [own, after], [])
    file.interface([x], [after])
    return file


@pytest.mark.parametrize("scale", [None, (0.5, 3)])
def test_variables_go_on_from_run_to_run(scale: tuple[float, int] | None, tmp_path: pathlib.Path) -> None:
    path = write(counting(scale), tmp_path)
    loaded = mlconv.load(path)
    state = {name: np.array(c.view()) for name, c in loaded.main.facts.variables.items()}
    assert list(state) == ["count"]
    kind = "int8" if scale else F
    one = np.full(2, 5, kind)  # 1.0 with the scale
    for turn in (1, 2):
        got = next(iter(loaded.run({"x": one}, state).values()))
        start = (5 - 3) * 0.5 if scale else 5.0
        step = 1.0 if scale else 5.0
        number = start + turn * step
        np.testing.assert_array_equal(got, np.full(2, number / scale[0] + scale[1] if scale else number))
    mlconv.convert(path, output=tmp_path / "again.tflite")
    want = run_litert(path.read_bytes(), [one])[0]
    np.testing.assert_array_equal(run_litert((tmp_path / "again.tflite").read_bytes(), [one])[0], want)


def test_a_variable_that_nothing_assigns_is_a_constant(tmp_path: pathlib.Path) -> None:
    file = counting()
    main = file.model.subgraphs[0]
    main.operators = main.operators[:-1]
    loaded = mlconv.load(write(file, tmp_path))
    assert not loaded.main.facts.variables
    np.testing.assert_array_equal(next(iter(loaded.run({"x": np.ones(2, F)}).values())), [6, 6])


def test_tables_are_looked_into(tmp_path: pathlib.Path) -> None:
    file = TflFile(2)
    options = {"table_id": 7, "key_dtype": 4, "value_dtype": 4}
    table = file.tensor("RESOURCE", (), graph=1)
    keys, values = (file.constant(np.asarray(v), graph=1) for v in ([3, 8, 1], [30, 80, 10]))
    file.op("HASHTABLE", [], [table], options, graph=1)
    file.op("HASHTABLE_IMPORT", [table, keys, values], [], graph=1)
    file.interface([], [], 1)
    x, own = file.tensor("int64", (4,), name="x"), file.tensor("RESOURCE", ())
    missing = file.constant(np.asarray(-1))
    found, size = file.tensor("int64", (4,)), file.tensor("int64", (1,))
    file.op("CALL_ONCE", [], [], {"init_subgraph_index": 1})
    file.op("HASHTABLE", [], [own], options)
    file.op("HASHTABLE_FIND", [own, x, missing], [found])
    file.op("HASHTABLE_SIZE", [own], [size])
    file.interface([x], [found, size])
    got = list(mlconv.load(write(file, tmp_path)).run({"x": np.asarray([1, 2, 3, 8])}).values())
    np.testing.assert_array_equal(got[0], [10, -1, 30, 80])
    np.testing.assert_array_equal(got[1], [3])


@pytest.mark.parametrize(
    ("dtype", "numbers"), [("INT4", [-8, 7, -1, 3, 5]), ("UINT4", [0, 15, 8, 3, 5]), ("INT2", [-2, 1, 0, -1, 1])]
)
def test_packed_integers(dtype: str, numbers: list[int], tmp_path: pathlib.Path) -> None:
    bits = 2 if dtype == "INT2" else 4
    packed = bytearray(-(-len(numbers) * bits // 8))
    for i, number in enumerate(numbers):
        packed[i * bits // 8] |= (number & ((1 << bits) - 1)) << (i * bits % 8)
    file = TflFile()
    x = file.tensor(F, (5,), name="x")
    w = file.tensor(dtype, (5,), raw=bytes(packed), quant=(0.5, 0))
    number, y = file.tensor(F, (5,)), file.tensor(F, (5,))
    file.op("DEQUANTIZE", [w], [number])
    file.op("ADD", [x, number], [y])
    file.interface([x], [y])
    got = next(iter(mlconv.load(write(file, tmp_path)).run({"x": np.zeros(5, F)}).values()))
    np.testing.assert_array_equal(got, np.asarray(numbers) * 0.5)


@pytest.mark.parametrize("dtype", [F, "int8"])
def test_weights_of_two_bits(dtype: str, tmp_path: pathlib.Path) -> None:
    """Products of integers, as LiteRT computes them: in the next width that has kernels everywhere, and 2 bits again in
    TFLite.
    """
    rng = np.random.default_rng(0)
    stored, scales = rng.integers(-2, 2, (8, 64)), tuple(map(float, np.float32(rng.random(8) + 0.5)))
    packed = sum((stored.reshape(-1)[i::4] & 3) << (2 * i) for i in range(4))
    file, is_float = TflFile(), dtype == F
    x = file.tensor(dtype, (3, 64), name="x", quant=None if is_float else (0.05, 3))
    w = file.tensor("INT2", (8, 64), raw=np.uint8(packed).tobytes(), quant=Quantization(scales, (0,) * 8))
    y = file.tensor(dtype, (3, 8), quant=None if is_float else (1.5, -4))
    file.op("FULLY_CONNECTED", [x, w, -1], [y], version=14)
    file.interface([x], [y])
    path = write(file, tmp_path)
    values = data(F, 3, 64) if is_float else rng.integers(-128, 128, (3, 64)).astype(np.int8)
    (got,) = mlconv.load(path).run({"x": values}).values()
    (there,) = run_litert(path.read_bytes(), [values])
    np.testing.assert_allclose(got, there, rtol=0, atol=2e-6 * abs(there).max() if is_float else 0)
    mlconv.convert(path, output=tmp_path / "again.tflite")
    assert np.uint8(packed).tobytes() in (tmp_path / "again.tflite").read_bytes()
    (again,) = run_litert((tmp_path / "again.tflite").read_bytes(), [values])
    np.testing.assert_allclose(again, there, rtol=0, atol=2e-6 * abs(there).max() if is_float else 0)


def test_blocks_of_four_bits(tmp_path: pathlib.Path) -> None:
    """A scale, in float16, for each 32 elements of a row."""
    rng = np.random.default_rng(0)
    stored = rng.integers(-8, 8, (4, 64))
    scales = (rng.random((4, 2)) + 0.5).astype(np.float16)
    low = stored.reshape(-1)
    packed = ((low[::2] & 15) | ((low[1::2] & 15) << 4)).astype(np.uint8).tobytes()
    file = TflFile()
    x = file.tensor(F, (3, 64), name="x")
    held = file.constant(scales)
    w = file.tensor("INT4", (4, 64), raw=packed, quant=Quantization((), (), 0, (held, 32)))
    y = file.tensor(F, (3, 4))
    file.op("FULLY_CONNECTED", [x, w, -1], [y])
    file.interface([x], [y])
    values = data(F, 3, 64)
    got = next(iter(mlconv.load(write(file, tmp_path)).run({"x": values}).values()))
    exact = values @ (stored * np.repeat(scales.astype(F), 32, 1)).T
    np.testing.assert_allclose(got, exact, atol=0.02 * abs(exact).max())  # x is quantized at run time


def test_sparse_constants() -> None:
    """A matrix by rows, and the same in blocks of 2 x 2."""
    dense = np.zeros((4, 6), np.float32)
    dense[0, 1], dense[2, 4], dense[2, 5], dense[3, 4] = 1, 2, 3, 4
    rows = Sparsity((0, 1), (), (Level(4, None, None), Level(0, np.asarray([0, 1, 1, 3, 4]), np.asarray([1, 4, 5, 4]))))
    np.testing.assert_array_equal(densified(np.asarray([1, 2, 3, 4], np.float32), (4, 6), rows), dense)
    levels = (
        Level(2, None, None),
        Level(0, np.asarray([0, 1, 2]), np.asarray([0, 2])),
        Level(2, None, None),
        Level(2, None, None),
    )
    blocks = Sparsity((0, 1, 2, 3), (0, 1), levels)
    values = np.asarray([0, 1, 0, 0, 2, 3, 4, 0], np.float32)
    np.testing.assert_array_equal(densified(values, (4, 6), blocks), dense)
    bad = Sparsity((0, 1), (), (Level(4, None, None), Level(0, np.asarray([0, 1, 1, 3, 4]), np.asarray([1, 4, 9, 4]))))
    with pytest.raises(ConversionError, match="outside of its 6 places"):
        densified(np.asarray([1, 2, 3, 4], np.float32), (4, 6), bad)


def test_places_come_back_from_the_debug_metadata(tmp_path: pathlib.Path) -> None:
    """As `exporters/tflite/debug` and TFLiteConverter write them."""
    file = doubled()
    place = NameLocation("model/twice", FileLocation("train.py", 42, 3, "forward"))
    file.model.subgraphs[0].operators[0].location = place
    from mlconv.exporters.tflite.debug import debug_metadata
    from mlconv.exporters.tflite.model import RawBytes

    found = debug_metadata(file.model.subgraphs)
    assert found is not None
    file.model.metadata["debug_metadata"] = len(file.model.buffers)
    file.model.buffers.append(RawBytes(found))
    for i, graph in enumerate(file.model.subgraphs):
        graph.debug_index = i
        for k, op in enumerate(graph.operators):
            op.debug_index = k
    ops = [op for op in mlconv.load(write(file, tmp_path)).walk() if not isinstance(op, Constant)]
    assert ops[0].location == place
    assert frames(ops[0].location)[0].line == 42


def test_custom_and_select_operators(tmp_path: pathlib.Path) -> None:
    """A custom operator keeps its name and options; a Select operator is the node of TensorFlow that it is."""
    from mlconv.formats.protos import tf_pb

    node = tf_pb("framework.graph_pb2").GraphDef().node.add(name="n", op="Xlogy")
    node.attr["T"].type = 1
    file = TflFile()
    x = file.tensor(F, (3,), name="x")
    y, z = file.tensor(F, (3,)), file.tensor(F, (3,))
    file.op("CUSTOM", [x, x], [y], custom=("FlexXlogy", select_options("Xlogy", node.SerializeToString())))
    file.op("CUSTOM", [y], [z], custom=("Mine", flexbuffer({"a": 3})))
    file.interface([x], [y])
    path = write(file, tmp_path)
    values = np.asarray([0.5, 1.0, 3.0], np.float32)
    file.model.subgraphs[0].operators.pop()
    only = tmp_path / "select.tflite"
    only.write_bytes(file.content())
    got = next(iter(mlconv.load(only).run({"x": values}).values()))
    np.testing.assert_allclose(got, values * np.log(values), rtol=1e-6)
    with pytest.raises(ConversionError, match=r"operator custom.Mine is not supported"):
        mlconv.convert(path, output=tmp_path / "a.tflite")
    file = TflFile()
    x, z = file.tensor(F, (3,), name="x"), file.tensor(F, (3,))
    file.op("CUSTOM", [x], [z], custom=("Mine", flexbuffer({"a": 3})))
    file.interface([x], [z])
    mlconv.convert(write(file, tmp_path), output=tmp_path / "a.tflite", allow_custom_ops=True)
    walk = FORMAT.load(str(tmp_path / "a.tflite"), LoadRequest(DiagnosticEngine())).walk()
    (op,) = (op for op in walk if op.name.startswith("tfl."))
    assert (op.name, op.attributes["custom_options"]) == ("tfl.custom.Mine", flexbuffer({"a": 3}))


def transposed_with_bias(x: Array, w: Array, bias: Array, padding: int, stride: tuple[int, int]) -> Array:
    """Convolution2DTransposeBias as its kernel has it: each pixel adds its window to an image of the bias."""
    full = [(size - 1) * s + k for size, s, k in zip(x.shape[1:3], stride, w.shape[1:3], strict=True)]
    crop = [max(0, k - (size - 1) % s - 1) for size, s, k in zip(x.shape[1:3], stride, w.shape[1:3], strict=True)]
    crop = crop if padding == 1 else [0, 0]
    y = np.broadcast_to(bias, (x.shape[0], *full, len(bias))).copy()
    for i, j in np.ndindex(*x.shape[1:3]):
        rows, columns = (slice(at * s, at * s + k) for at, s, k in zip((i, j), stride, w.shape[1:3], strict=True))
        y[:, rows, columns] += np.einsum("nc,ohwc->nhwo", x[:, i, j], w)
    low = [c // 2 for c in crop]
    return y[:, low[0] : low[0] + full[0] - crop[0], low[1] : low[1] + full[1] - crop[1]]


@pytest.mark.parametrize(
    ("padding", "stride", "window", "size"),
    [
        (1, (2, 2), (2, 2), (4, 6)),
        (1, (2, 3), (4, 3), (5, 4)),
        (1, (1, 1), (3, 2), (4, 4)),
        (2, (2, 3), (3, 3), (4, 3)),
        (2, (3, 2), (2, 1), (3, 3)),
    ],
)
def test_the_transposed_convolution_of_mediapipe(
    padding: int, stride: tuple[int, int], window: tuple[int, int], size: tuple[int, int], tmp_path: pathlib.Path
) -> None:
    x, w, bias = data(F, 2, *size, 3), data(F, 4, *window, 3), data(F, 4)
    expected = transposed_with_bias(x, w, bias, padding, stride)
    file = TflFile()
    operands = [file.tensor(F, x.shape, name="x"), file.constant(w), file.constant(bias)]
    y = file.tensor(F, expected.shape)
    options = struct.pack("<3i", padding, stride[1], stride[0])
    file.op("CUSTOM", operands, [y], custom=("Convolution2DTransposeBias", options))
    file.interface(operands[:1], [y])
    mlconv.convert(write(file, tmp_path), output=tmp_path / "a.tflite")
    got = run_litert((tmp_path / "a.tflite").read_bytes(), [x])[0]
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("options", "shape", "code"),
    [
        (b"\1\0\0\0", (1, 2, 2, 3), Code.AttributeInvalid),
        (struct.pack("<3i", 3, 1, 1), (1, 2, 2, 3), Code.AttributeInvalid),
        (struct.pack("<3i", 1, 0, 1), (1, 2, 2, 3), Code.AttributeInvalid),
        (struct.pack("<3i", 1, 1, 1), (2, 3), Code.ShapeMismatch),
    ],
)
def test_damaged_transposed_convolutions_of_mediapipe(
    options: bytes, shape: tuple[int, ...], code: Code, tmp_path: pathlib.Path
) -> None:
    file = TflFile()
    operands = [file.tensor(F, shape), file.constant(data(F, 4, 2, 2, 3)), file.constant(data(F, 4))]
    y = file.tensor(F, (1, 4, 4, 4))
    file.op("CUSTOM", operands, [y], custom=("Convolution2DTransposeBias", options))
    file.interface(operands[:1], [y])
    with pytest.raises(ConversionError, match="Convolution2DTransposeBias") as error:
        mlconv.convert(write(file, tmp_path), output=tmp_path / "a.tflite")
    assert error.value.code is code


def test_a_file_above_two_gigabytes_has_its_constants_behind_it(tmp_path: pathlib.Path) -> None:
    """As the writer lays one out; here with a small limit."""
    from mlconv.exporters.tflite.writer import write_model

    file = TflFile()
    weights = data(F, 64, 128)
    x, w, y = file.tensor(F, (2, 128), name="x"), file.constant(weights), file.tensor(F, (2, 64))
    file.op("FULLY_CONNECTED", [x, w, -1], [y])
    file.interface([x], [y])
    path = tmp_path / "large.tflite"
    write_model(file.model, path, limit=1 << 14)
    values = data(F, 2, 128, seed=1)
    got = next(iter(mlconv.load(path).run({"x": values}).values()))
    np.testing.assert_allclose(got, values @ weights.T, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("to", ["tflite", "native"])
def test_conversions_are_verified_with_litert(to: str, tmp_path: pathlib.Path) -> None:
    """The runtime of the source; its variables go on from call to call."""
    path = write(counting((0.5, 3)), tmp_path)
    output = tmp_path / ("again.tflite" if to == "tflite" else "m.o")
    result = mlconv.convert(path, to=to, output=output, verify=True, verify_with="source")
    assert result.verification and all(row["ok"] for row in result.verification)


DAMAGE = {
    "identifier": lambda b: b[:4] + b"TFL9" + b[8:],
    "root": lambda b: struct.pack("<I", 1 << 30) + b[4:],
    "short": lambda b: b[: len(b) // 2],
    "empty": lambda b: b[:12],
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_refused(what: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m.tflite"
    path.write_bytes(DAMAGE[what](counting().content()))
    with pytest.raises(ConversionError) as error:
        mlconv.load(path)
    assert error.value.code in (Code.FileDamaged, Code.FormatUnknown)


@pytest.mark.parametrize("seed", range(40))
def test_no_flipped_byte_crashes_the_reader(seed: int, tmp_path: pathlib.Path) -> None:
    """A damaged file is refused, or is another model."""
    rng = np.random.default_rng(seed)
    content = bytearray((counting((0.5, 3)) if seed % 2 else doubled()).content())
    for at in rng.integers(8, len(content), 1 + seed % 4):
        content[at] ^= int(rng.integers(1, 256))
    path = tmp_path / "m.tflite"
    path.write_bytes(bytes(content))
    try:
        mlconv.load(path, signature="*" if seed % 3 else None)
    except ConversionError as error:
        assert error.code is not Code.InternalError


def test_the_same_file_gives_the_same_bytes(tmp_path: pathlib.Path) -> None:
    path = write(counting(), tmp_path)
    for name in "ab":
        mlconv.convert(path, output=tmp_path / f"{name}.tflite")
    assert (tmp_path / "a.tflite").read_bytes() == (tmp_path / "b.tflite").read_bytes()
    assert file_bytes(counting().model) == path.read_bytes()
