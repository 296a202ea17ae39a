"""Arrays that are given, as the types that inputs take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.dtypes import DType
from mlconv.runtime.ports import Port


def as_taken(arrays: Mapping[str, Array], ports: Sequence[Port]) -> dict[str, Array]:
    """Arrays of numbers as inputs take them.  Integers with a scale may be given as numbers, too, and stay so.  Raises
    ConversionError TypeMismatch.
    """
    types = {port.name: port.dtype for port in ports if port.quant is None and _is_real(port.dtype)}
    return {name: as_type(x, types[name], f"input {name!r}") if name in types else x for name, x in arrays.items()}


def _is_real(dtype: DType) -> bool:
    return dtype is DType.BOOL or dtype.is_float or dtype.is_int


def as_type(array: Array, dtype: DType, what: str) -> Array:
    """An array as another element type, where that loses nothing but precision.  Raises ConversionError
    TypeMismatch.
    """
    wanted = dtype.numpy
    if array.dtype == wanted or (dtype is DType.STRING and array.dtype.kind in "SU"):
        return array
    if array.dtype.kind not in "fiub" or wanted.kind not in "fiubV":
        raise ConversionError(Code.TypeMismatch, f"{what} takes {dtype.display}, what is given is {array.dtype}")
    with np.errstate(over="ignore", invalid="ignore"):
        made = array.astype(wanted)
    if dtype.is_float:
        fits = bool((np.isfinite(made) | ~np.isfinite(array)).all())
    else:
        fits = np.array_equal(made.astype(np.float64), array.astype(np.float64))
    if not fits:
        raise ConversionError(
            Code.TypeMismatch, f"{what} takes {dtype.display}, what is given has {array.dtype} that it cannot hold"
        )
    return made
