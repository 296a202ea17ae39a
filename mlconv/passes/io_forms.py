"""Inputs and outputs in the form that a user asks for: the order of their axes.

The change stands at the border: an input of another order is transposed to the source's right behind it, an output
right before the end.  What follows (layouts, folding) treats these ops like the model's own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import ClassVar

from mlconv.diagnostics import Code, ConversionError, Diagnostic, Severity
from mlconv.dialects import core
from mlconv.ir.axis_orders import ORDERS, Forms, InputForm, Layout
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Function, Module
from mlconv.passes.base import Pass, PassContext
from mlconv.provenance.locations import NameLocation
from mlconv.rewrite import edit


@dataclass(frozen=True)
class IoForms(Pass):
    """Give inputs and outputs another form.  layouts: orders of axes by name, `nhwc` or `nchw:nhwc`, as a JSON object.

    Raises ConversionError NameNotFound for names that no function has, ShapeMismatch for another rank, UsageError.
    """

    name: ClassVar[str] = "io-forms"
    layouts: str = "{}"

    def run(self, module: Module, context: PassContext) -> None:
        layouts = _texts(self.layouts, "layouts")
        channels_first = str(module.source.get("format", "")).startswith("onnx")
        known = [n for f in module.functions for n in (*f.input_names, *f.output_names)]
        for name in layouts:
            if bare(name) not in map(bare, known):
                raise _unknown(name, known)
        orders = {bare(n): Layout.parse(n, text, channels_first) for n, text in layouts.items()}
        for function in module.functions:
            _Borders(function, context).change(orders)


def bare(name: str) -> str:
    """A name without the number of a first output, which TensorFlow's have."""
    return name.removesuffix(":0")


def _texts(text: str, option: str) -> dict[str, str]:
    """Raises ConversionError TextNotUnderstood."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ConversionError(Code.TextNotUnderstood, f"io-forms{{{option}}} is no JSON: {text}") from error
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise ConversionError(Code.TextNotUnderstood, f"io-forms{{{option}}} has no texts by name: {text}")
    return found


def _unknown(name: str, known: list[str]) -> ConversionError:
    close = get_close_matches(bare(name), list(dict.fromkeys(map(bare, known))), n=3)
    return ConversionError(
        Code.NameNotFound,
        f"--layout names {name!r}, which is no input or output of the model",
        help=f"did you mean {' or '.join(close)}?" if close else f"it has {', '.join(dict.fromkeys(known))}",
    )


class _Borders:
    """The inputs and outputs of one function."""

    def __init__(self, function: Function, context: PassContext) -> None:
        self.function, self.context = function, context
        told = function.facts.forms
        self.inputs = dict(told.inputs) if told is not None else {}
        self.outputs = dict(told.outputs) if told is not None else {}

    def change(self, orders: Mapping[str, Layout]) -> None:
        """Raises ConversionError ShapeMismatch, ShapeNotStatic."""
        function = self.function
        for value in function.inputs:
            layout = orders.get(bare(value.name))
            if layout is not None and self._moves(value, value.name, layout):
                self._input(value, layout.perm)
        for i, (name, value) in enumerate(zip(function.output_names, function.outputs, strict=True)):
            layout = orders.get(bare(name))
            if layout is not None and self._moves(value, name, layout):
                self._output(i, name, value, layout.perm)
        if self.inputs or self.outputs:
            function.facts.forms = Forms(self.inputs, self.outputs)

    def _moves(self, value: Value, name: str, layout: Layout) -> bool:
        """Whether an order is another one."""
        rank = value.tensor.rank
        if rank is None:
            raise ConversionError(
                Code.ShapeNotStatic, f"{name!r} has no known rank, and is asked for as {layout.after}", help=_GIVE_SHAPE
            )
        if rank != len(layout.after):
            raise ConversionError(
                Code.ShapeMismatch, f"{name!r} is {value.type}, of {rank} axes: it cannot be {layout.after}"
            )
        if layout.before == layout.after:
            other = next(o for o in ORDERS if o != layout.after and sorted(o) == sorted(layout.after))
            self.context.engine.add(
                Diagnostic(
                    Code.UsageError,
                    f"{name!r} is {layout.after} in the source, and stays as it is",
                    Severity.NOTE,
                    help=f"where the source has another order, say so: --layout {name}={other}:{layout.after}",
                )
            )
        return layout.before != layout.after

    def _input(self, value: Value, perm: tuple[int, ...]) -> None:
        wanted = value.tensor
        shape = wanted.shape
        assert shape is not None
        edit.retype(value, wanted.with_shape(tuple(shape[p] for p in perm)))
        back = tuple(sorted(range(len(perm)), key=perm.__getitem__))
        builder = Builder(self.function.block, NameLocation(value.name), self.function.block.first)
        transposed = builder.emit(core.Transpose(value, perm=back))
        edit.replace_uses(value, transposed.y)
        edit.set_operand(transposed, 0, value)
        edit.rename(transposed.y, "")
        self.inputs[value.name] = InputForm(perm)

    def _output(self, i: int, name: str, value: Value, perm: tuple[int, ...]) -> None:
        end = self.function.block.terminator
        builder = Builder(self.function.block, NameLocation(name), end)
        edit.set_operand(end, i, builder.emit(core.Transpose(value, perm=perm)).y)
        self.outputs[name] = perm


_GIVE_SHAPE = "say its sizes with --shape NAME=SIZE,SIZE,..."
