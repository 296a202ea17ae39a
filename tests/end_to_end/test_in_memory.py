"""Models that a program holds: converted as files of theirs are, with the lines of the program."""

from __future__ import annotations

import importlib.util
import pathlib
import subprocess
import sys
from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.torch_names import output_names
from mlconv.provenance.locations import frames

HERE = str(pathlib.Path(__file__))
X = np.random.default_rng(5).normal(size=(2, 6)).astype("f")
W = np.random.default_rng(6).normal(size=(6, 3)).astype("f")


def line_of(mark: str) -> int:
    texts = pathlib.Path(HERE).read_text().splitlines()
    return 1 + next(i for i, text in enumerate(texts) if text.endswith(f"# the line of {mark}"))


def lines(model: mlconv.LoadedModel, name: str, file: str = HERE) -> set[int]:
    """The lines of a file that ops come from."""
    found = [frames(op.location) for op in model.main.block.ops if op.name == name]
    return {frame.line for stack in found for frame in stack if frame.file == file}


def check(model: Any, expected: np.ndarray[Any, Any], tmp_path: pathlib.Path, *args: object) -> mlconv.LoadedModel:
    """Loads, and converts to a file that has the same numbers."""
    loaded = mlconv.load(model, args=args)
    (got,) = loaded.run({loaded.main.input_names[0]: X}).values()
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)
    done = mlconv.convert(model, to="tflite", output=tmp_path / "m.tflite", args=args, verify=True)
    assert done.size_bytes == (tmp_path / "m.tflite").stat().st_size and done.verification
    return loaded


def test_function_of_jax(tmp_path: pathlib.Path) -> None:
    jax = pytest.importorskip("jax")
    import jax.numpy as jnp
    from jax import export

    def model(x: Any) -> Any:
        return jnp.tanh(x @ W)  # the line of jax

    for one, args in ((model, (X,)), (jax.jit(model), (jax.ShapeDtypeStruct(X.shape, X.dtype),))):
        loaded = check(one, np.tanh(X @ W), tmp_path, *args)
        assert lines(loaded, "core.tanh") >= {line_of("jax")}
        assert loaded.main.input_names == ["x"]
        assert mlconv.verify(one, tmp_path / "m.tflite", args=args).ok
        assert mlconv.verify(tmp_path / "m.tflite", one, args=args).ok and mlconv.inspect(one, args=args)["ops"]
    check(export.export(jax.jit(model))(X), np.tanh(X @ W), tmp_path)


def test_trees_of_jax(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("jax")

    def model(params: dict[str, Any], x: Any) -> Any:
        return {"y": x @ params["w"] + params["b"]}

    params = {"w": W, "b": np.ones(3, "f")}
    loaded = mlconv.load(model, args=(params, X))
    assert loaded.main.input_names == ["params.b", "params.w", "x"] and loaded.main.output_names == ["y"]
    got = loaded.run({"params.b": params["b"], "params.w": W, "x": X})["y"]
    np.testing.assert_allclose(got, X @ W + 1, rtol=1e-5, atol=1e-5)


def test_model_proto(tmp_path: pathlib.Path) -> None:
    import onnx
    from onnx import helper, numpy_helper

    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Tanh", ["h"], ["y"])]
    x, y = (helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, (2, k)) for n, k in (("x", 6), ("y", 3)))
    graph = helper.make_graph(nodes, "g", [x], [y], [numpy_helper.from_array(W, "w")])
    check(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), np.tanh(X @ W), tmp_path)


def test_tensorflow_and_keras() -> None:
    """In a process of their own: others assert that nothing imports TensorFlow."""
    if importlib.util.find_spec("tensorflow") is None:
        pytest.skip("no TensorFlow here")
    file = pathlib.Path(HERE).with_name("tensorflow_in_memory.py")
    command = [sys.executable, "-m", "pytest", "-v", "-n0", "-p", "no:cacheprovider", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout[-4000:]


def torch_module() -> Any:
    """A module with a training mode, whose helper is not called `forward`."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxscript")

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear, self.drop = torch.nn.Linear(6, 3), torch.nn.Dropout(0.5)

        def helper(self, x: Any) -> Any:
            return torch.tanh(x)  # the line of torch

        def forward(self, x: Any) -> Any:
            return self.helper(self.drop(self.linear(x)))

    return Net()


def test_modules_of_torch(tmp_path: pathlib.Path) -> None:
    module = torch_module()
    import torch

    x = torch.from_numpy(X)
    expected = torch.tanh(module.linear(x)).detach().numpy()
    loaded = check(module, expected, tmp_path, x)
    assert lines(loaded, "core.tanh") >= {line_of("torch")} and module.training
    check(torch.export.export(module.eval(), (x,), strict=True), expected, tmp_path)


def test_archives_of_torch(tmp_path: pathlib.Path) -> None:
    module = torch_module()
    import torch

    x, path = torch.from_numpy(X), tmp_path / "net.pt2"
    torch.export.save(torch.export.export(module.eval(), (x,), strict=True), path)
    loaded = check(path, module(x).detach().numpy(), tmp_path)
    assert lines(loaded, "core.tanh") >= {line_of("torch")}


def test_outputs_of_torch_are_named_by_what_the_module_returns(tmp_path: pathlib.Path) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxscript")

    class Net(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return {"boxes": x * 2, "scores": [x + 1, x - 1]}

    torch.export.save(torch.export.export(Net(), (torch.from_numpy(X),), strict=True), tmp_path / "net.pt2")
    made = mlconv.convert(tmp_path / "net.pt2", to="tflite", output=tmp_path / "net.tflite")
    assert [o["name"] for o in made.outputs] == ["boxes", "scores.0", "scores.1"]


def leaves(tree: Any, count: int, inputs: tuple[str, ...], outputs: tuple[str | None, ...]) -> list[str] | None:
    """Names for a program whose results are numbers in this tree."""
    spec = SimpleNamespace(num_leaves=count, unflatten=lambda _: tree)
    signature = SimpleNamespace(user_inputs=inputs, user_outputs=outputs)
    return output_names(SimpleNamespace(call_spec=SimpleNamespace(out_spec=spec), graph_signature=signature))


def test_names_of_outputs_of_torch() -> None:
    """As a tree of numbers of outputs says; none where a name would stand for two things, or for none."""
    fields = namedtuple("fields", "boxes scores")
    tree = {"a": 0, "b": {"c": 2, "d": (1, 3)}}
    assert leaves(tree, 4, ("x",), ("p", "q", "r", "s")) == ["a", "b.d.0", "b.c", "b.d.1"]
    assert leaves(fields(1, [0]), 2, ("x",), ("p", "q")) == ["scores.0", "boxes"]
    assert leaves((0, 1), 2, ("x",), ("p", "q")) is None
    assert leaves({"x": 0, "y": 1}, 2, ("x",), ("p", "q")) is None
    assert leaves({"a": 0, "b": 1}, 2, ("x",), ("p", None)) is None
    assert leaves({"a.0": 0, "a": [1]}, 2, ("x",), ("p", "q")) is None


def test_an_archive_that_torch_does_not_open(tmp_path: pathlib.Path) -> None:
    import zipfile

    path = tmp_path / "m.pt2"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive_format", "pt2")
    with pytest.raises(ConversionError) as error:
        mlconv.load(path)
    assert error.value.code in (Code.PackageMissing, Code.VariantUnsupported)


@pytest.mark.parametrize("model", [3, None, object()])
def test_what_is_no_model(model: object, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConversionError) as error:
        mlconv.convert(model, to="tflite", output=tmp_path / "m.tflite")
    assert error.value.code is Code.UsageError


def test_what_is_missing(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("jax")
    for wrong in (
        lambda: mlconv.load(lambda x: x),
        lambda: mlconv.convert(lambda x: x, args=(X,)),
        lambda: mlconv.load(models / "digits_cnn.onnx", args=(X,)),
        lambda: mlconv.verify(models / "digits_cnn.onnx", models / "digits_cnn.onnx", args=(X,)),
    ):
        with pytest.raises(ConversionError) as error:
            wrong()
        assert error.value.code is Code.UsageError
