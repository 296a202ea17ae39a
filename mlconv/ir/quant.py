"""Quantized element types: integers that stand for real numbers, real = scale * (stored - zero_point).

One scale for a tensor, one for each slice along an axis, or one for each block of slices.  What ops do to axes is said
here once, by methods of the type.  Source: StableHLO specification, "Types"; MLIR's quant dialect; ONNX
QuantizeLinear-21.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, NoReturn, TypeAlias, Union

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.digests import blake2b
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import repeated_slices, same_slices

Zeros: TypeAlias = Union[Const, Literal[0]]


class PerTensor(NamedTuple):
    """One scale, of shape []."""


class PerAxis(NamedTuple):
    """Scales of shape [size of the axis]."""

    axis: int


class Blocked(NamedTuple):
    """A scale for each `size` slices along an axis, and for those that are left: scales have the tensor's shape, that
    axis divided by `size`, rounded up.
    """

    axis: int
    size: int


Scheme: TypeAlias = Union[PerTensor, PerAxis, Blocked]


def storage_range(storage: DType) -> tuple[int, int]:
    """The least and the largest integer of a type."""
    bits = storage.bits
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if storage.is_signed_int else (0, (1 << bits) - 1)


class QuantType:
    """An element type.  storage: of the integers.  expressed: of the numbers that they stand for.  qmin, qmax: the
    integers that occur, all of the storage type by default.

    scales: float32, finite and positive.  zero_points: of the storage type and of the scales' shape, or 0; within qmin
    and qmax.  Types with the same numbers are equal, wherever those come from.  Raises ConversionError
    QuantizationInvalid for what is no quantization.
    """

    __slots__ = ("_key", "expressed", "qmax", "qmin", "scales", "scheme", "storage", "zero_points")

    def __init__(
        self,
        storage: DType,
        expressed: DType,
        scheme: Scheme,
        scales: Const,
        zero_points: Zeros = 0,
        qmin: int | None = None,
        qmax: int | None = None,
    ) -> None:
        if not storage.is_int or storage is DType.U64 or not expressed.is_float:
            invalid(f"{storage.display} integers that stand for {expressed.display}: expected integers and floats")
        if not scales.dtype.is_float:
            invalid(f"scales are {scales.dtype.display}, expected floats")
        low, high = storage_range(storage)
        self.qmin, self.qmax = low if qmin is None else qmin, high if qmax is None else qmax
        if not low <= self.qmin < self.qmax <= high:
            invalid(f"the range [{self.qmin}, {self.qmax}] is not one of {storage.display}, [{low}, {high}]")
        if isinstance(scheme, Blocked) and scheme.size == 1:
            scheme = Blocked(0, 1)  # each element has its own, along any axis
        self.storage, self.expressed, self.scheme = storage, expressed, scheme
        self.scales = recipes.cast(scales, DType.F32)
        self.zero_points = zero_points
        self._check_scheme()
        digest = blake2b()
        self._check_scales(digest)
        if not isinstance(zero_points, int) and not self._check_zeros(zero_points, digest):
            self.zero_points = 0
        self._key = (storage, expressed, scheme, self.qmin, self.qmax, digest.digest(), self.scales.shape)

    @staticmethod
    def of(
        storage: DType,
        scales: float | Sequence[float] | Array,
        zero_points: int | Sequence[int] | Array = 0,
        axis: int | None = None,
        expressed: DType = DType.F32,
    ) -> QuantType:
        """A type of numbers: for the tensor, or, with an axis, for each of its slices."""
        shape = () if axis is None else (-1,)
        factors = np.asarray(scales, np.float32).reshape(shape)
        zeros = np.broadcast_to(np.asarray(zero_points, np.int64).reshape(shape), factors.shape)
        low, high = storage_range(storage)
        if any(not low <= int(z) <= high for z in zeros.reshape(-1)):
            invalid(f"a zero point is not within [{low}, {high}], the range of {storage.display}")
        return QuantType(
            storage,
            expressed,
            PerTensor() if axis is None else PerAxis(axis),
            make_const(factors),
            make_const(zeros.copy(), storage),
        )

    def with_numbers(self, scheme: Scheme, scales: Const, zero_points: Zeros) -> QuantType:
        """Other scales for the same integers."""
        return QuantType(self.storage, self.expressed, scheme, scales, zero_points, self.qmin, self.qmax)

    def _check_scheme(self) -> None:
        scheme, shape = self.scheme, self.scales.shape
        if not isinstance(self.zero_points, int):
            zeros = self.zero_points
            if zeros.dtype is not self.storage or zeros.shape != shape:
                invalid(
                    f"zero points are {zeros.dtype.display}{list(zeros.shape)}, "
                    f"expected {self.storage.display}{list(shape)}"
                )
        rank = {PerTensor: 0, PerAxis: 1}.get(type(scheme), len(shape))
        if len(shape) != rank:
            invalid(f"scales have rank {len(shape)}, expected {rank}")
        if isinstance(scheme, PerAxis) and scheme.axis < 0:
            invalid(f"the axis is {scheme.axis}")
        if isinstance(scheme, Blocked) and (not 0 <= scheme.axis < len(shape) or scheme.size < 1):
            invalid(f"blocks of {scheme.size} along axis {scheme.axis} of scales of rank {len(shape)}")

    def _check_scales(self, digest: blake2b) -> None:
        for block in self.scales.blocks():
            numbers = np.frombuffer(block, np.float32)
            fine = np.isfinite(numbers) & (numbers > 0)
            if not fine.all():
                invalid(f"a scale is {float(numbers[~fine][0])}, expected a finite positive number")
            digest.update(block)

    def _check_zeros(self, zeros: Const, digest: blake2b) -> bool:
        """Whether any is not 0; only those are part of the type's identity."""
        low, high, other = self.qmin, self.qmax, blake2b()
        used = False
        for block in zeros.blocks():
            numbers = np.frombuffer(block, zeros.dtype.numpy).astype(np.int64)
            if numbers.size and not low <= int(numbers.min()) <= int(numbers.max()) <= high:
                worst = numbers.min() if numbers.min() < low else numbers.max()
                invalid(f"the zero point {worst} is not within [{low}, {high}]")
            used = used or bool(numbers.any())
            other.update(block)
        if used:
            digest.update(other.digest())
        return used

    def __eq__(self, other: object) -> bool:
        return isinstance(other, QuantType) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __str__(self) -> str:
        """As users read it: `int8{0.1:3}`, `int8{0.1, ... along 0}`."""
        first = f"{float(str(self.scales.view().reshape(-1)[0]))}" if self.scales.size else ""
        zero = 0 if isinstance(self.zero_points, int) else int(self.zero_points.view().reshape(-1)[0])
        axis = "" if isinstance(self.scheme, PerTensor) else f", ... along {self.scheme.axis}"
        return f"{self.storage.display}{{{first}{f':{zero}' if zero else ''}{axis}}}"

    __repr__ = __str__

    # numbers --------------------------------------------------------------------------------------------------
    @property
    def is_per_tensor(self) -> bool:
        return isinstance(self.scheme, PerTensor)

    @property
    def axis(self) -> int | None:
        """The axis along which scales differ; None when there is one scale."""
        return None if isinstance(self.scheme, PerTensor) else self.scheme.axis

    def zero_array(self) -> Array:
        """Zero points as int64, of the scales' shape."""
        if isinstance(self.zero_points, int):
            return np.zeros(self.scales.shape, np.int64)
        return self.zero_points.view().astype(np.int64)

    def shared_zero(self) -> int | None:
        """The zero point that all have; None where they differ."""
        zeros = self.zero_array().reshape(-1)
        return (int(zeros[0]) if zeros.size else 0) if (zeros == zeros[:1]).all() else None

    def spread(self, numbers: Array, shape: Sequence[Size]) -> Array:
        """Numbers of the scales' shape so that they broadcast against a tensor of a shape."""
        scheme = self.scheme
        if isinstance(scheme, PerAxis):
            return numbers.reshape([-1 if i == scheme.axis else 1 for i in range(len(shape))])
        if not isinstance(scheme, Blocked):
            return numbers
        size = shape[scheme.axis]
        count = size if isinstance(size, int) else self.scales.shape[scheme.axis] * scheme.size
        return np.take(numbers, np.arange(count) // scheme.size, scheme.axis)

    def dequantize(self, x: Array) -> Array:
        """scale * (x - zero_point), computed in float32."""
        centred = x.astype(np.int64) - self.spread(self.zero_array(), x.shape)
        with np.errstate(over="ignore"):
            y: Array = centred.astype(np.float32) * self.spread(self.scales.view(), x.shape)
            return y.astype(self.expressed.numpy)

    def quantize(self, x: Array) -> Array:
        """saturate(round(x / scale) + zero_point) in float32, halves to even; NaN becomes 0 or what is next to it."""
        with np.errstate(over="ignore"):
            ratio = np.rint(x.astype(np.float32) / self.spread(self.scales.view(), x.shape)).astype(np.float64)
        stored = ratio + self.spread(self.zero_array(), x.shape).astype(np.float64)
        return np.clip(np.nan_to_num(stored), self.qmin, self.qmax).astype(np.int64).astype(self.storage.numpy)

    def stored(self, numbers: Const) -> Const:
        """A constant of numbers as integers, by the arithmetic of `quantize`."""
        scheme, shape = self.scheme, numbers.shape
        parts, sizes = shape, self.scales.shape
        if isinstance(scheme, Blocked):
            at = scheme.axis
            missing = sizes[at] * scheme.size - shape[at]
            if missing:
                filled = recipes.pad_zeros(numbers, tuple((0, missing * (i == at)) for i in range(len(shape))))
                return recipes.slices(self.stored(filled), (0,) * len(shape), shape)
            parts = (*shape[:at], sizes[at], scheme.size, *shape[at + 1 :])
            sizes = (*sizes[: at + 1], 1, *sizes[at + 1 :])
        elif isinstance(scheme, PerAxis):
            sizes = tuple(n if i == scheme.axis else 1 for i, n in enumerate(shape))
        else:
            sizes = (1,) * len(shape)
        zeros = make_const(self.zero_array().astype(np.float64).reshape(sizes))
        integers = recipes.quantize(
            numbers.reshape(parts), self.scales.reshape(sizes), zeros, self.storage, self.qmin, self.qmax
        )
        return integers.reshape(shape)

    # axes -----------------------------------------------------------------------------------------------------
    def check_shape(self, shape: tuple[Size, ...]) -> None:
        """Refuse a shape that the scales are not of.  Raises ConversionError QuantizationInvalid."""
        scheme, sizes = self.scheme, self.scales.shape
        if isinstance(scheme, PerAxis):
            if scheme.axis >= len(shape):
                invalid(f"scales along axis {scheme.axis} of a tensor of rank {len(shape)}")
            size = shape[scheme.axis]
            if isinstance(size, int) and size != sizes[0]:
                invalid(f"{sizes[0]} scales for the size {size} of axis {scheme.axis} of {_text(shape)}")
        if isinstance(scheme, Blocked):
            if len(sizes) != len(shape):
                invalid(f"scales of rank {len(sizes)} in blocks, for a tensor of rank {len(shape)}")
            for axis, (size, count) in enumerate(zip(shape, sizes, strict=True)):
                block = scheme.size if axis == scheme.axis else 1
                if isinstance(size, int) and count != -(-size // block):
                    invalid(f"{count} blocks of {block} along axis {axis}, whose size is {size}")

    def transposed(self, perm: Sequence[int]) -> QuantType:
        """For axes that are permuted as by numpy.transpose."""
        scheme = self.scheme
        if isinstance(scheme, PerTensor):
            return self
        axis = list(perm).index(scheme.axis)
        if isinstance(scheme, PerAxis):
            return self.with_axis(axis)
        order = tuple(perm)
        zeros = self.zero_points if isinstance(self.zero_points, int) else recipes.transpose(self.zero_points, order)
        return self.with_numbers(Blocked(axis, scheme.size), recipes.transpose(self.scales, order), zeros)

    def with_axis(self, axis: int) -> QuantType:
        """The scales of an axis, along another one."""
        return self.with_numbers(PerAxis(axis), self.scales, self.zero_points)

    def reshaped(self, old: tuple[Size, ...], new: tuple[Size, ...] | None) -> QuantType:
        """For elements in row-major order under another shape.  Raises ConversionError TypeMismatch where no axis of
        the new shape has the slices that the scales belong to.
        """
        scheme = self.scheme
        if isinstance(scheme, PerTensor):
            return self
        if new is not None and isinstance(scheme, PerAxis):
            axis = same_slices(scheme.axis, old, new)
            if axis is not None:
                return self.with_axis(axis)
            if (repeated := repeated_slices(scheme.axis, old, new)) is not None:
                return self._tiled(*repeated)
        if new is not None and isinstance(scheme, Blocked):
            kept = [i for i, d in enumerate(old) if d != 1]
            places = [i for i, d in enumerate(new) if d != 1]
            if [old[i] for i in kept] == [new[i] for i in places]:
                size = scheme.size if scheme.axis in kept else 1  # a block of one slice
                axis = 0 if size == 1 else places[kept.index(scheme.axis)]
                shape = [1] * len(new)
                for place, i in zip(places, kept, strict=True):
                    shape[place] = self.scales.shape[i]
                return self._relabelled(Blocked(axis, size) if new else PerTensor(), tuple(shape))
        lost(f"a reshape of {_text(old)} to {'*' if new is None else _text(new)} does not keep the scales of {self}")

    def _tiled(self, axis: int, times: int) -> QuantType:
        """The scales of an axis again and again, along another one."""
        zeros = self.zero_points
        if not isinstance(zeros, int):
            zeros = make_const(np.tile(zeros.view(), times), zeros.dtype)
        return self.with_numbers(PerAxis(axis), make_const(np.tile(self.scales.view(), times)), zeros)

    def _relabelled(self, scheme: Scheme, shape: tuple[int, ...]) -> QuantType:
        zeros = self.zero_points if isinstance(self.zero_points, int) else self.zero_points.reshape(shape)
        return self.with_numbers(scheme, self.scales.reshape(shape), zeros)

    def untouched(self, axes: Sequence[int], what: str) -> QuantType:
        """For an op that changes tensors along some axes only.  Raises ConversionError TypeMismatch where scales differ
        along one of them.
        """
        own = () if self.axis is None else range(len(self.scales.shape)) if self._is_blocked else (self.axis,)
        changed = [axis for axis in axes if axis in own]
        if changed:
            lost(f"{what} along axis {changed[0]} does not keep the scales of {self}")
        return self

    @property
    def _is_blocked(self) -> bool:
        return isinstance(self.scheme, Blocked)

    def sliced(self, axis: int, begin: int, end: int) -> QuantType:
        """For the slices [begin, end) of an axis.  Raises ConversionError TypeMismatch for the rest of a block."""
        scheme = self.scheme
        if isinstance(scheme, PerTensor) or (isinstance(scheme, PerAxis) and scheme.axis != axis):
            return self
        place, block = 0, 1
        if isinstance(scheme, Blocked):
            place, block = axis, scheme.size if scheme.axis == axis else 1
        if begin % block:
            lost(f"the slice [{begin}, {end}) of axis {axis} begins within a block of {block}")
        first, last = [0] * len(self.scales.shape), list(self.scales.shape)
        first[place], last[place] = begin // block, -(-max(begin, end) // block)
        bounds = tuple(first), tuple(last)
        zeros = self.zero_points if isinstance(self.zero_points, int) else recipes.slices(self.zero_points, *bounds)
        return self.with_numbers(scheme, recipes.slices(self.scales, *bounds), zeros)

    @staticmethod
    def joined(parts: Sequence[QuantType], axis: int, sizes: Sequence[Size]) -> QuantType:
        """For tensors concatenated along an axis, of these sizes there.  Raises ConversionError TypeMismatch where
        their numbers differ and have not that axis, or a block is not whole in front of another.
        """
        first = parts[0]
        own = range(len(first.scales.shape)) if first._is_blocked else (first.axis,)
        if axis not in own:
            if any(part != first for part in parts):
                lost(f"the operands have different scales or zero points: {' and '.join(map(str, parts))}")
            return first
        if any(part.scheme != first.scheme or not part._stores_as(first) for part in parts):
            lost(f"scales of {' and '.join(map(str, parts))} do not join along axis {axis}")
        block = first.scheme.size if isinstance(first.scheme, Blocked) and first.axis == axis else 1
        if any(isinstance(size, int) and size % block for size in sizes[:-1]):
            lost(f"sizes {', '.join(map(str, sizes))} of axis {axis} do not end with blocks of {block}")
        place = axis if first._is_blocked else 0
        scales = recipes.concat(tuple(part.scales for part in parts), place)
        zeros = tuple(make_const(part.zero_array(), part.storage) for part in parts)
        return first.with_numbers(first.scheme, scales, recipes.concat(zeros, place))

    def _stores_as(self, other: QuantType) -> bool:
        mine, its = ((q.storage, q.expressed, q.qmin, q.qmax) for q in (self, other))
        return mine == its

    def is_product_of(self, a: QuantType, b: QuantType) -> bool:
        """The scales are products of a's, one number, and b's, to float32's rounding, and the zero points are 0: what
        the bias of a product has.
        """
        powers = self.powers_of_product(a, b)
        return powers is not None and not powers.any()

    def powers_of_product(self, a: QuantType, b: QuantType) -> Array | None:
        """The powers of two, of each scale, that such products are times to be the scales; None where they are none."""
        if not a.is_per_tensor or not isinstance(self.zero_points, int) or self._is_blocked or b._is_blocked:
            return None
        wanted = a.scales.view().astype(np.float64) * b.scales.view().reshape(-1).astype(np.float64)
        have = self.scales.view().reshape(-1).astype(np.float64)
        if have.size not in (1, wanted.size) and wanted.size != 1:
            return None
        powers = np.rint(np.log2(have / wanted))
        fits = np.allclose(have, np.ldexp(wanted, powers.astype(np.int64)), rtol=_BIAS_TOLERANCE, atol=0)
        return powers.astype(np.int64) if fits else None


_BIAS_TOLERANCE = 1e-5


def product_of(a: QuantType, b: QuantType) -> QuantType:
    """What a bias is stored as: int32, int64 where a has 16 bits, with the products of a's scale and b's, along its
    only axis where they differ.
    """
    scales = np.float32(a.scales.view()) * b.scales.view()
    scheme = PerTensor() if b.is_per_tensor else PerAxis(0)
    return QuantType(
        DType.I64 if a.storage is DType.I16 else DType.I32,
        a.expressed,
        scheme,
        make_const(np.asarray(scales, np.float32)),
    )


def _text(shape: tuple[Size, ...]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def invalid(message: str) -> NoReturn:
    """Raises ConversionError QuantizationInvalid."""
    raise ConversionError(Code.QuantizationInvalid, f"quantization: {message}")


def lost(message: str) -> NoReturn:
    """Raises ConversionError TypeMismatch for an op that does not keep a quantization."""
    raise ConversionError(Code.TypeMismatch, f"quantization: {message}", help="dequantize the operand before it")


def entries(quant: QuantType) -> int:
    """How many scales a type has."""
    return math.prod(quant.scales.shape)
