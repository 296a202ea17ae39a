"""A module that jaxlib's XLA for the CPU has compiled, in this process.

XLA ends the process over some modules, so that files of others are run by `xla.Xla`, in another one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.hlo.before_passes import before_passes
from mlconv.importers.stablehlo.bytecode import MAGIC
from mlconv.importers.stablehlo.exported import module_range
from mlconv.ir.constants import Array
from mlconv.runtime.arrays import read_safetensors
from mlconv.runtime.processes import Kept

_PROGRAM = "program"


class HloProgram:
    """An HloModuleProto, or StableHLO of any form, ready to be run.

    Raises ConversionError: VerificationImpossible when jax is not installed, VerificationFailed when XLA refuses the
    module or the inputs.
    """

    def __init__(self, path: str) -> None:
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
        self.path = path
        with jax.enable_x64(True):
            self.device = jax.devices("cpu")[0]
            try:
                self.program = self.device.client.compile_and_load(
                    hlo_to_stablehlo(before_passes(data)) if mlir is None else mlir,
                    DeviceList((self.device,)),
                    CompileOptions(),
                )
            except (AttributeError, TypeError, RuntimeError, ValueError) as e:
                raise self._refused(e) from e

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """Outputs, in order, of inputs in the order of the entry computation."""
        import jax

        with jax.enable_x64(True):
            try:
                results = self.program.execute_sharded(
                    [jax.device_put(x, self.device) for x in inputs]
                ).disassemble_into_single_device_arrays()
            except (AttributeError, TypeError, RuntimeError, ValueError) as e:
                raise self._refused(e) from e
            return [np.asarray(r[0]) for r in results]

    def _refused(self, error: Exception) -> ConversionError:
        if not isinstance(error, AttributeError | TypeError):
            return ConversionError(Code.VerificationFailed, f"XLA cannot run {self.path}: {error}")
        import jax

        return ConversionError(
            Code.VerificationImpossible,
            f"jax {jax.__version__} does not run modules in a way that is known here: {error}",
            help="install a version of jax that fits, or leave --verify out",
        )


def run_hlo(path: str, inputs: Sequence[Array]) -> list[Array]:
    """Compile a module and run it once, in this process.  Raises ConversionError as `HloProgram` does."""
    return HloProgram(path).run(inputs)


def open_program(kept: Kept, path: str) -> None:
    """For a session: compile a module; its weights are those beside it."""
    kept[_PROGRAM] = HloProgram(path), weights_beside(path)


def run_program(kept: Kept, inputs: Sequence[Array]) -> list[Array]:
    """For a session: run what it has compiled."""
    program, weights = kept[_PROGRAM]
    found: list[Array] = program.run([*inputs, *weights])
    return found


def is_text(path: str) -> bool:
    """The file is MLIR; an HloModuleProto starts with the tag of its name."""
    with open(path, "rb") as f:
        return f.read(6) == b"module"


def interface(path: str) -> dict[str, list[str]]:
    """The names of the outputs with shapes behind them and of the weights, of an HloModuleProto; none of a module that
    comes from elsewhere, which has no file of facts beside it.
    """
    if not os.path.isfile(f"{path}.json"):
        return {"shapes": [], "weights": []}
    with open(f"{path}.json", encoding="utf-8") as f:
        facts = json.load(f)
    return {key: [*facts.get(key, [])] for key in ("shapes", "weights")}


def weights_beside(path: str) -> list[Array]:
    """The parameters behind the inputs, in order, when the module has its weights beside it."""
    names = [] if is_text(path) else interface(path)["weights"]
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
