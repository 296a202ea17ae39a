"""Random numbers of a key and a counter: the same bits as TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.tf.op_rows.row import EVERYWHERE, Row, raw

KEY = np.asarray([0x9E3779B97F4A7C15], np.uint64)
COUNTER = np.asarray([0x123456789ABCDEF0, 0xFFFFFFFFFFFFFFFE], np.uint64)
NEAR_END = np.asarray([0xFFFFFFFFFFFFFFFE, 5], np.uint64)
SEED = np.asarray([1234567890123, -77], np.int64)
SEED_32 = np.asarray([-5, 2000000000], np.int32)


def drawn(kind: str, shape: list[int], dtype: Any = np.float32, seed: Any = SEED, **more: Any) -> Row:
    """A first version: shape and seed."""
    label = f"{np.dtype(dtype).name} {shape}"
    return raw(kind, seed, given={"shape": np.asarray(shape, np.int32)}, label=label, dtype=dtype, **more)


def counted(kind: str, shape: list[int], dtype: Any = np.float32, counter: Any = COUNTER, **more: Any) -> Row:
    """A second version: shape, key, counter, algorithm."""
    given = {"shape": np.asarray(shape, np.int32), "alg": 1}
    return raw(kind, KEY, counter, given=given, label=f"{np.dtype(dtype).name} {shape}", dtype=dtype, **more)


def whole(kind: str, dtype: Any, second: bool) -> Row:
    ends = np.asarray(-17, dtype), np.asarray(1000003, dtype)
    given = {"shape": np.asarray([3, 7], np.int32), **({"alg": 3} if second else {})}
    first = [KEY, COUNTER] if second else [SEED]
    return raw(kind, *first, *ends, given=given, label=np.dtype(dtype).name)


def public(tf: Any, seed: Any) -> Any:
    """As users call it."""
    return [
        tf.random.stateless_uniform([3, 5], seed, -2.0, 3.0),
        tf.random.stateless_normal([7], seed, 1.0, 0.5),
        tf.random.stateless_truncated_normal([2, 9], seed),
        tf.random.stateless_uniform([11], seed, 0, 10, tf.int32),
    ]


ROWS = [
    raw("StatelessRandomGetKeyCounter", SEED, row={"targets": EVERYWHERE}),
    raw("StatelessRandomGetKeyCounter", SEED_32, label="int32"),
    raw("StatelessRandomGetKeyCounterAlg", SEED),
    *(drawn("StatelessRandomUniform", [3, 5], t) for t in (np.float16, np.float32, np.float64)),
    *(counted("StatelessRandomUniformV2", [3, 5], t) for t in (np.float16, np.float32, np.float64)),
    counted("StatelessRandomUniformV2", [23], counter=NEAR_END),
    *(drawn("StatelessRandomNormal", [2, 5], t) for t in (np.float16, np.float32, np.float64)),
    *(counted("StatelessRandomNormalV2", [2, 5], t) for t in (np.float16, np.float32, np.float64)),
    *(drawn("StatelessTruncatedNormal", [19], t) for t in (np.float16, np.float32, np.float64)),
    counted("StatelessTruncatedNormalV2", [5, 41]),
    *(drawn("StatelessRandomUniformFullInt", [9], t) for t in (np.int32, np.uint32, np.int64, np.uint64)),
    *(counted("StatelessRandomUniformFullIntV2", [9], t) for t in (np.int32, np.int64)),
    *(whole("StatelessRandomUniformInt", t, False) for t in (np.int32, np.int64)),
    *(whole("StatelessRandomUniformIntV2", t, True) for t in (np.int32, np.int64)),
    Row("of a seed", public, [SEED_32], targets=EVERYWHERE),
    *(Row(f"of a known seed {n}", lambda tf, n=n: public(tf, [n, 2]), [], targets=EVERYWHERE) for n in (1, 3)),
]
