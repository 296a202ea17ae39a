"""Sizes, and ops that move elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tf_goldens.case import RAW, case, f, i


def shapes() -> None:
    case(
        "Shape",
        lambda x: [tf.shape(x), RAW.Shape(input=x, out_type="int64"), tf.size(x), RAW.Rank(input=x)],
        f(2, 3, 4),
        dynamic=True,
    )
    case("ShapeN", lambda x, y: RAW.ShapeN(input=[x, y]), f(2, 3, 4), f(3), dynamic=True)
    case(
        "LinSpace", lambda a, b: [RAW.LinSpace(start=a, stop=b, num=7), RAW.LinSpace(start=a, stop=b, num=1)], f(), f()
    )
    case("Range", lambda a: RAW.Range(start=a, limit=a + 10, delta=3), i())
    case("Range float", lambda a: RAW.Range(start=a, limit=a + 1, delta=0.1), f())
    short, long = np.array([1, 3], np.int32), np.array([4, 5, 1, 3], np.int32)
    case("BroadcastArgs", lambda a, b: RAW.BroadcastArgs(s0=a, s1=b), short, long, dynamic=True)
    case("BroadcastGradientArgs", lambda a, b: RAW.BroadcastGradientArgs(s0=a, s1=b), short, long, dynamic=True)
    case("BroadcastGradientArgs equal", lambda a: RAW.BroadcastGradientArgs(s0=a, s1=a), long)
    case("Squeeze", lambda x: [tf.squeeze(x, [-1]), tf.squeeze(x, [0, 2])], f(1, 3, 1, 4, 1), dynamic=True)
    case("Squeeze all", tf.squeeze, f(1, 3, 1, 4, 1))
    case(
        "Transpose",
        lambda x: [tf.transpose(x, [2, 0, 1]), RAW.Transpose(x=x, perm=[-1, -2, 0])],
        f(2, 3, 4),
        dynamic=True,
    )
    case("Transpose run time", lambda x, p: RAW.Transpose(x=x, perm=p), f(2, 3, 4), np.array([2, 0, 1], np.int32))
    case(
        "ConjugateTranspose",
        lambda x, y: RAW.ConjugateTranspose(x=tf.complex(x, y), perm=[2, 0, 1]),
        f(2, 3, 4),
        f(2, 3, 4),
    )
    case("Pack", lambda x, y: [RAW.Pack(values=[x, y], axis=a) for a in (-1, 0, -2)], f(3, 4), f(3, 4), dynamic=True)
    case("Unpack", lambda x: RAW.Unpack(value=x, num=3, axis=-2), f(2, 3, 4), dynamic=True)
    case(
        "Concat",
        lambda x, y: [RAW.ConcatV2(values=[x, y], axis=-1), RAW.Concat(concat_dim=0, values=[x, y])],
        f(3, 4),
        f(3, 4),
        dynamic=True,
    )
    case("Split", lambda x: RAW.Split(axis=-1, value=x, num_split=3), f(2, 6), dynamic=True)
    case("SplitV", lambda x: RAW.SplitV(value=x, size_splits=[1, -1, 2], axis=1, num_split=3), f(2, 6), dynamic=True)
    case(
        "SplitV run time",
        lambda x, s: RAW.SplitV(value=x, size_splits=s, axis=1, num_split=3),
        f(2, 6),
        np.array([1, 3, 2], np.int32),
    )
    case("Slice", lambda x: RAW.Slice(input=x, begin=[0, 1, 0], size=[-1, 2, 3]), f(2, 3, 4), dynamic=True)
    case(
        "Slice run time",
        lambda x, b: RAW.Slice(input=x, begin=b, size=[-1, 2, 3]),
        f(2, 3, 4),
        np.array([1, 0, 1], np.int32),
    )
    case("Tile", lambda x: RAW.Tile(input=x, multiples=[2, 3]), f(3, 4), dynamic=True)
    case(
        "Reverse",
        lambda x: [tf.reverse(x, [-1]), RAW.Reverse(tensor=x, dims=[True, False, True])],
        f(2, 3, 4),
        dynamic=True,
    )
    case("ReverseSequence", lambda x: tf.reverse_sequence(x, [2, 1], seq_axis=1, batch_axis=0), f(2, 3, 4))
    case("Roll", lambda x: [tf.roll(x, [1, -2], [0, 1]), tf.roll(x, 5, -1)], f(3, 4), dynamic=True)
    case("Roll run time", tf.roll, f(3, 4), np.array([1, -2], np.int32), np.array([0, -1], np.int32))
    case(
        "DepthToSpace", lambda x: [tf.nn.depth_to_space(x, 2), tf.nn.space_to_depth(x, 2)], f(2, 4, 6, 8), dynamic=True
    )
    case(
        "SpaceToBatch",
        lambda x: [
            tf.space_to_batch(x, [2, 3], [[1, 1], [0, 2]]),
            RAW.SpaceToBatch(input=x, paddings=[[0, 0], [1, 1]], block_size=2),
        ],
        f(2, 4, 4, 3),
        dynamic=True,
    )
    case(
        "BatchToSpace",
        lambda x: [
            tf.batch_to_space(x, [2, 2], [[1, 0], [0, 2]]),
            RAW.BatchToSpace(input=x, crops=[[0, 0], [1, 1]], block_size=2),
        ],
        f(8, 4, 4, 3),
        dynamic=True,
    )
    block, border = np.array([2, 3], np.int32), np.array([[1, 1], [0, 2]], np.int32)
    case(
        "SpaceToBatch run time",
        lambda x, b, p: RAW.SpaceToBatchND(input=x, block_shape=b, paddings=p),
        f(2, 4, 4, 3),
        block,
        border,
    )
    case(
        "BatchToSpace run time",
        lambda x, b, c: RAW.BatchToSpaceND(input=x, block_shape=b, crops=c),
        f(12, 4, 4, 3),
        block,
        border,
    )
    case("InvertPermutation", lambda x: RAW.InvertPermutation(x=x), np.array([2, 0, 1, 3], np.int32))
    case(
        "ConcatOffset",
        lambda x, y: RAW.ConcatOffset(concat_dim=1, shape=[tf.shape(x), tf.shape(y)]),
        f(3, 4),
        f(3, 5),
        dynamic=True,
    )
    case("ExpandDims", lambda x: [tf.expand_dims(x, a) for a in (-1, 0, 1)], f(3, 4), dynamic=True)
    case("ExpandDims run time", lambda x, a: RAW.ExpandDims(input=x, axis=a), f(3, 4), np.array(-2, np.int32))
    case("Fill", tf.fill, np.array([2, 3], np.int32), f())
    case("EnsureShape", lambda x: tf.ensure_shape(x, [3, None]), f(3, 4), dynamic=True)
    case(
        "Pad",
        lambda x: [
            tf.pad(x, [[1, 0], [2, 3]]),
            tf.pad(x, [[1, 0], [2, 3]], constant_values=7.0),
            tf.pad(x, [[1, 1], [2, 3]], "REFLECT"),
            tf.pad(x, [[1, 2], [2, 3]], "SYMMETRIC"),
        ],
        f(3, 4),
        dynamic=True,
    )


def strided_slices() -> None:
    new = tf.newaxis
    items: list[Callable[[Any], Any]] = [
        lambda x: x[1],
        lambda x: x[-1],
        lambda x: x[..., 1],
        lambda x: x[:, 1:],
        lambda x: x[::-1],
        lambda x: x[:, ::-2],
        lambda x: x[new],
        lambda x: x[..., new, 1:3],
        lambda x: x[0, 1, 2],
        lambda x: x[:, new, -2:],
        lambda x: x[1:2, ..., -1:],
        lambda x: x[:, -1:0:-1],
        lambda x: x[new, 1, ..., new],
        lambda x: x[100:],
        lambda x: x[:-1],
        lambda x: x[:, :, :-1:2],
        lambda x: x[:, 5:1],
    ]
    for number, item in enumerate(items):
        case(f"StridedSlice {number}", item, f(2, 3, 4), dynamic=True)
    case(
        "StridedSlice run time",
        lambda x, k: [x[k], x[:, k:], x[:, k : k + 1], x[..., k], x[-k:]],
        f(2, 3, 4),
        np.array(1, np.int32),
    )
