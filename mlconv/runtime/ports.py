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
    integers stand for.  is_variable: it stands for a variable, which goes in and out.
    """

    name: str
    dtype: DType
    shape: tuple[Size, ...] | None = None
    quant: QuantType | None = None
    is_variable: bool = False

    @property
    def type_text(self) -> str:
        sizes = "*" if self.shape is None else ",".join(map(str, self.shape))
        return f"{self.dtype.display}[{sizes}]"


def ports_of(function: Function) -> tuple[list[Port], list[Port]]:
    """Inputs and outputs of a function."""
    slots, outputs = function.facts.state.values(), zip(function.output_names, function.outputs, strict=True)
    taken, given = {slot.input for slot in slots}, {slot.output for slot in slots}
    return (
        [port_of(v.name, v)._replace(is_variable=v.name in taken) for v in function.inputs],
        [port_of(name, v)._replace(is_variable=name in given) for name, v in outputs],
    )


def port_of(name: str, value: Value) -> Port:
    """One of them."""
    t = value.type
    if not isinstance(t, TensorType):
        return Port(name, DType.STRING)
    return Port(name, t.dtype, t.shape, t.quant)
