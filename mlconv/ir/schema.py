"""What a framework's own schema says of an op of it: operands, attributes and results.

Ops of source dialects are kept as a file has them, so that an op that breaks its schema can still be imported; what
does not fit is a finding about the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import OpaqueType, TensorType


@dataclass(frozen=True, slots=True)
class Formal:
    """An operand or a result.

    elements: the element types that it may have, as messages name them (`float32`); none where the schema leaves them
    open.  variable: operands and results of one type variable have the same element type; empty for none.
    """

    name: str
    elements: frozenset[str] = frozenset()
    variable: str = ""
    optional: bool = False
    variadic: bool = False

    def __str__(self) -> str:
        mark = "*" if self.variadic else "?" if self.optional else ""
        kinds = f"{self.variable} of {', '.join(sorted(self.elements))}" if self.variable else ""
        return f"{self.name}{mark}: " + (kinds.removesuffix(" of ") or ", ".join(sorted(self.elements)) or "any")


@dataclass(frozen=True, slots=True)
class AttributeSchema:
    """kind: `int`, `list(float)`, `tensor` ...  default: as text, None where the schema has none."""

    kind: str
    default: str | None = None
    required: bool = False

    def __str__(self) -> str:
        return self.kind + (", required" if self.required else "" if self.default is None else f" = {self.default}")


@dataclass(frozen=True)
class OpSchema:
    """name: `onnx.Conv`.  origin: whose schema it is, and of which version.  as_found: ops of it are kept as files have
    them; false where importers give them another form.
    """

    name: str
    origin: str
    operands: tuple[Formal, ...] = ()
    results: tuple[Formal, ...] = ()
    attributes: Mapping[str, AttributeSchema] = field(default_factory=dict)
    doc: str = ""
    as_found: bool = True

    def misfits(self, op: Op) -> Iterator[ConversionError]:
        """What an op has that its schema does not say, or lacks: WrongArity, TypeMismatch, AttributeInvalid."""
        if not self.as_found:
            return
        yield from self._arity(op)
        yield from self._elements(op)
        yield from self._attributes(op)

    def _arity(self, op: Op) -> Iterator[ConversionError]:
        least = max((i + 1 for i, f in enumerate(self.operands) if not (f.optional or f.variadic)), default=0)
        given = max((i + 1 for i, v in enumerate(op.operands) if v is not None), default=0)
        if len(op.operands) < least:
            yield ConversionError(Code.WrongArity, f"{self.name} has {given} inputs, {self.origin} needs {least}")
        elif given > len(self.operands) and not any(f.variadic for f in self.operands):
            most = len(self.operands)
            yield ConversionError(Code.WrongArity, f"{self.name} has {given} inputs, {self.origin} takes {most}")
        for formal, value in zip(self.operands, op.operands, strict=False):
            if value is None and not (formal.optional or formal.variadic):
                yield ConversionError(Code.WrongArity, f"{self.name}: its input {formal.name} is missing")

    def _elements(self, op: Op) -> Iterator[ConversionError]:
        bound: dict[str, tuple[str, str]] = {}
        pairs = zip(self.operands, op.operands, strict=False)
        for i, (formal, value) in enumerate(pairs):
            if formal.variadic:
                return  # what follows is not known by its place
            element = _element(value)
            if not element:
                continue
            if formal.elements and element not in formal.elements:
                kinds = ", ".join(sorted(formal.elements))
                message = f"input {formal.name} of {self.name} is {element}, {self.origin} allows {kinds}"
                yield ConversionError(Code.TypeMismatch, message, operand=i)
            first, other = bound.setdefault(formal.variable or formal.name, (formal.name, element))
            if other != element:
                message = f"inputs {first} and {formal.name} of {self.name} are {other} and {element}, not of one type"
                yield ConversionError(Code.TypeMismatch, message, operand=i)

    def _attributes(self, op: Op) -> Iterator[ConversionError]:
        regions = op.attributes.get("region_names", ())
        for name, value in op.attributes.items():
            if name in _IMPORTED or name.startswith(("_", "mlconv.")):
                continue
            if name not in self.attributes:
                has = ", ".join(self.attributes) or "none"
                yield ConversionError(Code.AttributeInvalid, f"{self.name} has no attribute {name!r}; it has {has}")
            yield from self._wrong_kind(name, value)
        for name, known in self.attributes.items():
            if known.required and name not in op.attributes and name not in regions:
                yield ConversionError(Code.AttributeInvalid, f"{self.name} lacks its attribute {name!r}")

    def wrong_kinds(self, op: Op) -> Iterator[ConversionError]:
        """Attributes that are not of the kind that the schema says."""
        for name, value in op.attributes.items():
            yield from self._wrong_kind(name, value)

    def _wrong_kind(self, name: str, value: object) -> Iterator[ConversionError]:
        known = self.attributes.get(name)
        if known is not None and not _is_of(known.kind, value):
            yield ConversionError(Code.AttributeInvalid, f"attribute {name!r} of {self.name} is not {known.kind}")

    def __str__(self) -> str:
        parts = [f"{self.name} ({self.origin})"]
        parts += [f"  input      {formal}" for formal in self.operands]
        parts += [f"  output     {formal}" for formal in self.results]
        parts += [f"  attribute  {name}: {attribute}" for name, attribute in self.attributes.items()]
        return "\n".join(parts) + (f"\n\n{self.doc}" if self.doc else "")


_IMPORTED = frozenset({"opset_version", "region_names"})
"""Attributes that the importers add."""


def _element(value: Value | None) -> str:
    """The element type of a tensor as messages name it; empty where it is not known."""
    tensor = None if value is None else value.type
    known = isinstance(tensor, TensorType) and tensor.dtype is not DType.UNKNOWN
    return tensor.dtype.display if known and isinstance(tensor, TensorType) else ""


_PLAIN: dict[str, type | tuple[type, ...]] = {
    "int": int,
    "float": (int, float),
    "bool": bool,
    "string": (str, bytes),
    "type": (DType, OpaqueType),
    "tensor": Const,
    "shape": (tuple, type(None)),
}


def _is_of(kind: str, value: object) -> bool:
    """Whether a value is of a kind; kinds that have no plain form are not looked at."""
    if kind.startswith("list("):
        inner = kind[5:-1]
        return inner not in _PLAIN or (isinstance(value, (list, tuple)) and all(_is_of(inner, v) for v in value))
    return kind not in _PLAIN or isinstance(value, _PLAIN[kind])
