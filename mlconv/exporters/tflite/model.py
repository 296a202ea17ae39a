"""The content of one TFLite file as plain data: what the writer writes, nothing decided here.

Indices follow the schema: an operator refers to operator codes and tensors by index, a tensor to a buffer, buffer 0 is
the empty one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from mlconv.provenance.locations import Location

OptionValue = bool | int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[bool, ...] | bytes


class Payload(Protocol):
    """Bytes of a buffer that may be too large to hold: its size, and the bytes in blocks."""

    @property
    def nbytes(self) -> int:
        """Number of bytes that `blocks` gives in total."""

    def blocks(self) -> Iterable[bytes | memoryview]:
        """The bytes, in order, as C-contiguous bytes-like objects."""


@dataclass(frozen=True, slots=True)
class RawBytes:
    """A small payload held in memory."""

    data: bytes

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return len(self.data)

    def blocks(self) -> Iterable[bytes]:
        """The data as one block."""
        return (self.data,)


@dataclass(slots=True)
class Quantization:
    """Affine quantization: real = scale * (q - zero_point), one pair per tensor or one per index of `axis`.

    blocks: the tensor of scales, in blocks along the last axis, and their size; `scales` is empty then.  lows, highs:
    smallest and largest numbers that were seen, where the file says so.
    """

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int = 0
    blocks: tuple[int, int] | None = None
    lows: tuple[float, ...] = ()
    highs: tuple[float, ...] = ()


class Indices(NamedTuple):
    """A vector of whole numbers.  kind: its type in the union SparseIndexVector."""

    kind: int
    numbers: tuple[int, ...]


class SparseLevel(NamedTuple):
    """One axis of how a sparse constant is gone through.  size: of a dense one; of others, where the parts of each row
    begin, and their places.
    """

    size: int
    segments: Indices | None = None
    indices: Indices | None = None


class Sparse(NamedTuple):
    """The table SparsityParameters.  order: axes in the order of the levels.  blocks: axes of inner blocks."""

    order: tuple[int, ...]
    blocks: tuple[int, ...]
    levels: tuple[SparseLevel, ...]


@dataclass(slots=True)
class Tensor:
    """One tensor.  shape: 1 stands for a dynamic dimension, which is -1 in `signature`; shape None: unknown rank.
    sparse: how the numbers of the buffer lie in it, where that holds no others than those that are not 0.
    """

    name: str
    dtype: int
    shape: tuple[int, ...] | None
    buffer: int = 0
    signature: tuple[int, ...] | None = None
    quantization: Quantization | None = None
    is_variable: bool = False
    sparse: Sparse | None = None


@dataclass(slots=True)
class Operator:
    """One operator.  inputs: -1 is an absent optional input.  options: fields of its options table that differ from the
    default or matter.

    location, debug_index: what the debug metadata say of it, and where they do; -1: nowhere.  intermediates: tensors
    that hold the scales of what fused kernels compute inside.  mutating: inputs that are variables.
    """

    code: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: dict[str, OptionValue] = field(default_factory=dict)
    custom_options: bytes | None = None
    location: Location | None = None
    debug_index: int = -1
    intermediates: tuple[int, ...] = ()
    mutating: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class OperatorCode:
    """A builtin by name with its version, or `CUSTOM` with the custom name."""

    builtin: str
    version: int = 1
    custom: str | None = None


@dataclass(slots=True)
class SubGraph:
    """A graph of operators in execution order."""

    name: str
    tensors: list[Tensor] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    operators: list[Operator] = field(default_factory=list)
    debug_index: int = -1


@dataclass(slots=True)
class Signature:
    """A named entry: (name, tensor index) pairs of the inputs and outputs of a subgraph, in the source's order."""

    key: str
    inputs: list[tuple[str, int]]
    outputs: list[tuple[str, int]]
    subgraph: int = 0


@dataclass(slots=True)
class TflModel:
    """A whole file.  buffers[0] must be empty; metadata maps a name to a buffer index.  attached: files that are
    packed behind the flatbuffer, by their names there: paths, or what they hold.
    """

    subgraphs: list[SubGraph]
    codes: list[OperatorCode]
    buffers: list[Payload]
    signatures: list[Signature] = field(default_factory=list)
    metadata: dict[str, int] = field(default_factory=dict)
    description: str = "mlconv"
    attached: dict[str, str | bytes] = field(default_factory=dict)
