"""Inputs and outputs in the form that a user asks for: the order of their axes, and pixels instead of numbers.

The change stands at the border: an input is brought to what the source takes right behind it, an output right before
the end.  What follows (layouts, folding) treats these ops like the model's own.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError, Diagnostic, Severity
from mlconv.diagnostics.hints import did_you_mean
from mlconv.dialects import core
from mlconv.ir.axis_orders import ORDERS, Forms, InputForm, Layout
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.passes.base import Pass, PassContext
from mlconv.provenance.locations import NameLocation
from mlconv.rewrite import edit
from mlconv.rewrite.core_builder import CoreBuilder

PIXELS = {"uint8": DType.U8, "int8": DType.I8}
"""Element types that inputs can have instead of floats."""
_FLAGS = {"layouts": "layout", "means": "mean", "stds": "std", "types": "input-type"}


@dataclass(frozen=True, eq=False, repr=False)
class IoForms(Pass):
    """Give inputs and outputs another form.  layouts: orders of axes by name, `nhwc` or `nchw:nhwc`, as a JSON object.
    means, stds: of inputs, one number or one for each channel, `127.5` or `124,116,104`.  types: of inputs, `uint8` or
    `int8`.

    Raises ConversionError NameNotFound for names that no function has, ShapeMismatch for another rank or another number
    of channels, TypeMismatch for what is no input of floats, UsageError.
    """

    name: ClassVar[str] = "io-forms"
    layouts: str = "{}"
    means: str = "{}"
    stds: str = "{}"
    types: str = "{}"

    def run(self, module: Module, context: PassContext) -> None:
        asked = {option: _texts(getattr(self, option), option) for option in _FLAGS}
        channels_first = str(module.source.get("format", "")).startswith("onnx")
        inputs = [n for f in module.functions for n in f.input_names]
        for option, texts in asked.items():
            outputs = [n for f in module.functions for n in f.output_names] if option == "layouts" else []
            _check_names(texts, inputs + outputs, _FLAGS[option])
        layouts, means, stds, types = ({bare(n): text for n, text in texts.items()} for texts in asked.values())
        orders = {name: Layout.parse(name, text, channels_first) for name, text in layouts.items()}
        pixels = {
            name: Pixels.parse(name, means.get(name, ""), stds.get(name, ""), types.get(name, ""))
            for name in {**means, **stds, **types}
        }
        for function in module.functions:
            _Borders(function, context, channels_first).change(orders, pixels)


def check_forms(
    layouts: Mapping[str, str], means: Mapping[str, str], stds: Mapping[str, str], types: Mapping[str, str]
) -> None:
    """Raises ConversionError UsageError for what no model can be asked for."""
    for name, text in layouts.items():
        Layout.parse(name, text, channels_first=True)
    for name in {**means, **stds, **types}:
        Pixels.parse(name, means.get(name, ""), stds.get(name, ""), types.get(name, ""))


class Pixels(NamedTuple):
    """What an input takes instead of what the source does, which is (x - mean) / std."""

    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    dtype: DType | None = None

    @staticmethod
    def parse(name: str, mean: str, std: str, dtype: str) -> Pixels:
        """Raises ConversionError UsageError."""
        if dtype and dtype not in PIXELS:
            raise ConversionError(
                Code.UsageError, f"--input-type {name} is {dtype!r}, expected one of {', '.join(PIXELS)}"
            )
        stds = _numbers(name, std, "std")
        if any(number <= 0 for number in stds):
            raise ConversionError(Code.UsageError, f"--std {name} is {std}, expected numbers above 0")
        return Pixels(_numbers(name, mean, "mean"), stds, PIXELS.get(dtype))


def _numbers(name: str, text: str, flag: str) -> tuple[float, ...]:
    try:
        found = tuple(map(float, text.split(","))) if text else ()
    except ValueError:
        found = (math.nan,)
    if not all(map(math.isfinite, found)):
        raise ConversionError(Code.UsageError, f"--{flag} {name} is {text!r}, expected numbers, as in 124,116,104")
    return found


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


def _check_names(asked: Iterable[str], known: Iterable[str], flag: str) -> None:
    """Raises ConversionError NameNotFound."""
    names = list(dict.fromkeys(map(bare, known)))
    for name in asked:
        if bare(name) not in names:
            what = "input or output" if flag == "layout" else "input"
            raise ConversionError(
                Code.NameNotFound,
                f"--{flag} names {name!r}, which is no {what} of the model",
                help=did_you_mean(name, names) or f"it has {', '.join(names)}",
            )


class _Borders:
    """The inputs and outputs of one function."""

    def __init__(self, function: Function, context: PassContext, channels_first: bool) -> None:
        self.function, self.context, self.channels_first = function, context, channels_first
        told = function.facts.forms
        self.inputs = dict(told.inputs) if told is not None else {}
        self.types: dict[str, DType] = {}
        self.outputs = dict(told.outputs) if told is not None else {}

    def change(self, orders: Mapping[str, Layout], pixels: Mapping[str, Pixels]) -> None:
        """Raises ConversionError ShapeMismatch, ShapeNotStatic, TypeMismatch."""
        function = self.function
        for value in function.inputs:
            name, layout = bare(value.name), orders.get(bare(value.name))
            changes = layout is not None and self._reorders(value, value.name, layout)
            perm = layout.perm if layout is not None and changes else ()
            asked = pixels.get(name)
            form = InputForm(perm) if asked is None else self._form(value, layout, perm, asked)
            if form != InputForm():
                self._input(value, form)
        for i, (name, value) in enumerate(zip(function.output_names, function.outputs, strict=True)):
            layout = orders.get(bare(name))
            if layout is not None and self._reorders(value, name, layout):
                self._output(i, name, value, layout.perm)
        if self.inputs or self.outputs:
            function.facts.forms = Forms(self.inputs, self.outputs)

    def _reorders(self, value: Value, name: str, layout: Layout) -> bool:
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

    def _form(self, value: Value, layout: Layout | None, perm: tuple[int, ...], pixels: Pixels) -> InputForm:
        """Raises ConversionError."""
        t, name = value.tensor, value.name
        if t.quant is not None or not t.dtype.is_float:
            raise ConversionError(
                Code.TypeMismatch,
                f"{name!r} is {t}: only inputs of floats can take pixels, with a mean and a deviation",
            )
        shape, counts = t.shape, {len(pixels.mean), len(pixels.std)} - {0, 1}
        axis = 0
        if counts:
            if shape is None or len(shape) < 2:
                raise ConversionError(Code.ShapeMismatch, f"{name!r} is {t}, which has no axis of channels")
            axis = layout.before.index("c") if layout is not None else 1 if self.channels_first else len(shape) - 1
            if any(count != shape[axis] for count in counts):
                raise ConversionError(
                    Code.ShapeMismatch,
                    f"{name!r} is {t}, with {shape[axis]} channels on axis {axis}; mean and std have {max(counts)} "
                    "numbers",
                    help=f"where another axis is that of the channels, say so: --layout {name}=nchw",
                )
        dtype = None if pixels.dtype in (None, t.dtype) else t.dtype
        mean = pixels.mean if any(pixels.mean) else ()
        std = pixels.std if any(number != 1 for number in pixels.std) else ()
        self.types[name] = pixels.dtype or t.dtype
        return InputForm(perm, mean, std, axis if mean or std else 0, dtype)

    def _input(self, value: Value, form: InputForm) -> None:
        """The value takes its new form, and what it was is made of it."""
        wanted, users = value.tensor, list(value.uses)
        changed = wanted.with_dtype(self.types.get(value.name, wanted.dtype))
        if form.perm:
            assert changed.shape is not None
            changed = changed.with_shape(tuple(changed.shape[p] for p in form.perm))
        edit.retype(value, changed)
        e = CoreBuilder(Builder(self.function.block, NameLocation(value.name), self.function.block.first))
        x = e.cast(value, wanted.dtype)
        order = form.perm or range(wanted.rank or 0)
        axes = [-1 if axis == form.axis else 1 for axis in order]

        def along(numbers: tuple[float, ...]) -> Value:
            return e.constant(np.reshape(numbers, axes if len(numbers) > 1 else ()), wanted.dtype)

        if form.mean:
            x = e.sub(x, along(form.mean))
        if form.std:
            x = e.mul(x, along(tuple(1 / number for number in form.std)))
        if form.perm:
            x = e.transpose(x, sorted(range(len(form.perm)), key=form.perm.__getitem__))
        for user, i in users:
            edit.set_operand(user, i, x)
        self.inputs[value.name] = form

    def _output(self, i: int, name: str, value: Value, perm: tuple[int, ...]) -> None:
        end = self.function.block.terminator
        builder = Builder(self.function.block, NameLocation(name), end)
        edit.set_operand(end, i, builder.emit(core.Transpose(value, perm=perm)).y)
        self.outputs[name] = perm


_GIVE_SHAPE = "say its sizes with --shape NAME=SIZE,SIZE,..."
