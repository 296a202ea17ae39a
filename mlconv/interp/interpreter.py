"""Walks a function and calls `eval` of each op.  Values are dropped after their last use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.core import Block, Op, Region, Value, Yield, captures
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType

Env = dict[Value, Array]
Change = Callable[[Op, Sequence[Array | None], Sequence[Array]], Sequence[Array]]


@dataclass(slots=True)
class _Run:
    """State of one run: when values are needed for the last time, by block, and what the variables hold."""

    store: dict[str, Array]
    change: Change | None = None
    plans: dict[Block, dict[Op, list[Value]]] = field(default_factory=dict)


def run_function(
    function: Function,
    inputs: Mapping[str, npt.ArrayLike],
    state: dict[str, Array] | None = None,
    change: Change | None = None,
) -> dict[str, Array]:
    """Run a function of core ops.  inputs: array by input name, exactly the function's inputs; output arrays by output
    name.

    state: what the function's variables hold, read and updated; they start from their initial values without it.
    change: gets an op, its operands and its results, and gives the results to go on with.

    Raises ConversionError NameNotFound on unknown or missing names, ShapeMismatch/TypeMismatch on shapes and types that
    do not fit, VerificationImpossible on ops that are not core.
    """
    env: Env = {}
    names = function.input_names
    unknown = sorted(set(inputs) - set(names))
    missing = [n for n in names if n not in inputs]
    if unknown or missing:
        problem = f"unknown inputs {unknown}" if unknown else f"missing inputs {missing}"
        raise ConversionError(Code.NameNotFound, f"{problem}; the model's inputs are {names}")
    for value in function.inputs:
        env[value] = _checked_input(value, inputs[value.name])
    with np.errstate(all="ignore"):
        outputs = _run_block(function.block, env, _Run(_initial(function, state), change))
    return dict(zip(function.output_names, outputs, strict=True))


def _initial(function: Function, state: dict[str, Array] | None) -> dict[str, Array]:
    store = {} if state is None else state
    for name, value in function.facts.variables.items():
        store.setdefault(name, value.view())
    return store


def _checked_input(value: Value, given: npt.ArrayLike) -> Array:
    array = np.asarray(given)
    t = value.type
    if isinstance(t, TensorType):
        if array.dtype != t.dtype.numpy and not (t.dtype.numpy.kind == "O" and array.dtype.kind in "OSU"):
            raise ConversionError(
                Code.TypeMismatch, f"input {value.name} is {array.dtype}, the model takes {t.dtype.display}"
            )
        if t.shape is not None and (
            len(t.shape) != array.ndim
            or any(isinstance(d, int) and d != n for d, n in zip(t.shape, array.shape, strict=True))
        ):
            raise ConversionError(
                Code.ShapeMismatch, f"input {value.name} has shape {list(array.shape)}, the model takes {t}"
            )
    return array


def _last_uses(block: Block) -> dict[Op, list[Value]]:
    """For each op, the values that no later op of the block needs."""
    last: dict[Value, Op] = {}
    for op in block.ops:
        for value in op.inputs:
            last[value] = op
        for region in op.regions:
            for value in captures(region):
                last[value] = op
    freed: dict[Op, list[Value]] = {}
    for value, op in last.items():
        freed.setdefault(op, []).append(value)
    return freed


def _run_block(block: Block, env: Env, run: _Run) -> list[Array]:
    plan = run.plans.get(block)
    if plan is None:
        plan = run.plans[block] = _last_uses(block)
    own: set[Value] = set(block.arguments)
    for op in block.ops:
        if isinstance(op, Yield):
            return [env[v] for v in op.inputs]
        for value, array in zip(op.results, _run_op(op, env, run), strict=True):
            env[value] = array
        own.update(op.results)
        for value in plan.get(op, ()):
            if value in own:
                env.pop(value, None)
    raise ConversionError(Code.IrInvalid, "a block does not end in mlconv.yield")


def _run_op(op: Op, env: Env, run: _Run) -> Sequence[Array]:
    if not isinstance(op, OpDef):
        raise ConversionError(Code.VerificationImpossible, f"{op.name} cannot be interpreted: it is not a core op")
    values = [None if v is None else env[v] for v in op.operands]
    if op.regions:

        def run_region(region: Region, arguments: Sequence[Array]) -> list[Array]:
            env.update(zip(region.block.arguments, arguments, strict=True))
            return _run_block(region.block, env, run)

        found = list(op.eval_regions(run_region, *values))  # type: ignore[attr-defined]
        return found if run.change is None else run.change(op, values, found)
    try:
        stateful = getattr(op, "eval_state", None)
        result = op.evaluate(*values) if stateful is None else stateful(run.store, *values)
    except (ValueError, IndexError, ZeroDivisionError, OverflowError) as error:
        shapes = ", ".join("-" if v is None else f"{v.dtype}{list(v.shape)}" for v in values)
        raise ConversionError(
            Code.VerificationImpossible, f"{op.name} failed on ({shapes}): {error}", location=op.location
        ) from error
    arrays = result if isinstance(result, (tuple, list)) else (result,)
    made = [np.asarray(a) for a in arrays]
    return made if run.change is None else run.change(op, values, made)
