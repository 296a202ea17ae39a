"""Windows (convolutions and pools), normalization, cells of recurrent layers."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from tf_goldens.case import RAW, case, f


def windows() -> None:
    for padding in ("SAME", "VALID"):
        for s in (1, 2, 3):
            two = {"strides": [1, s, s, 1], "padding": padding}
            label = f"{padding} {s}"
            case(
                f"Conv2D {label}",
                lambda x, w, k=two: RAW.Conv2D(input=x, filter=w, **k),
                f(1, 7, 8, 3),
                f(3, 2, 3, 4),
                dynamic=True,
            )
            case(
                f"Depthwise {label}",
                lambda x, w, k=two: RAW.DepthwiseConv2dNative(input=x, filter=w, **k),
                f(1, 7, 8, 3),
                f(3, 3, 3, 2),
            )
            three = {"strides": [1, s, s, s, 1], "padding": padding}
            case(
                f"Conv3D {label}",
                lambda x, w, k=three: RAW.Conv3D(input=x, filter=w, **k),
                f(1, 5, 6, 5, 2),
                f(3, 2, 3, 2, 3),
            )
            case(
                f"MaxPool {label}",
                lambda x, k=two: RAW.MaxPool(input=x, ksize=[1, 3, 2, 1], **k),
                f(1, 7, 8, 3),
                dynamic=True,
            )
            case(
                f"AvgPool {label}",
                lambda x, k=two: RAW.AvgPool(value=x, ksize=[1, 3, 2, 1], **k),
                f(1, 7, 8, 3),
                dynamic=True,
            )
            pool3 = {"ksize": [1, 3, 2, 2, 1], "strides": [1, s, s, 1, 1], "padding": padding}
            case(
                f"Pool3D {label}",
                lambda x, k=pool3: [RAW.MaxPool3D(input=x, **k), RAW.AvgPool3D(input=x, **k)],
                f(1, 5, 6, 5, 2),
            )
            case(
                f"MaxPoolWithArgmax {label}",
                lambda x, k=two: RAW.MaxPoolWithArgmax(input=x, ksize=[1, 3, 2, 1], **k),
                f(1, 7, 8, 3),
            )
            for size in ((8, 8), (9, 10), (7, 9)):
                given = [
                    -(-n // s) if padding == "SAME" else (n - k) // s + 1 for n, k in zip(size, (3, 2), strict=True)
                ]
                case(
                    f"Conv2DBackpropInput {label} {size}",
                    lambda x, w, k=two, n=size: RAW.Conv2DBackpropInput(
                        input_sizes=[1, *n, 3], filter=w, out_backprop=x, **k
                    ),
                    f(1, *given, 4),
                    f(3, 2, 3, 4),
                )
    one = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    case(
        "Conv2D dilated",
        lambda x, w: RAW.Conv2D(input=x, filter=w, dilations=[1, 2, 3, 1], **one),
        f(1, 9, 10, 3),
        f(3, 2, 3, 4),
    )
    explicit = {"strides": [1, 2, 1, 1], "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 2, 0, 3, 0, 0]}
    case("Conv2D explicit", lambda x, w: RAW.Conv2D(input=x, filter=w, **explicit), f(1, 9, 10, 3), f(3, 2, 3, 4))
    case("Conv2D groups", lambda x, w: RAW.Conv2D(input=x, filter=w, **one), f(1, 6, 5, 4), f(3, 2, 2, 6))
    back = {"strides": [1, 2, 2, 1], "padding": "SAME"}
    case(
        "Conv2DBackpropInput run time",
        lambda n, x, w: RAW.Conv2DBackpropInput(input_sizes=n, filter=w, out_backprop=x, **back),
        np.array([1, 7, 8, 3], np.int32),
        f(1, 4, 4, 4),
        f(3, 2, 3, 4),
    )
    half = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1]}
    case(
        "MaxPoolWithArgmax batch",
        lambda x: RAW.MaxPoolWithArgmax(input=x, padding="VALID", include_batch_in_index=True, Targmax="int32", **half),
        f(2, 6, 6, 3),
    )
    case(
        "MaxPoolWithArgmax negative",
        lambda x: RAW.MaxPoolWithArgmax(input=x, padding="SAME", **half),
        f(1, 5, 5, 3, high=-1),
    )
    case("MaxPoolV2", lambda x: RAW.MaxPoolV2(input=x, padding="VALID", **half), f(1, 6, 6, 3))
    case(
        "MaxPool channels",
        lambda x: RAW.MaxPool(input=x, ksize=[1, 1, 1, 2], strides=[1, 1, 1, 2], padding="VALID"),
        f(2, 4, 4, 6),
    )
    case(
        "FusedBatchNorm",
        lambda x, s, o, m, v: RAW.FusedBatchNormV3(x=x, scale=s, offset=o, mean=m, variance=v, is_training=False)[0],
        f(2, 4, 4, 3),
        f(3),
        f(3),
        f(3),
        f(3, low=0.1),
        dynamic=True,
    )
    none = np.zeros(0, np.float32)
    case(
        "FusedBatchNorm training",
        lambda x, s, o: RAW.FusedBatchNormV3(x=x, scale=s, offset=o, mean=none, variance=none, is_training=True)[:3],
        f(2, 4, 4, 3),
        f(3),
        f(3),
        dynamic=True,
    )
    case("LRN", lambda x: RAW.LRN(input=x, depth_radius=2, bias=1.5, alpha=0.3, beta=0.7), f(2, 3, 3, 7), dynamic=True)


def cells() -> None:
    peepholes = {"wci": f(4), "wcf": f(4), "wco": f(4)}
    for options in (
        {"use_peephole": False, "forget_bias": 1.0},
        {"use_peephole": True, "forget_bias": 0.5, "cell_clip": 0.4},
    ):
        case(
            f"LSTMBlockCell {options['use_peephole']}",
            lambda x, c, h, w, b, k=options: RAW.LSTMBlockCell(x=x, cs_prev=c, h_prev=h, w=w, b=b, **peepholes, **k),
            f(2, 3),
            f(2, 4),
            f(2, 4),
            f(7, 16),
            f(16),
        )
        case(
            f"BlockLSTM {options['use_peephole']}",
            lambda x, c, h, w, b, k=options: RAW.BlockLSTM(
                seq_len_max=tf.constant(4, tf.int64), x=x, cs_prev=c, h_prev=h, w=w, b=b, **peepholes, **k
            ),
            f(5, 2, 3),
            f(2, 4),
            f(2, 4),
            f(7, 16),
            f(16),
        )
    case(
        "BlockLSTMV2",
        lambda x, c, h, w, b: RAW.BlockLSTMV2(
            seq_len_max=tf.constant(5, tf.int64), x=x, cs_prev=c, h_prev=h, w=w, b=b, **peepholes
        ),
        f(5, 2, 3),
        f(2, 4),
        f(2, 4),
        f(7, 16),
        f(16),
    )
    case(
        "GRUBlockCell",
        lambda x, h, a, b, c, d: RAW.GRUBlockCell(x=x, h_prev=h, w_ru=a, w_c=b, b_ru=c, b_c=d),
        f(2, 3),
        f(2, 4),
        f(7, 8),
        f(7, 4),
        f(8),
        f(4),
    )
