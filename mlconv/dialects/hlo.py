"""XLA HLO ops: `hlo.add`, `hlo.dot` and so on, before any optimization.

The name is HLO's opcode; the attributes are named below, the exporter has the field of each.  Result types are given by
whoever makes the op.  An op with several results, or of an opcode in `TUPLED`, has a tuple in the file.  Regions are
called computations: `reduce`, `reduce-window` and `scatter` combine scalars (all of the one side, then all of the
other), `sort` compares, `while` has cond and body, `conditional` the branches for true and false.  A region of `while`
or `conditional` may use values from around it; the exporter passes them along.

Source: xla/hlo/ir/hlo_opcode.h, xla/service/hlo.proto, openxla.org/xla/operation_semantics.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.core import OpaqueOp, Region, Value
from mlconv.ir.types import Type
from mlconv.provenance.locations import Location

PREFIX = "hlo."
UNARY = frozenset(
    {
        "abs",
        "ceil",
        "cosine",
        "erf",
        "exponential",
        "exponential-minus-one",
        "floor",
        "log",
        "log-plus-one",
        "logistic",
        "negate",
        "not",
        "round-nearest-even",
        "rsqrt",
        "sign",
        "sine",
        "sqrt",
        "tan",
        "tanh",
    }
)
BINARY = frozenset(
    {
        "add",
        "and",
        "atan2",
        "divide",
        "maximum",
        "minimum",
        "multiply",
        "or",
        "power",
        "remainder",
        "shift-left",
        "shift-right-arithmetic",
        "shift-right-logical",
        "subtract",
        "xor",
    }
)
OTHER = frozenset(
    {
        "bitcast-convert",
        "broadcast",
        "clamp",
        "compare",
        "complex",
        "concatenate",
        "conditional",
        "convert",
        "convolution",
        "copy",
        "dot",
        "dynamic-slice",
        "dynamic-update-slice",
        "fft",
        "gather",
        "imag",
        "iota",
        "is-finite",
        "pad",
        "real",
        "reduce",
        "reduce-window",
        "reshape",
        "reverse",
        "rng",
        "scatter",
        "select",
        "set-dimension-size",
        "slice",
        "sort",
        "transpose",
        "while",
    }
)
OPCODES = UNARY | BINARY | OTHER
TUPLED = frozenset({"while", "conditional"})
CAPTURING = TUPLED  # their regions may use outer values


class HloOp(OpaqueOp):
    """One instruction."""

    __slots__ = ()

    def __init__(
        self,
        opcode: str,
        operands: Sequence[Value],
        attributes: dict[str, Any],
        result_types: Sequence[Type],
        regions: Sequence[Region] = (),
        location: Location | None = None,
    ) -> None:
        opcode = opcode.removeprefix(PREFIX)
        if opcode not in OPCODES:
            raise ConversionError(Code.InternalError, f"HLO opcode {opcode} is not among those that are written")
        super().__init__(PREFIX + opcode, operands, attributes, result_types, regions, location)

    @property
    def opcode(self) -> str:
        """HLO's name of the op."""
        return self.name.removeprefix(PREFIX)
