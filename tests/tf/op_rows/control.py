"""Control flow as TensorFlow 1 writes it: _SwitchN, Switch and Merge."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.tf.op_rows.row import EVERYWHERE, Row, numbers

X = numbers(2, 3)


def cases(tf: Any, i: Any, x: Any) -> Any:
    """Branches with results of their own, a part of x, and nothing but a constant."""
    return tf.switch_case(
        i,
        [
            lambda: (tf.sin(x), x[0]),
            lambda: (x * 2.0, tf.constant([1.0, 2.0, 3.0])),
            lambda: (tf.fill([2, 3], 7.0), x[1] * x[0]),
        ],
        default=lambda: (tf.exp(x), x[1] + 1.0),
    )


def nested(tf: Any, i: Any, k: Any, x: Any) -> Any:
    """A choice of many in a choice of many, and a choice of two."""

    def inner() -> Any:
        return tf.switch_case(k, [lambda: x - 1.0, lambda: x * 3.0, lambda: tf.cos(x)])

    def either() -> Any:
        return tf.cond(x[0, 0] > 0.0, lambda: x * 5.0, lambda: x / 4.0)

    return tf.switch_case(i, [inner, either, lambda: inner() + either()]) + x


def looped(tf: Any, x: Any) -> Any:
    """Another branch each turn."""

    def body(i: Any, y: Any) -> Any:
        y = tf.switch_case(i % 3, [lambda: tf.sin(y), lambda: y * 1.5, lambda: y + tf.cast(i, tf.float32)])
        return i + 1, y

    return tf.while_loop(lambda i, y: i < 5, body, [tf.constant(0), x])[1]


def row(name: str, make: Any, *inputs: Any) -> Row:
    return Row(name, make, list(inputs), targets=EVERYWHERE, lowered=True)


ROWS = [
    *(row(f"_SwitchN {i}", cases, np.int32(i), X) for i in (-1, 0, 1, 2, 3, 9)),
    *(row(f"_SwitchN nested {i} {k}", nested, np.int32(i), np.int32(k), X) for i in (0, 1, 2) for k in (1, 2)),
    row("_SwitchN in a loop", looped, X),
]
