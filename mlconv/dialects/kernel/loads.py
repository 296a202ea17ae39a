"""Loads of expressions and their views."""

from __future__ import annotations

from mlconv.dialects.kernel.attributes import Instr, View


def view_of(instr: Instr) -> View:
    """The view of a load."""
    view: View = instr.value if instr.opcode == "load" else instr.value[0]
    return view


def with_view(instr: Instr, view: View) -> Instr:
    """A load by another view."""
    return instr._replace(value=view if instr.opcode == "load" else (view, *instr.value[1:]))
