"""Types of tensors, with the sizes that a file leaves open.

jax.export writes functions of symbolic sizes as functions of sizes: the entry asks its arguments for their sizes,
asserts that those of one symbol are equal, and calls what is written for these, whose arguments say which symbol each
is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias, Union

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.stablehlo.attributes import word
from mlconv.importers.stablehlo.ir import DYNAMIC, MlirFunction, MlirModule, MlirOp, MlirType, MlirValue, Place, Shaped
from mlconv.ir.constants import Const, check_size
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType

Axis: TypeAlias = tuple[MlirValue, int]
Names: TypeAlias = dict[Axis, Union[str, Axis]]
"""Symbols of sizes, by argument and axis; or the axis whose size is the same."""


class _Size(NamedTuple):
    """`scale` times the size of an axis of an argument, plus `more`."""

    axis: Axis
    scale: Fraction
    more: Fraction


def symbols_of(module: MlirModule, main: MlirFunction) -> Names:
    """The symbols that jax.export names the sizes of arguments by."""
    sizes = _sizes_in(main)
    equal: dict[MlirValue, tuple[MlirValue, MlirValue]] = {}
    pairs: list[tuple[Axis, _Size]] = []
    told: dict[_Size, str | Axis] = {}
    for op in main.body.ops:
        if op.name == "stablehlo.compare" and len(op.inputs) == 2 and word(op, "comparison_direction", "") == "EQ":
            equal[op.outputs[0]] = op.inputs[0], op.inputs[1]
        if is_assertion(op) and op.inputs and op.inputs[0] in equal:
            first, second = (sizes.get(value) for value in equal[op.inputs[0]])
            axis = _whole(first)
            if axis and second:
                pairs.append((axis, second))
        called = _called(module, op)
        for value, given in zip(op.inputs, called.argument_attributes if called is not None else (), strict=False):
            size, name = sizes.get(value), given.get("jax.global_constant")
            if size and isinstance(name, str) and name:
                told.setdefault(size, name)
    names: Names = {axis: name for size, name in told.items() if (axis := _whole(size))}
    for axis, size in pairs:  # of a size that has no symbol, the axis that it was taken from, or the first like it
        found = told.setdefault(size, _whole(size) or axis)
        if found != axis:
            names.setdefault(axis, found)
    return names


def _whole(size: _Size | None) -> Axis | None:
    return size.axis if size is not None and size.scale == 1 and size.more == 0 else None


def _sizes_in(main: MlirFunction) -> dict[MlirValue, _Size]:
    """What the entry computes of sizes: multiples, sums with numbers, and quotients of which jax asserts that nothing
    is left (`t` of an axis `2*t + 1`).
    """
    found: dict[MlirValue, _Size] = {}
    numbers: dict[MlirValue, int] = {}
    for op in main.body.ops:
        axis = op.fields.get("dimension")
        if op.name == "stablehlo.get_dimension_size" and op.inputs and isinstance(axis, int):
            found[op.outputs[0]] = _Size((op.inputs[0], axis), Fraction(1), Fraction(0))
        value = op.fields.get("value") if op.name == "stablehlo.constant" else None
        if isinstance(value, Const) and value.size == 1 and value.dtype.is_int:
            numbers[op.outputs[0]] = int(value.view().reshape(()))
        made = _computed(op, found, numbers)
        if made is not None:
            found[op.outputs[0]] = made
    return found


def _computed(op: MlirOp, sizes: Mapping[MlirValue, _Size], numbers: Mapping[MlirValue, int]) -> _Size | None:
    """Of a size and a number, in any order; None for what is something else."""
    if op.name == "stablehlo.convert" and op.inputs:
        return sizes.get(op.inputs[0])
    pair = [value for value in op.inputs if value in sizes], [value for value in op.inputs if value in numbers]
    if len(op.inputs) != 2 or [len(one) for one in pair] != [1, 1]:
        return None
    (axis, scale, more), number = sizes[pair[0][0]], numbers[pair[1][0]]
    if op.name == "stablehlo.multiply":
        return _Size(axis, scale * number, more * number)
    if op.name == "stablehlo.add":
        return _Size(axis, scale, more + number)
    if op.inputs[0] is not pair[0][0]:
        return None
    if op.name == "stablehlo.subtract":
        return _Size(axis, scale, more - number)
    exact = op.name == "func.call" and len(op.outputs) == 2 and _callee(op).startswith("divmod")
    return _Size(axis, scale / number, more / number) if exact and number > 0 else None


def _callee(op: MlirOp) -> str:
    callee = op.fields.get("callee")
    return str(getattr(callee, "name", callee))


def is_assertion(op: MlirOp) -> bool:
    """What states something about sizes, which holds of those that a model is converted for."""
    return op.name == "stablehlo.custom_call" and word(op, "call_target_name", "") == "shape_assertion"


def inner_place(module: MlirModule, main: MlirFunction, value: MlirValue) -> Place | None:
    """The place of an argument in the function that the entry hands it to; there jax keeps its name."""
    for op in main.body.ops:
        called = _called(module, op)
        if called is not None and value in op.inputs:
            return called.body.parameters[op.inputs.index(value)].place
    return None


def _called(module: MlirModule, op: MlirOp) -> MlirFunction | None:
    """The function that a call calls; None of other ops, and of a call that does not fit."""
    found = module.functions.get(_callee(op)) if op.name == "func.call" else None
    return found if found is not None and len(found.body.parameters) == len(op.inputs) else None


def input_type(value: MlirValue, name: str, given: Sequence[int | str] | None, names: Names) -> TensorType:
    """The type of an input.  given: sizes that it is to have, where the file leaves them open.  Raises ConversionError
    ShapeMismatch for sizes that it does not leave open, and what `tensor_type` raises.
    """
    stated = tensor_type(value.type)
    if stated.shape is None:
        raise ConversionError(Code.ShapeNotStatic, f"the rank of input {name} is not known")
    if given is not None and len(given) != len(stated.shape):
        raise ConversionError(Code.ShapeMismatch, f"input {name} has {len(stated.shape)} axes, not {len(given)}")
    shape: list[Size] = []
    for axis, size in enumerate(stated.shape):
        wanted = None if given is None or given[axis] == "?" else given[axis]
        if isinstance(size, int):
            if isinstance(wanted, int) and wanted != size:
                raise ConversionError(Code.ShapeMismatch, f"axis {axis} of input {name} is {size}, not {wanted}")
            shape.append(size)
        elif isinstance(wanted, int):
            shape.append(wanted)
        else:
            shape.append(Dim.symbol(wanted or _symbol((value, axis), f"{name}_{axis}", names)))
    return TensorType(stated.element, tuple(shape))


def _symbol(axis: Axis, own: str, names: Names) -> str:
    """The symbol of an axis: its own, which axes that follow have too, where it has no other."""
    found = names.get(axis, own)
    if isinstance(found, tuple):
        found = names.get(found, own)
    symbol = found if isinstance(found, str) else own
    names[axis] = symbol
    return symbol


def tensor_type(type_: MlirType) -> TensorType:
    """A tensor; its open sizes are told by the ops that make it.  Raises ConversionError ElementTypeUnsupported,
    ShapeNotStatic (bounds), TensorTooLarge.
    """
    if not isinstance(type_, Shaped):
        raise ConversionError(Code.ElementTypeUnsupported, f"a value of type {type_} is not supported")
    if any(bound != DYNAMIC for bound in type_.bounds):
        raise ConversionError(Code.ShapeNotStatic, "sizes that have a bound are not supported")
    if type_.shape is None:
        return TensorType(type_.element, None)
    if isinstance(type_.element, DType):
        check_size(tuple(d for d in type_.shape if d != DYNAMIC), type_.element, "a value")
    return TensorType(type_.element, tuple(Dim.unknown() if d == DYNAMIC else d for d in type_.shape))
