"""Parts of tensors, what is put around them, and their order.  Bounds and amounts that may be data are operands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import (
    check_distinct,
    check_integer_type,
    check_integers,
    check_rank,
    normalize_axis,
    ranked,
    same_dtype,
    same_size,
    unknown_shape,
)
from mlconv.dialects.core.shape import Constant, check_shape, operand_sizes
from mlconv.ir.attributes import one_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Known, Value
from mlconv.ir.dims import Dim, Size, ceildiv, extreme, maximum, minimum, sign_of
from mlconv.ir.quant import QuantType
from mlconv.ir.quant_rules import SAME, SAME_SCALE
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.spec import OpDef, attr, known_array, known_ints, op, operand, operands, result
from mlconv.ir.types import TensorType, Type

_LONGEST = 2**31 - 1


@op("core.slice", quant=SAME)
class Slice(OpDef):
    """x[begin:end:strides] along every axis with Python's meaning of negative and out-of-range indices.

    begin, end, strides: integer [rank(x)].  Bit i of `begin_mask`/`end_mask` set: that bound of axis i is open (None in
    Python's slice).
    """

    moves_elements = True
    x: Value = operand()
    begin: Value = operand()
    end: Value = operand()
    strides: Value = operand()
    begin_mask: int = attr(default=0)
    end_mask: int = attr(default=0)
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        if t.shape is None:
            return t
        n = len(t.shape)
        for value, what in ((self.begin, "begins"), (self.end, "ends"), (self.strides, "strides")):
            check_integers(value, what)
        begin, end, strides = (known_ints(v) or (None,) * n for v in (self.begin, self.end, self.strides))
        if not len(begin) == len(end) == len(strides) == n:
            raise ConversionError(
                Code.ShapeMismatch,
                f"slice of {t} needs {n} begins, ends and strides, has {len(begin)}, {len(end)}, {len(strides)}",
            )
        sizes = [self._size(i, t.shape[i], begin[i], end[i], strides[i]) for i in range(n)]
        if 0 in sizes:  # no elements tell whether ends count from the end
            sizes = [s and self._size(i, t.shape[i], begin[i], end[i], strides[i], True) for i, s in enumerate(sizes)]
        return t.with_shape(tuple(sizes))

    def _size(
        self, axis: int, size: Size, begin: Size | None, end: Size | None, stride: Size | None, either: bool = False
    ) -> Size:
        """either: ends that may be below 0 count from the end there, whatever is between the others."""
        open_begin, open_end = self.begin_mask >> axis & 1, self.end_mask >> axis & 1
        if stride == 0:
            raise ConversionError(Code.ShapeMismatch, f"stride of axis {axis} is 0")
        if isinstance(stride, int) and open_begin and open_end:
            return ceildiv(size, abs(stride))
        if not isinstance(stride, int) or (begin is None and not open_begin) or (end is None and not open_end):
            return Dim.unknown()
        if isinstance(size, int) and (open_begin or isinstance(begin, int)) and (open_end or isinstance(end, int)):
            return len(range(*slice(None if open_begin else begin, None if open_end else end, stride).indices(size)))
        ends = None if open_begin else begin, None if open_end else end
        told = _length(*ends, stride, size)
        return _wrapped_length(*ends, stride, size) if (told == 0 or either) and any(map(may_wrap, ends)) else told

    def wraps(self, axis: int) -> bool:
        """Whether there is something along an axis only where sizes of the run make an end count from the end, or
        nothing along another one, so that nobody needs to ask.
        """
        begin = None if self.begin_mask >> axis & 1 else entry(self.begin, axis)
        end = None if self.end_mask >> axis & 1 else entry(self.end, axis)
        stride, size = entry(self.strides, axis), (self.x.tensor.shape or ())[axis]
        if not isinstance(stride, int) or not (may_wrap(begin) or may_wrap(end)):
            return False
        sizes = self.y.tensor.shape or ()
        return _length(begin, end, stride, size) == 0 or any(n == 0 for i, n in enumerate(sizes) if i != axis)

    def carried(self, quants: Sequence[QuantType], types: Sequence[Type]) -> list[QuantType]:
        (quant,), shape = quants, self.x.tensor.shape or ()
        for axis, whole in enumerate(shape) if not quant.is_per_tensor else ():
            begin = 0 if self.begin_mask >> axis & 1 else entry(self.begin, axis)
            end = whole if self.end_mask >> axis & 1 else entry(self.end, axis)
            step = entry(self.strides, axis)
            if step == 1 and begin == 0 and end == whole:
                continue
            if step == 1 and isinstance(whole, int) and isinstance(begin, int) and isinstance(end, int):
                first, last, _ = slice(begin, end).indices(whole)
                quant = quant.sliced(axis, first, max(first, last))
            else:
                quant = quant.untouched([axis], "a slice")
        return [quant]

    def eval(self, x: Array, begin: Array, end: Array, strides: Array) -> Array:
        return x[
            tuple(
                slice(None if self.begin_mask >> i & 1 else int(b), None if self.end_mask >> i & 1 else int(e), int(s))
                for i, (b, e, s) in enumerate(zip(begin, end, strides, strict=True))
            )
        ]

    def deduce(self) -> Known | None:
        known = None if self.x.known is None else known_array(self.x)
        if known is None:
            return None
        parts = []
        for i in range(known.ndim):
            begin, end, step = (entry(v, i) for v in (self.begin, self.end, self.strides))
            begin = None if self.begin_mask >> i & 1 else begin
            end = None if self.end_mask >> i & 1 else end
            if not isinstance(step, int) or not self._is_told(i):
                return None
            parts.append(slice(begin, end, step))
        return tuple(known[tuple(parts)].reshape(-1))

    def _is_told(self, axis: int) -> bool:
        """Both ends along an axis are numbers, or left out."""
        return all(
            mask >> axis & 1 or isinstance(entry(v, axis), int)
            for v, mask in ((self.begin, self.begin_mask), (self.end, self.end_mask))
        )


def entry(value: Value, i: int) -> Size | None:
    """Entry i of an integer operand; None when it is not known."""
    known = known_ints(value)
    return None if known is None else known[i]


def may_wrap(bound: Size | None) -> bool:
    """Whether the sizes of a run decide if an end of a slice counts from the front or, below 0, from the end."""
    return isinstance(bound, Dim) and sign_of(bound) is None


def wrapped(bound: Size, size: Size) -> Size:
    """An index that counts from the front, for one whose sign the sizes of a run decide."""
    return bound + size * minimum(1, maximum(-bound, 0))


def _length(begin: Size | None, end: Size | None, stride: int, size: Size) -> Size:
    """How many elements lie between ends; None where one is open.  Ends that may be below 0 are taken not to be."""
    if stride < 0:
        first = size if begin is None else _clip_to_the_left(begin, size)
        last = 0 if end is None else _clip_to_the_left(end, size)
        return ceildiv(maximum(first - last, 0) if last != 0 else first, -stride)
    lo = 0 if begin is None else _clip(begin, size)
    hi = size if end is None else _clip(end, size)
    if begin is not None and is_from_end(begin) and hi == size:
        return ceildiv(minimum(size, -begin), stride)
    return ceildiv(maximum(hi - lo, 0) if lo != 0 else hi, stride)


def _wrapped_length(begin: Size | None, end: Size | None, stride: int, size: Size) -> Size:
    """How many elements lie between ends, wherever these count from: the algebra takes `n - 16` for a size, which an
    end that counts from behind the start is not.
    """

    def clipped(bound: Size, beside: int) -> Size:
        if may_wrap(bound):
            return extreme("max", minimum(wrapped(bound, size) + beside, size), 0)
        return _clip_to_the_left(bound, size) if beside else _clip(bound, size)

    if stride < 0:
        first = size if begin is None else clipped(begin, 1)
        return ceildiv(maximum(first - (0 if end is None else clipped(end, 1)), 0), -stride)
    last = size if end is None else clipped(end, 0)
    return ceildiv(maximum(last - (0 if begin is None else clipped(begin, 0)), 0), stride)


def is_from_end(bound: Size) -> bool:
    """Whether a slice bound counts from the end: a number or size below 0.  `-N` does, as if N were never 0."""
    return bound < 0 if isinstance(bound, int) else sign_of(bound) == -1


def _clip(bound: Size, size: Size) -> Size:
    """A slice bound as an index in [0, size]."""
    if is_from_end(bound):
        return maximum(size + bound, 0)
    if isinstance(bound, int) and bound >= _LONGEST:
        return size
    return bound if bound in (0, size) else minimum(bound, size)


def _clip_to_the_left(bound: Size, size: Size) -> Size:
    """How many elements do not lie behind a bound of a slice to the left: that after element `bound` in [-1, size)."""
    return maximum(size + bound + 1, 0) if is_from_end(bound) else _clip(bound + 1, size)


@op("core.dynamic_slice", quant=SAME)
class DynamicSlice(OpDef):
    """x[begin : begin + size] along every axis (TFLite SLICE, TensorFlow Slice); begin, size: integer [rank(x)], size
    -1 means up to the end.
    """

    x: Value = operand()
    begin: Value = operand()
    size: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        if t.shape is None:
            sizes = operand_sizes(self.size)
            return t.with_shape(None if sizes is None else tuple(Dim.unknown() if d == -1 else d for d in sizes))
        n = len(t.shape)
        begin, size = known_ints(self.begin) or (None,) * n, known_ints(self.size) or (None,) * n
        if len(begin) != n or len(size) != n:
            raise ConversionError(
                Code.ShapeMismatch, f"slice of {t} needs {n} begins and sizes, has {len(begin)} and {len(size)}"
            )
        out: list[Size] = []
        for whole, b, s in zip(t.shape, begin, size, strict=True):
            rest: Size | None = None if b is None else whole - b
            out.append(
                Dim.unknown()
                if s is None or (s == -1 and rest is None)
                else rest
                if s == -1 and rest is not None
                else s
            )
            if (
                isinstance(whole, int)
                and isinstance(b, int)
                and isinstance(s, int)
                and (b < 0 or b + max(s, 0) > whole)
            ):
                raise ConversionError(Code.ShapeMismatch, f"slice [{b}, {b + s}) leaves the size {whole} of {t}")
        return t.with_shape(tuple(out))

    def carried(self, quants: Sequence[QuantType], types: Sequence[Type]) -> list[QuantType]:
        (quant,), shape = quants, self.x.tensor.shape or ()
        for axis, whole in enumerate(shape) if not quant.is_per_tensor else ():
            begin, size = entry(self.begin, axis), entry(self.size, axis)
            if begin == 0 and size in (-1, whole):
                continue
            if isinstance(begin, int) and isinstance(size, int) and size >= 0:
                quant = quant.sliced(axis, begin, begin + size)
            else:
                quant = quant.untouched([axis], "a slice")
        return [quant]

    def eval(self, x: Array, begin: Array, size: Array) -> Array:
        return x[tuple(slice(int(b), None if s == -1 else int(b) + int(s)) for b, s in zip(begin, size, strict=True))]

    def deduce(self) -> Known | None:
        b, s = known_ints(self.begin), known_ints(self.size)
        if (
            self.x.known is None
            or b is None
            or s is None
            or len(b) != 1
            or not isinstance(b[0], int)
            or not isinstance(s[0], int)
        ):
            return None
        return self.x.known[b[0] : None if s[0] == -1 else b[0] + s[0]]


@op("core.update_slice")
class UpdateSlice(OpDef):
    """x with `update` written at `begins`: one integer scalar for each axis, moved so that the update lies inside.

    Source: XLA DynamicUpdateSlice, TFLite DYNAMIC_UPDATE_SLICE.
    """

    x: Value = operand()
    update: Value = operand()
    begins: list[Value] = operands()
    y: Value = result()

    def infer(self) -> TensorType:
        t, update = self.x.tensor, self.update.tensor
        same_dtype(self.x, self.update)
        if any(not b.tensor.dtype.is_int or b.tensor.rank not in (0, None) for b in self.begins):
            raise ConversionError(Code.TypeMismatch, f"{self.name} begins at {self.begins}, expected integer scalars")
        if t.shape is None or update.shape is None:
            return t
        if not len(t.shape) == len(update.shape) == len(self.begins):
            message = f"{self.name} of {update} into {t} has {len(self.begins)} begins"
            raise ConversionError(Code.ShapeMismatch, message)
        if any(isinstance(n, int) and isinstance(m, int) and m > n for n, m in zip(t.shape, update.shape, strict=True)):
            raise ConversionError(Code.ShapeMismatch, f"{self.name}: {update} does not fit into {t}")
        return t

    def eval(self, x: Array, update: Array, *begins: Array) -> Array:
        y = x.copy()
        first = [min(max(int(b), 0), n - m) for b, n, m in zip(begins, x.shape, update.shape, strict=True)]
        y[tuple(slice(b, b + m) for b, m in zip(first, update.shape, strict=True))] = update
        return y


@op("core.pad", quant=SAME_SCALE)
class Pad(OpDef):
    """x with elements before and after each axis.  pads: integer [rank, 2]; value: scalar of x's type, for mode
    `constant`.

    mode: `constant` (negative pads crop), `reflect` (edge not repeated), `symmetric` (edge repeated), `edge`, `wrap`
    (ONNX Pad-19, TensorFlow MirrorPad).
    """

    x: Value = operand()
    pads: Value = operand()
    value: Value = operand()
    mode: str = attr(default="constant", check=one_of("constant", "reflect", "symmetric", "edge", "wrap"))
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        same_dtype(self.x, self.value)
        if t.shape is None:
            return t
        known = pad_amounts(self.pads)
        if known is None:
            return t.with_shape(unknown_shape(len(t.shape)))
        if len(known) != len(t.shape):
            raise ConversionError(Code.ShapeMismatch, f"{len(known)} pairs of pads for {t}")
        out = tuple(
            d if lo == hi == 0 else Dim.unknown() if lo is None or hi is None else d + lo + hi
            for d, (lo, hi) in zip(t.shape, known, strict=True)
        )
        check_shape(out, t.dtype, "result of pad")
        return t.with_shape(out)

    def eval(self, x: Array, pads: Array, value: Array) -> Array:
        amounts = [(int(lo), int(hi)) for lo, hi in pads]
        if self.mode != "constant":
            return pad_mirror(x, amounts, self.mode)
        y = np.full(
            [max(0, n + lo + hi) for n, (lo, hi) in zip(x.shape, amounts, strict=True)], value.reshape(()), x.dtype
        )
        spans = [(max(0, lo), min(n + lo, m), lo) for n, m, (lo, _) in zip(x.shape, y.shape, amounts, strict=True)]
        y[tuple(slice(a, max(a, b)) for a, b, _ in spans)] = x[
            tuple(slice(a - lo, max(a, b) - lo) for a, b, lo in spans)
        ]
        return y


def pad_mirror(x: Array, amounts: list[tuple[int, int]], mode: str) -> Array:
    """Index arithmetic rather than numpy.pad, which repeats a reflection differently when pads exceed the size."""
    for axis, (lo, hi) in enumerate(amounts):
        n = x.shape[axis]
        i = np.arange(-lo, n + hi)
        if mode == "edge":
            i = np.clip(i, 0, n - 1)
        elif mode == "wrap":
            i = np.mod(i, n)
        elif mode == "symmetric":
            i = np.mod(i, 2 * n)
            i = np.where(i >= n, 2 * n - 1 - i, i)
        else:
            period = max(2 * n - 2, 1)
            i = np.mod(i, period)
            i = np.where(i >= n, period - i, i)
        x = np.take(x, i, axis)
    return x


def padded_from(mode: str, low: Size | None, high: Size | None) -> int:
    """How many elements an axis has at least that is padded in a mode which repeats some: kernels of ONNX Runtime and
    TensorFlow refuse mirrors of more than there is.  0 where nothing is repeated.
    """
    if mode == "constant" or low == high == 0:
        return 0
    most = max((n for n in (low, high) if isinstance(n, int)), default=0)
    return max(1, most + 1 if mode == "reflect" else most if mode == "symmetric" else 1)


def pad_amounts(pads: Value) -> list[tuple[Size | None, Size | None]] | None:
    """Contents of a [rank, 2] pads operand, pair by pair, following the reshapes, concats and constants that make
    it.
    """
    from mlconv.ir.types import shapes_compatible

    producer = pads.producer
    shape = pads.tensor.shape
    if shape is None or not shapes_compatible(shape, (Dim.unknown(), 2)):
        return None
    known = known_ints(pads)
    if isinstance(producer, Constant):
        known = tuple(int(i) for i in producer.value.view().reshape(-1))
    if known is None:
        return None
    return [(known[i], known[i + 1]) for i in range(0, len(known), 2)]


def cuts_own(size: Size, before: Size | None, behind: Size | None) -> bool:
    """What a pad cuts off at one end are elements of the tensor alone, none of those that come in at the other."""
    if before is None or behind is None:
        return False
    return before == behind or all(_own(size, *pair) for pair in ((before, behind), (behind, before)))


def _own(size: Size, amount: Size, other: Size) -> bool:
    """Of one end; what is plain is asked first, since sizes may be long expressions."""
    facts = SizeFacts()
    plain = (isinstance(amount, int) and amount >= 0) or (isinstance(other, int) and other <= 0)
    return plain or any(holds(a, r, 0, facts) for a, r in ((amount, ">="), (other, "<="), (size + amount, ">=")))


@op("core.reverse", quant=SAME)
class Reverse(OpDef):
    """x reversed along `axes` (non-negative)."""

    moves_elements = True
    x: Value = operand()
    axes: tuple[int, ...] = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        shape = ranked(self.x)
        check_distinct([normalize_axis(axis, len(shape)) for axis in self.axes], self.name)
        return self.x.tensor

    def carried(self, quants: Sequence[QuantType], types: Sequence[Type]) -> list[QuantType]:
        return [quants[0].untouched(self.axes, "a reversal")]

    def eval(self, x: Array) -> Array:
        return np.flip(x, self.axes)

    def deduce(self) -> Known | None:
        known = None if self.x.known is None else known_array(self.x)
        return None if known is None else tuple(np.flip(known, self.axes).reshape(-1))


@op("core.reverse_sequence", quant=SAME)
class ReverseSequence(OpDef):
    """The first lengths[b] slices along `time_axis` reversed, for each b along `batch_axis`.  lengths: integer
    [batch].
    """

    x: Value = operand()
    lengths: Value = operand()
    time_axis: int = attr()
    batch_axis: int = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        check_integer_type(self.lengths, "lengths")
        shape, lengths = self.x.tensor.shape, self.lengths.tensor.shape
        if shape is not None:
            axes = [normalize_axis(axis, len(shape)) for axis in (self.time_axis, self.batch_axis)]
            check_distinct(axes, self.name)
        if shape is not None and lengths is not None:
            same_size(check_rank(self.lengths, 1, "the lengths")[0], shape[self.batch_axis], "lengths and rows")
        return self.x.tensor

    def carried(self, quants: Sequence[QuantType], types: Sequence[Type]) -> list[QuantType]:
        return [quants[0].untouched([self.time_axis], "a reversal")]

    def eval(self, x: Array, lengths: Array) -> Array:
        moved = np.moveaxis(x, (self.batch_axis, self.time_axis), (0, 1)).copy()
        for row, n in zip(moved, lengths, strict=True):
            row[: int(n)] = row[: int(n)][::-1].copy()
        return np.moveaxis(moved, (0, 1), (self.batch_axis, self.time_axis))
