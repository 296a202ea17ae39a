"""TFLite's convolutions, pools, resizing, and ops over blocks of pixels.

Images are [batch, height, width, channel].
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects.tfl_checks.base import (
    Check,
    Extent,
    Sizes,
    agree,
    alike,
    element,
    given,
    gives,
    has_rank,
    index_vector,
    is_one_of,
    number,
    numbers,
    option,
    positive,
    scaled,
    sizes,
    text,
)
from mlconv.ir.dtypes import DType
from mlconv.ir.target_op import TargetOp

_BIAS = (DType.F32, DType.F16, DType.BF16, DType.I32, DType.I64)


def windowed(op: TargetOp, n: Extent, window: Extent, stride: int, dilation: int = 1) -> Extent:
    """How often a window fits.  kernels/padding.h: ComputeOutSize."""
    if option(op, "padding") == "SAME":
        return None if n is None else -(-n // stride)
    if n is None or window is None:
        return None
    return max(0, (n + stride - ((window - 1) * dilation + 1)) // stride)


def spatial(op: TargetOp, shape: Sequence[Extent], window: Sequence[Extent], axes: str, dilated: bool = True) -> Sizes:
    """The sizes of the result along axes by their letters, w, h and d."""
    strides = positive(op, *(f"stride_{a}" for a in axes))
    dilations = positive(op, *(f"dilation_{a}_factor" for a in axes)) if dilated else [1] * len(axes)
    return tuple(windowed(op, *row) for row in zip(shape, window, strides, dilations, strict=True))


def _elements(op: TargetOp, x: int, w: int) -> None:
    """The result is as x; weights may be stored in fewer bits."""
    gives(op, None, element(op, x))
    if element(op, w) is not element(op, x) and not element(op, w).is_int:
        raise op.malformed(f"weights are {element(op, w).display} for {element(op, x).display}")


def bias(op: TargetOp, i: int, channels: Extent) -> None:
    """A number for each channel, where there is one."""
    if given(op, i) is None:
        return
    is_one_of(op, i, *_BIAS)
    if not alike(sizes(op, i), (channels,)):
        raise op.malformed(f"the bias is {text(sizes(op, i))}, expected {text((channels,))}")


def _conv(op: TargetOp, axes: str, outer: int, inner: int) -> None:
    """outer, inner: the axes of the filter that are the channels of the result and of the operand."""
    rank = len(axes) + 2
    has_rank(op, 0, rank)
    has_rank(op, 1, rank)
    _elements(op, 0, 1)
    x, w = sizes(op, 0) or (None,) * rank, sizes(op, 1) or (None,) * rank
    taps = [n for i, n in enumerate(w) if i not in (outer, inner)]
    _groups(op, x[-1], w[inner], w[outer])
    bias(op, 2, w[outer])
    gives(op, (x[0], *spatial(op, x[1:-1], taps, axes), w[outer]))


def _groups(op: TargetOp, channels: Extent, inner: Extent, outer: Extent) -> None:
    """kernels/conv.cc: the filter's channels are those of a group."""
    if channels is None or inner is None:
        return
    if not inner or channels % inner or (outer is not None and outer % (channels // inner or 1)):
        raise op.malformed(f"{channels} channels against a filter of {inner} x {outer}")


def _conv_2d(op: TargetOp) -> None:
    _conv(op, "hw", 0, 3)


def _conv_3d(op: TargetOp) -> None:
    _conv(op, "dhw", 4, 3)


def _depthwise(op: TargetOp) -> None:
    has_rank(op, 0, 4)
    has_rank(op, 1, 4)
    _elements(op, 0, 1)
    x, w = sizes(op, 0) or (None,) * 4, sizes(op, 1) or (None,) * 4
    multiplier = option(op, "depth_multiplier")
    if not agree(w[0], 1):
        raise op.malformed(f"the filter is {text(w)}, its first axis is not 1")
    if x[3] is not None and w[3] is not None and (not x[3] or w[3] % x[3] or multiplier not in (0, w[3] // x[3])):
        raise op.malformed(f"{x[3]} channels, times {multiplier}, against a filter of {w[3]}")
    bias(op, 2, w[3])
    gives(op, (x[0], *spatial(op, x[1:3], w[1:3], "hw"), w[3]))


def _transposed(op: TargetOp, axes: str, outer: int, inner: int) -> None:
    """The result has the shape that operand 0 tells; windows over it make operand 2."""
    rank = len(axes) + 2
    want = index_vector(op, 0, rank)
    has_rank(op, 1, rank)
    has_rank(op, 2, rank)
    _elements(op, 2, 1)
    x, w = sizes(op, 2) or (None,) * rank, sizes(op, 1) or (None,) * rank
    if not agree(x[-1], w[inner]):
        raise op.malformed(f"{x[-1]} channels against a filter of {w[inner]}")
    positive(op, *(f"stride_{a}" for a in axes))
    bias(op, 3, w[outer])
    gives(op, (x[0], *(None,) * len(axes), w[outer]))
    gives(op, want)
    if want is not None:
        taps = [n for i, n in enumerate(w) if i not in (outer, inner)]
        back = spatial(op, want[1:-1], taps, axes, dilated=len(axes) == 3)
        if not alike(back, x[1:-1]):
            raise op.malformed(f"windows over {text(want)} make {text(back)}, the operand is {text(x)}")


def _transpose_conv(op: TargetOp) -> None:
    _transposed(op, "hw", 0, 3)


def _conv_3d_transpose(op: TargetOp) -> None:
    _transposed(op, "dhw", 3, 4)


def _pool(op: TargetOp) -> None:
    has_rank(op, 0, 4)
    x = sizes(op) or (None,) * 4
    window = positive(op, "filter_height", "filter_width")
    gives(op, (x[0], *spatial(op, x[1:3], window, "hw", dilated=False), x[3]), element(op))


def _resize(op: TargetOp) -> None:
    has_rank(op, 0, 4)
    x, size = sizes(op) or (None,) * 4, index_vector(op, 1, 2) or (None, None)
    gives(op, (x[0], *size, x[3]), element(op))


def _corners(op: TargetOp) -> None:
    if option(op, "align_corners") and option(op, "half_pixel_centers"):
        raise op.malformed("align_corners and half_pixel_centers exclude one another")


def _depth_to_space(op: TargetOp) -> None:
    has_rank(op, 0, 4)
    (block,) = positive(op, "block_size")
    n, h, w, c = sizes(op) or (None,) * 4
    if c is not None and c % (block * block):
        raise op.malformed(f"{c} channels are not blocks of {block} x {block}")
    depth = None if c is None else c // (block * block)
    gives(op, (n, scaled(h, block), scaled(w, block), depth), element(op))


def _space_to_depth(op: TargetOp) -> None:
    has_rank(op, 0, 4)
    (block,) = positive(op, "block_size")
    n, h, w, c = sizes(op) or (None,) * 4
    gives(op, (n, _divided(op, h, block), _divided(op, w, block), scaled(c, block * block)), element(op))


def _divided(op: TargetOp, n: Extent, block: Extent) -> Extent:
    if n is None or block is None:
        return None
    if block < 1 or n % block:
        raise op.malformed(f"the size {n} is no multiple of {block}")
    return n // block


def _blocks(op: TargetOp) -> tuple[Sizes, Sizes, Sizes, Sizes]:
    """Shape, block sizes, and what is added or cut before and after along the axes that are cut into blocks."""
    have = sizes(op)
    has_rank(op, 0, 3, 4)
    axes = 2 if have is None else len(have) - 2
    block = index_vector(op, 1, None if have is None else axes) or (None,) * axes
    around = numbers(op, 2) or (None,) * (2 * axes)
    if have is not None and not alike(sizes(op, 2), (axes, 2)):
        raise op.malformed(f"operand 2 is {text(sizes(op, 2))}, expected {text((axes, 2))}")
    return (None,) * 4 if have is None else have, block, around[::2], around[1::2]


def _space_to_batch(op: TargetOp) -> None:
    have, block, low, high = _blocks(op)
    batch, out = have[0], []
    for n, b, before, after in zip(have[1:-1], block, low, high, strict=True):
        batch = scaled(batch, b)
        padded = None if n is None or before is None or after is None else n + before + after
        out.append(_divided(op, padded, b))
    gives(op, (batch, *out, have[-1]) if sizes(op) is not None else None, element(op))


def _batch_to_space(op: TargetOp) -> None:
    have, block, low, high = _blocks(op)
    batch, out = have[0], list[Extent]()
    for n, b, before, after in zip(have[1:-1], block, low, high, strict=True):
        batch = _divided(op, batch, b)
        whole = scaled(n, b)
        out.append(None if whole is None or before is None or after is None else whole - before - after)
    gives(op, (batch, *out, have[-1]) if sizes(op) is not None else None, element(op))


def _fourier(op: TargetOp) -> None:
    have, length = sizes(op), index_vector(op, 1, 2) or (None, None)
    is_one_of(op, 0, DType.F32)
    last = None if length[1] is None else length[1] // 2 + 1
    gives(op, None if have is None else (*have[:-2], length[0], last), DType.C64)


def _dilate(op: TargetOp) -> None:
    """Operands: the tensor, how far apart its elements go along each axis, and what lies between."""
    have = sizes(op)
    steps = index_vector(op, 1, None if have is None else len(have))
    gives(op, None if have is None else (None,) * len(have), element(op))
    if have is not None and steps is not None:
        spread = (None if n is None or k is None else max(0, (n - 1) * k + 1) for n, k in zip(have, steps, strict=True))
        gives(op, tuple(spread))


def _embedding(op: TargetOp) -> None:
    have, rows = sizes(op, 1), sizes(op, 0)
    is_one_of(op, 0, DType.I32)
    has_rank(op, 0, 1)
    made = op.results[0].tensor.dtype
    if made is not element(op, 1) and not (made is DType.F32 and element(op, 1).is_int):
        raise op.malformed(f"it gives {made.display}")
    gives(op, None if have is None or rows is None else (*rows, *have[1:]))


def _top_k(op: TargetOp) -> None:
    have, k = sizes(op), number(op, 1)
    want = None if have is None else (*have[:-1], k)
    gives(op, want, element(op), 0)
    gives(op, want, None, 1)


CHECKS: dict[str, tuple[Check, ...]] = {
    "CONV_2D": (_conv_2d,),
    "CONV_3D": (_conv_3d,),
    "DEPTHWISE_CONV_2D": (_depthwise,),
    "TRANSPOSE_CONV": (_transpose_conv,),
    "CONV_3D_TRANSPOSE": (_conv_3d_transpose,),
    "AVERAGE_POOL_2D": (_pool,),
    "MAX_POOL_2D": (_pool,),
    "L2_POOL_2D": (_pool,),
    "RESIZE_BILINEAR": (_resize, _corners),
    "RESIZE_NEAREST_NEIGHBOR": (_resize,),
    "DEPTH_TO_SPACE": (_depth_to_space,),
    "SPACE_TO_DEPTH": (_space_to_depth,),
    "SPACE_TO_BATCH_ND": (_space_to_batch,),
    "BATCH_TO_SPACE_ND": (_batch_to_space,),
    "RFFT2D": (_fourier,),
    "DILATE": (_dilate,),
    "EMBEDDING_LOOKUP": (_embedding,),
    "TOPK_V2": (_top_k,),
}
