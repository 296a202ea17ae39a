"""What a StableHLO file holds, of text or of bytecode alike: functions, ops, values, attributes, types, places.

Names of ops are StableHLO's (`stablehlo.add`, `func.func`, `return` for both terminators), also where a file has a
version of them (`vhlo.add_v1`).  Attributes are plain: numbers, strings, tuples, dictionaries; `Const` for elements;
a `Symbol` for a reference; names of enums as strings.  Compound attributes (dimension numbers) are taken apart into
their fields, as VHLO has them.  Source: stablehlo/docs/spec.md, "Programs"; stablehlo/dialect/VhloOps.td.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, Union

from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType

DYNAMIC = -1
Fields: TypeAlias = dict[str, object]
"""Attributes by name."""


class Shaped(NamedTuple):
    """A tensor.  shape: sizes, DYNAMIC for one that is known at run time; None without a rank.  bounds: of sizes."""

    element: DType | QuantType
    shape: tuple[int, ...] | None
    bounds: tuple[int, ...] = ()


class Tupled(NamedTuple):
    """A tuple."""

    parts: tuple[MlirType, ...]


class FunctionType(NamedTuple):
    """What a function takes and gives."""

    inputs: tuple[MlirType, ...]
    results: tuple[MlirType, ...]


class Other(NamedTuple):
    """A type by its name alone: `token`, `index`, `none`."""

    name: str


MlirType: TypeAlias = Union[Shaped, Tupled, FunctionType, Other, DType, QuantType]


class Symbol(NamedTuple):
    """A reference to a function."""

    name: str


class Opaque(NamedTuple):
    """An attribute of another dialect, as its text."""

    text: str


class FilePlace(NamedTuple):
    """`"file":line:column`."""

    file: str
    line: int
    column: int


class NamedPlace(NamedTuple):
    """`"name"(child)`."""

    name: str
    child: Place | None


class CallPlace(NamedTuple):
    """`callsite(callee at caller)`."""

    callee: Place | None
    caller: Place | None


class FusedPlace(NamedTuple):
    """`fused[...]`."""

    parts: tuple[Place | None, ...]


class PlaceRef:
    """A place by its number or alias: places are chained as deep as calls are, and are followed one by one."""

    __slots__ = ("place",)

    def __init__(self, place: Place | None = None) -> None:
        self.place = place


Place: TypeAlias = Union[FilePlace, NamedPlace, CallPlace, FusedPlace, PlaceRef]


class MlirValue:
    """A result of an op or an argument of a block."""

    __slots__ = ("place", "type")

    def __init__(self, type_: MlirType, place: Place | None = None) -> None:
        self.type, self.place = type_, place


@dataclass(slots=True)
class MlirBlock:
    """Arguments, and ops in order."""

    parameters: list[MlirValue] = field(default_factory=list)
    ops: list[MlirOp] = field(default_factory=list)


@dataclass(slots=True)
class MlirOp:
    """An op.  fields: its attributes.  bodies: its regions, each of one block, or of none."""

    name: str
    inputs: list[MlirValue]
    fields: Fields
    outputs: list[MlirValue]
    bodies: list[MlirBlock] = field(default_factory=list)
    place: Place | None = None


@dataclass(slots=True)
class MlirFunction:
    """argument_attributes, result_attributes: a dictionary for each, or none at all."""

    name: str
    body: MlirBlock
    type: FunctionType
    public: bool
    argument_attributes: tuple[Fields, ...] = ()
    result_attributes: tuple[Fields, ...] = ()
    place: Place | None = None


@dataclass(slots=True)
class MlirModule:
    """fields: attributes.  others: ops of the module that are no functions, such as meshes."""

    name: str
    fields: Fields
    functions: dict[str, MlirFunction]
    others: list[MlirOp] = field(default_factory=list)
    producer: str = ""
