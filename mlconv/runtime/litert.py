"""TFLite files on LiteRT."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.module import Function


class LiteRt:
    """A TFLite file that is run by signature; its variables keep what a run leaves, until `reset`."""

    name = "LiteRT"

    def __init__(self, path: str) -> None:
        self.path = path
        self.interpreter = litert_interpreter(path)

    def reset(self) -> None:
        self.interpreter = litert_interpreter(self.path)

    def run(self, function: Function, inputs: Mapping[str, Array]) -> dict[str, Array]:
        try:
            return run_tflite(self.path, inputs, function.signature, self.interpreter)
        except (RuntimeError, ValueError) as e:
            raise ConversionError(Code.VerificationFailed, f"LiteRT cannot run the file: {e}") from e


def litert_interpreter(path: str) -> Any:
    """An interpreter of LiteRT for a file.  Raises ConversionError: VerificationImpossible when LiteRT is not
    installed, VerificationFailed when it refuses the file.
    """
    try:
        from ai_edge_litert import interpreter as litert
    except ImportError as e:
        raise ConversionError(
            Code.VerificationImpossible,
            "LiteRT is not installed",
            help="pip install ai-edge-litert, or leave --verify out",
        ) from e
    try:
        path.encode()
        return litert.Interpreter(model_path=path, num_threads=1)
    except UnicodeEncodeError:  # LiteRT's Python takes no other names
        with open(path, "rb") as f:
            return litert.Interpreter(model_content=f.read(), num_threads=1)
    except (RuntimeError, ValueError) as e:
        raise ConversionError(Code.VerificationFailed, f"LiteRT refuses the file: {e}") from e


def run_tflite(path: str, inputs: Mapping[str, Array], signature: str, interpreter: Any = None) -> dict[str, Array]:
    """Run a signature of a TFLite file on LiteRT: {input name: array} to {output name: array}.  An interpreter that is
    given keeps its variables.
    """
    interpreter = interpreter or litert_interpreter(path)
    runner = interpreter.get_signature_runner(signature)
    if len(interpreter.get_signature_list()) > 1:  # subgraphs behind the first are reached through a runner only
        taken = {name: inputs[name] for name in runner.get_input_details() if name in inputs}
        results: dict[str, Array] = runner(**taken)
        return results
    given = {name: (d["index"], list(d["shape"])) for name, d in runner.get_input_details().items() if name in inputs}
    made = {name: d["index"] for name, d in runner.get_output_details().items()}
    del runner  # it holds memory of the interpreter, which then does not resize
    for name, (index, shape) in given.items():
        if shape != list(inputs[name].shape):
            interpreter.resize_tensor_input(index, list(inputs[name].shape))
    interpreter.allocate_tensors()
    for name, (index, _) in given.items():
        if inputs[name].size:
            interpreter.set_tensor(index, inputs[name])
    interpreter.invoke()
    details = {d["index"]: d for d in interpreter.get_output_details()}
    return {name: _output(interpreter, index, details.get(index)) for name, index in made.items()}


def _output(interpreter: Any, index: int, detail: Any) -> Array:
    """LiteRT's Python refuses tensors without bytes."""
    if detail is not None and 0 in detail["shape"]:
        return np.zeros(detail["shape"], detail["dtype"])
    return np.array(interpreter.get_tensor(index))
