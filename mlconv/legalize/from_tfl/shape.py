"""Builtins that move elements.  Source: tensorflow/lite/kernels (LiteRT), files named after the builtins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.tfl_types import DTYPES
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tfl.elementwise import activated
from mlconv.legalize.from_tfl.node import Handler, TflNode, tfl_rules

RULES: Final = tfl_rules()

_SAME: Final = {
    "BATCH_TO_SPACE_ND": "BatchToSpaceND",
    "BROADCAST_ARGS": "BroadcastArgs",
    "BROADCAST_TO": "BroadcastTo",
    "EXPAND_DIMS": "ExpandDims",
    "MATRIX_DIAG": "MatrixDiag",
    "MATRIX_SET_DIAG": "MatrixSetDiag",
    "PAD": "Pad",
    "PADV2": "PadV2",
    "RANGE": "Range",
    "RANK": "Rank",
    "SLICE": "Slice",
    "SPACE_TO_BATCH_ND": "SpaceToBatchND",
    "TILE": "Tile",
    "TRANSPOSE": "Transpose",
}
"""TensorFlow's op, with the same operands and no attributes that matter."""


def _same(kind: str) -> Handler:
    return lambda n: n.tf1(kind, n.numbers())


for _name, _kind in _SAME.items():
    RULES.add(_name, _same(_kind))


@RULES.rule("RESHAPE")
def reshape(n: TflNode) -> Value:
    """The shape is an operand, or the option `new_shape`; where both are there the kernel takes the operand, unless it
    is no vector.
    """
    x = n.number(0)
    if n.has(1) and n.operand(1).tensor.rank == 1:
        return n.tf1("Reshape", [x, n.operand(1)])
    sizes = tuple(n.attr("new_shape"))
    return n.reshape(x, [] if sizes == (0,) else sizes)  # how old files say a scalar


@RULES.rule("SQUEEZE")
def squeeze(n: TflNode) -> Value:
    return n.tf1("Squeeze", [n.number(0)], squeeze_dims=tuple(n.attr("squeeze_dims")))


@RULES.rule("SHAPE")
def shape(n: TflNode) -> Value:
    return n.y(core.ShapeOf(n.operand(0), dtype=DTYPES[n.attr("out_type")]))


@RULES.rule("FILL")
def fill(n: TflNode) -> Value:
    return n.tf1("Fill", [n.operand(0), n.number(1)])


@RULES.rule("PACK")
def pack(n: TflNode) -> Value:
    return n.tf1("Pack", n.numbers(), axis=n.attr("axis"))


@RULES.rule("UNPACK")
def unpack(n: TflNode) -> Sequence[Value]:
    return n.tf("Unpack", [n.number(0)], axis=n.attr("axis"), num=n.n_results)


@RULES.rule("CONCATENATION")
def concatenation(n: TflNode) -> Value:
    values = n.numbers()
    return activated(n, n.concat(values, n.axis(n.attr("axis"), n.rank(values[0]))))


@RULES.rule("SPLIT")
def split(n: TflNode) -> Sequence[Value]:
    return n.tf("Split", [n.operand(0), n.number(1)], num_split=n.n_results)


@RULES.rule("SPLIT_V")
def split_v(n: TflNode) -> Sequence[Value]:
    return n.tf("SplitV", [n.number(0), n.operand(1), n.operand(2)], num_split=n.n_results)


@RULES.rule("STRIDED_SLICE")
def strided_slice(n: TflNode) -> Value:
    """With the option `offset`, `end` counts from `begin`."""
    begin, end, strides = n.operands(1)
    end = n.add(begin, end) if n.attr("offset", False) else end
    masks = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    return n.tf1("StridedSlice", [n.number(0), begin, end, strides], **{name: n.attr(name) for name in masks})


@RULES.rule("MIRROR_PAD")
def mirror_pad(n: TflNode) -> Value:
    return n.tf1("MirrorPad", [n.number(0), n.operand(1)], mode=n.attr("mode"))


@RULES.rule("REVERSE_V2")
def reverse_v2(n: TflNode) -> Value:
    return n.tf1("ReverseV2", [n.number(0), n.operand(1)])


@RULES.rule("REVERSE_SEQUENCE")
def reverse_sequence(n: TflNode) -> Value:
    return n.tf1(
        "ReverseSequence", [n.number(0), n.operand(1)], seq_dim=n.attr("seq_dim"), batch_dim=n.attr("batch_dim")
    )


@RULES.rule("DEPTH_TO_SPACE", "SPACE_TO_DEPTH")
def blocks(n: TflNode) -> Value:
    kind = "DepthToSpace" if n.kind == "DEPTH_TO_SPACE" else "SpaceToDepth"
    return n.tf1(kind, [n.number(0)], block_size=n.attr("block_size"))


@RULES.rule("DYNAMIC_UPDATE_SLICE")
def dynamic_update_slice(n: TflNode) -> Value:
    """Starts are one vector; they are moved so that the update lies inside."""
    x, update = n.number(0), n.number(1)
    begins = [n.gather(n.operand(2), i) for i in range(n.rank(x))]
    return n.y(core.UpdateSlice(x, update, begins))


@RULES.rule("DILATE")
def dilate(n: TflNode) -> Value:
    """`value` between the elements along each axis: dilations [rank]."""
    x, steps, value = n.number(0), n.ints(1), n.scalar(n.number(2))
    sizes = x.tensor.shape or ()
    if len(steps) != len(sizes):
        raise ConversionError(Code.ShapeMismatch, f"{len(steps)} dilations of {x.type}")
    for axis, step in enumerate(steps):
        if step < 1:
            raise ConversionError(Code.AttributeInvalid, f"a dilation of {step}")
        if step == 1 or sizes[axis] in (0, 1):
            continue
        parts = n.dims(x)
        apart = n.expand_dims(x, axis + 1)
        spread = n.pad(apart, [(0, step - 1 if i == axis + 1 else 0) for i in range(len(parts) + 1)], value)
        long = n.prod([parts[axis], step])
        joined = n.reshape(spread, [*parts[:axis], long, *parts[axis + 1 :]])
        x = n.slice_axis(joined, axis, 0, -(step - 1))
    return x


@RULES.rule("BUCKETIZE")
def bucketize(n: TflNode) -> Value:
    return n.tf1("Bucketize", [n.number(0)], boundaries=tuple(n.attr("boundaries")))


@RULES.rule("RANDOM_UNIFORM", "RANDOM_STANDARD_NORMAL")
def random(n: TflNode) -> Value:
    make = core.RandomUniform if n.kind == "RANDOM_UNIFORM" else core.RandomNormal
    return n.y(make(n.operand(0), dtype=DType.F32, seed=n.attr("seed"), seed2=n.attr("seed2")))


@RULES.rule("MULTINOMIAL")
def multinomial(n: TflNode) -> Value:
    return n.tf1(
        "Multinomial",
        [n.number(0), n.operand(1)],
        seed=n.attr("seed"),
        seed2=n.attr("seed2"),
        output_dtype=n.plain_types()[0].dtype,
    )


@RULES.rule("RFFT2D")
def rfft2d(n: TflNode) -> Value:
    return n.tf1("RFFT2D", n.numbers())
