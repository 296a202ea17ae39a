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
from mlconv.driver.source_reduction import SourcePart, closure, named_beside, stripped, suffix_of
from mlconv.formats.atomic import check_target, replacing, write_text
from mlconv.interp import run_function
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.module import Function, Module, cut_function
from mlconv.ir.printer import print_module

MODEL, DATA = "the reduced model", "the inputs of the reduced model"
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
    before = found.before.module if found.before is not None else None
    suffix = suffix_of(before, context) if before is not None and found.known else ""
    beside = named_beside(path, suffix) if suffix else ""
    for file, purpose in ((path, MODEL), (data, DATA), *([(beside, MODEL)] if beside else [])):
        check_target(Path(file), options.files, purpose)
    plain = replace(options, **{name: getattr(_PLAIN, name) for name in OF_MODELS}, files=None)
    for file, inputs, ops in _written(found, path, beside, plain, context):
        with replacing(Path(data)) as out:
            np.savez(out, allow_pickle=False, **inputs)
        if _shows(found, file, data, plain, context):
            command = ["mlconv", "bisect", file, "--to", found.target, "--data", data, *arguments]
            return Reduced(file, data, ops, shlex.join(command))
        Path(file).unlink(missing_ok=True)
    Path(data).unlink(missing_ok=True)
    return None


def _written(
    found: Bisection, path: str, beside: str, options: Options, context: Context
) -> Iterator[tuple[str, dict[str, Array], int]]:
    """Files of small models, one after the other, with their inputs and the number of ops.  beside: of one in the
    source's format, for rules of the source.
    """
    if beside and found.before is not None and found.layer is not None:
        part = SourcePart.of(found.before.module, found.layer.ops, found.known)
        for one in (part.stripped(), part) if part is not None else ():
            if one.write(beside, options, context):
                yield beside, one.inputs, sum(bool(op.inputs) for op in one.module.main.block.ops) - 1
    for module, inputs in _candidates(found):
        write_text(path, print_module(module, inline=True), None, MODEL)  # noted above; a file may get a freed inode
        yield path, inputs, sum(op.name != "core.constant" for op in module.main.block.ops) - 1


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
        inputs, ops = closure(function, layer.ops)
        taken = _values(function, found.inputs, inputs)
        part = cut_function(function, inputs, [layer.value], ops)
        module = Module([part], dict(before.module.source), list(before.module.passes))
        feed = dict(zip(part.input_names, taken, strict=True))
        yield stripped(module), feed
        yield module, feed
    yield before.module, dict(found.inputs)


def _values(function: Function, inputs: Mapping[str, Array], wanted: Sequence[Value]) -> list[Array]:
    """What a function's values are in a run."""
    found: dict[Value, Array] = {v: np.asarray(inputs[v.name]) for v in function.inputs if v.name in inputs}

    def keep(op: Op, values: Sequence[Array | None], results: Sequence[Array]) -> Sequence[Array]:
        found.update(zip(op.results, results, strict=True))
        return results

    run_function(function, inputs, change=keep)
    return [found[value] for value in wanted]
