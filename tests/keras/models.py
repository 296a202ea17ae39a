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


def under(keras: Any, policy: str, make: Any) -> Any:
    """A model that is made under a dtype policy."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(policy)
    try:
        return make(keras.layers)
    finally:
        keras.config.set_dtype_policy(before)


@row
def mixed_bfloat16(keras: Any) -> Any:
    """Outputs in float32, as NumPy has no bfloat16."""

    def make(m: Any) -> Any:
        x = keras.Input((6, 4))
        y = m.LayerNormalization()(m.Dense(8, activation="gelu")(x))
        y = m.Add()([y, m.MultiHeadAttention(2, 4)(y, y), m.Conv1D(8, 3, padding="same")(y)])
        z = m.GRU(3)(m.BatchNormalization()(y))
        return keras.Model(x, [m.Dense(3, dtype="float32")(z), m.Dense(3, activation="softmax", dtype="float32")(y)])

    return under(keras, "mixed_bfloat16", make)


@row
def mixed_images(keras: Any) -> Any:
    def make(m: Any) -> Any:
        x = keras.Input((8, 8, 3))
        y = m.BatchNormalization()(m.Conv2D(4, 3, padding="same", activation="relu")(m.Rescaling(0.5)(x)))
        y = m.Add()([y, m.DepthwiseConv2D(3, padding="same", activation="gelu")(y)])
        y = m.GroupNormalization(2)(m.MaxPooling2D()(y))
        z = m.Concatenate()([m.GlobalAveragePooling2D()(y), m.Dense(3, activation="softmax")(m.Flatten()(y))])
        return keras.Model(x, [y, m.Dense(3, dtype="float32")(z), m.Activation("softmax", dtype="float32")(z)])

    return under(keras, "mixed_float16", make)


@row
def mask_mixed_sequences(keras: Any) -> Any:
    def make(m: Any) -> Any:
        t, u = keras.Input((7,), dtype="int32"), keras.Input((6, 4))
        e = m.Embedding(5, 8, mask_zero=True)(t)
        a = m.LayerNormalization()(m.Add()([e, m.MultiHeadAttention(2, 4)(e, e)]))
        b = m.MultiHeadAttention(2, 4, dropout=0.1)(u, u, use_causal_mask=True)
        y = m.Bidirectional(m.LSTM(3, return_sequences=True))(m.Embedding(5, 4, mask_zero=True)(t))
        z = m.GRU(3, activation="silu")(y)
        return keras.Model([t, u], [a, b, m.Attention()([u, u]), y, z, m.RMSNormalization()(u)])

    return under(keras, "mixed_float16", make)


LEFT_TO_KERAS = "equalization"


@row
def equalization(keras: Any) -> Any:
    return keras.Sequential([keras.Input((8, 8, 3)), keras.layers.Equalization(), keras.layers.Flatten()])
