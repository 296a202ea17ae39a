"""Which files are read here, which are left to Keras, and what is said of damaged ones."""

from __future__ import annotations

import json
import shutil
import struct
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.driver.loading import import_model
from mlconv.driver.options import Options
from mlconv.importers.keras.fields import Fields, LeftToKerasError
from mlconv.importers.keras.graph import snake_case
from mlconv.importers.keras.layers.activation import FUNCTIONS
from mlconv.importers.keras.model import read_keras
from mlconv.importers.keras.rules import LAYERS
from mlconv.importers.keras.weights import NamedWeights
from mlconv.ir import constants
from mlconv.provenance.locations import NameLocation
from tests.keras.models import LEFT_TO_KERAS
from tests.keras.test_rows import check, expected
from tests.support.cli import call


def changed(source: Path, target: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """A copy of an archive with another configuration."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            if info.filename == "config.json":
                config = json.loads(data)
                change(config["config"])
                data = json.dumps(config).encode()
            new.writestr(info.filename, data)
    return target


def reweighted(source: Path, target: Path, change: Callable[[Any], object], scratch: Path) -> Path:
    """A copy of an archive with other weights."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            if info.filename == "model.weights.h5":
                scratch.write_bytes(data)
                with h5py.File(scratch, "r+") as file:
                    change(file)
                data = scratch.read_bytes()
            new.writestr(info.filename, data)
    return target


def layer_of(config: dict[str, Any], kind: str) -> dict[str, Any]:
    found = next(layer for layer in config["layers"] if layer["class_name"] == kind)
    return dict.__getitem__(found, "config")  # type: ignore[no-any-return]


@pytest.mark.long
@pytest.mark.share(4)
def test_keras_itself_gives_the_same_interface_and_numbers(zoo: Path) -> None:
    """A module that is imported may define custom objects: the file is loaded by Keras then."""
    path = zoo / "shared_and_nested.keras"
    inputs, outputs = expected(zoo, "shared_and_nested")
    engines = DiagnosticEngine(), DiagnosticEngine()
    direct, other = (
        import_model(str(path), Options(imports=names), engine)
        for names, engine in zip(((), ("json",)), engines, strict=True)
    )
    assert [d.source["format"] for d in (direct, other)] == ["keras", "saved_model"]
    facts = [
        (m.main.signature, [(v.name, v.type) for v in m.main.inputs], m.main.output_names, m.source["path"])
        for m in (direct, other)
    ]
    assert facts[0] == facts[1]
    assert not engines[0].diagnostics
    (note,) = engines[1].diagnostics
    assert note.notes == ("not read without it: modules are imported, which may define custom objects",)
    check(direct.run(inputs), outputs)
    assert getattr(sys.modules.get("tensorflow"), "__file__", None) is None


@pytest.mark.long
def test_what_is_not_known_is_left_to_keras(zoo: Path) -> None:
    """Another process loads it with Keras; ours never imports tensorflow."""
    path = zoo / f"{LEFT_TO_KERAS}.keras"
    with pytest.raises(LeftToKerasError, match="Equalization is no layer that is known here"):
        read_keras(str(path), {})
    model = mlconv.load(path)
    inputs, outputs = expected(zoo, LEFT_TO_KERAS)
    check(model.run(inputs), outputs)
    assert getattr(sys.modules.get("tensorflow"), "__file__", None) is None


WITHOUT_RULE = {
    "strings": {"StringLookup", "TextVectorization", "Hashing", "HashedCrossing"},
    "programs": {"Lambda", "FlaxLayer", "JaxLayer", "TorchModuleWrapper", "TFSMLayer"},
    "bases, and parts of others": {
        *("Layer", "Wrapper", "InputLayer", "LSTMCell", "GRUCell", "SimpleRNNCell", "StackedRNNCells")
    },
    "images by their contents": {"Equalization", "ContrastLimitedAdaptiveHistogramEqualization"},
}


def test_all_layers_and_activations_of_keras_are_known(zoo: Path) -> None:
    """A layer that Keras has has a rule, or a reason for none."""
    kinds, functions = json.loads((zoo / "kinds.json").read_text(encoding="utf-8"))
    assert set(kinds) - set(LAYERS.by_kind) == set().union(*WITHOUT_RULE.values())
    assert set(functions) - set(FUNCTIONS) == {"get", "serialize", "deserialize", "threshold"}


def test_files_that_hold_no_model(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["numbers"] = np.zeros(3)
    with pytest.raises(LeftToKerasError, match="holds no whole model"):
        read_keras(str(tmp_path / "other.h5"), {})


@pytest.mark.parametrize(
    ("kind", "field", "value", "why"),
    [
        ("Conv2D", "quantization", {"mode": "int8"}, "Conv2D has the field 'quantization'"),
        ("Conv2D", "activation", "my_own", "activation of Conv2D is 'my_own'"),
        ("Conv2D", "padding", "reflect", "padding of Conv2D is 'reflect'"),
        ("Conv2D", "strides", [0, 1], r"strides of Conv2D is \[0, 1\]"),
        ("Conv2D", "strides", [1 << 40, 1], "strides of Conv2D"),
        ("Conv2D", "filters", True, "filters of Conv2D is True"),
        ("Conv2D", "outer_rank", 2, "Conv2D has the field 'outer_rank'"),
        ("Conv2D", "dtype", "float16", "Conv2D computes with float16, and keeps its weights in float16"),
        ("Conv2D", "dtype", {"class_name": "QuantizedDTypePolicy", "config": {}}, "the dtype policy"),
        ("Dense", "use_bias", "yes", "use_bias of Dense is 'yes'"),
        ("InputLayer", "sparse", True, "is no plain input"),
        ("InputLayer", "dtype", "string", "is of string"),
        ("InputLayer", "batch_shape", [None, -3], "the shape of the input"),
    ],
)
def test_each_field_is_asked_for(zoo: Path, tmp_path: Path, kind: str, field: str, value: object, why: str) -> None:
    path = changed(
        zoo / "shared_and_nested.keras",
        tmp_path / "m.keras",
        lambda config: layer_of(config, kind).update({field: value}),
    )
    with pytest.raises(LeftToKerasError, match=why):
        read_keras(str(path), {})


@pytest.mark.parametrize("kind", ["Average", "GlobalAveragePooling1D", "LayerNormalization", "Dense", "Softmax"])
def test_integers_are_left_to_keras(zoo: Path, tmp_path: Path, kind: str) -> None:
    """Keras makes floating-point numbers of them."""

    def change(config: dict[str, Any]) -> None:
        layer = next(layer for layer in config["layers"] if layer["class_name"] == "Flatten")
        layer["class_name"], layer["config"] = kind, {"name": "x", "units": 3}
        if kind == "Average":
            layer["inbound_nodes"][0]["args"] = [layer["inbound_nodes"][0]["args"]]

    path = changed(zoo / "moved_integers.keras", tmp_path / "m.keras", change)
    with pytest.raises(LeftToKerasError, match="is given int32"):
        read_keras(str(path), {})


def test_weights_of_other_policies_are_left_to_keras(zoo: Path, tmp_path: Path) -> None:
    """Quantized tables have scales beside them: their weights are not asked for what those of floats are."""

    def change(config: dict[str, Any]) -> None:
        layer = next(layer for layer in config["layers"] if layer["class_name"] == "Flatten")
        policy = {"class_name": "QuantizedDTypePolicy", "config": {"mode": "int8", "source_name": "float32"}}
        layer["class_name"] = "Embedding"
        layer["config"] = {"name": "x", "input_dim": 5, "output_dim": 3, "dtype": policy}

    path = changed(zoo / "moved_integers.keras", tmp_path / "m.keras", change)
    with pytest.raises(LeftToKerasError, match="Embedding has the dtype policy 'QuantizedDTypePolicy'"):
        read_keras(str(path), {})


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda c: c["layers"][1].update(module="mine"), "is a class of mine"),
        (lambda c: c["layers"][1].update(registered_name="mine>Conv2D"), "is registered as 'mine>Conv2D'"),
        (lambda c: c["layers"].append(c["layers"][1]), "two layers have one name"),
        (lambda c: c["output_layers"].update(b=["nobody", 0, 0]), "names no result"),
        (lambda c: c["output_layers"].update(b=["image", 7, 0]), "no layer makes the output"),
        (lambda c: c["output_layers"].update(b=[["image", 0, 0], [["image", 0, 0]]]), "names no result"),
        (lambda c: c["layers"][1].update(inbound_nodes=[{"args": [], "kwargs": {}}]), "it is given 0 arguments"),
        (lambda c: c["layers"][1].update(inbound_nodes=[[["image", 0, 0, {"mask": 1}]]]), "arguments by name"),
        (lambda c: c["layers"][1].update(inbound_nodes=[[["conv2d", 0, 0]]]), "circle|nobody|no layer"),
        (lambda c: c["layers"][1].update(inbound_nodes=3), "inbound_nodes is no list"),
        (lambda c: c.update(layers=[]), "no layers"),
        (lambda c: c.update(input_layers=None), "names no result"),
    ],
)
def test_graphs_that_are_none(zoo: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object], why: str) -> None:
    path = changed(zoo / "shared_and_nested.keras", tmp_path / "m.keras", change)
    with pytest.raises(LeftToKerasError, match=why):
        read_keras(str(path), {})


def test_a_cycle_of_layers_ends(zoo: Path, tmp_path: Path) -> None:
    def circle(config: dict[str, Any]) -> None:
        first, second = config["layers"][1:3]
        first["inbound_nodes"] = [[[second["name"], 0, 0]]]
        second["inbound_nodes"] = [[[first["name"], 0, 0]]]

    path = changed(zoo / "dense.keras", tmp_path / "m.keras", circle)
    with pytest.raises(LeftToKerasError, match="go in a circle"):
        read_keras(str(path), {})


def test_a_nest_of_models_ends(zoo: Path, tmp_path: Path) -> None:
    def nest(config: dict[str, Any]) -> None:
        for _ in range(60):
            inner = {"class_name": "Functional", "config": dict(config), "name": "deep", "inbound_nodes": []}
            config.update(name="outer", layers=[inner])

    path = changed(zoo / "dense.keras", tmp_path / "m.keras", nest)
    with pytest.raises(LeftToKerasError):
        read_keras(str(path), {})


def test_weights_are_ranges_of_the_file(zoo: Path) -> None:
    for suffix in ("keras", "h5"):
        path = zoo / f"sequential_in_sequential.{suffix}"
        found = [op.attributes["value"] for op in read_keras(str(path), {}).walk() if op.name == "core.constant"]
        mapped = [c for c in found if isinstance(c, constants.Mapped)]
        assert len(mapped) == 8 and {c.file.path for c in mapped} == {str(path)}
        small = [c for c in found if not isinstance(c, constants.Mapped)]
        assert all(c.size < 10 for c in small)


@pytest.mark.parametrize(
    ("change", "code", "why"),
    [
        (lambda f: f["layers/conv2d/vars"].pop("1"), "MLC0501", "has weights of"),
        (lambda f: f["layers"].pop("conv2d"), "MLC0501", r"has weights of \[\]"),
        (lambda f: resized(f["layers/conv2d/vars"], (3, 3, 3, 5)), "MLC0501", "3, 3, 3, 5"),
        (lambda f: f["layers/conv2d/vars"].move("0", "x"), "MLC0003", "there is no dataset 'layers/conv2d/vars/0'"),
    ],
)
def test_weights_that_do_not_fit(
    zoo: Path, tmp_path: Path, change: Callable[[Any], object], code: str, why: str
) -> None:
    path = reweighted(zoo / "shared_and_nested.keras", tmp_path / "m.keras", change, tmp_path / "scratch.h5")
    with pytest.raises(ConversionError, match=f"{code}: .*{why}"):
        mlconv.load(path)


def resized(group: Any, shape: tuple[int, ...]) -> None:
    del group["0"]
    group["0"] = np.ones(shape, np.float32)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda f: compressed(f["layers/conv2d/vars"]), "is not stored as a plain array"),
        (lambda f: outside(f["layers/conv2d/vars"]), "is not stored as a plain array"),
        (lambda f: f["layers/conv2d/vars"].attrs.update(name="other"), "are stored as those of 'other'"),
        (lambda f: bool(resized_as(f["layers/conv2d/vars"], np.float64)) or None, "weights that are no float32"),
    ],
)
def test_weights_of_other_forms(zoo: Path, tmp_path: Path, change: Callable[[Any], object], why: str) -> None:
    path = reweighted(zoo / "shared_and_nested.keras", tmp_path / "m.keras", change, tmp_path / "scratch.h5")
    with pytest.raises(LeftToKerasError, match=why):
        read_keras(str(path), {})


def compressed(group: Any) -> None:
    data = group["0"][...]
    del group["0"]
    group.create_dataset("0", data=data, compression="gzip")


def outside(group: Any) -> None:
    """Data in a file of their own."""
    shape = group["0"].shape
    del group["0"]
    group.create_dataset("0", shape, "<f4", external=[("/etc/hostname", 0, h5py.h5f.UNLIMITED)])


def resized_as(group: Any, dtype: Any) -> None:
    data = group["0"][...].astype(dtype)
    del group["0"]
    group["0"] = data


def test_links_in_weights_are_not_followed(zoo: Path, tmp_path: Path) -> None:
    def link(file: Any) -> None:
        del file["layers/conv2d"]
        file["layers/conv2d"] = h5py.ExternalLink("/etc/hostname", "/x")

    path = reweighted(zoo / "shared_and_nested.keras", tmp_path / "m.keras", link, tmp_path / "scratch.h5")
    with pytest.raises(LeftToKerasError, match="the newer form"):
        read_keras(str(path), {})


def test_damaged_archives(zoo: Path, tmp_path: Path) -> None:
    data = (zoo / "dense.keras").read_bytes()
    cut, bad = tmp_path / "cut.keras", tmp_path / "bad.keras"
    cut.write_bytes(data[: len(data) // 2])
    with pytest.raises(ConversionError, match="MLC0003"):
        mlconv.load(cut)
    at = data.index(b"\x89HDF")
    bad.write_bytes(data[:at] + bytes(64) + data[at + 64 :])
    with pytest.raises(ConversionError, match="MLC0003: the weights in"):
        mlconv.load(bad)
    whole = (zoo / "dense.h5").read_bytes()
    (tmp_path / "bad.h5").write_bytes(whole[:-100])
    with pytest.raises(ConversionError, match=r"MLC0003: the weights in .* says that it has"):
        mlconv.load(tmp_path / "bad.h5")
    with zipfile.ZipFile(tmp_path / "text.keras", "w") as archive:
        archive.writestr("config.json", "{")
        archive.writestr("model.weights.h5", b"")
    with pytest.raises(ConversionError, match="MLC0003: the configuration in"):
        mlconv.load(tmp_path / "text.keras")


def test_headers_of_archives_are_checked(zoo: Path, tmp_path: Path) -> None:
    """The directory of an archive says where its files begin; what lies there is asked."""
    data = bytearray((zoo / "dense.keras").read_bytes())
    entry = data.rindex(b"model.weights.h5") - 46
    for offset, value in ((42, len(data) - 4), (42, 7), (24, 1 << 30)):
        copy = bytearray(data)
        copy[entry + offset : entry + offset + 4] = struct.pack("<I", value)
        (tmp_path / "m.keras").write_bytes(copy)
        with pytest.raises(ConversionError, match="MLC0003"):
            mlconv.load(tmp_path / "m.keras")


@pytest.mark.parametrize("seed", range(4))
def test_random_bytes_end_in_a_diagnostic(zoo: Path, tmp_path: Path, seed: int) -> None:
    """Whatever bytes are changed, the file is read, left to Keras, or refused with a code."""
    rng = np.random.default_rng(seed)
    for suffix in ("keras", "h5"):
        data = np.frombuffer((zoo / f"lstm.{suffix}").read_bytes(), np.uint8)
        for _ in range(100):
            copy = data.copy()
            copy[rng.integers(8, len(copy), 12)] = rng.integers(0, 256, 12)
            path = tmp_path / f"m.{suffix}"
            path.write_bytes(copy.tobytes())
            try:
                read_keras(str(path), {})
            except (ConversionError, LeftToKerasError) as error:
                assert str(error)


def test_compressed_archives_are_left_to_keras(zoo: Path, tmp_path: Path) -> None:
    with (
        zipfile.ZipFile(zoo / "dense.keras") as old,
        zipfile.ZipFile(tmp_path / "m.keras", "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for info in old.infolist():
            new.writestr(info.filename, old.read(info))
    with pytest.raises(LeftToKerasError, match="compressed"):
        read_keras(str(tmp_path / "m.keras"), {})


def test_shapes_of_inputs(zoo: Path) -> None:
    path = zoo / "shared_and_nested.keras"
    model = mlconv.load(path, shapes={"image": [4, 8, 8, 3]})
    assert [str(v.type) for v in model.main.inputs] == ["float32[4,8,8,3]", "float32[vector_0,4]"]
    with pytest.raises(ConversionError, match="MLC0107: --shape names 'imag', which is not an input"):
        mlconv.load(path, shapes={"imag": [4, 8, 8, 3]})
    with pytest.raises(ConversionError, match="MLC0201: --shape gives input 'vector' the size 5 on axis 1"):
        mlconv.load(path, shapes={"vector": [1, 5]})


def test_models_are_cut_at_names_of_layers(zoo: Path) -> None:
    path = zoo / "sequential_in_sequential.keras"
    whole = mlconv.load(path)
    names = [op.results[0].name for op in whole.walk() if op.results and op.results[0].name]
    inner = next(n for n in names if n.endswith("first"))
    part = mlconv.load(path, outputs=[inner])
    assert part.main.output_names == [inner] and len(list(part.walk())) < len(list(whole.walk()))
    inputs, outputs = expected(zoo, "sequential_in_sequential")
    (middle,) = part.run(inputs).values()
    rest = mlconv.load(path, inputs=[inner])
    (got,) = rest.run({rest.main.input_names[0]: middle}).values()
    np.testing.assert_allclose(got, outputs["output_0"], rtol=1e-4, atol=1e-5)
    with pytest.raises(ConversionError, match="MLC0107"):
        mlconv.load(path, outputs=["nobody"])


def test_ops_are_at_their_layers(zoo: Path) -> None:
    ops = read_keras(str(zoo / "sequential_in_sequential.keras"), {}).walk()
    found = {op.location.name for op in ops if isinstance(op.location, NameLocation)}
    assert "head" in found and any(name.endswith("/first") for name in found)


@pytest.mark.long
def test_verification_runs_keras(zoo: Path, tmp_path: Path) -> None:
    shutil.copy(zoo / "dense.keras", tmp_path / "m.keras")
    result = call("convert", str(tmp_path / "m.keras"), "--to", "tflite", "--verify", "--verify-with", "source")
    assert result.exit_code == 0, result.output


def test_names_of_groups() -> None:
    """Source: keras/src/utils/naming_test.py."""
    for name, snake in {
        "Conv2DTranspose": "conv2d_transpose",
        "LSTM": "lstm",
        "SimpleRNN": "simple_rnn",
        "GlobalAveragePooling2D": "global_average_pooling2d",
        "ReLU": "re_lu",
        "PReLU": "p_re_lu",
        "RMSNormalization": "rms_normalization",
    }.items():
        assert snake_case(name) == snake


def test_fields_that_are_null_are_not_used() -> None:
    fields = Fields("Dense", {"name": "d", "units": 3, "kernel_initializer": {"class_name": "Zeros"}, "new": None})
    assert fields.integer("units") == 3
    fields.finish()


def test_names_of_weights_that_two_layers_may_have() -> None:
    """A layer, and one of that name in a model beside it."""
    a, b = (constants.make_const(np.full(2, i, np.float32)) for i in (1, 2))
    weights = NamedWeights([("sub/dense", [a]), ("dense", [b])])
    with pytest.raises(LeftToKerasError, match="of several layers"):
        weights.layers(["sequential", "dense"], ["sub", "dense"])
    (found,) = weights.layers(["sequential"], ["sub"])
    assert found.own() == [a]


def as_keras_2(source: Path, target: Path) -> Path:
    """The same model as Keras 2 writes it: plain dtypes, calls as lists of lists, names that end in `:0`."""
    shutil.copy(source, target)
    with h5py.File(target, "r+") as file:
        config = json.loads(file.attrs["model_config"])
        for layer in config["config"]["layers"]:
            fields = layer["config"]
            fields.update(dtype="float32")
            if layer["class_name"] == "InputLayer":
                fields["batch_input_shape"] = fields.pop("batch_shape")
            if layer["class_name"] == "BatchNormalization":
                fields["axis"] = [fields["axis"]]
            refs = [node["args"][0]["config"]["keras_history"] for node in layer["inbound_nodes"]]
            layer["inbound_nodes"] = [[[*ref, {}]] for ref in refs]
        for end in ("input_layers", "output_layers"):
            config["config"][end] = [config["config"][end]] if end == "output_layers" else config["config"][end]
        file.attrs["model_config"] = json.dumps(config)
        for group in file["model_weights"].values():
            names = [n.decode() if isinstance(n, bytes) else n for n in group.attrs["weight_names"]]
            for name in names:
                group.move(name, f"{name}:0")
            group.attrs["weight_names"] = [f"{name}:0".encode() for name in names]
    return target


@pytest.mark.parametrize("name", ["depthwise_conv2d", "batch_normalization", "relu", "lstm_both_ways"])
def test_files_of_keras_2(zoo: Path, tmp_path: Path, name: str) -> None:
    inputs, outputs = expected(zoo, name)
    path = as_keras_2(zoo / f"{name}.h5", tmp_path / "m.h5")
    check(import_model(str(path), Options(), DiagnosticEngine()).run(inputs), outputs)
    assert read_keras(str(path), {}).source["format"] == "keras"


def test_checks_list_core_ops(zoo: Path) -> None:
    result = call("check", str(zoo / "conv2d.keras"), "--to", "tflite")
    assert result.exit_code == 0 and "3 supported" in result.output and "core.conv" in result.output, result.output
