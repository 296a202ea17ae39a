"""Variables as inputs and outputs, for targets whose programs keep nothing from one run to the next.

Each variable of a function becomes an input, which takes the value from before the run, and an output, which gives the
one after it; a variable that an `if` or a loop assigns becomes one of its results.  The function's attribute
`variables` gives way to `state`, which says which output feeds which input.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.state import assigned_variables
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.facts import StateSlot
from mlconv.ir.module import Function
from mlconv.ir.types import TensorType, shapes_compatible
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.rewrite import edit
from mlconv.rewrite.convert import diagnose
from mlconv.rewrite.core_builder import CoreBuilder

Now = dict[str, Value]  # what each variable holds at a point of the program


@dataclass(frozen=True, eq=False, repr=False)
class State(Pass):
    """Make variables explicit.  apart: no output has the name of an input.

    Raises ConversionError VariantUnsupported for an assignment that has no such form, ShapeMismatch for one of another
    shape.
    """

    name: ClassVar[str] = "state"
    apart: bool = False

    def run_on_function(self, function: Function, context: PassContext) -> None:
        if self.apart:
            _set_apart(function)
        variables, function.facts.variables = function.facts.variables, {}
        if not variables:
            return
        now: Now = {}
        slots: dict[str, StateSlot] = {}
        for name, initial in variables.items():
            given = _free(name, [*function.input_names])
            now[name] = edit.add_argument(function.block, TensorType(initial.dtype, initial.shape), given)
            taken = [*function.output_names, *(s.output for s in slots.values())]
            taken += [*function.input_names, *variables] if self.apart else []
            slots[name] = StateSlot(given, _free(name, taken), initial)
        _thread(function.block, now)
        end = function.block.terminator
        edit.add_operands(end, (now[name] for name in variables))
        function.output_names += [slot.output for slot in slots.values()]
        function.facts.state = slots
        context.count("state", len(variables))
        eliminate_dead_code(function.block)


def _set_apart(function: Function) -> None:
    """Outputs that have the name of an input, and are something else, get another one."""
    given = {v.name: v for v in function.inputs}
    for i, (name, value) in enumerate(zip(function.output_names, function.outputs, strict=True)):
        if given.get(name, value) is not value:
            new = _free(name, [*function.output_names, *given, *function.facts.variables])
            slots = function.facts.state.items()
            function.output_names[i] = new
            function.facts.state = {k: s._replace(output=new) if s.output == name else s for k, s in slots}


def begin_anew(function: Function) -> None:
    """Each run begins with what the variables hold first of all, and leaves nothing to the next.  Raises what `State`
    does.
    """
    variables, function.facts.variables = function.facts.variables, {}
    if variables:
        first = Builder(function.block, function.location, function.block.first)
        _thread(function.block, {n: first.emit(core.Constant(value=value)).y for n, value in variables.items()})


def _free(name: str, taken: Sequence[str]) -> str:
    """The name, with a number behind it when it is taken."""
    found, k = name, 1
    while found in taken:
        found, k = f"{name}_{k}", k + 1
    return found


def _thread(block: Block, now: Now) -> None:
    """Replace reads and assignments of a block, in order; `now` is brought to its end."""
    for op in block.ops:
        if isinstance(op, core.ReadVariable):
            edit.replace_uses(op.y, now[op.variable])
            edit.erase(op)
        elif isinstance(op, core.AssignVariable):
            now[op.variable] = _fitted(op, now[op.variable])
            edit.erase(op)
        elif isinstance(op, core.If):
            _thread_if(op, now)
        elif isinstance(op, core.While):
            _thread_while(op, now)


def _fitted(op: core.AssignVariable, old: Value) -> Value:
    """What is assigned, in the variable's own type."""
    new, want = op.x.tensor, old.tensor
    if new.dtype is not want.dtype or not shapes_compatible(new.shape, want.shape):
        why = f"variable {op.variable!r} is {want} and is given {new}: as an input and output it keeps its type"
        raise ConversionError.of([diagnose(op, ConversionError(Code.ShapeMismatch, why))])
    if new == want or op.block is None or op.location is None:
        return op.x
    return CoreBuilder(Builder(op.block, op.location, op)).reshape(op.x, want.static_shape())


def _thread_if(op: core.If, now: Now) -> None:
    names = assigned_variables(op)
    before = dict(now)
    for region in op.regions:
        inner = dict(before)
        _thread(region.block, inner)
        _yield_more(region.block, (inner[n] for n in names))
    _add_results(op, names, now)


def _thread_while(op: core.While, now: Now) -> None:
    names = assigned_variables(op)
    if any(assigned_variables(inner) for inner in op.cond.block.ops):
        why = f"the condition of a loop assigns {', '.join(names)}, which only targets with variables can do"
        raise ConversionError.of([diagnose(op, ConversionError(Code.VariantUnsupported, why))])
    edit.add_operands(op, (now[n] for n in names))
    for region in (op.cond, op.body):
        inner = dict(now)
        inner.update({n: edit.add_argument(region.block, now[n].type) for n in names})
        _thread(region.block, inner)
        if region is op.body:
            _yield_more(region.block, (inner[n] for n in names))
    _add_results(op, names, now)


def _yield_more(block: Block, values: Iterable[Value]) -> None:
    edit.add_operands(block.terminator, values)


def _add_results(op: Op, names: Sequence[str], now: Now) -> None:
    for name in names:
        now[name] = edit.add_result(op, now[name].type)
