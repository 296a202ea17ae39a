"""SavedModels: signatures, variables from the bundle, damage, ops that pass through."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.crc32c import LONG, crc32c, unmask
from mlconv.formats.protos import tf_pb
from mlconv.importers.tf.saved_model.bundle import slice_key
from mlconv.importers.tf.saved_model.snappy import decompress
from mlconv.importers.tf.saved_model.variables import sliced
from mlconv.interp import run_function
from mlconv.ir.constants import make_const
from mlconv.runtime.litert import run_tflite
from tests.support.npz import npz

HERE = Path(__file__).parent
STATEFUL = HERE / "stateful_saved_model"


@pytest.fixture
def copy(models: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(models / "digits_cnn_saved_model", tmp_path / "sm"))


def test_gives_the_frameworks_numbers(models: Path, tmp_path: Path) -> None:
    golden = npz(models / "digits_cnn.npz")
    output = tmp_path / "out.tflite"
    result = mlconv.convert(models / "digits_cnn_saved_model", output=output, verify_each=True)
    assert result.inputs[0]["name"] == "image" and result.outputs[0]["name"] == "scores"
    for batch in (1, 10):  # dynamic in the file too
        got = run_tflite(str(output), {"image": golden["image"][:batch]}, "serving_default")
        np.testing.assert_allclose(got["scores"], golden["scores"][:batch], atol=1e-5)


def test_partitioned_variables_are_joined() -> None:
    """Made with TensorFlow: one reference variable in three parts by rows, one resource variable in two by columns."""
    golden = npz(HERE / "partitioned.npz")
    module = mlconv.load(HERE / "partitioned_saved_model")
    np.testing.assert_allclose(module.run({"x": golden["x"]})["y"], golden["y"], rtol=1e-6)


def test_unknown_signature_and_tags_list_what_there_is(models: Path, tmp_path: Path) -> None:
    path = models / "digits_cnn_saved_model"
    with pytest.raises(ConversionError, match="no signature 'nope'; it has: serving_default"):
        mlconv.load(path, signature="nope")
    with pytest.raises(ConversionError, match="tags gpu; it has: serve"):
        mlconv.load(path, tags=("gpu",))
    with pytest.raises(ConversionError, match="MLC0107"):
        mlconv.convert(path, output=tmp_path / "m.tflite", shapes={"nope": (1,)})


def test_missing_and_damaged_files(copy: Path) -> None:
    data = next(copy.glob("variables/variables.data*"))
    index = copy / "variables" / "variables.index"
    good = data.read_bytes()
    data.write_bytes(good[:100])
    with pytest.raises(ConversionError, match=r"MLC0005: .*truncated"):
        mlconv.load(copy)
    flipped = bytearray(good)
    for at in range(0, len(flipped), 500):
        flipped[at] ^= 1
    data.write_bytes(flipped)
    with pytest.raises(ConversionError, match=r"MLC0003: .*checksum of variable"):
        mlconv.load(copy)
    data.unlink()
    with pytest.raises(ConversionError, match=r"MLC0005: .*missing"):
        mlconv.load(copy)
    data.write_bytes(good)
    table = index.read_bytes()
    index.write_bytes(table[:-9] + b"\0" * 9)
    with pytest.raises(ConversionError, match=r"MLC0003: .*footer"):
        mlconv.load(copy)
    index.write_bytes(bytes([table[0] ^ 255]) + table[1:])
    with pytest.raises(ConversionError, match="MLC0003"):
        mlconv.load(copy)
    index.unlink()
    with pytest.raises(ConversionError, match=r"MLC0005: .*variables.index is missing"):
        mlconv.load(copy)
    (copy / "saved_model.pb").write_bytes((copy / "saved_model.pb").read_bytes()[:500])
    with pytest.raises(ConversionError, match=r"MLC0003: cannot parse .*saved_model.pb"):
        mlconv.load(copy)


def test_checksums() -> None:
    assert crc32c([b"123456789"]) == 0xE3069283  # RFC 3720, appendix B.4, and the usual check value
    assert crc32c([bytes(32)]) == 0x8A9136AA
    assert crc32c([bytes(range(32))]) == 0x46DD794E
    data = np.random.default_rng(0).integers(0, 256, 3_000_001, np.uint8).tobytes()
    assert crc32c([data]) == crc32c([data[:1000], data[1000:777_777], data[777_777:]])
    long = data[: LONG + 3]  # what is made shorter, and what is not, are one
    assert crc32c([long]) == crc32c([long[i : i + 10_000] for i in range(0, len(long), 10_000)])
    assert unmask((((0x12345678 >> 15) | (0x12345678 << 17)) + 0xA282EAD8) & 0xFFFFFFFF) == 0x12345678


def test_snappy() -> None:
    assert decompress(b"\x0b\x28hello world") == b"hello world"
    # a copy that overlaps what it writes
    assert decompress(bytes([12, 0x08]) + b"abc" + bytes([0x15, 3])) == b"abc" * 4
    for bad in (b"\x05\x00", b"\x05\x15\x03", b"\xff\xff\xff\xff\xff", b""):
        with pytest.raises(ValueError):
            decompress(bad)


def test_slice_keys() -> None:
    """OrderedCode, as tensorflow/core/util/saved_tensor_slice_util.cc writes it."""
    assert slice_key("w", [(0, None)]).encode("utf-8", "surrogateescape") == b"\0w\0\x01\x01\x01\x80\x7f"
    assert slice_key("w", [(64, 5)]).encode("utf-8", "surrogateescape") == b"\0w\0\x01\x01\x01\xc0\x40\x85"


@pytest.mark.parametrize("specification", ["2 3 a:b", "2 3 0,:-", "2 3 -:-1,1", "2 3 -", "2 3 0,3:-"])
def test_slices_that_are_none(specification: str) -> None:
    with pytest.raises(ConversionError, match="MLC0501"):
        sliced(make_const(np.zeros((2, 3), np.float32)), specification, "w")


def test_a_restore_with_fewer_arguments_than_its_function_takes(tmp_path: Path) -> None:
    """The call is never inlined; what it restores is followed as far as it goes."""
    copy = tmp_path / "model"
    shutil.copytree(STATEFUL, copy)
    message = tf_pb("protobuf.saved_model_pb2").SavedModel.FromString((copy / "saved_model.pb").read_bytes())
    graph = message.meta_graphs[0].graph_def
    restoring = {f.signature.name for f in graph.library.function if any(n.op == "RestoreV2" for n in f.node_def)}
    calls = [n for n in graph.node if n.attr["f"].func.name in restoring]
    assert calls
    for call in calls:
        del call.input[1:]
        del call.attr["Tin"].list.type[1:]
    (copy / "saved_model.pb").write_bytes(message.SerializeToString())
    try:
        mlconv.load(copy)
    except ConversionError as error:
        assert error.code is not Code.InternalError


def custom_model(path: Path) -> Path:
    from onnx import TensorProto, helper

    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 3]) for n in ("x", "y", "w")]
    nodes = [helper.make_node("Wobble", ["x"], ["w"], domain="acme", alpha=0.5), helper.make_node("Neg", ["w"], ["y"])]
    graph = helper.make_graph(nodes, "g", info[:1], info[1:2], value_info=info[2:])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)]
    path.write_bytes(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())
    return path


def test_custom_ops_only_when_asked_for(tmp_path: Path) -> None:
    from ai_edge_litert import schema_py_generated as schema
    from flatbuffers import flexbuffers

    path, output = custom_model(tmp_path / "m.onnx"), tmp_path / "m.tflite"
    with pytest.raises(ConversionError, match="MLC0301"):
        mlconv.convert(path, output=output)
    mlconv.convert(path, output=output, allow_custom_ops=True)
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(output.read_bytes(), 0))
    assert [c.customCode for c in model.operatorCodes] == [b"Wobble", None]
    assert flexbuffers.Loads(bytes(model.subgraphs[0].operators[0].customOptions)) == {"alpha": 0.5}


def test_select_ops_carry_their_node_def(tmp_path: Path) -> None:
    from ai_edge_litert import schema_py_generated as schema
    from flatbuffers import flexbuffers

    from mlconv.formats.protos import tf_pb
    from tests.support.graph_defs import graph, node, placeholder, save

    path = save(graph(placeholder("x", [3, 3]), node("inv", "MatrixSquareRoot", "x", T="float32")), tmp_path)
    output = tmp_path / "m.tflite"
    with pytest.raises(ConversionError, match="MatrixSquareRoot is not supported"):
        mlconv.convert(path, output=output)
    mlconv.convert(path, output=output, allow_select_ops=True)
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(output.read_bytes(), 0))
    assert model.operatorCodes[0].customCode == b"FlexMatrixSquareRoot"
    options = flexbuffers.GetRoot(bytearray(model.subgraphs[0].operators[0].customOptions)).AsVector
    proto = tf_pb("framework.node_def_pb2").NodeDef.FromString(bytes(options[1].AsStringBytes))
    assert options[0].AsString == "MatrixSquareRoot" and proto.op == "MatrixSquareRoot"


def test_interface_is_the_same_data_as_the_signature(models: Path, tmp_path: Path) -> None:
    import json

    mlconv.convert(models / "digits_cnn_saved_model", output=tmp_path / "digits.tflite", io_json=True)
    interface = json.loads((tmp_path / "digits.tflite.io.json").read_text())
    (signature,) = interface["signatures"]
    assert interface["version"] == 1 and signature["name"] == "serving_default"
    assert signature["inputs"] == [
        {"name": "image", "dtype": "float32", "shape": ["image_0", 8, 8, 1], "quantization": None}
    ]
    assert signature["outputs"][0]["shape"] == ["image_0", 10]


def test_variables_that_change_keep_their_state_between_runs(tmp_path: Path) -> None:
    """Made with TensorFlow: a running mean and a counter, three steps with TensorFlow's outputs."""
    from ai_edge_litert import interpreter as litert

    from mlconv.dialects import DIALECTS
    from mlconv.ir.parser import parse_module
    from mlconv.ir.printer import print_module

    with np.load(HERE / "stateful.npz") as z:
        golden = dict(z)
    module = mlconv.load(HERE / "stateful_saved_model")
    state: dict[str, np.ndarray] = {}
    mlconv.convert(HERE / "stateful_saved_model", output=tmp_path / "m.tflite", verify=True, verify_each=True)
    runner = litert.Interpreter(str(tmp_path / "m.tflite")).get_signature_runner()
    for x, y, n in zip(golden["x"], golden["y"], golden["n"], strict=True):
        for got in (module.run({"x": x}, state), runner(x=x)):
            np.testing.assert_allclose(got["y"], y, rtol=1e-6, atol=1e-7)
            assert got["n"] == n
    again = parse_module(print_module(module.module), DIALECTS)
    np.testing.assert_allclose(
        run_function(again.main, {"x": golden["x"][0]})["y"], golden["y"][0], rtol=1e-6, atol=1e-7
    )


def test_parts_of_variables_change(tmp_path: Path) -> None:
    """Made with TensorFlow, three steps: rows, index tuples and strided slices are assigned, added, maximised and
    gathered, in a branch and a loop too.
    """
    from mlconv.runtime.litert import litert_interpreter

    with np.load(HERE / "updates.npz") as z:
        golden = dict(z)
    module = mlconv.load(HERE / "updates_saved_model")
    state: dict[str, np.ndarray] = {}
    mlconv.convert(HERE / "updates_saved_model", output=tmp_path / "m.tflite", verify=True)
    mlconv.convert(HERE / "updates_saved_model", "hlo", tmp_path / "m.hlo.pb", verify=True)
    interpreter = litert_interpreter(str(tmp_path / "m.tflite"))
    for step in range(3):
        inputs = {"x": golden[f"x{step}"], "idx": golden[f"i{step}"]}
        for got in (module.run(inputs, state), run_tflite("", inputs, "serving_default", interpreter)):
            for name in "abcde":
                np.testing.assert_allclose(got[name], golden[f"{name}{step}"], rtol=1e-5, atol=1e-5)


def test_references_of_tensorflow_1_change(tmp_path: Path) -> None:
    """Made with TensorFlow, three steps: references are assigned, added to, scattered into, changed twice in one
    expression, and read before and after.
    """
    from mlconv.runtime.litert import litert_interpreter

    with np.load(HERE / "references.npz") as z:
        golden = dict(z)
    module = mlconv.load(HERE / "references_saved_model")
    state: dict[str, np.ndarray] = {}
    mlconv.convert(HERE / "references_saved_model", output=tmp_path / "m.tflite", verify=True)
    mlconv.convert(HERE / "references_saved_model", "hlo", tmp_path / "m.hlo.pb", verify=True)
    mlconv.convert(HERE / "references_saved_model", "native", tmp_path / "m.o", verify=True)
    interpreter, native = litert_interpreter(str(tmp_path / "m.tflite")), mlconv.load_native(tmp_path / "m.o")
    for step in range(3):
        inputs = {"x": golden[f"x{step}"], "idx": golden[f"i{step}"]}
        for got in (
            module.run(inputs, state),
            run_tflite("", inputs, "serving_default", interpreter),
            native.run(inputs),
        ):
            for name in "abcdef":
                np.testing.assert_allclose(got[name], golden[f"{name}{step}"], rtol=1e-5, atol=1e-5)


def test_static_tables_are_lookups(tmp_path: Path) -> None:
    """Made with TensorFlow: {3: 30, 5: 50, 9: 90}, default -1; the model doubles what it finds."""
    query = np.array([9, 1, 3, 5, 5], np.int64)
    mlconv.convert(HERE / "table_saved_model", output=tmp_path / "m.tflite")
    for got in (
        mlconv.load(HERE / "table_saved_model").run({"q": query}),
        run_tflite(str(tmp_path / "m.tflite"), {"q": query}, "serving_default"),
    ):
        assert got["y"].tolist() == [180, -2, 60, 100, 100] and got["n"] == 3


TEXT_TABLES = HERE / "text_tables_saved_model"
# With TensorFlow: word -> line, line -> word, column 0 -> column 2, word -> word, word -> number.
WORDS = np.array([b"cat", b"on", "m\u00e4t".encode(), b"a", b"zzz", b"c"], object)
NUMBERS = np.array([[0, 1], [3, 99], [5, -7]], np.int64)


def test_tables_of_strings_and_of_asset_files(tmp_path: Path) -> None:
    mlconv.convert(TEXT_TABLES, output=tmp_path / "m.tflite")
    inputs = {"s": WORDS, "n": NUMBERS}
    for got in (
        mlconv.load(TEXT_TABLES).run(inputs),
        run_tflite(str(tmp_path / "m.tflite"), inputs, "serving_default"),
    ):
        assert got["i"].tolist() == [1, 4, 3, -1, -1, -1] and got["size"] == 5
        assert got["w"].tolist() == [[b"the", b"cat"], ["m\u00e4t".encode(), b"?"], [b"?", b"?"]]
        assert got["c"].tolist() == [[9, 9], [0.5, 9], [1.5, 2.5]]
        assert got["kv"].tolist() == [b"none", b"none", b"none", b"x", b"none", b"z"] and got["kf"].tolist() == [
            -1,
            -1,
            -1,
            1,
            -1,
            3,
        ]


def test_tables_of_strings_are_refused_where_the_target_has_none(tmp_path: Path) -> None:
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(TEXT_TABLES, "hlo", tmp_path / "m.hlo.pb", shapes={"s": (6,), "n": (3, 2)})
    assert {d.code.id for d in caught.value.diagnostics} <= {"MLC0401", "MLC0402"} and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"3\tx\t0.5\n\n", "MLC0003: .*empty line, line 2"),
        (b"3\tx\t0.5\n4\ty\n", "MLC0003: .*line 2, has fewer than 3 columns"),
        (b"3\tx\t0.5\n1_0\ty\t1\n", r"MLC0003: .*line 2, has b'1_0', which is no int64"),
        (None, "MLC0005: asset 'map.tsv' is missing"),
        ("link", "MLC0005: asset 'map.tsv' is a link"),
    ],
)
def test_damaged_assets_are_refused(tmp_path: Path, text: bytes | str | None, message: str) -> None:
    copy = tmp_path / "model"
    shutil.copytree(TEXT_TABLES, copy)
    file = copy / "assets" / "map.tsv"
    file.unlink()
    if text == "link":
        (tmp_path / "outside").write_text("1\tx\t1\n")
        file.symlink_to(tmp_path / "outside")
    elif isinstance(text, bytes):
        file.write_bytes(text)
    with pytest.raises(ConversionError, match=message):
        mlconv.load(copy)


def test_signatures_share_what_they_assign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made with TensorFlow: `add` and `mul` change the variable c, which starts at 10; `get` reads it, and d."""
    from mlconv.exporters.tflite.export import _Builder
    from mlconv.interp import run_function
    from mlconv.runtime.litert import litert_interpreter

    path, target = HERE / "shared_saved_model", tmp_path / "m.tflite"
    mlconv.convert(path, output=target, signature="*", verify=True)
    functions = {f.signature: f for f in mlconv.load(path, signature="*").functions}
    assert list(functions["get"].facts.variables) == ["c"]
    interpreter, state = litert_interpreter(str(target)), dict[str, np.ndarray]()
    two = {"x": np.asarray([2], np.float32)}
    for name, c in (("add", 12), ("add", 14), ("mul", 28), ("get", 28), ("add", 30), ("mul", 60), ("get", 60)):
        inputs = {} if name == "get" else two
        expected = {"c": c, "d": 3} if name == "get" else {"c": c}
        found = run_tflite("", inputs, name, interpreter)
        assert {k: float(v[0]) for k, v in found.items()} == expected
        assert {k: float(v[0]) for k, v in run_function(functions[name], inputs, state).items()} == expected
    assert not mlconv.load(path, signature="get").main.facts.variables  # nothing here assigns it
    monkeypatch.setattr(_Builder, "once", _Builder.graph)
    with pytest.raises(ConversionError, match="disagree"):
        mlconv.convert(path, output=target, signature="*", verify=True)


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("tensorflow") is None, reason="TensorFlow is not here")
def test_signatures_that_share_are_verified_with_tensorflow(tmp_path: Path) -> None:
    path, target = HERE / "shared_saved_model", tmp_path / "m.tflite"
    result = mlconv.convert(path, output=target, signature="*", verify=True, verify_with="source")
    assert result.verification and all(v["ok"] for v in result.verification)
