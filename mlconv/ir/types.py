"""Types of values: tensors of numbers or of quantized numbers, with symbolic shapes, and opaque types of the source
level."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, Union

from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType

if TYPE_CHECKING:
    from mlconv.ir.quant import QuantType

Element: TypeAlias = Union[DType, "QuantType"]
Shape: TypeAlias = tuple[Size, ...]


class TensorType:
    """element[shape]; `shape` None means unranked.  Immutable.

    dtype: what is stored, which is the element type itself or the storage of a quantized one, `quant`.  Raises
    ConversionError MLC0503 for a shape that the scales are not of.
    """

    __slots__ = ("dtype", "element", "quant", "shape")

    def __init__(self, element: Element, shape: Shape | None) -> None:
        self.element = element
        self.shape = shape
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
        return None if self.shape is None else product(self.shape)

    def static_shape(self) -> tuple[int, ...]:
        """The shape as integers.  Raises ValueError when a dimension is not known."""
        if self.shape is not None:
            ints = tuple(d for d in self.shape if isinstance(d, int))
            if len(ints) == len(self.shape):
                return ints
        raise ValueError(f"shape of {self} is not static")

    def with_shape(self, shape: Shape | None) -> TensorType:
        return TensorType(self.element, shape)

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
        )

    def __hash__(self) -> int:
        return hash((self.element, self.shape))

    def __str__(self) -> str:
        """As users read it: `float32[1,N,3]`, `int8{0.1:3}[4]`."""
        shape = "*" if self.shape is None else ",".join(map(str, self.shape))
        return f"{self.dtype.display if self.quant is None else self.quant}[{shape}]"

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
