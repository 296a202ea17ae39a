"""Models of TensorFlow and Keras that a program holds; `test_in_memory.py` runs these in a process of their own."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import mlconv
from tests.end_to_end import test_in_memory
from tests.end_to_end.test_in_memory import W, X, check

HERE = pathlib.Path(__file__)


def line_of(mark: str) -> int:
    return 1 + next(i for i, text in enumerate(HERE.read_text().splitlines()) if text.endswith(f"# the line of {mark}"))


def test_functions_of_tensorflow(tmp_path: pathlib.Path) -> None:
    import tensorflow as tf

    weights = tf.Variable(W)

    @tf.function(input_signature=[tf.TensorSpec((2, 6), tf.float32, name="x")])
    def model(x: Any) -> Any:
        return tf.tanh(x @ weights)  # the line of tensorflow

    @tf.function
    def open_model(x: Any) -> Any:
        return tf.tanh(x @ weights)

    loaded = check(model, np.tanh(X @ W), tmp_path)
    assert test_in_memory.lines(loaded, "core.tanh", str(HERE)) >= {line_of("tensorflow")}
    check(model.get_concrete_function(), np.tanh(X @ W), tmp_path)
    check(open_model, np.tanh(X @ W), tmp_path, tf.TensorSpec((2, 6), tf.float32))
    with pytest.raises(mlconv.ConversionError, match="no inputs of its own"):
        mlconv.load(tf.function(lambda x: x))


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:Layer .* does not have a `quantize`:UserWarning")
def test_models_of_keras(tmp_path: pathlib.Path) -> None:
    import keras

    given = keras.Input((6,), batch_size=2, name="features")
    plain = keras.Model(given, keras.layers.Dense(3, activation="tanh")(given))
    check(plain, plain(X).numpy(), tmp_path)

    rows = keras.layers.Reshape((3, 2))(given)
    attention = keras.Model(given, keras.layers.MultiHeadAttention(2, 4)(rows, rows))
    attention.quantize("int8")  # its configuration does not say so, and Keras does not load the file
    check(attention, attention(X).numpy(), tmp_path)

    class Doubled(keras.layers.Layer):
        def call(self, x: Any) -> Any:
            return x * 2.0

    own = keras.Model(given, Doubled()(keras.layers.Dense(3)(given)))
    check(own, own(X).numpy(), tmp_path)

    class Subclassed(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = keras.layers.Dense(3)

        def call(self, x: Any, training: bool = False) -> Any:
            return self.dense(x) * 3.0

    subclassed = Subclassed()
    check(subclassed, subclassed(X).numpy(), tmp_path, X)
