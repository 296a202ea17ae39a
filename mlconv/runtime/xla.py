"""HLO modules and StableHLO texts on jaxlib's XLA for the CPU."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.stablehlo.bytecode import MAGIC
from mlconv.importers.stablehlo.exported import module_range
from mlconv.ir.constants import Array
from mlconv.ir.dims import substitute
from mlconv.ir.module import Function
from mlconv.ir.types import TensorType
from mlconv.runtime.arrays import read_safetensors
from mlconv.runtime.inputs import ranges_of, sizes_of, symbols_of

_WORST = {"b": True, "i": -1, "u": 1}  # what stands behind the valid part of an input, by kind; NaN of floats


class Xla:
    """A module that is run by the names of its entry; it keeps nothing from one run to the next."""

    name = "XLA"

    def __init__(self, path: str) -> None:
        self.path, self.weights = path, _weights(path)

    def reset(self) -> None:
        """There is no state."""

    def run(self, function: Function, inputs: Mapping[str, Array]) -> dict[str, Array]:
        symbols = symbols_of(function)
        if symbols or not all(v.tensor.is_static for v in function.outputs):
            return run_hlo_of_sizes(function, self.path, inputs, self.weights, symbols)
        got = run_hlo(self.path, [*(inputs[name] for name in function.input_names), *self.weights])
        return dict(zip(function.output_names, got, strict=True))


def run_hlo_of_sizes(
    main: Function, path: str, inputs: Mapping[str, Array], weights: list[Array], symbols: Sequence[str]
) -> dict[str, Array]:
    """Run a module whose sizes have ranges: inputs are filled up with the worst there is, outputs are cut to the shapes
    that come with them.
    """
    ranges, taken = ranges_of(main), sizes_of(main, inputs)
    largest = {name: ranges[name][1] or 0 for name in symbols}
    filled = []
    for value in main.inputs:
        x = inputs[value.name]
        whole = np.full(_at(value.tensor, largest), _WORST.get(x.dtype.kind, np.nan), x.dtype)
        whole[tuple(slice(n) for n in x.shape)] = x
        filled.append(whole)
    got = run_hlo(path, [*filled, *(np.asarray(taken[name], np.int32) for name in symbols), *weights])
    outputs, shapes = got[: len(main.output_names)], iter(got[len(main.output_names) :])
    sized = _sized(path, main.output_names)
    return {
        name: y[tuple(slice(n) for n in next(shapes))] if name in sized else y
        for name, y in zip(main.output_names, outputs, strict=True)
    }


def _sized(path: str, names: Sequence[str]) -> set[str]:
    """The outputs whose shapes stand behind the outputs."""
    if not _is_text(path):
        return {*_interface(path)["shapes"]} & {*names}
    with open(path, encoding="utf-8") as f:
        head = [f.readline(), f.readline()][1]  # arguments and results
    results = [part.split('"', 2)[2] for part in head.rpartition(" -> (")[2].split("{mlconv.name")[1:]]
    return {name for name, attributes in zip(names, results, strict=False) if ", mlconv.shape " in attributes}


def _at(t: TensorType, sizes: Mapping[str, int]) -> tuple[int, ...]:
    return t.with_shape(tuple(substitute(d, sizes) for d in t.shape or ())).static_shape()


def _is_text(path: str) -> bool:
    """The file is MLIR; an HloModuleProto starts with the tag of its name."""
    with open(path, "rb") as f:
        return f.read(6) == b"module"


def _interface(path: str) -> dict[str, list[str]]:
    """The names of the outputs with shapes behind them and of the weights, of an HloModuleProto; none of a module that
    comes from elsewhere, which has no file of facts beside it.
    """
    if not os.path.isfile(f"{path}.json"):
        return {"shapes": [], "weights": []}
    with open(f"{path}.json", encoding="utf-8") as f:
        facts = json.load(f)
    return {key: [*facts.get(key, [])] for key in ("shapes", "weights")}


def _weights(path: str) -> list[Array]:
    """The parameters behind the inputs, in order, when the module has its weights beside it."""
    names = [] if _is_text(path) else _interface(path)["weights"]
    if not names:
        return []
    table = read_safetensors(f"{path}.safetensors")
    return [table[name] for name in names]


def _mlir_of(data: bytes) -> bytes | None:
    """The MLIR that a file is or holds, as text or bytecode; None for an HloModuleProto, which starts with the tag of
    its name, a string.
    """
    exported = module_range(data)
    if exported is not None and data[exported[0] : exported[0] + 4] == MAGIC:
        return data[exported[0] : sum(exported)]
    return data if data.startswith(MAGIC) or data[1:2].isalpha() or data.lstrip()[:2] in (b"//", b"#l") else None


def run_hlo(path: str, inputs: Sequence[Array]) -> list[Array]:
    """Run an HloModuleProto, or StableHLO of any form, on jaxlib's XLA for the CPU; inputs and outputs in the order of
    the entry computation.

    Raises ConversionError: VerificationImpossible when jax is not installed, VerificationFailed when XLA refuses the
    module.
    """
    try:
        import jax
        from jax.extend.mlir import hlo_to_stablehlo
        from jaxlib.xla_client import CompileOptions, DeviceList
    except ImportError as e:
        raise ConversionError(
            Code.VerificationImpossible, "jax is not installed", help="pip install jax, or leave --verify out"
        ) from e
    with open(path, "rb") as f:
        data = f.read()
    mlir = _mlir_of(data)  # none of jax's stable names runs a module as it is: docs/decisions/0023
    with jax.enable_x64(True):
        device = jax.devices("cpu")[0]
        try:
            program = device.client.compile_and_load(
                hlo_to_stablehlo(data) if mlir is None else mlir, DeviceList((device,)), CompileOptions()
            )
            results = program.execute_sharded(
                [jax.device_put(x, device) for x in inputs]
            ).disassemble_into_single_device_arrays()
        except (AttributeError, TypeError) as e:
            raise ConversionError(
                Code.VerificationImpossible,
                f"jax {jax.__version__} does not run modules in a way that is known here: {e}",
                help="install a version of jax that fits, or leave --verify out",
            ) from e
        except (RuntimeError, ValueError) as e:
            raise ConversionError(Code.VerificationFailed, f"XLA cannot run {path}: {e}") from e
        return [np.asarray(r[0]) for r in results]
