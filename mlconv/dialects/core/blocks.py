"""Ops that trade blocks of space for channels or batch."""

from __future__ import annotations

import math

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import check_numbers, ranked
from mlconv.dialects.core.slicing import pad_amounts
from mlconv.ir.attributes import one_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size, floordiv, product
from mlconv.ir.quant_rules import SAME
from mlconv.ir.spec import OpDef, attr, op, operand, result
from mlconv.ir.types import TensorType


@op("core.depth_to_space", quant=SAME)
class DepthToSpace(OpDef):
    """Channels to blocks of space.  layout: `NHWC` or `NCHW`; mode `dcr` (TensorFlow, ONNX default) or `crd` (ONNX)."""

    x: Value = operand()
    block_size: int = attr()
    layout: str = attr(default="NHWC", check=one_of("NHWC", "NCHW"))
    mode: str = attr(default="dcr", check=one_of("dcr", "crd"))
    y: Value = result()

    def infer(self) -> TensorType:
        t, b = self.x.tensor, self.block_size
        check_numbers((b,), 1, 1, "sizes of blocks")
        n, c, h, w = _nchw(ranked(self.x), self.layout, t)
        if isinstance(c, int) and c % (b * b):
            raise ConversionError(Code.ShapeMismatch, f"{c} channels of {t} are not a multiple of the block {b} x {b}")
        return t.with_shape(_from_nchw((n, floordiv(c, b * b), h * b, w * b), self.layout))

    def eval(self, x: Array) -> Array:
        b = self.block_size
        v = x if self.layout == "NCHW" else x.transpose(0, 3, 1, 2)
        n, c, h, w = v.shape
        if self.mode == "dcr":
            v = v.reshape(n, b, b, c // (b * b), h, w).transpose(0, 3, 4, 1, 5, 2)
        else:
            v = v.reshape(n, c // (b * b), b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
        v = v.reshape(n, c // (b * b), h * b, w * b)
        return v if self.layout == "NCHW" else v.transpose(0, 2, 3, 1)


@op("core.space_to_depth", quant=SAME)
class SpaceToDepth(OpDef):
    """Inverse of depth_to_space in mode `dcr`."""

    x: Value = operand()
    block_size: int = attr()
    layout: str = attr(default="NHWC", check=one_of("NHWC", "NCHW"))
    y: Value = result()

    def infer(self) -> TensorType:
        t, b = self.x.tensor, self.block_size
        check_numbers((b,), 1, 1, "sizes of blocks")
        n, c, h, w = _nchw(ranked(self.x), self.layout, t)
        if any(isinstance(d, int) and d % b for d in (h, w)):
            raise ConversionError(Code.ShapeMismatch, f"height and width of {t} are not multiples of the block {b}")
        return t.with_shape(_from_nchw((n, c * (b * b), floordiv(h, b), floordiv(w, b)), self.layout))

    def eval(self, x: Array) -> Array:
        b = self.block_size
        v = x if self.layout == "NCHW" else x.transpose(0, 3, 1, 2)
        n, c, h, w = v.shape
        v = v.reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4).reshape(n, c * b * b, h // b, w // b)
        return v if self.layout == "NCHW" else v.transpose(0, 2, 3, 1)


def _nchw(shape: tuple[Size, ...], layout: str, t: TensorType) -> tuple[Size, Size, Size, Size]:
    if len(shape) != 4:
        raise ConversionError(Code.ShapeMismatch, f"expected rank 4, got {t}")
    n, a, b, c = shape
    return (n, a, b, c) if layout == "NCHW" else (n, c, a, b)


def _from_nchw(sizes: tuple[Size, Size, Size, Size], layout: str) -> tuple[Size, ...]:
    n, c, h, w = sizes
    return (n, c, h, w) if layout == "NCHW" else (n, h, w, c)


Amounts = list[tuple[Size | None, Size | None]]


def _amounts(t: TensorType, amounts: Value, blocks: tuple[int, ...]) -> Amounts:
    """What is put around, or cut off, each of the axes 1.. of `t` that are cut into blocks.

    Raises ConversionError ShapeMismatch where axes, blocks and amounts do not fit one another.
    """
    found = pad_amounts(amounts)
    listed: Amounts = [(None, None)] * len(blocks) if found is None else found
    if len(listed) != len(blocks) or len(t.shape or ()) < 1 + len(blocks) or any(b < 1 for b in blocks):
        what = f"blocks {list(blocks)} of {t} with amounts {amounts.tensor}"
        raise ConversionError(Code.ShapeMismatch, f"{what} do not fit one another")
    if any(isinstance(a, int) and a < 0 for pair in listed for a in pair):
        raise ConversionError(Code.ShapeMismatch, f"amounts {listed} of blocks are negative")
    return listed


def _cut(size: Size, block: int, t: TensorType) -> Size:
    """Size over block.  Raises ConversionError ShapeMismatch where something is left."""
    if isinstance(size, int) and (size < 0 or size % block):
        raise ConversionError(Code.ShapeMismatch, f"a size of {size} (of {t}) is not a multiple of the block {block}")
    return floordiv(size, block)


@op("core.space_to_batch", quant=SAME)
class SpaceToBatch(OpDef):
    """TensorFlow SpaceToBatchND: pads axes 1.. by `pads`, cuts them into blocks and moves the blocks to the batch.
    pads: integer [m, 2].
    """

    x: Value = operand()
    pads: Value = operand()
    block_size: tuple[int, ...] = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        shape = ranked(self.x)
        pads = _amounts(self.x.tensor, self.pads, self.block_size)
        out = [shape[0] * product(self.block_size)]
        for d, b, (lo, hi) in zip(shape[1:], self.block_size, pads, strict=False):
            out.append(Dim.unknown() if lo is None or hi is None else _cut(d + lo + hi, b, self.x.tensor))
        return self.x.tensor.with_shape((*out, *shape[1 + len(self.block_size) :]))

    def moves_integers(self) -> bool:
        return False

    def eval(self, x: Array, pads: Array) -> Array:
        m = len(self.block_size)
        v = np.pad(x, [(0, 0), *((int(a), int(b)) for a, b in pads)] + [(0, 0)] * (x.ndim - 1 - m))
        split: list[int] = []
        for n, b in zip(v.shape[1 : 1 + m], self.block_size, strict=True):
            split += [n // b, b]
        rest = v.shape[1 + m :]
        v = v.reshape(v.shape[0], *split, *rest)
        order = [2 * i + 2 for i in range(m)] + [0] + [2 * i + 1 for i in range(m)] + list(range(2 * m + 1, v.ndim))
        return v.transpose(order).reshape(x.shape[0] * math.prod(self.block_size), *split[::2], *rest)


@op("core.batch_to_space", quant=SAME)
class BatchToSpace(OpDef):
    """TensorFlow BatchToSpaceND: inverse of space_to_batch, then crops axes 1...  crops: integer [m, 2]."""

    x: Value = operand()
    crops: Value = operand()
    block_size: tuple[int, ...] = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        shape = ranked(self.x)
        crops = _amounts(self.x.tensor, self.crops, self.block_size)
        out = [_cut(shape[0], math.prod(self.block_size), self.x.tensor)]
        for d, b, (lo, hi) in zip(shape[1:], self.block_size, crops, strict=False):
            size = Dim.unknown() if lo is None or hi is None else d * b - lo - hi
            out.append(_cut(size, 1, self.x.tensor))
        return self.x.tensor.with_shape((*out, *shape[1 + len(self.block_size) :]))

    def eval(self, x: Array, crops: Array) -> Array:
        m, blocks = len(self.block_size), math.prod(self.block_size)
        n, rest = x.shape[0] // blocks, x.shape[1 + m :]
        v = x.reshape(*self.block_size, n, *x.shape[1:])
        order = [m]
        for i in range(m):
            order += [m + 1 + i, i]
        v = v.transpose(order + list(range(2 * m + 1, v.ndim)))
        v = v.reshape(n, *(s * b for s, b in zip(x.shape[1:], self.block_size, strict=False)), *rest)
        cut = [slice(int(a), v.shape[1 + i] - int(b)) for i, (a, b) in enumerate(crops)]
        return v[(slice(None), *cut)]
