"""Inputs and outputs of what can be run, whatever format it has."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.ir.types import TensorType


class Port(NamedTuple):
    """An input or an output.  dtype: of what is stored.  shape: None where the rank is not known.  quant: what its
    integers stand for.
    """

    name: str
    dtype: DType
    shape: tuple[Size, ...] | None = None
    quant: QuantType | None = None

    @property
    def type_text(self) -> str:
        sizes = "*" if self.shape is None else ",".join(map(str, self.shape))
        return f"{self.dtype.display}[{sizes}]"


def ports_of(function: Function) -> tuple[list[Port], list[Port]]:
    """Inputs and outputs of a function."""
    outputs = zip(function.output_names, function.outputs, strict=True)
    return [port_of(v.name, v) for v in function.inputs], [port_of(name, v) for name, v in outputs]


def port_of(name: str, value: Value) -> Port:
    """One of them."""
    t = value.type
    if not isinstance(t, TensorType):
        return Port(name, DType.STRING)
    return Port(name, t.dtype, t.shape, t.quant)
