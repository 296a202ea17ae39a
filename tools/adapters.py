"""What the conformance suites call: (model path, {input: array}, case) to outputs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

import mlconv
from mlconv.runtime.litert import run_tflite
from mlconv.runtime.onnx_runtime import run_session, session_of
from mlconv.runtime.xla_program import run_hlo


def _names(model: str, case: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
    """Frozen TF cases state which tensors are inputs and outputs; ONNX files and SavedModels say it themselves."""
    frozen = "saved_model" in case and not os.path.isdir(model)
    return {"inputs": list(inputs), "outputs": case["output_names"]} if frozen else {}


def interpreter(model: str, inputs: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    """The reference interpreter."""
    module = mlconv.load(model, **_names(model, case, inputs))
    return dict(module.run({k: v for k, v in inputs.items() if k in module.main.input_names}))


def tflite(
    model: str, inputs: dict[str, Any], case: dict[str, Any], run: Callable[..., Any] = run_tflite
) -> dict[str, Any]:
    """TFLite on LiteRT."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.tflite")
        names = {k: tuple(v) for k, v in _names(model, case, inputs).items()}
        mlconv.convert(model, to="tflite", output=path, **names)
        return dict(run(path, inputs, "serving_default"))


def hlo(model: str, inputs: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    """HLO on jaxlib's XLA."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.hlo.pb")
        names = {k: tuple(v) for k, v in _names(model, case, inputs).items()}
        result = mlconv.convert(model, to="hlo", output=path, shapes={k: v.shape for k, v in inputs.items()}, **names)
        outputs = run_hlo(path, [inputs[i["name"]] for i in result.inputs])
        return {o["name"]: y for o, y in zip(result.outputs, outputs, strict=True)}


def native(model: str, inputs: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    """A native object in process; an input that the model no longer has is left out."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.o")
        names = {k: tuple(v) for k, v in _names(model, case, inputs).items()}
        mlconv.convert(model, to="native", output=path, shapes={k: v.shape for k, v in inputs.items()}, **names)
        return dict(mlconv.load_native(path).run(inputs))


def onnx(model: str, inputs: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    """ONNX again, on ONNX Runtime."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        names = {k: tuple(v) for k, v in _names(model, case, inputs).items()}
        mlconv.convert(model, to="onnx", output=path, **names)
        return run_session(session_of(path), inputs)
