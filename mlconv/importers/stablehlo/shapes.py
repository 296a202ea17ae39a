"""Types of tensors, with the sizes that a file leaves open.

jax.export writes functions of symbolic sizes as functions of sizes: the entry asks its arguments for their sizes,
asserts that those of one symbol are equal, and calls what is written for these, whose arguments say which symbol each
is.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.stablehlo.attributes import word
from mlconv.importers.stablehlo.ir import DYNAMIC, MlirFunction, MlirModule, MlirOp, MlirType, MlirValue, Place, Shaped
from mlconv.ir.constants import check_size
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType

Names = dict[tuple[MlirValue, int], str]
"""Symbols of sizes, by argument and axis."""


def symbols_of(module: MlirModule, main: MlirFunction) -> Names:
    """The symbols that jax.export names the sizes of arguments by."""
    asked: dict[MlirValue, tuple[MlirValue, int]] = {}
    equal: dict[MlirValue, tuple[MlirValue, MlirValue]] = {}
    pairs: list[tuple[tuple[MlirValue, int], tuple[MlirValue, int]]] = []
    names: Names = {}
    for op in main.body.ops:
        if op.name == "stablehlo.compare" and len(op.inputs) == 2 and word(op, "comparison_direction", "") == "EQ":
            equal[op.outputs[0]] = op.inputs[0], op.inputs[1]
        if is_assertion(op) and op.inputs and op.inputs[0] in equal:
            first, second = (asked.get(value) for value in equal[op.inputs[0]])
            if first and second:
                pairs.append((first, second))
        axis = op.fields.get("dimension")
        if op.name == "stablehlo.get_dimension_size" and op.inputs and isinstance(axis, int):
            asked[op.outputs[0]] = (op.inputs[0], axis)
        called = _called(module, op)
        for value, given in zip(op.inputs, called.argument_attributes if called is not None else (), strict=False):
            if value in asked and isinstance(given.get("jax.global_constant"), str):
                names.setdefault(asked[value], str(given["jax.global_constant"]))
    for first, second in pairs:  # the second is the one that the symbol was taken from
        if second in names:
            names.setdefault(first, names[second])
    return names


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
    callee = op.fields.get("callee")
    found = module.functions.get(str(getattr(callee, "name", callee))) if op.name == "func.call" else None
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
            shape.append(Dim.symbol(wanted or names.get((value, axis)) or f"{name}_{axis}"))
    return TensorType(stated.element, tuple(shape))


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
