"""Passes, rules and writers that change one channel of some weights by a little."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.exporters.target import Target
from mlconv.ir.constants import make_const
from mlconv.ir.core import Op
from mlconv.ir.module import Module
from mlconv.ir.types import TensorType
from mlconv.passes.pipeline import pass_class
from mlconv.passes.table import PASSES
from mlconv.provenance.locations import node_names

Change = Callable[[Module], bool]


def weights_of(op: Op) -> core.Constant | None:
    """The largest constant of an op, of numbers or of integers with a scale."""
    constants = [v.producer for v in op.operands if v is not None and const_of(v) is not None]
    found = [c for c in constants if isinstance(c, core.Constant) and c.value.size > 8]
    return max(found, key=lambda c: c.value.size, default=None)


def one_channel(node: str, by: float, channel: int = 1) -> Change:
    """Scales one slice of the weights that an op of a node reads; of integers, adds to each."""

    def change(module: Module) -> bool:
        for op in module.walk():
            constant = weights_of(op) if node in node_names(op.location) else None
            if constant is None or isinstance(op, core.Constant):
                continue
            array = constant.value.view().copy()
            axis = int(np.argmax(array.shape))
            at = tuple(channel if i == axis else slice(None) for i in range(array.ndim))
            if array.dtype.kind == "f":
                array[at] *= np.float32(1 + by)
            else:
                array[at] = np.clip(array[at].astype(np.int32) + int(np.ceil(by * 127)), -127, 127)
            quant = constant.y.type.quant if isinstance(constant.y.type, TensorType) else None
            constant.attributes["value"] = make_const(array, constant.value.dtype)
            assert quant is None or constant.y.tensor.quant == quant
            return True
        return False

    return change


def one_weight(node: str, row: int, column: int, steps: int) -> Change:
    """Moves a stored integer of an op of a node by some steps, towards 0."""

    def change(module: Module) -> bool:
        for op in module.walk():
            constant = weights_of(op) if node in node_names(op.location) else None
            if constant is None or isinstance(op, core.Constant) or constant.value.view().dtype != np.int8:
                continue
            array = constant.value.view().copy()
            array[row, column] += steps if array[row, column] < 0 else -steps
            constant.attributes["value"] = make_const(array, constant.value.dtype)
            return True
        return False

    return change


def wrong_pass(patch: pytest.MonkeyPatch, name: str, change: Change, times: int = 1) -> None:
    """A pass makes a change besides, when it runs for the first time that it can."""
    cls, left = pass_class(PASSES[name]), [times]
    run = cls.run

    def wrong(self: Any, module: Module, context: Any) -> None:
        run(self, module, context)
        if left[0] and change(module):
            left[0] -= 1

    patch.setattr(cls, "run", wrong)


def wrong_writer(patch: pytest.MonkeyPatch, target: Target, change: Change) -> None:
    """A target writes something else than it is given."""
    write = type(target).write

    def wrong(self: Any, module: Module, options: Any, request: Any) -> int:
        assert change(module)
        return write(self, module, options, request)

    patch.setattr(type(target), "write", wrong)
