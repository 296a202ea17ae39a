"""Names and types of an object's inputs and outputs in C, and what header, model interface and examples say of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.targets import Target
from mlconv.codegen.program.memory_plan import MemoryPlan
from mlconv.codegen.settings import Settings
from mlconv.exporters.target import FileSizes
from mlconv.ir.data_sizes import SIZES, upper
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.types import TensorType

_C = {DType.F32: "float", DType.F64: "double", DType.BOOL: "uint8_t", DType.F16: "uint16_t"}
_C |= {DType.BF16: "uint16_t", DType.C64: "float", DType.C128: "double"}  # complex numbers are pairs


def c_type(dtype: DType) -> str:
    return _C.get(dtype) or f"{'u' if dtype.is_unsigned_int else ''}int{dtype.bits}_t"


def identifier(name: str) -> str:
    """A name as a C identifier."""
    cleaned = re.sub(r"\W", "_", name, flags=re.ASCII)
    return cleaned if cleaned and not cleaned[0].isdigit() else f"m_{cleaned}"


def quoted(name: str) -> str:
    """A C string literal."""
    plain = {c for c in name if c.isascii() and c.isprintable() and c not in '"\\?'}
    escaped = "".join(
        c if c in plain else "".join(f"\\{b:03o}" for b in c.encode("utf-8", "surrogateescape")) for c in name
    )
    return f'"{escaped}"'


class Held(NamedTuple):
    """What the memory of an input or an output holds."""

    tensor: TensorType


def has_any(t: TensorType, symbols: Mapping[str, Size]) -> bool:
    """Some size of a type has one of these symbols."""
    return any(isinstance(d, Dim) and d.symbols() & symbols.keys() for d in t.shape or ())


class Built(NamedTuple):
    """What header, model interface and examples say of an object.

    stem, artifact: its file's name without and with its suffix.  symbols: those that it needs.  code: it without
    weights.  sizes: what the bytes of the object and of separate weights are.
    """

    prefix: str
    stem: str
    function: Function
    plan: MemoryPlan
    target: Target
    cpus: Sequence[Cpu]
    symbols: Sequence[str]
    settings: Settings
    artifact: str = ""
    code: bytes = b""
    sizes: FileSizes = FileSizes()

    @property
    def sides(self) -> dict[str, list[tuple[str, Held]]]:
        """Named inputs and outputs; those whose sizes data decide have room for the most that there may be."""
        f = self.function
        return {
            "input": [(n, Held(v.tensor)) for n, v in zip(f.input_names, f.inputs, strict=True)],
            "output": [(n, self._room(v.tensor)) for n, v in zip(f.output_names, f.outputs, strict=True)],
        }

    def _room(self, t: TensorType) -> Held:
        shape = tuple(upper(d, self.plan.defined) for d in t.shape or ())
        return Held(t if t.shape == shape else t.with_shape(shape))

    @property
    def shapes_in(self) -> list[int]:
        """For each output, the place of the one that its shape is in; -1 for those whose sizes the inputs tell."""
        places = {name: i for i, name in enumerate(self.function.output_names)}
        return [
            places.get(f"{name}{SIZES}", -1) if has_any(v.tensor, self.plan.defined) else -1
            for name, v in zip(self.function.output_names, self.function.outputs, strict=True)
        ]

    @property
    def signature(self) -> dict[str, Any]:
        """What the model interface says of inputs and outputs."""
        return next(iter((self.settings.interface or {}).get("signatures", [])), {})

    @property
    def state(self) -> list[dict[str, str]]:
        """Variables that the model assigns, of models that have an input and an output for each."""
        return [s for s in self.signature.get("state", []) if s["input"] and s["output"]]

    @property
    def ranges(self) -> dict[str, list[int | None]]:
        """Least and greatest values of dimensions that were given some."""
        ranges: dict[str, list[int | None]] = (self.settings.interface or {}).get("ranges", {})
        return ranges

    @property
    def weights_file(self) -> str | None:
        """Name of the file with the weights, when they are not in the object."""
        return f"{self.stem}.weights.bin" if self.settings.separate_weights and self.plan.weight_bytes else None


class Parameter(NamedTuple):
    """Of a typed call.  declared: with its type."""

    name: str
    declared: str


def parameters(built: Built, side: str) -> list[Parameter]:
    """One for each input or output."""
    out = []
    for i, (n, v) in enumerate(built.sides[side]):
        name, given = f"{side[:-3]}{i}_{identifier(n)}", "const " if side == "input" else ""
        out.append(Parameter(name, f"{given}{c_type(v.tensor.dtype)} *{name}"))
    return out
