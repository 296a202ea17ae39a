"""Verification of an artifact: the reference interpreter against the target's runtime, on random inputs."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.types import TensorType

DYNAMIC_SIZE = 2
RTOL, ATOL = 1e-3, 1e-5


@dataclass(frozen=True, slots=True)
class OutputError:
    """How far one output is off: largest absolute error, and that over the largest magnitude of the reference."""

    name: str
    max_abs: float
    relative: float
    ok: bool


def random_inputs(function: Function, seed: int = 0) -> dict[str, Array]:
    """Inputs drawn by element type: floats standard normal, integers small and non-negative, bool fair; symbolic sizes are 2, or near it."""
    rng = np.random.default_rng(seed)
    out: dict[str, Array] = {}
    for value in function.inputs:
        t = value.type
        if not isinstance(t, TensorType) or t.dtype is DType.STRING:
            raise ConversionError(Code.MLC0702, f"input {value.name} ({value.type}) cannot be drawn at random")
        shape = [_drawn_size(d, function.attributes.get("ranges", {})) for d in (t.shape if t.shape is not None else ())]
        array: Array
        if t.dtype.is_float:
            array = rng.standard_normal(shape)
        elif t.dtype.is_complex:
            array = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
        else:
            array = rng.integers(0, 2, shape)
        out[value.name] = np.asarray(array).astype(t.dtype.numpy)
    return out


def _drawn_size(size: Size, ranges: dict[str, tuple[int, int]]) -> int:
    if not isinstance(size, Dim):
        return size
    low, high = ranges.get(str(size), (DYNAMIC_SIZE, DYNAMIC_SIZE))
    return min(max(DYNAMIC_SIZE, low), high)


def compare(name: str, expected: Array, got: Array) -> OutputError:
    """Equal shape and type, and |difference| within 1e-3 relative plus 1e-5 of the largest magnitude."""
    if expected.shape != got.shape or expected.dtype != got.dtype:
        return OutputError(name, float("inf"), float("inf"), False)
    if expected.size == 0:
        return OutputError(name, 0.0, 0.0, True)
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    a, b = expected.astype(wide), got.astype(wide)
    finite = np.isfinite(a)
    same = np.array_equal(finite, np.isfinite(b))
    error = float(np.max(np.abs(a - b)[finite], initial=0.0)) if same else float("inf")
    scale = float(np.max(np.abs(a[finite]), initial=0.0))
    return OutputError(name, error, error / scale if scale else error, error <= RTOL * scale + ATOL)


def verify_tflite(reference: Module, path: str, seed: int = 0) -> list[OutputError]:
    """Run both on the same random inputs.  Raises ConversionError MLC0702 when LiteRT is not installed."""
    inputs = random_inputs(reference.main, seed)
    expected = reference.run(inputs)
    got = run_tflite(path, inputs, reference.main.signature)
    return [compare(name, expected[name], got[name]) for name in reference.main.output_names]


def run_tflite(path: str, inputs: dict[str, Array], signature: str) -> dict[str, Array]:
    """Run a signature of a TFLite file on LiteRT: {input name: array} to {output name: array}."""
    try:
        from ai_edge_litert import interpreter as litert
    except ImportError as e:
        raise ConversionError(Code.MLC0702, "LiteRT is not installed", help="pip install ai-edge-litert, or leave --verify out") from e
    interpreter: Any = litert.Interpreter(model_path=path, num_threads=1)
    table = interpreter._get_full_signature_list()[signature]
    details = {d["index"]: d for d in interpreter.get_input_details()}
    wanted = {name: index for name, index in table["inputs"].items() if name in inputs}
    for name, index in wanted.items():
        if list(details[index]["shape"]) != list(inputs[name].shape):
            interpreter.resize_tensor_input(index, list(inputs[name].shape))
    interpreter.allocate_tensors()
    for name, index in wanted.items():
        if inputs[name].size:
            interpreter.set_tensor(index, inputs[name])
    interpreter.invoke()
    shapes = {d["index"]: d for d in interpreter.get_output_details()}
    return {name: _output(interpreter, index, shapes.get(index)) for name, index in table["outputs"].items()}


def verify_native(reference: Module, path: str, seed: int = 0) -> list[OutputError]:
    """Run both on the same random inputs, the object in this process.  Raises ConversionError MLC0702 where this machine cannot run it."""
    from mlconv.native import load_native

    inputs = random_inputs(reference.main, seed)
    expected = reference.run(inputs)
    got = load_native(path).run(inputs)
    return [compare(name, expected[name], got[name]) for name in reference.main.output_names]


def verify_hlo(reference: Module, path: str, seed: int = 0) -> list[OutputError]:
    """Run both on the same random inputs.  Raises ConversionError MLC0702 when jax is not installed."""
    inputs = random_inputs(reference.main, seed)
    expected = reference.run(inputs)
    got = run_hlo(path, [*(inputs[name] for name in reference.main.input_names), *_hlo_weights(path)])
    return [compare(name, expected[name], y) for name, y in zip(reference.main.output_names, got, strict=True)]


def _hlo_weights(path: str) -> list[Array]:
    """The parameters behind the inputs, in order, when the module has its weights beside it."""
    if path.endswith(".mlir"):
        return []
    with open(f"{path}.json", encoding="utf-8") as f:
        names = json.load(f).get("weights", [])
    if not names:
        return []
    kinds = {"BOOL": "bool", "BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "C64": "complex64"}
    prefix = {"F": "float", "I": "int", "U": "uint"}
    data = np.fromfile(f"{path}.safetensors", np.uint8)
    start = 8 + int(data[:8].view("<u8")[0])
    table = json.loads(data[8:start].tobytes())
    arrays: list[Array] = []
    for name in names:
        entry = table[name]
        kind = DType.from_numpy(kinds.get(entry["dtype"]) or prefix[entry["dtype"][0]] + entry["dtype"][1:])
        begin, end = entry["data_offsets"]
        arrays.append(data[start + begin : start + end].view(kind.numpy).reshape(entry["shape"]))
    return arrays


def run_hlo(path: str, inputs: list[Array]) -> list[Array]:
    """Run an HloModuleProto, or a StableHLO text (`.mlir`), on jaxlib's XLA for the CPU; inputs and outputs in the order of the entry computation."""
    try:
        import jax

        xla: Any = importlib.import_module("jax._src.lib")._jax
    except ImportError as e:
        raise ConversionError(Code.MLC0702, "jax is not installed", help="pip install jax, or leave --verify out") from e
    with open(path, "rb") as f:
        data = f.read()
    text = path.endswith(".mlir")
    with jax.enable_x64(True):
        device = jax.devices("cpu")[0]
        program = device.client.compile_and_load(data if text else xla.mlir.hlo_to_stablehlo(data), xla.DeviceList((device,)), xla.CompileOptions())
        results = program.execute_sharded([jax.device_put(x, device) for x in inputs]).disassemble_into_single_device_arrays()
        return [np.asarray(r[0]) for r in results]


def _output(interpreter: Any, index: int, detail: Any) -> Array:
    """LiteRT's Python refuses tensors without bytes."""
    if detail is not None and 0 in detail["shape"]:
        return np.zeros(detail["shape"], detail["dtype"])
    return np.array(interpreter.get_tensor(index))
