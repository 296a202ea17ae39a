"""Other runtimes, ready to be timed: inputs are where they take them, and each call is one run."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Protocol

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.runtime.litert import details_of, litert_interpreter
from mlconv.runtime.onnx_runtime import taken

FORMATS = {"onnxruntime": "onnx", "litert": "tflite"}
"""What each runs, by name."""
NAMES = {"onnxruntime": "ONNX Runtime", "litert": "LiteRT"}
_PACKAGES = {"onnxruntime": "onnxruntime", "litert": "ai_edge_litert"}


class Contender(Protocol):
    """A model on a runtime."""

    def run(self) -> None:
        """Once, on its inputs."""


def is_installed(name: str) -> bool:
    return find_spec(_PACKAGES[name]) is not None


def contender(name: str, path: str, inputs: Mapping[str, Array], threads: int) -> Contender:
    """A file on a runtime.  inputs: by the names of the file's own.  Raises ConversionError VerificationImpossible
    where the runtime is not installed, VerificationFailed where it refuses the file or the inputs.
    """
    if not is_installed(name):
        package = _PACKAGES[name].replace("_", "-")
        raise ConversionError(
            Code.VerificationImpossible, f"{NAMES[name]} is not installed", help=f"pip install {package}"
        )
    made: type[_OnnxRuntime] | type[_LiteRt] = _OnnxRuntime if name == "onnxruntime" else _LiteRt
    try:
        found = made(path, inputs, threads)
        found.run()
    except (RuntimeError, ValueError, TypeError) as error:  # what both raise of files, and of inputs
        raise ConversionError(Code.VerificationFailed, f"{NAMES[name]} does not run {path}: {error}") from error
    return found


class _OnnxRuntime:
    """With all of its optimizations, as users run it."""

    def __init__(self, path: str, inputs: Mapping[str, Array], threads: int) -> None:
        import onnxruntime as ort

        settings = ort.SessionOptions()
        settings.log_severity_level = 4
        settings.intra_op_num_threads, settings.inter_op_num_threads = threads, 1
        self.session = ort.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
        self.inputs = {info.name: inputs[info.name] for info in taken(self.session, inputs)}

    def run(self) -> None:
        self.session.run(None, self.inputs)


class _LiteRt:
    """With XNNPACK, as users run it."""

    def __init__(self, path: str, inputs: Mapping[str, Array], threads: int) -> None:
        self.interpreter = litert_interpreter(path, threads=threads)
        signatures = list(self.interpreter.get_signature_list())
        taken, _ = details_of(self.interpreter, signatures[0] if signatures else "")
        given = {name: (d["index"], list(d["shape"])) for name, d in taken.items()}
        for name, (index, shape) in given.items():
            if shape != list(inputs[name].shape):
                self.interpreter.resize_tensor_input(index, list(inputs[name].shape))
        self.interpreter.allocate_tensors()
        for name, (index, _) in given.items():
            self.interpreter.set_tensor(index, inputs[name])

    def run(self) -> None:
        self.interpreter.invoke()
