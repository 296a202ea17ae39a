"""Functions of other libraries that a model's kernels call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mlconv.codegen.kernels.kind import KINDS, ForeignFunction, Kinds, kind_of
from mlconv.codegen.objects.objects import is_of_c
from mlconv.codegen.program.memory import node_of, source_line
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.foreign_abi import layout
from mlconv.dialects.kernel import ForeignCall, KernelOp
from mlconv.ir.core import Block, walk
from mlconv.provenance.locations import Location

_DEFINED = re.compile(r"^define [^@\n]*@(\w+)\(", re.MULTILINE)


class ForeignUse(NamedTuple):
    """A call: the function, the op that it computes, and where that comes from.  problem: of the kernel."""

    function: ForeignFunction
    source: str
    node: str
    line: str
    problem: object
    location: Location | None


def foreign_uses(block: Block, kinds: Kinds = KINDS) -> list[ForeignUse]:
    """All calls of a block of kernels and of the regions in it, in order."""
    return list(_uses(block, kinds))


def _uses(block: Block, kinds: Kinds) -> Iterator[ForeignUse]:
    for op in walk(block):
        if not isinstance(op, KernelOp) or op.regions or op.name == "kernel.alias":
            continue
        for function in kind_of(op, kinds).foreign(op.problem):
            source = op.problem.source if isinstance(op.problem, ForeignCall) else op.name
            yield ForeignUse(function, source, node_of(op), source_line(op), op.problem, op.location)


def check_foreign_uses(uses: list[ForeignUse]) -> None:
    """Raises ConversionError ForeignDeclaration for a function that two ops give other attributes, and for names that C
    libraries have.
    """
    first: dict[str, ForeignUse] = {}
    for use in uses:
        name = use.function.name
        if is_of_c(name):
            raise _wrong(use, f"{name}, which {use.source} is to be computed by, is a function of the C library")
        if not isinstance(use.problem, ForeignCall):
            continue
        other = first.setdefault(name, use).problem
        assert isinstance(other, ForeignCall)
        ours, theirs = layout(use.problem.arguments), layout(other.arguments)
        if ours != theirs:
            raise _wrong(
                use,
                f"{name} is called with the attributes {_listed(theirs)}, and here with {_listed(ours)}",
                "declare values of those that a node leaves out: attributes = { NAME = VALUE }",
            )


def check_foreign_names(uses: list[ForeignUse], text: str) -> None:
    """Raises ConversionError ForeignDeclaration for names that functions of the object have.  text: its LLVM IR."""
    defined = set(_DEFINED.findall(text)) if uses else set()
    for use in uses:
        if use.function.name in defined:
            raise _wrong(use, f"{use.function.name} is the name of a function of the object")


def _listed(fields: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in fields) or "none"


def _wrong(use: ForeignUse, message: str, help_: str = "give the function another name") -> ConversionError:
    return ConversionError(Code.ForeignDeclaration, message, help=help_, location=use.location)
