"""Makes the models of this folder: trains three small networks and writes each as frozen GraphDef and ONNX (the CNN
also as SavedModel), with goldens.

    python -m venv /tmp/make && /tmp/make/bin/pip install tensorflow onnx scikit-learn
    /tmp/make/bin/python testdata/models/make_models.py

digits_cnn: scikit-learn's handwritten digits (UCI), 8x8 grey images, 10 classes.  digits_rnn: an LSTM that reads the
same images row by row.
digits_transformer: one encoder layer over the eight rows.  Goldens are TensorFlow's outputs on ten test images.  The
ONNX files hold the same trained weights in the form that PyTorch exports have (channels first, Gemm with transB,
decomposed layer normalization).
"""

import pathlib
import shutil

import numpy as np
import onnx
import tensorflow as tf
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

HERE = pathlib.Path(__file__).parent
OPSET = 17
K = tf.keras.layers


def data():
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(1).permutation(len(images))
    x = (images / 16).astype(np.float32).reshape(-1, 8, 8)[order]
    y = labels[order]
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])


def train(model, x, y, epochs):
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy())
    model.fit(x, y, epochs=epochs, batch_size=32, verbose=0)


class Graph:
    """Collects ONNX nodes and weights."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def weight(self, name, array):
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def add(self, op, inputs, output, **attributes):
        self.nodes.append(
            helper.make_node(
                op,
                inputs,
                [output] if isinstance(output, str) else output,
                name=f"/{op}_{len(self.nodes)}",
                **attributes,
            )
        )
        return output

    def save(self, path, shape):
        graph = helper.make_graph(
            self.nodes,
            path.stem,
            [helper.make_tensor_value_info("image", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [shape[0], 10])],
            self.weights,
        )
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8, producer_name="make_models.py"
        )
        onnx.checker.check_model(model, full_check=True)
        onnx.save(model, path)


def freeze(model, path, shape):
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    @tf.function(input_signature=[tf.TensorSpec(shape, tf.float32, name="image")])
    def serve(image):
        return {"scores": tf.identity(model(image, training=False), name="scores")}

    frozen = convert_variables_to_constants_v2(serve.get_concrete_function())
    path.write_bytes(frozen.graph.as_graph_def().SerializeToString(deterministic=True))
    return serve


def golden(name, serve, x):
    np.savez_compressed(HERE / f"{name}.npz", image=x, scores=serve(tf.constant(x))["scores"].numpy())


def cnn():
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8, 1)),
            K.Conv2D(16, 3, padding="same", use_bias=False),
            K.BatchNormalization(),
            K.ReLU(),
            K.DepthwiseConv2D(3, strides=2, padding="same"),
            K.ReLU(6.0),
            K.Conv2D(32, 1),
            K.ReLU(),
            K.MaxPooling2D(2),
            K.Flatten(),
            K.Dense(10, activation="softmax"),
        ]
    )
    return model


def cnn_onnx(model, path):
    conv, norm, _, depthwise, _, point, _, _, _, dense = model.layers
    g = Graph()
    x = g.add(
        "Conv",
        ["image", g.weight("conv.weight", conv.get_weights()[0].transpose(3, 2, 0, 1))],
        "c1",
        kernel_shape=[3, 3],
        pads=[1, 1, 1, 1],
    )
    names = [g.weight(f"norm.{n}", w) for n, w in zip(("gamma", "beta", "mean", "var"), norm.get_weights())]
    x = g.add("Relu", [g.add("BatchNormalization", [x, *names], "n1", epsilon=norm.epsilon)], "r1")
    kernel, bias = depthwise.get_weights()
    weights = [g.weight("dw.weight", kernel.transpose(2, 3, 0, 1)), g.weight("dw.bias", bias)]
    x = g.add("Conv", [x, *weights], "c2", kernel_shape=[3, 3], strides=[2, 2], pads=[0, 0, 1, 1], group=16)
    x = g.add("Clip", [x, g.weight("zero", np.float32(0)), g.weight("six", np.float32(6))], "r2")
    kernel, bias = point.get_weights()
    x = g.add(
        "Conv",
        [x, g.weight("pw.weight", kernel.transpose(3, 2, 0, 1)), g.weight("pw.bias", bias)],
        "c3",
        kernel_shape=[1, 1],
    )
    x = g.add("MaxPool", [g.add("Relu", [x], "r3")], "p", kernel_shape=[2, 2], strides=[2, 2])
    x = g.add("Flatten", [x], "f")
    kernel, bias = dense.get_weights()
    rows = kernel.reshape(2, 2, 32, 10).transpose(3, 2, 0, 1).reshape(10, -1)
    x = g.add("Gemm", [x, g.weight("fc.weight", rows), g.weight("fc.bias", bias)], "logits", transB=1)
    g.add("Softmax", [x], "scores", axis=1)
    g.save(path, ["N", 1, 8, 8])


def rnn():
    return tf.keras.Sequential([tf.keras.Input((8, 8)), K.LSTM(24), K.Dense(10, activation="softmax")])


def rnn_onnx(model, path):
    kernel, recurrent, bias = model.layers[0].get_weights()

    def gates(w):  # Keras orders gates i, f, c, o; ONNX i, o, f, c
        i, f, c, o = np.split(w, 4, -1)
        return np.concatenate([i, o, f, c], -1)

    g = Graph()
    x = g.add("Transpose", ["image"], "steps", perm=[1, 0, 2])
    full_bias = np.concatenate([gates(bias), np.zeros_like(bias)])[None]
    weights = [g.weight("w", gates(kernel).T[None]), g.weight("r", gates(recurrent).T[None]), g.weight("b", full_bias)]
    g.add("LSTM", [x, *weights], ["", "hidden"], hidden_size=24)
    x = g.add("Squeeze", ["hidden", g.weight("axes", np.array([0], np.int64))], "last")
    kernel, bias = model.layers[1].get_weights()
    x = g.add("Gemm", [x, g.weight("fc.weight", kernel.T), g.weight("fc.bias", bias)], "logits", transB=1)
    g.add("Softmax", [x], "scores", axis=1)
    g.save(path, ["N", 8, 8])


def transformer():
    image = tf.keras.Input((8, 8))
    x = K.Dense(32, name="embed")(image)
    x = x + K.MultiHeadAttention(4, 8, name="attention")(
        K.LayerNormalization(name="norm1")(x), K.LayerNormalization(name="norm2")(x)
    )
    h = K.Dense(64, activation=lambda v: tf.keras.activations.gelu(v, approximate=False), name="up")(
        K.LayerNormalization(name="norm3")(x)
    )
    x = x + K.Dense(32, name="down")(h)
    x = K.GlobalAveragePooling1D()(x)
    return tf.keras.Model(image, K.Dense(10, activation="softmax", name="head")(x))


def transformer_onnx(model, path):
    weights = {layer.name: layer.get_weights() for layer in model.layers}
    g = Graph()

    def linear(x, kernel, bias, name):
        y = g.add("MatMul", [x, g.weight(f"{name}.weight", kernel)], f"{name}.mm")
        return g.add("Add", [y, g.weight(f"{name}.bias", bias)], f"{name}.out")

    def norm(x, name):
        gamma, beta = weights[name]
        centred = g.add("Sub", [x, g.add("ReduceMean", [x], f"{name}.mean", axes=[-1])], f"{name}.centred")
        squared = g.add("Mul", [centred, centred], f"{name}.squared")
        var = g.add(
            "Add",
            [g.add("ReduceMean", [squared], f"{name}.var", axes=[-1]), g.weight(f"{name}.eps", np.float32(1e-3))],
            f"{name}.var_eps",
        )
        y = g.add("Div", [centred, g.add("Sqrt", [var], f"{name}.std")], f"{name}.unit")
        y = g.add("Mul", [y, g.weight(f"{name}.gamma", gamma)], f"{name}.scaled")
        return g.add("Add", [y, g.weight(f"{name}.beta", beta)], f"{name}.out")

    heads = g.weight("heads", np.array([0, 8, 4, 8], np.int64))
    merged = g.weight("merged", np.array([0, 8, 32], np.int64))
    x = linear("image", *weights["embed"], "embed")
    q, k, v = norm(x, "norm1"), norm(x, "norm2"), None
    wq, bq, wk, bk, wv, bv, wo, bo = weights["attention"]
    parts = []
    for name, source, w, b in (("q", q, wq, bq), ("k", k, wk, bk), ("v", k, wv, bv)):
        flat = linear(source, w.reshape(32, 32), b.reshape(32), name)
        split = g.add("Reshape", [flat, heads], f"{name}.heads")
        parts.append(g.add("Transpose", [split], f"{name}.t", perm=[0, 2, 3, 1] if name == "k" else [0, 2, 1, 3]))
    q, k, v = parts
    scores = g.add("Div", [g.add("MatMul", [q, k], "qk"), g.weight("scale", np.float32(np.sqrt(8)))], "qk.scaled")
    mixed = g.add("MatMul", [g.add("Softmax", [scores], "attention.weights", axis=-1), v], "mixed")
    flat = g.add("Reshape", [g.add("Transpose", [mixed], "mixed.t", perm=[0, 2, 1, 3]), merged], "mixed.flat")
    x = g.add("Add", [x, linear(flat, wo.reshape(32, 32), bo, "attention.o")], "residual1")
    h = linear(norm(x, "norm3"), *weights["up"], "up")
    erf = g.add("Erf", [g.add("Div", [h, g.weight("sqrt2", np.float32(np.sqrt(2)))], "gelu.scaled")], "gelu.erf")
    h = g.add("Mul", [h, g.add("Add", [erf, g.weight("one", np.float32(1))], "gelu.plus")], "gelu.times")
    h = g.add("Mul", [h, g.weight("half", np.float32(0.5))], "gelu")
    x = g.add("Add", [x, linear(h, *weights["down"], "down")], "residual2")
    x = g.add("ReduceMean", [x], "pooled", axes=[1], keepdims=0)
    kernel, bias = weights["head"]
    x = g.add("Gemm", [x, g.weight("head.weight", kernel.T), g.weight("head.bias", bias)], "logits", transB=1)
    g.add("Softmax", [x], "scores", axis=1)
    g.save(path, ["N", 8, 8])


def main():
    tf.keras.utils.set_random_seed(7)
    tf.config.experimental.enable_op_determinism()
    (x, y), (test, labels) = data()
    for name, build, to_onnx, epochs, shape in (
        ("digits_cnn", cnn, cnn_onnx, 12, (8, 8, 1)),
        ("digits_rnn", rnn, rnn_onnx, 80, (8, 8)),
        ("digits_transformer", transformer, transformer_onnx, 80, (8, 8)),
    ):
        model = build()
        train(model, x.reshape(-1, *shape), y, epochs)
        images = test.reshape(-1, *shape)
        accuracy = np.mean(np.argmax(model.predict(images, verbose=0), -1) == labels)
        print(f"{name}: accuracy {accuracy:.3f}")
        serve = freeze(model, HERE / f"{name}.pb", [None, *shape])
        to_onnx(model, HERE / f"{name}.onnx")
        golden(name, serve, images[:10])
        if name == "digits_cnn":
            folder = HERE / f"{name}_saved_model"
            shutil.rmtree(folder, ignore_errors=True)
            module = tf.Module()
            module.model, module.serve = model, serve
            tf.saved_model.save(module, str(folder), signatures={"serving_default": serve})


if __name__ == "__main__":
    main()
