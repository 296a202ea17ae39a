"""What a case of a TensorFlow op is: a function of TensorFlow and its inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

EVERYWHERE = ("tflite", "native", "hlo")


class Row(NamedTuple):
    """make(tf, *inputs) gives one result or several.  shapes: of inputs that are open.  targets: those that the graph
    is also compiled for and run on, with the tolerance of `loose`.  lowered: control flow is written as TensorFlow 1
    has it.
    """

    name: str
    make: Callable[..., Any]
    inputs: list[Any]
    shapes: list[Any] | None = None
    tolerance: float = 1e-5
    targets: tuple[str, ...] = ()
    loose: float = 1e-4
    lowered: bool = False


def raw(
    kind: str,
    *inputs: Any,
    given: dict[str, Any] | None = None,
    label: str = "",
    row: dict[str, Any] | None = None,
    **attributes: Any,
) -> Row:
    """A row of one op, whose inputs are those of the op's definition in order; `given` are constants by name, which do
    not count.  row: fields of the row.
    """

    def make(tf: Any, *xs: Any) -> Any:
        from tensorflow.python.framework import op_def_registry

        fixed = given or {}
        definition = op_def_registry.get(kind)
        constants = {
            a.name: tf.constant(fixed[a.name], _stated(tf, a, fixed[a.name]))
            if not isinstance(fixed[a.name], list) or not a.number_attr
            else fixed[a.name]
            for a in definition.input_arg
            if a.name in fixed
        }
        names = [a for a in definition.input_arg if a.name not in fixed]
        values: dict[str, Any] = {}
        rest = list(xs)
        for i, a in enumerate(names):
            many = len(rest) - (len(names) - 1 - i)
            values[a.name] = [rest.pop(0) for _ in range(many)] if a.number_attr or a.type_list_attr else rest.pop(0)
        return getattr(tf.raw_ops, kind)(**values, **constants, **attributes)

    return Row(" ".join(filter(None, (kind, label))), make, list(inputs), **(row or {}))


def _stated(tf: Any, argument: Any, value: Any) -> Any:
    """The element type that a constant has: that of the definition, or of the array."""
    return tf.as_dtype(argument.type) if argument.type else np.asarray(value).dtype


def numbers(*shape: int, low: float = -2.0, high: float = 2.0, dtype: Any = np.float32) -> Any:
    """Uniform random numbers between two limits, the same for the same shape and limits."""
    seed = sum((i + 1) * size for i, size in enumerate(shape)) + int(abs(low) * 7 + abs(high) * 13)
    return np.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


def integers(*shape: int, low: int = -9, high: int = 10, dtype: Any = np.int32) -> Any:
    """Random integers from `low` on, below `high`."""
    return np.random.default_rng(sum(shape) + 3).integers(low, high, shape).astype(dtype)
