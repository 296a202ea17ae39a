"""Variables of a model in ONNX: inputs that have their first values as defaults, and what reads these again."""

from __future__ import annotations

import pathlib

import numpy as np
import onnx
import onnxruntime as ort
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.runtime.onnx_runtime import run_session, session_of

STATEFUL = pathlib.Path(__file__).parent.parent / "tf" / "stateful_saved_model"


def written(folder: pathlib.Path, profile: str = "ort") -> pathlib.Path:
    mlconv.convert(STATEFUL, "onnx", folder / "m.onnx", onnx_profile=profile)
    return folder / "m.onnx"


def test_a_first_run_needs_no_state(tmp_path: pathlib.Path) -> None:
    """A run without state is one with the initial values; what is given is taken, also by our own runner."""
    path = written(tmp_path)
    session = session_of(str(path))
    rng = np.random.default_rng(0)
    shapes = {i.name: i.shape for i in ort.InferenceSession(path, providers=["CPUExecutionProvider"]).get_inputs()}
    given = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    slots = mlconv.load(path).module.main.facts.state
    assert slots and not given.keys() & {s.input for s in slots.values()}
    first = run_session(session, given)
    same = run_session(session, given | {s.input: np.array(s.initial.view()) for s in slots.values()})
    other = run_session(session, given | {s.input: first[s.output] + 1 for s in slots.values()})
    assert all(np.array_equal(first[name], same[name]) for name in first)
    assert all(not np.array_equal(first[s.output], other[s.output]) for s in slots.values())


def test_state_is_read_from_the_file_alone(tmp_path: pathlib.Path) -> None:
    path = written(tmp_path)
    beside = pathlib.Path(f"{path}.state.safetensors")
    held = beside.read_bytes()
    beside.unlink()
    mlconv.convert(path, "onnx", tmp_path / "again.onnx", verify=True)
    assert pathlib.Path(f"{tmp_path / 'again.onnx'}.state.safetensors").read_bytes() == held
    assert (tmp_path / "again.onnx").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("profile", ["openvino", "tensorrt"])
def test_runtimes_that_take_defaults_for_constants_get_none(profile: str, tmp_path: pathlib.Path) -> None:
    graph = onnx.load(written(tmp_path, profile)).graph
    assert not {i.name for i in graph.input} & {t.name for t in graph.initializer}


def test_a_default_that_does_not_fit_is_refused(tmp_path: pathlib.Path) -> None:
    model = onnx.load(written(tmp_path))
    name = next(t.name for t in model.graph.initializer if t.name in {i.name for i in model.graph.input})
    default = next(t for t in model.graph.initializer if t.name == name)
    default.CopyFrom(onnx.numpy_helper.from_array(np.zeros(7, np.float64), name))
    onnx.save(model, tmp_path / "bad.onnx")
    with pytest.raises(ConversionError) as caught:
        mlconv.load(tmp_path / "bad.onnx")
    assert caught.value.code is Code.ConstantInvalid
