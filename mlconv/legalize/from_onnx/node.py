"""One ONNX node as its legalization sees it: operands and attributes with their checks, and a builder of core
ops.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.onnx_types import DTYPES
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Op, Region, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.from_onnx.operands import known_list, sizes_of
from mlconv.legalize.source import SourceNode
from mlconv.rewrite import constant_array
from mlconv.rewrite.core_builder import CoreBuilder, Part


class Node(CoreBuilder):
    """An `onnx.*` op.  version: of the operator set that the node's domain has in the model."""

    __slots__ = ("op", "op_type", "source", "version")

    def __init__(self, source: SourceNode) -> None:
        super().__init__(source.rewriter)
        self.source = source
        self.op: Op = source.op
        self.op_type = source.op.name.rpartition(".")[2]
        self.version = source.version

    @property
    def count(self) -> int:
        """Number of inputs, absent ones included."""
        return len(self.op.operands)

    @property
    def outputs(self) -> int:
        """Number of outputs."""
        return len(self.op.results)

    def opt(self, i: int) -> Value | None:
        """Input i, None when it is absent."""
        return self.op.operands[i] if i < len(self.op.operands) else None

    def x(self, i: int = 0) -> Value:
        """Input i, which must be there.  Raises ConversionError WrongArity; TypeMismatch when it is not a tensor."""
        value = self.opt(i)
        if value is None:
            raise ConversionError(
                Code.WrongArity, f"{self.op_type} has {self.count} inputs; its input {i} is missing", operand=i
            )
        if not isinstance(value.type, TensorType):
            raise ConversionError(
                Code.TypeMismatch, f"input {i} of {self.op_type} is a {value.type}, not a tensor", operand=i
            )
        return value

    def xs(self, start: int = 0) -> list[Value]:
        """All inputs from `start` on, at least one."""
        return [self.x(i) for i in range(start, max(self.count, start + 1))]

    def used(self, i: int) -> bool:
        """Whether output i exists and has users."""
        return i < self.outputs and bool(self.op.results[i].uses)

    # Attributes

    def has(self, name: str) -> bool:
        return name in self.op.attributes

    def _attribute(self, name: str, kinds: tuple[type, ...], default: Any) -> Any:
        value = self.op.attributes.get(name)
        if value is None:
            if default is None:
                raise ConversionError(Code.AttributeInvalid, f"{self.op_type} needs the attribute '{name}'")
            return default
        if not isinstance(value, kinds):
            raise ConversionError(
                Code.AttributeInvalid,
                f"attribute '{name}' of {self.op_type} is {value!r}, of another kind than the operator declares",
            )
        return value

    def i(self, name: str, default: int | None = None) -> int:
        """An integer attribute; without a default it is required."""
        return int(self._attribute(name, (int,), default))

    def flag(self, name: str, default: bool = False) -> bool:
        return bool(self._attribute(name, (int,), int(default)))

    def f(self, name: str, default: float | None = None) -> float:
        """A float attribute, which is a float32, as its default is; without a default it is required."""
        return float(np.float32(self._attribute(name, (float, int), default)))

    def s(self, name: str, default: str | None = None) -> str:
        """A string attribute; without a default it is required."""
        return str(self._attribute(name, (str,), default))

    def ints(self, name: str, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
        """An integer list attribute."""
        found = self._attribute(name, (tuple, list), default)
        if not all(isinstance(i, (int, float)) for i in found):
            raise ConversionError(Code.AttributeInvalid, f"{self.op.name}: {name} is {found!r}, no list of integers")
        return tuple(int(i) for i in found)

    def floats(self, name: str, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        return tuple(float(i) for i in self._attribute(name, (tuple, list), default))

    def strings(self, name: str) -> tuple[str, ...]:
        """A list of strings; empty where there is none."""
        found = self._attribute(name, (tuple, list), ())
        if not all(isinstance(s, str) for s in found):
            raise ConversionError(Code.AttributeInvalid, f"{self.op.name}: {name} is {found!r}, no list of strings")
        return tuple(found)

    def dtype(self, name: str, default: DType | None = None) -> DType:
        """The element type that an attribute names by its number.  Raises ConversionError ElementTypeUnsupported."""
        if not self.has(name) and default is not None:
            return default
        code = self.i(name)
        if code not in DTYPES:
            raise ConversionError(
                Code.ElementTypeUnsupported,
                f"attribute '{name}' of {self.op_type} names the element type {code}, which is not known",
            )
        return DTYPES[code]

    def tensor(self, name: str) -> Const | None:
        value = self.op.attributes.get(name)
        return value if isinstance(value, Const) else None

    def region(self, name: str) -> Region | None:
        """The subgraph that an attribute holds."""
        names = self.op.attributes.get("region_names", ())
        return self.op.regions[names.index(name)] if name in names else None

    def converted(self, block: Block) -> Block:
        """A block of this op with its source ops legalized."""
        self.source.convert_block(block)
        return block

    # Attributes that became inputs

    def computed(self, name: str, i: int) -> Value | None:
        """Input i, where it stands for the attribute `name` and is no constant."""
        value = None if self.has(name) else self.opt(i)
        return value if value is not None and constant_array(value) is None else None

    def value_of(self, name: str, i: int) -> Value:
        """The attribute `name` as a constant, or input i as it is.  Raises ConversionError WrongArity."""
        if not self.has(name):
            return self.x(i)
        found = self._attribute(name, (int, float, tuple, list), None)
        real = any(isinstance(v, float) for v in (found if isinstance(found, (tuple, list)) else [found]))
        return self.constant(np.asarray(found, np.float32 if real else np.int64))

    def int_of(self, name: str, i: int, default: int) -> int:
        """An integer from the attribute `name` or from input i.  Raises ConversionError ShapeNotStatic."""
        if self.has(name):
            return self.i(name)
        value = self.opt(i)
        return default if value is None else known_list(value, f"{name} of {self.op_type} (input {i})")[0]

    def parts_of(self, name: str, i: int, count: int | None = None) -> list[Part]:
        """`count` integers from the attribute `name` or from input i: numbers where they are known, else tensors [1].
        Without a count there are as many as are given.  Raises ConversionError AttributeInvalid, ShapeMismatch for
        another number of them, ShapeNotStatic when it is not known.
        """
        if self.has(name):
            numbers: list[Part] = list(self.ints(name))
            if count not in (None, len(numbers)):
                raise ConversionError(
                    Code.AttributeInvalid, f"{self.op_type}: {len(numbers)} {name}, expected {count} of them"
                )
            return numbers
        vector = self.cast(self.x(i), DType.I64)
        size = vector.tensor.shape[0] if vector.tensor.shape else None
        if count is None and not isinstance(size, int):
            raise ConversionError(
                Code.ShapeNotStatic, f"{self.op_type}: the number of {name} must be known at conversion time"
            )
        wanted = count if count is not None else size if isinstance(size, int) else 0
        return sizes_of(self, vector, wanted, f"{name} of {self.op_type} (input {i})")

    def list_of(self, name: str, i: int, default: tuple[int, ...] | None = None) -> list[int] | None:
        """Integers from the attribute `name`, or from input i where later versions have it.  Raises ConversionError
        ShapeNotStatic.
        """
        if self.has(name):
            return list(self.ints(name))
        value = self.opt(i)
        if value is not None:
            return known_list(value, f"{name} of {self.op_type} (input {i})")
        return None if default is None else list(default)

    def float_of(self, name: str, i: int) -> float | Value | None:
        """A number from the attribute `name` or from input i: a float where it is constant, else a value."""
        if self.has(name):
            return self.f(name)
        value = self.opt(i)
        array = constant_array(value)
        return value if array is None else float(array.reshape(-1)[0]) if array.size == 1 else value

    def refuse(self, reason: str, help: str = "") -> ConversionError:
        """The error for a variant that is not handled."""
        return ConversionError(Code.VariantUnsupported, f"{self.op_type}: {reason}", help=help)
