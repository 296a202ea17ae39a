"""A model that is looked at: its source ops, and what core knows of them.

Types that the file leaves out, and how much arithmetic an op is, come from core: a copy is legalized as far as it goes,
with the number of its source op as the place of each op.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from typing import NamedTuple

from mlconv.codegen.kernels.kind import KINDS
from mlconv.codegen.program.work import work as kernel_work
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects.kernel import KernelOp
from mlconv.driver.check import legalize_partly
from mlconv.driver.context import Context, context_of
from mlconv.driver.counting import constants_of, works
from mlconv.driver.loading import import_to_look
from mlconv.driver.options import Options
from mlconv.driver.source_types import SourceTypes
from mlconv.ir.constants import Const
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module, clone_module
from mlconv.ir.types import TensorType, Type
from mlconv.provenance.locations import NameLocation, first_name, frames, origins
from mlconv.quantize.costs import Work, work_of
from mlconv.quantize.select import Selector
from mlconv.rewrite import edit


class Deduced(NamedTuple):
    """types: of values of the source.  work: by number of the source op.  core: ops of core, by that number."""

    types: dict[Value, Type]
    work: dict[int, Work]
    core: dict[int, list[Op]]


class Seen:
    """Raises ConversionError for a file that cannot be read."""

    def __init__(self, path: str, options: Options, context: Context | None = None) -> None:
        self.path, self.options = path, options
        self.context = context or context_of(options.plugins, paths=[path])
        loaded = import_to_look(path, options, self.context)
        self.loaded = loaded
        self.module: Module = loaded.module
        self.files = loaded.files
        self.kinds = {**KINDS, **self.context.kernels}

    @cached_property
    def numbers(self) -> dict[Op, int]:
        """All ops, in order."""
        return {op: i for i, op in enumerate(self.module.walk())}

    @cached_property
    def ops(self) -> list[Op]:
        """Those that are no data."""
        return [op for op in self.numbers if works(op)]

    @cached_property
    def function_of(self) -> dict[Op, int]:
        """The place of the function that an op stands in."""
        return {op: i for i, f in enumerate(self.module.functions) for op in Module([f]).walk()}

    @cached_property
    def deduced(self) -> Deduced:
        copied: dict[Value, Value] = {}
        copy = clone_module(self.module, copied)
        for i, op in enumerate(copy.walk()):
            edit.relocate(op, NameLocation(str(i)))
        followed = SourceTypes(copy)
        legalize_partly(copy, DiagnosticEngine(), self.options, self.context)
        types = followed.deduced(copy)
        found = Deduced({v: types[c] for v, c in copied.items() if c in types}, {}, {})
        for op in copy.walk():
            name = next(origins(op.location), "")
            if name.isdecimal() and op.name.startswith("core."):
                number = int(name)
                found.core.setdefault(number, []).append(op)
                found.work[number] = _sum(found.work.get(number, Work(0, 0)), work_of(op))
        return found

    def type_of(self, value: Value) -> Type:
        """As the file states it; what it leaves open, as core deduces it."""
        t = value.type
        if isinstance(t, TensorType) and t.shape is not None and t.dtype is not DType.UNKNOWN:
            return t
        return self.deduced.types.get(value, t)

    def core_of(self, op: Op) -> list[Op]:
        """What an op became in core; nothing of one that has no meaning there, or that went into others."""
        return self.deduced.core.get(self.numbers[op], [])

    def work(self, op: Op) -> Work:
        """Nothing is known of an op that has no meaning in core; of one that became a constant, it is none."""
        if isinstance(op, KernelOp):
            return Work(None, kernel_work(op, self.kinds).flops if op.name in self.kinds else 0)
        number = self.numbers[op]
        if number in self.deduced.work:
            return self.deduced.work[number]
        known = all(v in self.deduced.types for v in op.results if v.name)
        return Work(0, 0) if known and op.results else Work(None, None)


def _sum(a: Work, b: Work) -> Work:
    return Work(_plus(a.macs, b.macs), _plus(a.flops, b.flops))


def _plus(a: Size | None, b: Size | None) -> Size | None:
    return None if a is None or b is None else a + b


def name_of(op: Op) -> str:
    """The node that an op comes from, else the first of its results that has a name."""
    return first_name(op.location) or next((v.name for v in op.results if v.name), "")


def line_of(op: Op) -> str:
    """The line of the user's source; empty where the file has none."""
    stack = frames(op.location)
    return f"{stack[0].file}:{stack[0].line}" if stack else ""


def constant_of(value: Value) -> Const | None:
    """The data of a value that an op without operands holds."""
    op = value.producer
    if op is None or works(op) or op.operands:
        return None
    return next(constants_of(op), None)


def held_by(op: Op) -> Iterator[Const]:
    """The constants that an op reads, and those that it has itself."""
    for value in op.inputs:
        found = constant_of(value)
        if found is not None:
            yield found
    if works(op):
        yield from constants_of(op)


class Match:
    """Selects ops as rules of quantization do: by kind, by name of their node, by lines of the user's source.  A kind
    is that of any dialect (`Conv2D`, `onnx.Conv`, `CONV_*`) or of core.
    """

    def __init__(self, text: str) -> None:
        self.text, self.selector = text, Selector.parse(text)
        self.plain = _plain(text)

    def __call__(self, op: Op) -> bool:
        short = op.name.rpartition(".")[2]
        return (
            self.selector.matches(op)
            or _plain(short) == self.plain
            or fnmatchcase(op.name, self.text)
            or fnmatchcase(short, self.text)
        )


def _plain(name: str) -> str:
    return re.sub(r"_", "", name).lower()
