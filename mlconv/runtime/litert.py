"""TFLite files on LiteRT."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.value_names import distinct
from mlconv.ir.constants import Array
from mlconv.ir.module import Function
from mlconv.runtime.litert_start import litert


class Scales(TypedDict):
    """As LiteRT says them; block_size: 0 but for scales in blocks."""

    scales: Array
    zero_points: Array
    quantized_dimension: int
    block_size: int


class Detail(TypedDict):
    """What LiteRT says of a tensor.  shape_signature: the shape with -1 for sizes that are open."""

    name: str
    index: int
    shape: Array
    shape_signature: Array
    dtype: type
    quantization_parameters: Scales


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


def litert_interpreter(path: str, reference: bool = False, keeps: bool = False, threads: int = 1) -> Any:
    """An interpreter of LiteRT for a file.  reference: its reference kernels run, and no delegate.  keeps: all values
    can be read behind a run, not its outputs alone.  Raises ConversionError: VerificationImpossible when LiteRT is not
    installed, VerificationFailed when it refuses the file.
    """
    python = litert()
    kinds = python.OpResolverType
    settings = {
        "num_threads": threads,
        "experimental_op_resolver_type": kinds.BUILTIN_REF if reference else kinds.AUTO,
        "experimental_preserve_all_tensors": keeps,
    }
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Warning: Enabling `experimental_preserve_all_tensors`", UserWarning)
            path.encode()
            return python.Interpreter(model_path=path, **settings)
    except UnicodeEncodeError:  # LiteRT's Python takes no other names
        with open(path, "rb") as f:
            return python.Interpreter(model_content=f.read(), **settings)
    except (RuntimeError, ValueError) as e:
        raise ConversionError(Code.VerificationFailed, f"LiteRT refuses the file: {e}") from e


def run_tflite(path: str, inputs: Mapping[str, Array], signature: str, interpreter: Any = None) -> dict[str, Array]:
    """Run a signature of a TFLite file on LiteRT: {input name: array} to {output name: array}.  An interpreter that is
    given keeps its variables.  A file without signatures goes by the names of its tensors.
    """
    interpreter = interpreter or litert_interpreter(path)
    if len(interpreter.get_signature_list()) > 1:  # subgraphs behind the first are reached through a runner only
        runner = interpreter.get_signature_runner(signature)
        taken = {name: inputs[name] for name in runner.get_input_details() if name in inputs}
        results: dict[str, Array] = runner(**taken)
        return results
    taken_by, made_by = details_of(interpreter, signature)
    given = {name: (d["index"], list(d["shape"])) for name, d in taken_by.items() if name in inputs}
    made = {name: d["index"] for name, d in made_by.items()}
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


def details_of(interpreter: Any, signature: str) -> tuple[dict[str, Detail], dict[str, Detail]]:
    """What LiteRT says of the inputs and of the outputs of a signature, or of a file without signatures, by name.
    Nothing of the interpreter is held: it resizes no tensors while someone holds its memory.
    """
    if not interpreter.get_signature_list():
        return _by_name(interpreter.get_input_details()), _by_name(interpreter.get_output_details())
    runner = interpreter.get_signature_runner(signature)
    return dict(runner.get_input_details()), dict(runner.get_output_details())


def _by_name(details: Sequence[Detail]) -> dict[str, Detail]:
    """As the importer names them: a tensor may be an output twice."""
    return dict(zip(distinct([d["name"] for d in details]), details, strict=True))


def _output(interpreter: Any, index: int, detail: Detail | None) -> Array:
    """LiteRT's Python refuses tensors without bytes."""
    if detail is not None and 0 in detail["shape"]:
        return np.zeros(detail["shape"], detail["dtype"])
    return np.array(interpreter.get_tensor(index))
