"""Inputs that decide shapes, given as values: small ones become constants of a module before it is legalized."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.module import Function
from mlconv.rewrite import edit

MAX_BOUND = 64
"""Most elements of an input that is taken for a parameter (axes, sizes, pads, ...)."""


def bind_parameters(function: Function, inputs: Mapping[str, npt.ArrayLike]) -> None:
    """Replace every use of the inputs that are scalars or short vectors by constants of the given values; the inputs
    themselves stay.
    """
    for value in function.inputs:
        array = np.asarray(inputs[value.name]) if value.name in inputs else None
        if (
            array is None
            or array.ndim > 1
            or array.size > MAX_BOUND
            or array.dtype.kind not in "iubf"
            or not value.uses
        ):
            continue
        constant = Builder(function.block, function.location, function.block.first).emit(
            core.Constant(value=make_const(array))
        )
        edit.replace_uses(value, constant.y)
