"""Networks of TensorFlow that are quantized, with TensorFlow's results; run as a program it writes them, so that tests
never import it.

Use: python trained_rows.py FOLDER.  Makes FOLDER/<name>.pb, frozen, and FOLDER/<name>.npz (x, y; names).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

RNG = np.random.default_rng(4)


def weights(*shape: int) -> Any:
    return (RNG.standard_normal(shape) * 0.3).astype(np.float32)


def convolutions(tf: Any) -> Callable[[Any], Any]:
    """Fake quantization of weights by channel, a batch norm behind a depthwise convolution, a residual sum."""
    w, dw, dense = weights(3, 3, 3, 8), weights(3, 3, 8, 1), weights(8, 10)
    largest = np.abs(w).max((0, 1, 2))
    b, b2, gamma, beta = weights(8), weights(10), weights(8) + 1, weights(8)
    gamma[3] = -gamma[3]
    fake = tf.quantization.fake_quant_with_min_max_vars

    def net(x: Any) -> Any:
        x = fake(x, -3.0, 3.1)
        kernel = tf.quantization.fake_quant_with_min_max_vars_per_channel(w, -largest, largest, narrow_range=True)
        y = fake(tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, kernel, 1, "SAME"), b)), 0.0, 5.0)
        z = tf.nn.depthwise_conv2d(y, fake(dw, -1.0, 1.0, narrow_range=True), [1, 1, 1, 1], "SAME")
        z = tf.compat.v1.nn.fused_batch_norm(z, gamma, beta, b * 0.1, b * b + 0.5, is_training=False)[0]
        z = fake(fake(tf.nn.relu6(z), 0.0, 6.0) + y, 0.0, 9.0)
        z = fake(tf.reduce_mean(tf.nn.max_pool2d(z, 2, 2, "VALID"), [1, 2]), 0.0, 5.0)
        return fake(tf.matmul(z, fake(dense, -1.0, 1.0, narrow_range=True)) + b2, -4.0, 4.0)

    return net


def four_bits(tf: Any) -> Callable[[Any], Any]:
    """Weights and activations of 4 bits."""
    w, dense = weights(3, 3, 3, 8), weights(288, 6)
    fake = tf.quantization.fake_quant_with_min_max_vars

    def net(x: Any) -> Any:
        kernel = fake(w, -0.9, 0.9, num_bits=4, narrow_range=True)
        y = fake(tf.nn.relu(tf.nn.conv2d(fake(x, -3.0, 3.0), kernel, 1, "VALID")), 0.0, 4.0, num_bits=4)
        flat = tf.reshape(y, [-1, 288])
        return fake(tf.matmul(flat, fake(dense, -1.0, 1.0, num_bits=4, narrow_range=True)), -9.0, 9.0)

    return net


def sixteen_bits(tf: Any) -> Callable[[Any], Any]:
    """Activations of 16 bits, whose ranges are not symmetric, weights of 8."""
    w, dense = weights(3, 3, 3, 8), weights(8, 6)
    fake = tf.quantization.fake_quant_with_min_max_vars

    def net(x: Any) -> Any:
        kernel = fake(w, -0.9, 0.9, narrow_range=True)
        y = tf.nn.relu(tf.nn.conv2d(fake(x, -3.0, 3.2, num_bits=16), kernel, 1, "VALID"))
        y = fake(tf.reduce_mean(fake(y, 0.0, 4.0, num_bits=16), [1, 2]), 0.0, 3.0, num_bits=16)
        return fake(tf.matmul(y, fake(dense, -1.0, 1.0, narrow_range=True)), -9.0, 9.0, num_bits=16)

    return net


def simulated(tf: Any) -> Callable[[Any], Any]:
    """Quantization and dequantization by given ranges: weights by channel, activations with and without a sign."""
    w, dense, b = weights(3, 3, 3, 8), weights(288, 6), weights(8)
    largest = np.abs(w).max((0, 1, 2))

    def both(x: Any, low: Any, high: Any, **attributes: Any) -> Any:
        bits = {"num_bits": 8}
        op = tf.raw_ops.QuantizeAndDequantizeV3
        return op(input=x, input_min=low, input_max=high, range_given=True, **bits, **attributes)

    def net(x: Any) -> Any:
        kernel = both(w, -largest, largest, axis=3, narrow_range=True)
        y = tf.nn.conv2d(both(x, -3.0, 3.0), kernel, 1, "VALID")
        y = both(tf.nn.relu(tf.nn.bias_add(y, b)), 0.0, 4.0, signed_input=False)
        product = tf.matmul(tf.reshape(y, [-1, 288]), both(dense, -1.0, 1.0, narrow_range=True))
        return both(product, -9.0, 9.0)

    return net


def keras_dense(tf: Any) -> Callable[[Any], Any]:
    """Layers of int8, whose inputs are quantized when they run."""
    import keras

    keras.utils.set_random_seed(0)
    first = keras.Input((8, 8, 3))
    x = keras.layers.Flatten()(first)
    x = keras.layers.Dense(32, activation="relu")(x)
    model = keras.Model(first, keras.layers.Dense(5)(x))
    model.quantize("int8")
    return lambda x: model(x)


ROWS = {f.__name__: f for f in (convolutions, four_bits, sixteen_bits, simulated, keras_dense)}


def main(folder: Path) -> None:
    import tensorflow as tf
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2 as frozen

    for name, make in ROWS.items():
        net = make(tf)
        spec = tf.TensorSpec([1, 8, 8, 3], tf.float32, name="x")
        function = frozen(tf.function(net, autograph=False).get_concrete_function(spec))
        x = RNG.standard_normal((6, 1, 8, 8, 3)).astype(np.float32)
        y = np.stack([tf.nest.flatten(function(tf.constant(v)))[0].numpy() for v in x])
        (folder / f"{name}.pb").write_bytes(function.graph.as_graph_def().SerializeToString())
        outputs = np.asarray([t.name for t in function.outputs])
        np.savez(folder / f"{name}.npz", x=x, y=y, outputs=outputs)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
