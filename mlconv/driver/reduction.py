"""A small model that shows what a bisection has found: the ops of one layer, on the values that they read."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mlconv.diagnostics import ConversionError
from mlconv.driver.bisection import Bisection, bisect
from mlconv.driver.context import Context
from mlconv.driver.options import OF_MODELS, Options
from mlconv.formats.atomic import check_target, replacing, write_text
from mlconv.interp import run_function
from mlconv.ir.constants import Array, Const, Splat
from mlconv.ir.core import Op, Value, captures
from mlconv.ir.module import Function, Module, clone_module, cut_function
from mlconv.ir.printer import print_module
from mlconv.rewrite import edit

MODEL, DATA = "the reduced model", "the inputs of the reduced model"
_LARGE = 16  # elements of a constant that may be one number, repeated
_PLAIN = Options()


@dataclass(frozen=True)
class Reduced:
    """path: of IR text.  data: of its inputs.  ops: that are left.  command: shows the fault."""

    path: str
    data: str
    ops: int
    command: str


def paths_of(output: str) -> tuple[str, str]:
    """The files that are written."""
    return output, f"{os.path.splitext(output)[0]}.npz"


def reduce(
    found: Bisection, output: str, options: Options, arguments: Sequence[str], context: Context
) -> Reduced | None:
    """Write the smallest model that was found to show the same fault of the same pass; none where only the whole model
    does.  arguments: of the command line, that say how to convert.  Raises ConversionError OutputNotWritable.
    """
    path, data = paths_of(output)
    for file, purpose in ((path, MODEL), (data, DATA)):
        check_target(Path(file), options.files, purpose)
    plain = replace(options, **{name: getattr(_PLAIN, name) for name in OF_MODELS}, files=None)
    for module, inputs in _candidates(found):
        write_text(path, print_module(module, inline=True), None, MODEL)  # noted above; a file may get a freed inode
        with replacing(Path(data)) as out:
            np.savez(out, allow_pickle=False, **inputs)
        if _shows(found, path, data, plain, context):
            ops = sum(op.name != "core.constant" for op in module.main.block.ops) - 1
            command = ["mlconv", "bisect", path, "--to", found.target, "--data", data, *arguments]
            return Reduced(path, data, ops, shlex.join(command))
    for file in (path, data):
        Path(file).unlink(missing_ok=True)
    return None


def _shows(found: Bisection, path: str, data: str, options: Options, context: Context) -> bool:
    """The same pass is at fault."""
    try:
        again = bisect(path, found.target, options, data, context=context)
    except ConversionError:
        return False
    return again.stage is not None and found.stage is not None and again.stage.name == found.stage.name


def _candidates(found: Bisection) -> Iterator[tuple[Module, dict[str, Array]]]:
    """Models with their inputs, the smallest first: the ops of the layer, with numbers for weights and with its
    weights; all ops in front of the pass.
    """
    before, layer = found.before, found.layer
    if before is None or not before.is_core:
        return
    if (
        layer is not None
        and layer.value.producer is not None
        and layer.value.producer.block is before.module.main.block
    ):
        function = before.module.main
        inputs, ops = _closure(function, layer.ops)
        taken = _values(function, found.inputs, inputs)
        part = cut_function(function, inputs, [layer.value], ops)
        module = Module([part], dict(before.module.source), list(before.module.passes))
        feed = dict(zip(part.input_names, taken, strict=True))
        yield _stripped(module), feed
        yield module, feed
    yield before.module, dict(found.inputs)


def _closure(function: Function, ops: Sequence[Op]) -> tuple[list[Value], list[Op]]:
    """Values that some ops read and that are no constants, and the ops, with those of constants, in order."""
    wanted, inputs = set(ops), dict[Value, None]()
    left = list(ops)
    while left:
        op = left.pop()
        for value in (*op.inputs, *(v for region in op.regions for v in captures(region))):
            producer = value.producer
            if producer is None or producer.block is not function.block:
                inputs.setdefault(value)
            elif producer not in wanted and not producer.inputs and not producer.regions:
                wanted.add(producer)
            elif producer not in wanted:
                inputs.setdefault(value)
    return list(inputs), [op for op in function.block.ops if op in wanted]


def _values(function: Function, inputs: Mapping[str, Array], wanted: Sequence[Value]) -> list[Array]:
    """What a function's values are in a run."""
    found: dict[Value, Array] = {v: np.asarray(inputs[v.name]) for v in function.inputs if v.name in inputs}

    def keep(op: Op, values: Sequence[Array | None], results: Sequence[Array]) -> Sequence[Array]:
        found.update(zip(op.results, results, strict=True))
        return results

    run_function(function, inputs, change=keep)
    return [found[value] for value in wanted]


def _stripped(module: Module) -> Module:
    """A copy whose larger constants are one number, repeated."""
    copy = clone_module(module)
    for op in copy.walk():
        for name, value in list(op.attributes.items()):
            if isinstance(value, Const) and value.size >= _LARGE and value.dtype.is_float:
                mean = float(np.abs(value.view().astype(np.float64)).mean())
                edit.set_attribute(op, name, Splat(mean, value.dtype, value.shape))
    return copy
