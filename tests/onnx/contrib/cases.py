"""Random cases of operators of com.microsoft: made from a seed, run on ONNX Runtime and on what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import helper

import mlconv
from mlconv.runtime.native import load_native
from tests.onnx.rows import Row
from tests.support.litert import run_litert
from tests.support.onnx_models import model, save, value
from tests.support.onnx_runtimes import run_reference

Array = np.ndarray[Any, Any]
Rng = np.random.Generator
SEEDS = 20


class Op(NamedTuple):
    """make: a case of random sizes, attributes and optional inputs.  steps: how far integers may be off: halves may
    round either way.  fixed: inputs that are constants on targets, as they tell sizes of results.
    """

    make: Callable[[Rng], Row]
    steps: int = 0
    fixed: tuple[int, ...] = ()
    targets: tuple[str, ...] = ("tflite", "native", "hlo")


def real(rng: Rng, *shape: int, dtype: Any = np.float32, low: float = -1.0, high: float = 1.0) -> Array:
    return rng.uniform(low, high, shape).astype(dtype)


def whole(rng: Rng, *shape: int, low: int = 0, high: int = 256, dtype: Any = np.uint8) -> Array:
    """Integers from low to high - 1."""
    return rng.integers(low, high, shape).astype(dtype)


def maybe(rng: Rng, make: Callable[[], Array]) -> Array | None:
    """An optional input, there in every second case."""
    return make() if rng.integers(2) else None


def some(rng: Rng, **choices: Any) -> dict[str, Any]:
    """Each attribute with one of its choices, where that is not None."""
    taken = {name: of[int(rng.integers(len(of)))] for name, of in choices.items()}
    return {name: value for name, value in taken.items() if value is not None}


def compare(want: Array, got: Array, tolerance: float, steps: int) -> None:
    """Same type and shape; floats to a part of the largest, integers to `steps`."""
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    if want.dtype.kind == "f":
        wide = want.astype(np.float64)
        scale = float(np.abs(wide[np.isfinite(wide)]).max(initial=1.0))
        np.testing.assert_allclose(got.astype(np.float64), wide, rtol=tolerance, atol=tolerance * scale)
    else:
        assert np.abs(got.astype(np.int64) - want.astype(np.int64)).max(initial=0) <= steps


def build(row: Row) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """The model of one node, and its inputs that are no constants."""
    names = ["" if a is None else f"i{k}" for k, a in enumerate(row.inputs)]
    made = [f"o{k}" for k in range(row.outputs)]
    node = helper.make_node(row.op.rpartition(":")[2], names, made, domain="com.microsoft", **row.attributes)
    constants = {names[k]: row.inputs[k] for k in row.constants if names[k]}
    arrays = {n: a for n, a in zip(names, row.inputs, strict=True) if a is not None and n not in constants}
    inputs = [value(n, list(a.shape), helper.np_dtype_to_tensor_dtype(a.dtype)) for n, a in arrays.items()]
    # nothing but the model tells the type of an attention's scores
    outputs = [value(name) if k == 3 else onnx.ValueInfoProto(name=name) for k, name in enumerate(made)]
    return model([node], inputs, outputs, constants, row.opset, domains={"com.microsoft": 1}), arrays


def judged(row: Row, folder: Path) -> tuple[Path, dict[str, Array], list[Array]]:
    """The model's file, its inputs, and what ONNX Runtime makes of them."""
    proto, inputs = build(row)
    return save(folder, proto), inputs, [np.asarray(y) for y in run_reference(proto, inputs, "ort")]


def check(op: Op, seed: int, folder: Path) -> None:
    """A case on the interpreter."""
    row = op.make(np.random.default_rng(seed))
    path, inputs, expected = judged(row, folder)
    found = list(mlconv.load(path).run(inputs).values())
    for want, got in zip(expected, found, strict=True):
        compare(want, got, row.tolerance, op.steps)


def check_target(op: Op, seed: int, target: str, folder: Path) -> None:
    """A case on a target."""
    row = op.make(np.random.default_rng(seed))
    row = replace(row, constants=tuple({*row.constants, *op.fixed}))
    path, inputs, expected = judged(row, folder)
    for want, got in zip(expected, run_target(path, inputs, target, folder), strict=True):
        compare(want, got.reshape(want.shape), max(row.tolerance, 1e-4), op.steps + 1)


def run_target(path: Path, inputs: dict[str, Array], target: str, folder: Path) -> list[Array]:
    """Outputs of the model converted to a target, run there."""
    suffix = {"tflite": ".tflite", "native": ".o", "hlo": ".hlo.pb"}[target]
    made = folder / f"made{suffix}"
    mlconv.convert(path, target, made, reduce_float64=target == "tflite")
    if target == "tflite":
        return list(run_litert(made.read_bytes(), list(inputs.values())))
    if target == "native":
        return list(load_native(made).run(inputs).values())
    from mlconv.runtime.xla import run_of_sizes
    from mlconv.runtime.xla_program import HloProgram

    main = mlconv.load(path).module.main
    return list(run_of_sizes(main, str(made), inputs, [], HloProgram(str(made)).run).values())
