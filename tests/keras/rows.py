"""Models of Keras, small ones of every layer and operation that is read directly, in two configurations or more.

Rows are functions of the module `keras`, so that who lists them does not import it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Row = Callable[[Any], Any]
ROWS: dict[str, Row] = {}
NOT_IN_H5 = ("op_", "mask_", "masking", "augmentation", "transformer", "merged_integers", "lora")
"""Rows whose names begin so: Keras does not write them to `.h5`, or does not read them from it."""


def chain(name: str, shape: Sequence[int | None], make: Callable[[Any], list[Any]], dtype: str = "float32") -> None:
    """A model of layers one behind the other."""

    def row(keras: Any) -> Any:
        x = first = keras.Input(shape, dtype=dtype)
        for layer in make(keras.layers):
            x = layer(x)
        return keras.Model(first, x)

    ROWS[name] = row


def graph(name: str, shapes: Sequence[Any], make: Callable[..., Any], dtypes: Sequence[str] = ()) -> None:
    """A model of what a function makes of its inputs."""

    def row(keras: Any) -> Any:
        kinds = [*dtypes, *["float32"] * len(shapes)]
        inputs = [keras.Input(s, dtype=d) for s, d in zip(shapes, kinds, strict=False)]
        return keras.Model(inputs, make(keras, *inputs))

    ROWS[name] = row


# Products

chain("dense", (7,), lambda m: [m.Dense(5, activation="relu"), m.Dense(3, use_bias=False, activation="softmax")])
chain("dense_of_rows", (4, 6), lambda m: [m.Dense(5, activation="gelu"), m.Dense(3)])
chain("lora", (6,), lambda m: [m.Dense(5, lora_rank=2, lora_alpha=3), m.Reshape((5, 1)), m.Conv1D(2, 3, lora_rank=1)])
chain(
    "einsum_dense",
    (4, 6),
    lambda m: [
        m.EinsumDense("abc,cd->abd", output_shape=(4, 5), bias_axes="d", activation="tanh"),
        m.EinsumDense("...x,xyz->...yz", output_shape=(3, 5), bias_axes="yz"),
        m.EinsumDense("abcd,bce->ade", output_shape=(5, 4), bias_axes="d"),
    ],
)
chain(
    "einsum_dense_of_columns",
    (4, 6),
    lambda m: [
        m.EinsumDense("abc,bd->adc", output_shape=(5, 6)),
        m.EinsumDense("abc,cd->abd", output_shape=(None, 5)),
    ],
)
chain("einsum_dense_of_the_front", (4, 6), lambda m: [m.EinsumDense("ab...,bc->ac...", (5, 6), bias_axes="c")])
chain("embedding", (6,), lambda m: [m.Embedding(10, 4)], "int32")
chain("embedding_of_floats", (6,), lambda m: [m.Embedding(4, 3), m.Dense(2)])


def _reversible(keras: Any) -> Any:
    m = keras.layers
    x = keras.Input((5,), dtype="int32")
    tied, own = m.ReversibleEmbedding(7, 4), m.ReversibleEmbedding(7, 4, tie_weights=False, logit_soft_cap=2.0)
    return keras.Model(x, [tied(tied(x), reverse=True), own(own(x), reverse=True)])


ROWS["transformer_reversible_embedding"] = _reversible
# Convolutions

chain(
    "conv1d",
    (9, 3),
    lambda m: [
        m.Conv1D(4, 3, padding="causal", dilation_rate=2),
        m.Conv1D(4, 2, strides=2, padding="same", groups=2),
    ],
)
chain(
    "conv2d",
    (12, 12, 4),
    lambda m: [
        m.Conv2D(6, 3, padding="same", strides=2, groups=2, activation="relu6"),
        m.Conv2D(6, (2, 3), dilation_rate=2, use_bias=False),
    ],
)
chain("conv3d", (5, 6, 7, 2), lambda m: [m.Conv3D(3, 2, padding="same"), m.Conv3D(3, (1, 2, 2), strides=2)])
chain(
    "conv1d_transpose",
    (5, 4),
    lambda m: [m.Conv1DTranspose(3, 3, strides=2), m.Conv1DTranspose(3, 4, padding="same", activation="elu")],
)
chain(
    "conv2d_transpose",
    (5, 6, 4),
    lambda m: [
        m.Conv2DTranspose(3, 3, strides=2, padding="same"),
        m.Conv2DTranspose(2, 2, strides=3),
        m.Conv2DTranspose(2, 5, padding="same", output_padding=1, strides=2),
        m.Conv2DTranspose(2, 4, padding="valid", output_padding=1, strides=2),
        m.Conv2DTranspose(2, 1, padding="same", strides=2),
    ],
)
chain("conv3d_transpose", (3, 4, 5, 2), lambda m: [m.Conv3DTranspose(3, 2, strides=2, padding="same")])
chain(
    "depthwise_conv2d",
    (9, 8, 4),
    lambda m: [
        m.DepthwiseConv2D(3, padding="same", strides=2, depth_multiplier=2),
        m.DepthwiseConv2D(3, use_bias=False, activation="relu"),
    ],
)
chain("depthwise_conv1d", (9, 4), lambda m: [m.DepthwiseConv1D(3, padding="same", depth_multiplier=2)])
chain("depthwise_dilated", (9, 8, 4), lambda m: [m.DepthwiseConv2D(3, padding="same", dilation_rate=2)])
chain(
    "separable_conv2d",
    (9, 8, 4),
    lambda m: [m.SeparableConv2D(5, 3, padding="same", depth_multiplier=2, activation="silu"), m.SeparableConv2D(2, 2)],
)
chain(
    "separable_conv1d", (9, 4), lambda m: [m.SeparableConv1D(5, 3, strides=2), m.SeparableConv1D(3, 2, use_bias=False)]
)

# Pooling

for _what in ("Max", "Average"):

    def _pool(m: Any, count: int, *args: Any, _what: str = _what, **kwargs: Any) -> Any:
        return getattr(m, f"{_what}Pooling{count}D")(*args, **kwargs)

    def _global(m: Any, count: int, _what: str = _what, **kwargs: Any) -> Any:
        return getattr(m, f"Global{_what}Pooling{count}D")(**kwargs)

    _lower = _what.lower()
    chain(f"{_lower}_pool1d", (9, 4), lambda m, p=_pool: [p(m, 1, 3, 2, padding="same"), p(m, 1, 2)])
    chain(f"{_lower}_pool2d", (9, 8, 4), lambda m, p=_pool: [p(m, 2, 3, 2, padding="same"), p(m, 2, 2)])
    chain(
        f"{_lower}_pool2d_channels_first", (4, 9, 8), lambda m, p=_pool: [p(m, 2, (2, 3), data_format="channels_first")]
    )
    chain(f"{_lower}_pool3d", (5, 6, 7, 2), lambda m, p=_pool: [p(m, 3, 2, padding="same"), p(m, 3, (1, 2, 2))])
    for _count, _shape in ((1, (5, 3)), (2, (5, 4, 3)), (3, (3, 4, 5, 2))):
        chain(f"global_{_lower}{_count}d", _shape, lambda m, p=_global, c=_count: [p(m, c)])
        chain(
            f"global_{_lower}{_count}d_kept",
            _shape,
            lambda m, p=_global, c=_count: [p(m, c, keepdims=True, data_format="channels_first")],
        )

for _axes, _shape in ((1, (7, 2)), (2, (7, 6, 2)), (3, (3, 5, 6, 2))):
    for _what in ("Max", "Average"):

        def _adaptive(m: Any, *args: Any, _name: str = f"Adaptive{_what}Pooling{_axes}D", **kwargs: Any) -> Any:
            return getattr(m, _name)(*args, **kwargs)

        chain(
            f"adaptive_{_what.lower()}_pool{_axes}d",
            _shape,
            lambda m, p=_adaptive, c=_axes: [
                p(m, (5, 2, 4)[:c] if c > 1 else 5),
                p(m, 3),
                p(m, (2, 1, 2)[-c:], data_format="channels_first"),
            ],
        )

# Normalizations

chain(
    "batch_normalization",
    (5, 4, 3),
    lambda m: [
        m.BatchNormalization(),
        m.BatchNormalization(axis=1, scale=False),
        m.BatchNormalization(center=False, epsilon=0.1),
    ],
)
chain(
    "layer_normalization",
    (5, 4, 3),
    lambda m: [
        m.LayerNormalization(),
        m.LayerNormalization(axis=[1, 3], scale=False),
        m.LayerNormalization(axis=1, center=False),
    ],
)
chain("group_normalization", (5, 4, 6), lambda m: [m.GroupNormalization(3), m.GroupNormalization(-1, axis=2)])
chain("rms_normalization", (5, 4, 6), lambda m: [m.RMSNormalization(), m.RMSNormalization(axis=[2, 3])])
chain("unit_normalization", (5, 4, 6), lambda m: [m.UnitNormalization(), m.UnitNormalization(axis=[1, 2])])
chain("spectral_normalization", (5, 4, 6), lambda m: [m.SpectralNormalization(m.Conv2D(3, 2)), m.Flatten()])

# Activations

FUNCTIONS = (
    "relu leaky_relu relu6 elu selu softplus softsign tanh sigmoid exponential hard_sigmoid linear mish log_softmax "
    "gelu celu silu swish hard_silu log_sigmoid soft_shrink hard_shrink hard_tanh tanh_shrink sparse_plus "
    "sparse_sigmoid squareplus softmax glu"
).split()
for _name in FUNCTIONS:
    chain(f"function_{_name}", (3, 8), lambda m, name=_name: [m.Dense(8), m.Activation(name)])
chain(
    "relu",
    (8,),
    lambda m: [
        m.ReLU(max_value=1.0, negative_slope=0.2, threshold=0.1),
        m.ReLU(6.0),
        m.ReLU(negative_slope=0.3),
        m.ReLU(threshold=0.1),
    ],
)
chain("leaky_relu", (8,), lambda m: [m.LeakyReLU(0.2), m.LeakyReLU()])
chain("elu", (8,), lambda m: [m.ELU(0.7), m.ELU()])
chain("prelu", (5, 4, 3), lambda m: [m.PReLU(), m.PReLU(shared_axes=[1, 2])])
chain("softmax", (5, 4, 3), lambda m: [m.Softmax(1), m.Softmax()])

chain(
    "activation_layers",
    (5, 4),
    lambda m: [
        m.Dense(4, activation=m.LeakyReLU(negative_slope=0.1)),
        m.Conv1D(4, 2, activation=m.ReLU(max_value=1.0)),
        m.Dense(5, activation="sparsemax"),
        m.Dense(5, activation=m.Softmax()),
    ],
)

# Shapes

chain(
    "shapes",
    (5, 4, 3),
    lambda m: [
        m.Permute((2, 3, 1)),
        m.Reshape((3, -1)),
        m.Flatten(),
        m.RepeatVector(3),
        m.Flatten(data_format="channels_first"),
        m.Reshape((3, 20, 3)),
    ],
)
chain(
    "pads2d",
    (5, 4, 3),
    lambda m: [
        m.ZeroPadding2D(((1, 2), (3, 0))),
        m.Cropping2D(((1, 0), (0, 2))),
        m.ZeroPadding2D(1),
        m.Cropping2D((0, 1)),
        m.ZeroPadding2D((1, 2), data_format="channels_first"),
    ],
)
chain("pads1d", (5, 4), lambda m: [m.ZeroPadding1D(2), m.Cropping1D((1, 0)), m.ZeroPadding1D((0, 2)), m.Cropping1D(1)])
chain("pads3d", (5, 4, 3, 2), lambda m: [m.ZeroPadding3D(1), m.Cropping3D(((1, 0), (0, 2), (0, 0)))])
chain("up_sampling1d", (5, 4), lambda m: [m.UpSampling1D(3), m.UpSampling1D()])
chain(
    "up_sampling2d",
    (5, 4, 3),
    lambda m: [
        m.UpSampling2D((2, 3)),
        m.UpSampling2D(2, interpolation="bilinear"),
        m.UpSampling2D((1, 2), data_format="channels_first"),
    ],
)
chain("up_sampling3d", (3, 4, 3, 2), lambda m: [m.UpSampling3D((2, 1, 3)), m.UpSampling3D()])
chain(
    "in_training_alone",
    (5, 4, 3),
    lambda m: [
        m.Dropout(0.5),
        m.GaussianNoise(0.5),
        m.GaussianDropout(0.1),
        m.SpatialDropout2D(0.3),
        m.AlphaDropout(0.3),
        m.ActivityRegularization(0.1),
        m.Identity(),
        m.Dense(2),
    ],
)
graph(
    "merging",
    [(5, 4)] * 3,
    lambda k, a, b, c: [
        k.layers.Add()([a, b, c]),
        k.layers.Subtract()([a, b]),
        k.layers.Multiply()([a, b, c]),
        k.layers.Average()([a, b, c]),
        k.layers.Maximum()([a, b]),
        k.layers.Minimum()([a, c]),
        k.layers.Concatenate(axis=1)([a, b]),
        k.layers.Concatenate()([a, c]),
    ],
)
graph(
    "dot",
    [(5, 4), (3, 4), (4,), (4,)],
    lambda k, a, b, v, w: [
        k.layers.Dot(axes=2)([a, b]),
        k.layers.Dot(axes=(2, 1))([a, v]),
        k.layers.Dot(axes=1, normalize=True)([v, w]),
        k.layers.Dot(axes=(1, 2))([v, b]),
    ],
)

# Sequences

for _kind in ("LSTM", "GRU", "SimpleRNN"):

    def _rnn(m: Any, units: int, _kind: str = _kind, **kwargs: Any) -> Any:
        return getattr(m, _kind)(units, **kwargs)

    _lower = _kind.lower()
    chain(f"{_lower}", (6, 4), lambda m, r=_rnn: [r(m, 5)])
    chain(
        f"{_lower}_backwards",
        (6, 4),
        lambda m, r=_rnn: [
            r(m, 5, return_sequences=True),
            r(m, 3, go_backwards=True, return_sequences=True, use_bias=False),
            r(m, 2, go_backwards=True, activation="relu"),
        ],
    )
    chain(
        f"{_lower}_both_ways",
        (6, 4),
        lambda m, r=_rnn: [
            m.Bidirectional(r(m, 5, return_sequences=True)),
            m.Bidirectional(r(m, 4, return_sequences=True), merge_mode="ave"),
            m.Bidirectional(r(m, 3, return_sequences=True), merge_mode="mul"),
            m.Bidirectional(r(m, 3), merge_mode="sum"),
        ],
    )
    chain(f"{_lower}_of_any_length", (None, 4), lambda m, r=_rnn: [r(m, 5, return_sequences=True), r(m, 3)])

    def _states(k: Any, a: Any, b: Any, r: Any = _rnn) -> list[Any]:
        first = r(k.layers, 3, return_state=True)(a)
        pair = k.layers.Bidirectional(r(k.layers, 3, return_state=True, return_sequences=True), merge_mode=None)(a)
        return [*first, *pair, r(k.layers, 3, return_sequences=True)(b, initial_state=list(first[1:]))]

    graph(f"{_lower}_states", [(6, 4), (6, 4)], _states)
chain("gru_reset_before", (6, 4), lambda m: [m.GRU(3, reset_after=False, recurrent_activation="hard_sigmoid")])
chain("lstm_activations", (6, 4), lambda m: [m.LSTM(3, recurrent_activation="hard_sigmoid", activation="softsign")])
chain("time_distributed", (6, 4), lambda m: [m.TimeDistributed(m.Dense(3, activation="softmax"))])
chain(
    "time_distributed_images",
    (3, 8, 8, 2),
    lambda m: [m.TimeDistributed(m.Conv2D(3, 3)), m.TimeDistributed(m.GlobalAveragePooling2D()), m.LSTM(2)],
)


def _of_models(keras: Any) -> Any:
    m = keras.layers
    inner = keras.Sequential([keras.Input((6, 6, 3)), m.BatchNormalization(), m.Flatten(), m.Dense(4)])
    return keras.Sequential([keras.Input((3, 6, 6, 3)), m.TimeDistributed(inner), m.GRU(2)])


ROWS["time_distributed_models"] = _of_models
graph(
    "multi_head_attention",
    [(5, 8), (7, 8), (7, 8)],
    lambda k, q, v, s: [
        k.layers.MultiHeadAttention(2, 4)(q, v),
        k.layers.MultiHeadAttention(2, 4, value_dim=3, output_shape=6, use_bias=False)(q, v, s),
        k.layers.MultiHeadAttention(2, 4)(q, q, use_causal_mask=True),
        k.layers.MultiHeadAttention(2, 4, dropout=0.1)(q, q, use_causal_mask=True),
        *k.layers.MultiHeadAttention(2, 4)(q, q, return_attention_scores=True),
    ],
)
graph(
    "multi_head_attention_gates",
    [(5, 8)],
    lambda k, q: [
        k.layers.MultiHeadAttention(2, 4, sliding_window=2)(q, q, use_causal_mask=True),
        k.layers.MultiHeadAttention(2, 4, use_gate=True)(q, q),
        k.layers.GroupQueryAttention(3, 4, 2, use_gate=True, sliding_window=2)(q, q),
    ],
)
graph(
    "multi_head_attention_of_images",
    [(3, 5, 8), (4, 5, 8)],
    lambda k, q, v: [
        k.layers.MultiHeadAttention(2, 4)(q, v),
        k.layers.MultiHeadAttention(2, 4, attention_axes=1, output_shape=3, dropout=0.1)(q, v),
        k.layers.MultiHeadAttention(2, 4, attention_axes=(-2,), use_gate=True)(q, q),
    ],
)
graph(
    "multi_head_attention_mask",
    [(5, 7), (5, 8), (7, 8)],
    lambda k, a, q, v: [
        k.layers.MultiHeadAttention(2, 4)(q, v, attention_mask=a),
        k.layers.MultiHeadAttention(2, 4, dropout=0.5)(q, v, attention_mask=a),
    ],
    ("bool",),
)
graph(
    "multi_head_attention_of_any_length",
    [(None, 8)],
    lambda k, q: k.layers.MultiHeadAttention(2, 4)(q, q, use_causal_mask=True),
)
graph(
    "grouped_attention",
    [(5, 8), (7, 8)],
    lambda k, q, v: [
        k.layers.GroupQueryAttention(3, 4, 2)(q, v),
        k.layers.GroupQueryAttention(3, 4, 1, use_bias=False)(q, q, use_causal_mask=True),
    ],
)
graph(
    "attention",
    [(5, 8), (7, 8), (7, 8)],
    lambda k, q, v, s: [
        k.layers.Attention()([q, v]),
        k.layers.Attention(use_scale=True, score_mode="concat")([q, v, s]),
        k.layers.Attention(use_scale=True)([q, v, s], use_causal_mask=True),
        k.layers.AdditiveAttention()([q, v]),
        k.layers.AdditiveAttention(use_scale=False)([q, v, s]),
    ],
)

# Masks


def _masked(make: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda k, t: make(k.layers, k.layers.Embedding(5, 8, mask_zero=True)(t))


graph(
    "mask_of_heads",
    [(7,)],
    _masked(lambda m, e: m.GlobalAveragePooling1D()(m.LayerNormalization()(m.MultiHeadAttention(2, 4)(e, e)))),
    ("int32",),
)
graph(
    "mask_of_residuals",
    [(7,)],
    _masked(lambda m, e: m.GlobalAveragePooling1D()(m.Dense(3)(m.Add()([m.MultiHeadAttention(2, 4)(e, e), e])))),
    ("int32",),
)
graph(
    "mask_of_attention",
    [(7,)],
    _masked(lambda m, e: m.GlobalAveragePooling1D()(m.Attention()([e, m.Dropout(0.1)(e)]))),
    ("int32",),
)
graph("mask_dropped", [(7,)], _masked(lambda m, e: m.Dense(2)(m.Reshape((28, 2))(e))), ("int32",))
chain("moved_integers", (6, 4), lambda m: [m.Flatten(), m.Reshape((4, 6)), m.Permute((2, 1)), m.Cropping1D(1)], "int32")
graph(
    "merged_integers",
    [(6,), (6,)],
    lambda k, a, b: [k.layers.Add()([a, b]), k.layers.Concatenate()([a, b]), k.layers.Maximum()([a, b]), a * 2 - b],
    ("int32", "int32"),
)
chain("masking", (7, 4), lambda m: [m.Masking(), m.Dense(3, activation="relu"), m.GlobalAveragePooling1D()])
