"""Models of several layers, whose interfaces and structure matter."""

from __future__ import annotations

from typing import Any

from tests.keras.rows import ROWS, Row


def row(function: Row) -> Row:
    ROWS[function.__name__] = function
    return function


@row
def shared_and_nested(keras: Any) -> Any:
    """Layers and models that are called twice, models in models, dicts of inputs and outputs."""
    m = keras.layers
    image, vector = keras.Input((8, 8, 3), name="image"), keras.Input((4,), name="vector")
    shared = m.Dense(4)
    inner = keras.Sequential([keras.Input((4,)), m.Dense(3, activation="relu"), m.Dense(4)], name="inner")
    a, b = keras.Input((4,)), keras.Input((4,))
    deep = keras.Sequential([keras.Input((4,)), m.Dense(3), m.BatchNormalization(), m.Dense(4)])
    own = m.Dense(4)
    outer = keras.Model([a, b], [m.Add()([deep(own(a)), b]), m.Subtract()([a, own(b)])], name="outer")
    y, z = shared(m.GlobalAveragePooling2D()(m.Conv2D(4, 3)(image))), shared(vector)
    p, q = outer([y, z])
    r, s = outer([q, inner(p)])
    return keras.Model({"image": image, "vector": vector}, {"b": m.Concatenate()([p, q, r, s]), "a": inner(z)})


@row
def sequential_in_sequential(keras: Any) -> Any:
    m = keras.layers
    inner = keras.Sequential([m.Conv1D(3, 2, name="first"), m.BatchNormalization()])
    return keras.Sequential([keras.Input((6, 4), name="steps"), inner, m.Flatten(), m.Dense(2, name="head")])


@row
def functional_in_sequential(keras: Any) -> Any:
    m = keras.layers
    x = keras.Input((6, 4))
    inner = keras.Model(x, m.Add()([m.Dense(4)(x), x]))
    return keras.Sequential([keras.Input((6, 4)), m.Dense(4), inner, m.LayerNormalization()])


@row
def frozen_parts(keras: Any) -> Any:
    """Weights that are not trained come last in `.h5`, within each layer."""
    m = keras.layers
    x = keras.Input((6, 4))
    inner = keras.Sequential(
        [keras.Input((6, 4)), m.Dense(4), m.BatchNormalization(), m.Dense(4), m.BatchNormalization()]
    )
    inner.layers[0].trainable = False
    return keras.Model(x, m.BatchNormalization()(inner(x)))


@row
def fixed_batch(keras: Any) -> Any:
    x = keras.Input(batch_shape=(2, 5), name="x", dtype="float32")
    return keras.Model(x, [keras.layers.Dense(3)(x), x])


@row
def transformer(keras: Any) -> Any:
    """A block of an encoder."""
    m = keras.layers
    tokens = keras.Input((9,), dtype="int32")
    x = m.Embedding(5, 16)(tokens) + m.Embedding(9, 16)(keras.ops.cumsum(keras.ops.ones_like(tokens), axis=-1) - 1)
    x = m.LayerNormalization()(x + m.MultiHeadAttention(4, 4, dropout=0.1)(x, x))
    y = m.Dense(16)(m.Dense(32, activation="gelu")(x))
    return keras.Model(tokens, m.Dense(3, activation="softmax")(m.GlobalMaxPooling1D()(m.LayerNormalization()(x + y))))


LARGE = ("resnet50", "convnext_tiny")
APPLICATIONS = {
    "mobilenet_v2": ("MobileNetV2", (96, 96, 3)),
    "resnet50": ("ResNet50", (64, 64, 3)),
    "efficientnet_b0": ("EfficientNetB0", (64, 64, 3)),
    "convnext_tiny": ("ConvNeXtTiny", (64, 64, 3)),
}
for _key, (_name, _shape) in APPLICATIONS.items():
    ROWS[_key] = lambda keras, name=_name, shape=_shape: getattr(keras.applications, name)(
        weights=None, input_shape=shape, classes=10
    )


LEFT_TO_KERAS = "equalization"


@row
def equalization(keras: Any) -> Any:
    return keras.Sequential([keras.Input((8, 8, 3)), keras.layers.Equalization(), keras.layers.Flatten()])
