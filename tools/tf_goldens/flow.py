"""Control flow, tensor lists, tensor arrays and function calls, each as TF1 nodes and as functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from tf_goldens.case import RAW, case, f

BOTH = ("v1", "v2")


def loop(count: Any, body: Any, start: Any, **options: Any) -> Any:
    """count turns of body(i, value)."""
    return tf.while_loop(lambda i, a: i < count, lambda i, a: (i + 1, body(i, a)), [0, start], **options)[1]


def dilations() -> None:
    """As Keras and tf.nn.convolution write them."""
    for padding in ("SAME", "VALID"):
        case(
            f"atrous 2-D {padding}",
            lambda x, p=padding, w=f(3, 2, 2, 3): atrous(x, w, p, [2, 3]),  # noqa: B008
            f(1, 9, 11, 2),
            dynamic=True,
        )
        case(
            f"atrous 1-D {padding}",
            lambda x, p=padding, w=f(3, 2, 3): atrous(x, w, p, [3]),  # noqa: B008
            f(1, 14, 2),
            dynamic=True,
        )


def atrous(x: Any, w: Any, padding: str, rates: list[int]) -> Any:
    """A convolution between SpaceToBatchND and BatchToSpaceND."""
    window = w.shape[: len(rates)]
    margins = [
        ((k - 1) * r // 2, (k - 1) * r - (k - 1) * r // 2) if padding == "SAME" else (0, 0)
        for k, r in zip(window, rates, strict=True)
    ]
    paddings, crops = tf.required_space_to_batch_paddings(tf.shape(x)[1 : 1 + len(rates)], rates, margins)
    y = tf.nn.convolution(tf.space_to_batch(x, rates, paddings), w, padding="VALID")
    return tf.batch_to_space(y, rates, crops)


def plain_flow() -> None:
    weights = f(4, 4)
    case("while", lambda x: loop(3, lambda i, a: tf.tanh(a @ weights), x), f(2, 4), dynamic=True, styles=BOTH)
    case(
        "while run time",
        lambda x, n: loop(n, lambda i, a: a + tf.cast(i, tf.float32), x),
        f(2, 4),
        np.array(4, np.int32),
        styles=BOTH,
    )
    case(
        "while in while",
        lambda x: loop(3, lambda i, a: loop(i, lambda j, b: b * 1.5 + x, a), x),
        f(2, 4),
        dynamic=True,
        styles=BOTH,
    )
    case(
        "cond",
        lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2, lambda: x - 1),
        f(2, 4),
        dynamic=True,
        styles=BOTH,
    )
    case(
        "cond constants",
        lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: tf.constant(1.0), lambda: tf.constant(2.0)),
        f(2, 4),
        styles=BOTH,
    )
    case(
        "cond two results",
        lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: (x * 2, x[0]), lambda: (x - 1, x[1])),
        f(2, 4),
        styles=BOTH,
    )
    case(
        "cond in cond",
        lambda x: tf.cond(
            tf.reduce_sum(x) > 0,
            lambda: tf.cond(x[0, 0] > 0, lambda: x * 2, lambda: x * 3),
            lambda: tf.cond(x[0, 1] > 0, lambda: x - 1, lambda: x - 2),
        ),
        f(2, 4),
        styles=BOTH,
    )
    case("cond twice", same_predicate, f(2, 4), styles=BOTH)
    case(
        "cond in while",
        lambda x: loop(4, lambda i, a: tf.cond(tf.equal(i % 2, 0), lambda: a * 2, lambda: a + 1.0), x),
        f(2, 4),
        styles=BOTH,
    )
    case(
        "constants in while",
        lambda x: loop(
            4, lambda i, a: a + tf.cond(tf.equal(i % 2, 0), lambda: tf.constant(5.0), lambda: tf.constant(7.0)), x
        ),
        f(2, 4),
        styles=BOTH,
    )
    case(
        "while in cond",
        lambda x: tf.cond(
            tf.reduce_sum(x) > 0, lambda: loop(3, lambda i, a: a * 1.1, x), lambda: loop(2, lambda i, a: a - 1.0, x)
        ),
        f(2, 4),
        styles=BOTH,
    )
    case(
        "while grows",
        lambda x: loop(
            3, lambda i, a: tf.concat([a, x], 0), x, shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 4])]
        ),
        f(2, 4),
        styles=BOTH,
    )
    case(
        "while swaps",
        lambda x, y: tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b, a * 2), [0, x, y]),
        f(2, 4),
        f(2, 4),
        styles=BOTH,
    )
    for number in (1, 7):
        case(
            f"case {number}",
            lambda k, x: tf.switch_case(k, [lambda: x + 1, lambda: x * 2, lambda: x - 3]),
            np.array(number, np.int32),
            f(2, 4),
        )
    case("function calls", tf.function(lambda a: tf.function(lambda b: b * 2 + 1)(a) + a), f(2, 4), dynamic=True)
    case("while in function", tf.function(lambda a: loop(3, lambda i, v: v * a, a)), f(2, 4))
    case("cond known", lambda x: tf.cond(tf.rank(x) > 1, lambda: x * 2, lambda: x - 1), f(2, 4))
    case("assert", asserted, f(2, 4))


def same_predicate(x: Any) -> Any:
    """Two conditionals on one predicate, the second on the first's result."""
    positive = tf.reduce_sum(x) > 0
    first = tf.cond(positive, lambda: x * 2, lambda: x * 3)
    return tf.cond(positive, lambda: first + 1, lambda: first - 1)


def asserted(x: Any) -> Any:
    with tf.control_dependencies([tf.debugging.assert_greater(tf.reduce_sum(x * 0 + 1), 0.0)]):
        return x * 2


def lists() -> None:
    case("array", read_write, f(3, 2, 4), dynamic=True, styles=BOTH)
    case("array of unknown size", row_sums, f(3, 2, 4), dynamic=True)
    case("array grows", growing, f(3, 4), styles=BOTH)
    case(
        "array written outside of loops",
        lambda x: tf.TensorArray(tf.float32, 2).write(0, x[0]).write(1, x[1]).stack(),
        f(3, 4),
        styles=BOTH,
    )
    case("array split", lambda x: tf.TensorArray(tf.float32, 3).split(x, [2, 2, 2]).stack(), f(6, 4), styles=BOTH)
    case("array scatter", lambda x: tf.TensorArray(tf.float32, 3).scatter([2, 0, 1], x).stack(), f(3, 4), styles=BOTH)
    case("array concat", lambda x: tf.TensorArray(tf.float32, 3).unstack(x).concat(), f(3, 2, 4), styles=BOTH)
    case("scan", lambda x: tf.scan(lambda a, b: a * 0.5 + b, x), f(5, 3), dynamic=True, styles=BOTH)
    case("map_fn", lambda x: tf.map_fn(lambda r: tf.reduce_sum(r) * r, x), f(5, 3), dynamic=True, styles=BOTH)
    case("foldl", lambda x: tf.foldl(lambda a, b: a * 0.5 + b, x), f(5, 3), styles=BOTH)
    corners = np.concatenate([f(2, 20, 2, low=0, high=0.5), f(2, 20, 2, low=0.5, high=1)], 2)
    case("detections", detections, corners, f(2, 20, low=0, high=1), dynamic=True, styles=BOTH)
    case("push and pop", push_pop, f(3, 4))
    case("push in loop", push_in_loop, f(3, 4))
    case("list resize", resize, f(3, 4), dynamic=True)


def read_write(x: Any) -> Any:
    source = tf.TensorArray(tf.float32, 3).unstack(x)
    start = tf.TensorArray(tf.float32, 3)
    return loop(3, lambda i, o: o.write(i, source.read(i) * 2), start).stack()


def row_sums(x: Any) -> Any:
    count = tf.shape(x)[0]
    out = loop(count, lambda i, o: o.write(i, tf.reduce_sum(x[i], -1)), tf.TensorArray(tf.float32, count))
    return out.stack(), out.size(), out.gather([1, 0]), out.concat()


def growing(x: Any) -> Any:
    return loop(
        3, lambda i, o: o.write(i, x[i] * 2), tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[4])
    ).stack()


def _empty(size: int) -> Any:
    return RAW.EmptyTensorList(element_shape=tf.constant([size]), max_num_elements=-1, element_dtype=tf.float32)


def _stack(handle: Any, size: int) -> Any:
    return RAW.TensorListStack(input_handle=handle, element_shape=tf.constant([size]), element_dtype=tf.float32)


def detections(boxes: Any, scores: Any) -> Any:
    """Suppression for each image, padded to one size."""

    def one(pair: Any) -> Any:
        kept = tf.image.non_max_suppression(pair[0], pair[1], 5, 0.5, 0.1)
        missing = 5 - tf.shape(kept)[0]
        return tf.pad(tf.gather(pair[0], kept), [[0, missing], [0, 0]]), tf.pad(
            tf.gather(pair[1], kept), [[0, missing]]
        )

    return tf.map_fn(one, (boxes, scores), fn_output_signature=(tf.float32, tf.float32))


def push_pop(x: Any) -> Any:
    handle = _empty(4)
    for k in range(3):
        handle = RAW.TensorListPushBack(input_handle=handle, tensor=x[k])
    rest, last = RAW.TensorListPopBack(input_handle=handle, element_shape=tf.constant([4]), element_dtype=tf.float32)
    return _stack(rest, 4), last, RAW.TensorListLength(input_handle=handle)


def push_in_loop(x: Any) -> Any:
    handle = loop(3, lambda i, h: RAW.TensorListPushBack(input_handle=h, tensor=x[i] * 2), _empty(-1))
    joined = RAW.TensorListConcatV2(
        input_handle=handle,
        element_shape=tf.constant([-1]),
        leading_dims=tf.constant([], tf.int64),
        element_dtype=tf.float32,
    )
    return _stack(handle, -1), joined[0], joined[1]


def resize(x: Any) -> Any:
    handle = RAW.TensorListFromTensor(tensor=x, element_shape=tf.constant([4]))
    longer, shorter = (RAW.TensorListResize(input_handle=handle, size=n) for n in (5, 2))
    return _stack(longer, 4), _stack(shorter, 4)
