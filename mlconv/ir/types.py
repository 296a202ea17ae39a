"""Types of values: tensors with symbolic shapes and quantization parameters, and opaque types of the source level."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, Union

from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import Shape, static

_NO_AXES: frozenset[int] = frozenset()
__all__ = ["OpaqueType", "QuantParams", "Shape", "TensorType", "Type", "shapes_compatible"]


class QuantParams:
    """Affine quantization, part of a tensor type: real = scale * (stored - zero_point).

    scales, zero_points: one entry, or one per slice along `axis`.  Source: TFLite 8-bit quantization specification;
    ONNX QuantizeLinear.
    """

    __slots__ = ("axis", "scales", "zero_points")

    def __init__(self, scales: tuple[float, ...], zero_points: tuple[int, ...], axis: int | None = None) -> None:
        self.scales, self.zero_points, self.axis = scales, zero_points, axis

    def _key(self) -> tuple[object, ...]:
        return (self.scales, self.zero_points, self.axis)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, QuantParams) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"QuantParams{self._key()}"


class TensorType:
    """dtype[shape]; `shape` None means unranked.  Immutable.

    bounded: axes whose size is known at run time, and at most the number that the shape has there.
    """

    __slots__ = ("bounded", "dtype", "quant", "shape")

    def __init__(
        self,
        dtype: DType,
        shape: Shape | None,
        quant: QuantParams | None = None,
        bounded: Iterable[int] = (),
    ) -> None:
        self.dtype = dtype
        self.shape = shape
        self.quant = quant
        self.bounded: frozenset[int] = frozenset(bounded) if bounded else _NO_AXES

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    @property
    def is_static(self) -> bool:
        """Every dimension is a known integer."""
        return self.shape is not None and all(isinstance(d, int) for d in self.shape)

    @property
    def size(self) -> Size | None:
        """Number of elements; None when unranked."""
        return None if self.shape is None else product(self.shape)

    def static_shape(self) -> tuple[int, ...]:
        """The shape as integers.  Raises ValueError when a dimension is not known."""
        ints = static(self.shape)
        if ints is None:
            raise ValueError(f"shape of {self} is not static")
        return ints

    def with_shape(self, shape: Shape | None) -> TensorType:
        return TensorType(self.dtype, shape, self.quant)

    def with_bounded(self, axes: Iterable[int]) -> TensorType:
        """The same with other axes whose sizes are bounds."""
        return TensorType(self.dtype, self.shape, self.quant, axes)

    def with_dtype(self, dtype: DType) -> TensorType:
        return TensorType(dtype, self.shape)

    def with_quant(self, quant: QuantParams | None) -> TensorType:
        return TensorType(self.dtype, self.shape, quant, self.bounded)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TensorType)
            and self.dtype is other.dtype
            and self.shape == other.shape
            and self.quant == other.quant
            and self.bounded == other.bounded
        )

    def __hash__(self) -> int:
        return hash((self.dtype, self.shape, self.quant))

    def __str__(self) -> str:
        """As users read it: `float32[1,N,3]`, `int8[4]{0.1:0}`, `float32[<=8,4]`."""
        sizes = [f"<={d}" if i in self.bounded else str(d) for i, d in enumerate(self.shape or ())]
        shape = "*" if self.shape is None else ",".join(sizes)
        quant = ""
        if self.quant is not None:
            quant = (
                f"{{{self.quant.scales[0]}:{self.quant.zero_points[0]}{', ...' if len(self.quant.scales) > 1 else ''}}}"
            )
        return f"{self.dtype.display}[{shape}]{quant}"

    __repr__ = __str__


class OpaqueType:
    """A type that only the source level knows, e.g. `tf.variant`, `tf.resource`, `onnx.sequence<tensor<*xf32>>`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpaqueType) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


Type: TypeAlias = Union[TensorType, OpaqueType]


def shapes_compatible(a: Shape | None, b: Shape | None) -> bool:
    """False when two shapes can never be equal: ranks differ or two integer dimensions do."""
    if a is None or b is None:
        return True
    if len(a) != len(b):
        return False
    return all(x == y or not (isinstance(x, int) and isinstance(y, int)) for x, y in zip(a, b, strict=True))
