"""Verification of an artifact: the reference interpreter against the target's runtime, on random inputs."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.dims import Dim, Size, substitute
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module, clone_module
from mlconv.ir.types import TensorType
from mlconv.passes.state import state_slots

DYNAMIC_SIZE = 2
RTOL, ATOL = 1e-3, 1e-5
_WORST = {"b": True, "i": -1, "u": 1}  # what stands behind the valid part of an input, by kind; NaN of floats
Run = Callable[[dict[str, Array]], dict[str, Array]]


@dataclass(frozen=True, slots=True)
class OutputError:
    """How far one output is off: largest absolute error, and that over the largest magnitude of the reference."""

    name: str
    max_abs: float
    relative: float
    ok: bool


def random_inputs(function: Function, seed: int = 0) -> dict[str, Array]:
    """Inputs drawn by element type: floats standard normal, integers small and non-negative, bool fair; symbolic sizes are 2, or near it.

    Inputs that stand for variables get the variables' initial values.
    """
    rng = np.random.default_rng(seed)
    out: dict[str, Array] = {}
    state = {slot.input: slot.initial for slot in state_slots(function).values()}
    for value in function.inputs:
        if value.name in state:
            out[value.name] = state[value.name].view()
            continue
        t = value.type
        if not isinstance(t, TensorType) or t.dtype is DType.STRING:
            raise ConversionError(Code.MLC0702, f"input {value.name} ({value.type}) cannot be drawn at random")
        shape = [drawn_size(d, function.attributes.get("ranges", {})) for d in (t.shape if t.shape is not None else ())]
        out[value.name] = drawn(t.dtype, shape, rng)
    return out


def drawn(dtype: DType, shape: Sequence[int], rng: np.random.Generator) -> Array:
    """Random numbers of an element type."""
    array: Array
    if dtype.is_float:
        array = rng.standard_normal(shape)
    elif dtype.is_complex:
        array = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    else:
        array = rng.integers(0, 2, shape)
    return np.asarray(array).astype(dtype.numpy)


def drawn_size(size: Size, ranges: Mapping[str, Sequence[int | None]]) -> int:
    """A size; of a symbol 2, or what is next to it in its range."""
    if not isinstance(size, Dim):
        return size
    low, high = ranges.get(str(size), (None, None))
    at_least = max(DYNAMIC_SIZE, low or 0)
    return at_least if high is None else min(at_least, high)


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


def compare_runs(reference: Module, run: Run, seed: int = 0) -> list[OutputError]:
    """The worst error of each output on the same random inputs; over two runs, each with what its own first run left, for a model with variables."""
    main = reference.main
    slots, kept = state_slots(main).values(), bool(main.attributes.get("variables"))
    state: dict[str, Array] = {}
    left: tuple[dict[str, Array], dict[str, Array]] = ({}, {})
    worst: dict[str, OutputError] = {}
    for turn in range(2 if slots or kept else 1):
        inputs = random_inputs(main, seed + turn)
        expected, got = reference.run({**inputs, **left[0]}, state), run({**inputs, **left[1]})
        for name in main.output_names:
            error = compare(name, expected[name], got[name])
            if name not in worst or (worst[name].ok and (not error.ok or error.max_abs > worst[name].max_abs)):
                worst[name] = error
        left = ({s.input: expected[s.output] for s in slots}, {s.input: got[s.output] for s in slots})
    return list(worst.values())


def verify_tflite(reference: Module, path: str, seed: int = 0) -> list[OutputError]:
    """Run both on the same random inputs.  Raises ConversionError MLC0702 when LiteRT is not installed."""
    interpreter = litert_interpreter(path)
    return compare_runs(reference, lambda inputs: run_tflite(path, inputs, reference.main.signature, interpreter), seed)


def litert_interpreter(path: str) -> Any:
    """An interpreter of LiteRT for a file.  Raises ConversionError MLC0702 when LiteRT is not installed."""
    try:
        from ai_edge_litert import interpreter as litert
    except ImportError as e:
        raise ConversionError(Code.MLC0702, "LiteRT is not installed", help="pip install ai-edge-litert, or leave --verify out") from e
    return litert.Interpreter(model_path=path, num_threads=1)


def run_tflite(path: str, inputs: dict[str, Array], signature: str, interpreter: Any = None) -> dict[str, Array]:
    """Run a signature of a TFLite file on LiteRT: {input name: array} to {output name: array}.  An interpreter that is given keeps its variables."""
    interpreter = interpreter or litert_interpreter(path)
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

    return compare_runs(reference, load_native(path).run, seed)


def verify_hlo(reference: Module, path: str, seed: int = 0) -> list[OutputError]:
    """Run both on the same random inputs; sizes with a range at their smallest (at least 1), near 2 and at their largest.

    Raises ConversionError MLC0702 when jax is not installed.
    """
    main, weights = reference.main, _hlo_weights(path)
    symbols = sorted({s for v in main.inputs for d in v.tensor.shape or () if isinstance(d, Dim) for s in d.symbols()})

    def run(inputs: dict[str, Array]) -> dict[str, Array]:
        if symbols:
            return run_hlo_of_sizes(main, path, inputs, weights, symbols)
        got = run_hlo(path, [*(inputs[name] for name in main.input_names), *weights])
        return dict(zip(main.output_names, got, strict=True))

    if not symbols:
        return compare_runs(reference, run, seed)
    worst: dict[str, OutputError] = {}
    spans = {name: main.attributes["ranges"][name] for name in symbols}
    least, most = ({n: max(low, 1) for n, (low, _) in spans.items()}, {n: high for n, (_, high) in spans.items()})
    for taken in (least, {n: drawn_size(Dim.symbol(n), spans) for n in spans}, most):
        at = clone_module(reference)
        at.main.attributes["ranges"] = {name: (size, size) for name, size in taken.items()}
        for error in compare_runs(at, run, seed):
            if error.name not in worst or (worst[error.name].ok, -worst[error.name].max_abs) > (error.ok, -error.max_abs):
                worst[error.name] = error
    return list(worst.values())


def run_hlo_of_sizes(main: Function, path: str, inputs: dict[str, Array], weights: list[Array], symbols: list[str]) -> dict[str, Array]:
    """Run a module whose sizes have ranges: inputs are filled up with the worst there is, outputs are cut to the shapes that come with them."""
    ranges, taken = main.attributes["ranges"], sizes_of(main, inputs)
    largest = {name: ranges[name][1] for name in symbols}
    filled = []
    for value in main.inputs:
        x = inputs[value.name]
        whole = np.full(_at(value.tensor, largest), _WORST.get(x.dtype.kind, np.nan), x.dtype)
        whole[tuple(slice(n) for n in x.shape)] = x
        filled.append(whole)
    got = run_hlo(path, [*filled, *(np.asarray(taken[name], np.int32) for name in symbols), *weights])
    outputs, shapes = got[: len(main.output_names)], iter(got[len(main.output_names) :])
    cut = {}
    for name, y, value in zip(main.output_names, outputs, main.outputs, strict=True):
        cut[name] = y if value.tensor.is_static else y[tuple(slice(n) for n in next(shapes))]
    return cut


def _at(t: TensorType, sizes: Mapping[str, int]) -> tuple[int, ...]:
    return t.with_shape(tuple(substitute(d, sizes) for d in t.shape or ())).static_shape()


def sizes_of(main: Function, inputs: dict[str, Array]) -> dict[str, int]:
    """The value of each symbol that is a size of an input."""
    pairs = ((d, n) for v in main.inputs for d, n in zip(v.tensor.shape or (), inputs[v.name].shape, strict=True))
    return {str(d): n for d, n in pairs if isinstance(d, Dim)}


def _is_text(path: str) -> bool:
    """The file is MLIR; an HloModuleProto starts with the tag of its name."""
    with open(path, "rb") as f:
        return f.read(6) == b"module"


def _hlo_weights(path: str) -> list[Array]:
    """The parameters behind the inputs, in order, when the module has its weights beside it."""
    if _is_text(path):
        return []
    with open(f"{path}.json", encoding="utf-8") as f:
        names = json.load(f).get("weights", [])
    if not names:
        return []
    table = read_safetensors(f"{path}.safetensors")
    return [table[name] for name in names]


def read_safetensors(path: str) -> dict[str, Array]:
    """The arrays of a safetensors file that `exporters.hlo.weights` wrote."""
    kinds = {"BOOL": "bool", "BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "C64": "complex64"}
    prefix = {"F": "float", "I": "int", "U": "uint"}
    data = np.fromfile(path, np.uint8)
    start = 8 + int(data[:8].view("<u8")[0])
    arrays: dict[str, Array] = {}
    for name, entry in json.loads(data[8:start].tobytes()).items():
        kind = DType.from_numpy(kinds.get(entry["dtype"]) or prefix[entry["dtype"][0]] + entry["dtype"][1:])
        begin, end = entry["data_offsets"]
        arrays[name] = data[start + begin : start + end].view(kind.numpy).reshape(entry["shape"])
    return arrays


def run_hlo(path: str, inputs: list[Array]) -> list[Array]:
    """Run an HloModuleProto, or a StableHLO text, on jaxlib's XLA for the CPU; inputs and outputs in the order of the entry computation."""
    try:
        import jax

        xla: Any = importlib.import_module("jax._src.lib")._jax
    except ImportError as e:
        raise ConversionError(Code.MLC0702, "jax is not installed", help="pip install jax, or leave --verify out") from e
    with open(path, "rb") as f:
        data = f.read()
    text = _is_text(path)
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
