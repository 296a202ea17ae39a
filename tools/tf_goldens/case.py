"""A small TensorFlow graph whose results are recorded, and its random inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

RAW = tf.raw_ops
_RANDOM = np.random.default_rng(0)


class Case(NamedTuple):
    """build(*placeholders) -> tensors.  dynamic: also with placeholders of unknown sizes.  styles: control flow as TF1
    nodes (v1), as functions (v2).
    """

    name: str
    build: Callable[..., Any]
    inputs: tuple[Any, ...]
    dynamic: bool = False
    styles: tuple[str, ...] = ("v2",)


CASES: list[Case] = []


def case(
    name: str, build: Callable[..., Any], *inputs: Any, dynamic: bool = False, styles: tuple[str, ...] = ("v2",)
) -> None:
    CASES.append(Case(name, build, inputs, dynamic, styles))


def f(*shape: int, low: float = -3, high: float = 3) -> Any:
    return _RANDOM.uniform(low, high, shape).astype(np.float32)


def i(*shape: int, low: int = 0, high: int = 10, dtype: Any = np.int32) -> Any:
    return _RANDOM.integers(low, high, shape).astype(dtype)
