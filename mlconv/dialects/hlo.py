"""XLA HLO ops: `hlo.add`, `hlo.dot` and so on, before any optimization, a class for each, made of a table.

The name is HLO's opcode; the attributes are named in the table, the exporter has the field of each.  An op with several
results, or of an opcode in `TUPLED`, has a tuple in the file.  Regions are called computations: `reduce`,
`reduce-window` and `scatter` combine scalars (all of the one side, then all of the other), `sort` compares, `while` has
cond and body, `conditional` the branches for true and false, or, in what is read, one for each index.  A region of
`while` or `conditional` may use values from around it; the exporter passes them along.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.hlo_checks import check
from mlconv.dialects.hlo_table import (
    BINARY,
    CAPTURING,
    COMMUTATIVE,
    FOUND,
    IMPURE,
    KINDS,
    PLUMBING,
    ROWS,
    SAME_ELEMENT_TYPE,
    TRANSPOSING,
    UNARY,
)
from mlconv.ir.core import Op, Region, Value
from mlconv.ir.dialect import Dialect
from mlconv.ir.spec import MISSING, attr, op, operand, operands, region, regions, result, results
from mlconv.ir.target_op import TargetOp
from mlconv.ir.traits import (
    Capturing,
    Commutative,
    Elementwise,
    Impure,
    Plumbing,
    SameElementType,
    Trait,
    Transposing,
)
from mlconv.ir.types import Type
from mlconv.provenance.locations import Location

PREFIX = "hlo."
TUPLED = frozenset({"while", "conditional"})


class HloOp(TargetOp):
    """One instruction.  op_type: the core op that it was made of, for the file's metadata."""

    __slots__ = ()
    op_type: str = attr(default="")

    @property
    def opcode(self) -> str:
        """HLO's name of the op."""
        return self.name.removeprefix(PREFIX)

    def verify(self) -> None:
        check(self, self.opcode)


def hlo_op(
    opcode: str,
    operands: Sequence[Value],
    attributes: dict[str, Any],
    types: Type | Sequence[Type],
    regions: Sequence[Region] = (),
    location: Location | None = None,
) -> HloOp:
    """An instruction by its opcode.  Raises ConversionError InternalError for one that is not written."""
    if opcode not in ROWS:
        raise ConversionError(Code.InternalError, f"HLO opcode {opcode} is not among those that are written")
    return op_class(opcode)(operands, attributes, types, regions, location)


@lru_cache(maxsize=128)
def op_class(opcode: str) -> type[HloOp]:
    """The class of an opcode of the table."""
    row = ROWS[opcode]
    fields: dict[str, object] = {
        name.strip("*"): operands() if name.startswith("*") else operand() for name in row.operands.split()
    }
    annotations: dict[str, object] = {}
    for text in row.attributes.split():
        name, kind = text.removesuffix("=").split(":")
        fields[name] = attr(default=None if text.endswith("=") else MISSING)
        annotations[name] = KINDS[kind]
    for name in row.results.split():
        fields[f"result_{name.strip('*')}"] = results() if name.startswith("*") else result()
    fields |= {name.strip("*"): regions() if name.startswith("*") else region() for name in row.regions.split()}
    body = {"__slots__": (), "__doc__": f"HLO's {opcode}.", "__module__": __name__, "__annotations__": annotations}
    cls: type[HloOp] = type(opcode, (HloOp,), body | fields)
    return op(PREFIX + opcode, traits=_traits(opcode))(cls)


def _traits(opcode: str) -> list[type[Trait]]:
    sets: dict[type[Trait], frozenset[str]] = {
        Elementwise: UNARY | BINARY,
        SameElementType: SAME_ELEMENT_TYPE,
        Commutative: COMMUTATIVE,
        Capturing: CAPTURING,
        Impure: IMPURE,
        Plumbing: PLUMBING,
        Transposing: TRANSPOSING,
    }
    return [trait for trait, opcodes in sets.items() if opcode in opcodes]


def _class_of(name: str) -> type[Op] | None:
    opcode = name.removeprefix(PREFIX)
    return op_class(opcode) if opcode in ROWS else None


DIALECT = Dialect("hlo", _class_of, names=ROWS.keys() | FOUND)
