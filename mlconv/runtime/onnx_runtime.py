"""ONNX files on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.module import Function


class OnnxRuntime:
    """A file that is run by the names of its inputs; it keeps nothing from one run to the next."""

    name = "ONNX Runtime"

    def __init__(self, path: str) -> None:
        self.session = session_of(path)

    def reset(self) -> None:
        """There is no state."""

    def run(self, function: Function, inputs: Mapping[str, Array]) -> dict[str, Array]:
        names = [i.name for i in self.session.get_inputs()]
        try:
            results = self.session.run(function.output_names, {n: inputs[n] for n in names})
        except _errors() as e:
            raise ConversionError(Code.VerificationFailed, f"ONNX Runtime cannot run the file: {_words(e)}") from e
        return dict(zip(function.output_names, results, strict=True))


def session_of(path: str) -> Any:
    """A session for a file.  Raises ConversionError: VerificationImpossible when ONNX Runtime is not installed,
    VerificationFailed when it refuses the file.
    """
    try:
        import onnxruntime as ort
    except ImportError as e:
        raise ConversionError(
            Code.VerificationImpossible,
            "ONNX Runtime is not installed",
            help="pip install onnxruntime, or leave --verify out",
        ) from e
    settings = ort.SessionOptions()
    settings.log_severity_level = 4
    try:
        return ort.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
    except _errors() as e:
        raise ConversionError(Code.VerificationFailed, f"ONNX Runtime refuses the file: {_words(e)}") from e


def _errors() -> tuple[type[Exception], ...]:
    """What ONNX Runtime raises."""
    import onnxruntime as ort

    known: Any = ort.capi.onnxruntime_pybind11_state
    own = (known.Fail, known.InvalidArgument, known.InvalidGraph, known.InvalidProtobuf)
    return (*own, known.NotImplemented, known.RuntimeException, RuntimeError, ValueError, TypeError)


def _words(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
