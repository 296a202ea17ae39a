"""Inputs that have one value for good, as a rate of samples or a flag of training: constants in their place."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.hints import did_you_mean
from mlconv.dialects import core
from mlconv.importers.cut_points import bare
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation
from mlconv.rewrite import edit


def frozen(module: Module, values: Mapping[str, object]) -> dict[str, Array]:
    """Put constants in place of inputs that are named, in all functions that have them; their arrays by the names of
    the inputs.  values: numbers, nested lists or arrays, or their text in JSON; a number fills all of an input.

    Raises ConversionError NameNotFound, and UsageError for a value that an input does not take.
    """
    found: dict[str, Array] = {}
    for name, value in values.items():
        inputs = [(f, v) for f in module.functions for v in f.inputs if bare(v.name) == bare(name)]
        if not inputs:
            names = list(dict.fromkeys(bare(v.name) for f in module.functions for v in f.inputs))
            known = did_you_mean(bare(name), names) or f"inputs are {', '.join(names) or 'none'}"
            raise ConversionError(Code.NameNotFound, f"--freeze names {name!r}, which is no input", help=known)
        for function, argument in inputs:
            array = _array_for(argument, value)
            found[argument.name] = array
            _replace(function, argument, array)
    return found


def _array_for(argument: Value, value: object) -> Array:
    """The value as the input has it."""
    t = argument.type
    if not isinstance(t, TensorType) or t.dtype in (DType.UNKNOWN, DType.STRING):
        raise _refused(argument, "is no tensor of numbers")
    try:
        given = np.asarray(json.loads(value) if isinstance(value, str) else value)
        with np.errstate(invalid="ignore"):
            array = given.astype(t.dtype.numpy)
    except (ValueError, TypeError, OverflowError) as e:
        raise _refused(argument, f"does not take {value!r}") from e
    if not np.array_equal(array.astype(given.dtype), given) and not t.dtype.is_float:
        raise _refused(argument, f"does not take {value!r}")
    if t.shape is None or t.shape == array.shape:
        return array
    shape = [size if isinstance(size, int) else 1 for size in t.shape] if array.ndim == 0 else list(array.shape)
    fits = len(shape) == len(t.shape) and all(a == b for a, b in zip(shape, t.shape, strict=True) if isinstance(b, int))
    if not fits or (array.ndim == 0 and not t.is_static):
        raise _refused(argument, f"does not take an array of shape {list(array.shape)}")
    return np.broadcast_to(array, shape).copy()


def _refused(argument: Value, why: str) -> ConversionError:
    return ConversionError(Code.UsageError, f"--freeze: input {argument.name} is {argument.type}, and {why}")


def _replace(function: Function, argument: Value, array: Array) -> None:
    block = function.block
    location = NameLocation(argument.name, None)
    constant = Builder(block, location, block.first).emit(core.Constant(value=make_const(array, argument.tensor.dtype)))
    edit.replace_uses(argument, constant.y)
    edit.keep_arguments(block, [i for i, v in enumerate(block.arguments) if v is not argument])
