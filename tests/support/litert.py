"""Core ops in a function, legalized to TFLite, run on LiteRT, compared with their `eval`."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mlconv.diagnostics import DiagnosticEngine
from mlconv.exporters.tflite.export import build
from mlconv.exporters.tflite.model import TflModel
from mlconv.exporters.tflite.writer import write_stream
from mlconv.interp import run_function
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.module import Module
from tests.support.lowering import lower
from tests.support.modules import module

Make = Callable[..., "Value | Sequence[Value]"]


@dataclass
class Row:
    """make(builder, *inputs) emits ops and returns the outputs.  shapes: symbolic input shapes.  tfl: ops that must
    (not, with `-`) be used.
    """

    name: str
    make: Make
    inputs: tuple[Any, ...]
    shapes: tuple[tuple[Size, ...] | None, ...] | None = None
    tfl: tuple[str, ...] = ()
    tolerance: float = 1e-4
    arrays: list[np.ndarray[Any, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.arrays = [np.asarray(a) for a in self.inputs]


def data(dtype: str, *shape: int, seed: int = 0, positive: bool = False) -> np.ndarray[Any, Any]:
    """Random numbers of a type: small, so that 8-bit arithmetic stays in range."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind == "c":
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    if kind == "f":
        x = rng.normal(size=shape) * 2
        return np.asarray(np.abs(x) + 0.1 if positive else x).astype(dtype)
    return rng.integers(1 if positive or kind == "u" else -5, 6, shape).astype(dtype)


def to_tfl(m: Module) -> TflModel:
    """The file model of a module of core ops.  Raises ConversionError when an op is refused."""
    engine = DiagnosticEngine()
    lower(m, "tflite", engine)
    engine.raise_errors()
    return build(m)


def file_bytes(model: TflModel) -> bytes:
    out = io.BytesIO()
    write_stream(model, out)
    return out.getvalue()


def op_names(model: TflModel) -> list[str]:
    """Names of all operators in file order."""
    return [model.codes[op.code].builtin for g in model.subgraphs for op in g.operators]


def run_litert(
    content: bytes, arrays: Sequence[np.ndarray[Any, Any]], kernels: str = "AUTO"
) -> list[np.ndarray[Any, Any]]:
    """Outputs of a model on LiteRT.  kernels: AUTO (with XNNPACK), BUILTIN_WITHOUT_DEFAULT_DELEGATES or BUILTIN_REF."""
    from ai_edge_litert import interpreter as litert

    resolver = getattr(litert.OpResolverType, kernels)
    run = litert.Interpreter(model_content=content, num_threads=1, experimental_op_resolver_type=resolver)
    for detail, array in zip(run.get_input_details(), arrays, strict=True):
        if list(detail["shape"]) != list(array.shape):
            run.resize_tensor_input(detail["index"], array.shape)
    run.allocate_tensors()
    for detail, array in zip(run.get_input_details(), arrays, strict=True):
        if array.size:
            run.set_tensor(detail["index"], array)
    run.invoke()
    outputs = []
    for detail in run.get_output_details():
        empty = int(np.prod(detail["shape"])) == 0
        outputs.append(
            np.zeros(detail["shape"], detail["dtype"]) if empty else np.array(run.get_tensor(detail["index"]))
        )
    return outputs


def check(row: Row, kernels: Sequence[str] = ("AUTO", "BUILTIN_WITHOUT_DEFAULT_DELEGATES")) -> TflModel:
    """LiteRT gives what the interpreter gives, on each resolver."""
    m = module(row.make, row.arrays, row.shapes)
    wanted = [np.asarray(v) for v in run_function(m.main, {f"in{i}": a for i, a in enumerate(row.arrays)}).values()]
    model = to_tfl(m)
    content = file_bytes(model)
    used = op_names(model)
    for name in row.tfl:
        assert (name.removeprefix("-") in used) != name.startswith("-"), f"{name}: {used}"
    for resolver in kernels:
        for got, want in zip(run_litert(content, row.arrays, resolver), wanted, strict=True):
            assert got.dtype == want.dtype and got.shape == want.shape, (
                f"{resolver}: {got.dtype}{got.shape} instead of {want.dtype}{want.shape}"
            )
            if want.dtype.kind in "iub":
                np.testing.assert_array_equal(got, want, resolver)
            else:
                tolerance = 1e-2 if want.dtype == np.float16 else row.tolerance
                np.testing.assert_allclose(
                    _wide(got), _wide(want), rtol=tolerance, atol=tolerance, err_msg=f"{resolver} {used}"
                )
    return model


def _wide(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
