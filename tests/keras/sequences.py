"""Models of recurrent layers: masks, cells, loops over images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.keras.rows import ROWS, chain, graph

KINDS = ("LSTM", "GRU", "SimpleRNN")


def embedded(make: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Behind an embedding whose index 0 is no step."""
    return lambda k, t: make(k.layers, k.layers.Embedding(5, 4, mask_zero=True)(t))


def masked(name: str, make: Callable[[Any, Any], Any]) -> None:
    graph(f"mask_rows_{name}", [(6,)], embedded(make), ("int32",))


for _kind in KINDS:

    def _rnn(m: Any, *args: Any, _kind: str = _kind, **kwargs: Any) -> Any:
        return getattr(m, _kind)(*args, **kwargs)

    _lower = _kind.lower()
    masked(
        _lower,
        lambda m, e, r=_rnn: [
            r(m, 3)(e),
            r(m, 3, return_sequences=True)(e),
            r(m, 3, go_backwards=True)(e),
            r(m, 3, go_backwards=True, return_sequences=True)(e),
            r(m, 3, return_sequences=True, zero_output_for_mask=True)(e),
            r(m, 3, zero_output_for_mask=True)(e),
            *r(m, 3, return_state=True, go_backwards=True)(e),
            *r(m, 3, return_state=True, return_sequences=True)(r(m, 4, return_sequences=True)(e)),
        ],
    )
    masked(
        f"{_lower}_both_ways",
        lambda m, e, r=_rnn: [
            m.Bidirectional(r(m, 3))(m.Bidirectional(r(m, 2, return_sequences=True))(e)),
            m.Bidirectional(r(m, 3, return_sequences=True), merge_mode="sum")(e),
            *m.Bidirectional(r(m, 3, return_sequences=True, return_state=True), merge_mode=None)(e),
            m.Bidirectional(r(m, 3, go_backwards=True), backward_layer=r(m, 3), merge_mode="mul")(e),
        ],
    )
    _gate = {} if _kind == "SimpleRNN" else {"recurrent_activation": "silu"}
    chain(
        f"{_lower}_of_other_functions",
        (5, 4),
        lambda m, r=_rnn, g=_gate: [
            r(m, 4, activation="gelu", return_sequences=True),
            r(m, 3, activation="selu", return_sequences=True, go_backwards=True, use_bias=False),
            r(m, 3, activation="mish", **g),
        ],
    )
chain("gru_of_other_functions_reset_before", (5, 4), lambda m: [m.GRU(3, activation="swish", reset_after=False)])


def _merged(k: Any, t: Any, u: Any, x: Any) -> list[Any]:
    """Masks of layers of several inputs; what sees them is a layer that counts steps."""
    m = k.layers
    a, b = (m.Embedding(5, 4, mask_zero=True)(v) for v in (t, u))
    made = [
        getattr(m, kind)()(xs)
        for kind in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate")
        for xs in ([a, b], [b, x])
    ]
    made += [m.Concatenate(axis=1)([a, x]), m.Concatenate(axis=1)([a, b, a]), m.Multiply()([x, a, b])]
    made += [m.Maximum()([a, b, x]), m.Minimum()([x, a, b])]
    return [*made, *(m.SimpleRNN(2)(v) for v in made)]


graph("mask_rows_merged", [(6,), (6,), (6, 4)], _merged, ("int32", "int32", "float32"))
graph(
    "mask_of_softmax",
    [(6, 4), (6,), (4, 6)],
    lambda k, x, mask, y: [
        k.layers.Softmax(axis=[1, 2])(x),
        k.layers.Softmax()(y, mask=k.ops.expand_dims(mask, 1)),
        k.layers.Softmax(axis=[-1])(y, mask=k.ops.expand_dims(mask, 1)),
        k.layers.Softmax(axis=(1, 2))(y, mask=k.ops.expand_dims(mask, 1)),
    ],
    ("float32", "bool"),
)
graph(
    "merged_ranks",
    [(4, 3), (3,), (5, 1, 3)],
    lambda k, a, b, c: [k.layers.Add()([a, b]), k.layers.Multiply()([b, a, b]), k.layers.Maximum()([b, c])],
)
graph(
    "masking_of_any_length",
    [(None, 4)],
    lambda k, x: [
        k.layers.LSTM(3, return_sequences=True)(k.layers.Masking(0.0)(x)),
        k.layers.Bidirectional(k.layers.GRU(3, activation="gelu"))(k.layers.Masking(0.0)(x)),
    ],
)


chain(
    "time_distributed_of_any_length",
    (None, 6, 6, 2),
    lambda m: [
        m.TimeDistributed(m.Conv2D(3, 3)),
        m.TimeDistributed(m.BatchNormalization()),
        m.TimeDistributed(m.Flatten()),
        m.TimeDistributed(m.Dense(4, activation="relu")),
        m.GRU(3),
    ],
)
chain(
    "time_distributed_of_any_size",
    (None, None, None, 2),
    lambda m: [m.TimeDistributed(m.Conv2D(3, 3)), m.TimeDistributed(m.GlobalMaxPooling2D()), m.LSTM(2)],
)


def _given_masks(k: Any, x: Any, h: Any, mask: Any) -> list[Any]:
    """A layer that is given states sees no mask but one that it is given too; its result has the mask."""
    m = k.layers
    seen = m.Masking(0.0)(x)
    plain = m.GRU(3, return_sequences=True)(seen, initial_state=h)
    return [
        m.GRU(3)(x, mask=mask),
        m.GRU(3, return_sequences=True)(x, initial_state=h, mask=mask),
        *m.GRU(3, return_state=True)(x, initial_state=h, mask=mask),
        m.SimpleRNN(2)(plain),
        m.Bidirectional(m.SimpleRNN(3))(x, mask=mask, initial_state=[h, h]),
        m.TimeDistributed(m.Dense(2))(m.LSTM(3, return_sequences=True)(x, mask=mask)),
    ]


graph("mask_that_is_given", [(5, 4), (3,), (5,)], _given_masks, ("float32", "float32", "bool"))


def _decoder(k: Any, t: Any, u: Any) -> Any:
    """An encoder and a decoder that begins with its states."""
    m = k.layers
    _, h, c = m.LSTM(4, return_state=True)(m.Embedding(5, 3, mask_zero=True)(t))
    y = m.LSTM(4, return_sequences=True)(m.Embedding(5, 3, mask_zero=True)(u), initial_state=[h, c])
    return m.TimeDistributed(m.Dense(5, activation="softmax"))(y)


graph("mask_of_decoder", [(6,), (7,)], _decoder, ("int32", "int32"))


def _tagger(keras: Any, t: Any) -> Any:
    """A sequential model has no masks in its calls."""
    m = keras.layers
    return keras.Sequential(
        [
            keras.Input((6,), dtype="int32"),
            m.Embedding(5, 4, mask_zero=True),
            m.Dropout(0.2),
            m.Bidirectional(m.LSTM(3, return_sequences=True)),
            m.TimeDistributed(m.Dense(4, activation="relu")),
            m.GRU(3),
        ]
    )(t)


graph("mask_in_sequential", [(6,)], _tagger, ("int32",))
chain(
    "cells",
    (5, 4),
    lambda m: [
        m.RNN(m.LSTMCell(3), return_sequences=True),
        m.RNN([m.GRUCell(3), m.LSTMCell(4), m.GRUCell(2, reset_after=False)], return_sequences=True),
        m.Bidirectional(m.RNN(m.SimpleRNNCell(3, use_bias=False)), merge_mode="ave"),
    ],
)


def _cells(k: Any, x: Any, t: Any) -> list[Any]:
    m = k.layers
    y, (h, c), g = m.RNN([m.LSTMCell(3), m.GRUCell(2)], return_state=True)(x)
    seen = m.Embedding(5, 4, mask_zero=True)(t)
    y2, (h2, c2), g2 = m.RNN([m.LSTMCell(3), m.GRUCell(2)], return_state=True, go_backwards=True)(seen)
    other = m.RNN([m.LSTMCell(3, activation="silu"), m.SimpleRNNCell(3)], return_sequences=True)(seen)
    return [y, h, c, g, y2, h2, c2, g2, other]


graph("mask_of_cells", [(5, 4), (6,)], _cells, ("float32", "int32"))
for _axes, _shape in ((1, (4, 6, 2)), (2, (4, 6, 5, 2)), (3, (3, 4, 4, 3, 2))):

    def _conv(m: Any, *args: Any, _axes: int = _axes, **kwargs: Any) -> Any:
        return getattr(m, f"ConvLSTM{_axes}D")(*args, **kwargs)

    chain(
        f"conv_lstm{_axes}d",
        _shape,
        lambda m, r=_conv: [
            r(m, 3, 2, return_sequences=True, padding="same", strides=2),
            r(m, 2, 2, padding="valid", activation="relu", recurrent_activation="hard_sigmoid", use_bias=False),
        ],
    )


def _images(k: Any, x: Any, mask: Any) -> list[Any]:
    m = k.layers
    return [
        m.ConvLSTM2D(2, (3, 2), go_backwards=True, return_sequences=True, dilation_rate=(1, 2))(x),
        *m.ConvLSTM2D(2, 2, return_state=True)(x, mask=mask),
        m.Bidirectional(m.ConvLSTM2D(2, 2, return_sequences=True))(x, mask=mask),
        m.ConvLSTM2D(2, 3, data_format="channels_first", padding="same")(m.Permute((1, 4, 2, 3))(x)),
    ]


graph("mask_of_images", [(4, 6, 5, 2), (4,)], _images, ("float32", "bool"))


def _kept(keras: Any) -> Any:
    """What is run twice: layers that begin with the states that they ended with."""
    m = keras.layers
    x = keras.Input(batch_shape=(3, 4, 2), name="x")
    y = m.GRU(3, stateful=True, return_sequences=True)(x)
    both = m.Bidirectional(m.LSTM(2, stateful=True, return_sequences=True))(m.Masking(0.0)(x))
    deep = m.RNN([m.LSTMCell(3), m.SimpleRNNCell(2)], stateful=True)(y)
    return keras.Model(x, [y, both, deep])


KEPT = "mask_kept_states"
ROWS[KEPT] = _kept
