"""Types of values: tensors of numbers or of quantized numbers, with symbolic shapes, and opaque types of the source
level."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, TypeAlias, Union

from mlconv.ir.dims import Dim, Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import Shape, static

if TYPE_CHECKING:
    from mlconv.ir.quant import QuantType

Element: TypeAlias = Union[DType, "QuantType"]
_NO_AXES: frozenset[int] = frozenset()
__all__ = ["Element", "OpaqueType", "Shape", "TensorType", "Type", "are_alike", "shapes_compatible"]


class TensorType:
    """element[shape]; `shape` None means unranked.  Immutable.

    dtype: what is stored, which is the element type itself or the storage of a quantized one, `quant`.  bounded: axes
    whose size is known at run time, and at most the number that the shape has there.  Raises ConversionError
    QuantizationInvalid for a shape that the scales are not of.
    """

    __slots__ = ("_size", "bounded", "dtype", "element", "quant", "shape")

    def __init__(self, element: Element, shape: Shape | None, bounded: Iterable[int] = ()) -> None:
        self.element = element
        self.shape = shape
        self._size: Size | None = None
        self.bounded: frozenset[int] = frozenset(bounded) if bounded else _NO_AXES
        self.dtype: DType
        self.quant: QuantType | None
        if isinstance(element, DType):
            self.dtype, self.quant = element, None
            return
        self.dtype, self.quant = element.storage, element
        if shape is not None:
            element.check_shape(shape)

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
        if self._size is None and self.shape is not None:
            self._size = product(self.shape)
        return self._size

    def static_shape(self) -> tuple[int, ...]:
        """The shape as integers.  Raises ValueError when a dimension is not known."""
        ints = static(self.shape)
        if ints is None:
            raise ValueError(f"shape of {self} is not static")
        return ints

    def with_shape(self, shape: Shape | None) -> TensorType:
        return TensorType(self.element, shape)

    def with_bounded(self, axes: Iterable[int]) -> TensorType:
        """The same with other axes whose sizes are bounds."""
        return TensorType(self.element, self.shape, axes)

    def with_dtype(self, dtype: DType) -> TensorType:
        return TensorType(dtype, self.shape)

    @property
    def stored(self) -> TensorType:
        """The type of the integers of a quantized tensor; others are what they are."""
        return self if self.quant is None else TensorType(self.dtype, self.shape)

    @property
    def expressed(self) -> TensorType:
        """The type of the numbers that a quantized tensor stands for; others are what they are."""
        return self if self.quant is None else TensorType(self.quant.expressed, self.shape)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TensorType)
            and self.dtype is other.dtype
            and self.shape == other.shape
            and self.quant == other.quant
            and self.bounded == other.bounded
        )

    def __hash__(self) -> int:
        return hash((self.element, self.shape))

    def __str__(self) -> str:
        """As users read it: `float32[1,N,3]`, `int8{0.1:3}[4]`, `float32[<=8,4]`."""
        sizes = [f"<={d}" if i in self.bounded else str(d) for i, d in enumerate(self.shape or ())]
        shape = "*" if self.shape is None else ",".join(sizes)
        return f"{self.dtype.display if self.quant is None else self.quant}[{shape}]"

    __repr__ = __str__


class OpaqueType:
    """A type that only the source level knows, e.g. `tf.variant`, `tf.resource`, `onnx.sequence<tensor<*xf32>>`."""

    __slots__ = ("name",)
    quant: ClassVar[None] = None

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


def are_alike(given: Type, actual: Type) -> bool:
    """A type that stands beside an operand is its own, but for sizes that it leaves open."""
    if not isinstance(given, TensorType) or not isinstance(actual, TensorType) or given == actual:
        return given == actual
    known = all(
        a == b or (isinstance(a, Dim) and not a.is_known)
        for a, b in zip(given.shape or (), actual.shape or (), strict=False)
    )
    return known and (given.element, given.rank) == (actual.element, actual.rank)
