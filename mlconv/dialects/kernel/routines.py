"""The routines that there are: parameters of each, and the buffers that it takes and makes.

A class for each: its fields are the parameters, its methods say what they mean for operands, results and scratch
memory.  Generators of their code are told by the same names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from mlconv.dialects.kernel.attributes import SLOTS, Ints, Sizes
from mlconv.dialects.kernel.forest import Forest
from mlconv.dialects.kernel.functions import PART, has_function
from mlconv.dialects.kernel.routine_base import FEW, MANY, Needs, is_far, scratch_of, shares
from mlconv.dialects.kernel.row_attention import RowAttention
from mlconv.ir.attributes import field_check, hint_text
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType

F32, F64, I32 = DType.F32, DType.F64, DType.I32
_REDUCTIONS = ("none", "add", "sub", "mul", "div", "max", "min")
_TURNED = {part: whole for whole, part in PART.items()}


PICKED = 8  # boxes that one is compared with at once
_FEW = 8  # a share of a row so small is looked for, and the rest not sorted
_LEAST_HELD = 4
COUNTED = 256  # elements of a row, at most, each of which is compared with all others
NEIGHBOURS = 16  # of them that are compared at once
COUNTS = 4 << 8  # of all digits of 32 bits
LONG = 2048  # elements of a row that is sorted in parts


class Scan(NamedTuple):
    """x, y: [outer, n, inner]; scratch, when inner is not 1: a running total for each lane, for each share of rows."""

    opcode: str
    dtype: DType
    wide: DType
    outer: Size
    n: Size
    inner: Size
    exclusive: bool
    reverse: bool

    def fault(self) -> str:
        fine = self.opcode in ("add", "mul") and has_function(self.opcode, self.wide)
        return "" if fine else f"there is no {self.opcode} of {self.wide.display}"

    def needs(self) -> Needs:
        room = self.dtype, product((self.outer, self.n, self.inner))
        totals = self.inner * self.shares
        return Needs([room], [room], scratch_of(totals * self.wide.itemsize) if self.inner != 1 else 0)

    @property
    def shares(self) -> int:
        work = product((self.outer, self.n, self.inner))
        return shares(work, self.outer, MANY if self.inner == 1 else SLOTS)


class TopK(NamedTuple):
    """x [outer, n, inner]; values and indices [outer, k, inner]; scratch: `words` int32 for each share of the rows; of
    all rows where few long ones are sorted in parts.
    """

    dtype: DType
    positions: DType
    outer: Size
    n: Size
    inner: Size
    k: Size
    largest: bool

    def fault(self) -> str:
        if self.dtype.is_complex or not self.positions.is_int:
            return f"{self.dtype.display} is not sorted to positions of type {self.positions.display}"
        if not isinstance(self.n, int) or not isinstance(self.k, int):
            return ""  # asked at run time
        return "" if 0 <= self.k <= self.n else f"there are no {self.k} of {self.n} elements"

    def needs(self) -> Needs:
        count = product((self.outer, self.k, self.inner))
        x = self.dtype, product((self.outer, self.n, self.inner))
        rows = self.outer * self.inner if self.in_parts else self.shares
        return Needs([x], [(self.dtype, count), (self.positions, count)], scratch_of(4 * self.words * rows))

    @property
    def selects(self) -> bool:
        """Few are wanted: the best so far are held, beside others that may be among them."""
        return isinstance(self.k, int) and self.k > 0 and (not isinstance(self.n, int) or _FEW * self.k <= self.n)

    @property
    def room(self) -> Size:
        """How many positions of a row are held at once."""
        return 2 * max(self.k, _LEAST_HELD) if self.selects and isinstance(self.k, int) else self.n

    @property
    def has_ranks(self) -> bool:
        """An int64 has an element's rank and its position."""
        return self.dtype is DType.BOOL or 8 <= self.dtype.bits <= I32.bits

    @property
    def ranked(self) -> bool:
        """Rows are sorted by such int64."""
        return self.has_ranks and not self.selects

    @property
    def words(self) -> Size:
        """int32 of scratch memory of a row: two rows of `room` positions, or of int64, and counts of digits."""
        if not self.ranked:
            return 2 * self.room
        if isinstance(self.n, int) and self.n <= COUNTED:
            return 3 * self.counted
        return 4 * self.n + COUNTS * (SLOTS if self.in_parts else 1)

    @property
    def counted(self) -> int:
        """Elements of a row that is sorted by counts, up to whole vectors."""
        return -(-min(self.n, COUNTED) // NEIGHBOURS) * NEIGHBOURS if isinstance(self.n, int) else COUNTED

    @property
    def in_parts(self) -> bool:
        """Rows are sorted in parts, which are merged, by several threads."""
        rows = self.outer * self.inner
        few = isinstance(rows, int) and 0 < rows < SLOTS
        return few and isinstance(self.n, int) and self.n >= LONG and not self.selects

    @property
    def shares(self) -> int:
        return shares(product((self.outer, self.n, self.inner)), self.outer * self.inner, SLOTS)


class ScatterNd(NamedTuple):
    """data of `shape`, indices [places, depth], updates [places, rest of shape]."""

    dtype: DType
    positions: DType
    shape: Sizes
    depth: int
    places: Size
    reduction: str

    def fault(self) -> str:
        if not 0 <= self.depth <= len(self.shape):
            return f"there are no {self.depth} of {len(self.shape)} axes"
        return reduction_fault(self.reduction, self.dtype, self.positions)

    def needs(self) -> Needs:
        data = self.dtype, product(self.shape)
        updates = self.dtype, self.places * product(self.shape[self.depth :])
        return Needs([data, (self.positions, self.places * self.depth), updates], [data], 0, True)

    @property
    def inner(self) -> Size:
        """Elements of an update."""
        return product(self.shape[self.depth :])

    @property
    def shares(self) -> int:
        """Of the places in data that indices name, where updates are long."""
        rows = product(self.shape[: self.depth])
        return shares(self.places * self.inner, rows, 2 * SLOTS) if is_far(self.inner, self.dtype) else 1

    @property
    def data_bytes(self) -> Size:
        return product(self.shape) * self.dtype.itemsize


class ScatterElements(NamedTuple):
    """data of `shape`, indices and updates of the shape `places`."""

    dtype: DType
    positions: DType
    shape: Sizes
    places: Sizes
    axis: int
    reduction: str

    def fault(self) -> str:
        if len(self.shape) != len(self.places) or not 0 <= self.axis < len(self.shape):
            return f"there is no axis {self.axis} of {len(self.shape)}, and of {len(self.places)}"
        for axis, (whole, part) in enumerate(zip(self.shape, self.places, strict=True)):
            if axis != self.axis and isinstance(whole, int) and isinstance(part, int) and part > whole:
                return f"{part} places along an axis of {whole}"
        return reduction_fault(self.reduction, self.dtype, self.positions)

    def needs(self) -> Needs:
        data, count = (self.dtype, product(self.shape)), product(self.places)
        return Needs([data, (self.positions, count), (self.dtype, count)], [data], 0, True)

    @property
    def divided(self) -> int:
        """The axis that threads divide, in front of that of the indices; -1 where there is none."""
        before = widest(self.places[: self.axis])
        return before if before >= 0 and self.places[before] != 1 else -1

    @property
    def shares(self) -> int:
        return shares(product(self.places), self.places[self.divided], 2 * SLOTS) if self.divided >= 0 else 1

    @property
    def data_bytes(self) -> Size:
        return product(self.shape) * self.dtype.itemsize


class UpdateSlice(NamedTuple):
    """data of `shape`, `piece` of it, where it begins: an index for each axis."""

    dtype: DType
    positions: DType
    shape: Sizes
    piece: Sizes

    def fault(self) -> str:
        if len(self.shape) != len(self.piece):
            return f"a piece of {len(self.piece)} axes is no part of {len(self.shape)}"
        for whole, part in zip(self.shape, self.piece, strict=True):
            if isinstance(whole, int) and isinstance(part, int) and part > whole:
                return f"a piece of {part} does not fit into {whole}"
        return reduction_fault("none", self.dtype, self.positions)

    def needs(self) -> Needs:
        data, piece = ((self.dtype, product(shape)) for shape in (self.shape, self.piece))
        return Needs([data, piece, (self.positions, len(self.shape))], [data], 0, True)

    @property
    def divided(self) -> int:
        """The axis that threads divide: the first one that has several places."""
        return next((i for i, size in enumerate(self.piece) if size != 1), 0)

    @property
    def shares(self) -> int:
        return shares(product(self.piece), self.piece[self.divided]) if self.piece else 1

    @property
    def data_bytes(self) -> Size:
        return product(self.shape) * self.dtype.itemsize


class Segment(NamedTuple):
    """x [rows, inner], ids [rows]; result [total, inner]; scratch: how many rows each segment has, int64."""

    dtype: DType
    positions: DType
    rows: Size
    inner: Size
    total: Size
    kind: str
    start: float
    empty: float

    def fault(self) -> str:
        fine = self.kind == "mean" or self.kind in _REDUCTIONS[1:]
        return reduction_fault("add" if self.kind == "mean" else self.kind if fine else "", self.dtype, self.positions)

    def needs(self) -> Needs:
        x, y = ((self.dtype, n * self.inner) for n in (self.rows, self.total))
        return Needs([x, (self.positions, self.rows)], [y], scratch_of(8 * self.total))

    @property
    def shares(self) -> int:
        """Of the segments, where rows are long."""
        return shares(self.rows * self.inner, self.total, 2 * SLOTS) if is_far(self.inner, self.dtype) else 1


class Nonzero(NamedTuple):
    """x [shape]; y int64 [elements, rank]: the places of those that are not zero, and zeros."""

    dtype: DType
    shape: Sizes

    def fault(self) -> str:
        return f"{self.dtype.display} is not compared with zero" if self.dtype.is_complex else ""

    def needs(self) -> Needs:
        count = product(self.shape)
        return Needs([(self.dtype, count)], [(DType.I64, count * len(self.shape))])


class Suppress(NamedTuple):
    """boxes [n, 4], scores [n], limit, three thresholds; results [limit], [limit], scalar; scratch: 36 n bytes, and
    20 for each that may be picked, and for a few more."""

    dtype: DType
    boxes: DType
    integer: DType
    n: Size
    limit: Size

    def fault(self) -> str:
        fine = self.dtype.is_float and self.boxes.is_float and self.integer.is_int
        return "" if fine else f"boxes of {self.boxes.display} have no scores of {self.dtype.display}"

    def needs(self) -> Needs:
        given = [(self.boxes, 4 * self.n), (self.dtype, self.n), (self.integer, 1), *[(F32, 1)] * 3]
        return Needs(
            given,
            [(I32, self.limit), (self.dtype, self.limit), (I32, 1)],
            scratch_of(36 * self.n + 20 * (self.limit + PICKED)),
        )


class Fourier(NamedTuple):
    """x [outer, have, inner], table of cos and sin float64 [n, 2]; y [outer, keep, inner]; scratch: float64 [2, n, 2]
    for each share of the rows.

    given, made: `real`, `complex`, or `half` (of a spectrum; given only); complex numbers have parts of `dtype`.
    """

    given: str
    made: str
    dtype: DType
    outer: Size
    have: int
    n: int
    keep: int
    inner: Size
    inverse: bool
    scale: float

    def fault(self) -> str:
        if self.given not in ("real", "complex", "half") or self.made not in ("real", "complex"):
            return f"there is no transform from {self.given!r} to {self.made!r}"
        if self.dtype not in _TURNED or self.n < 1:
            return f"there is no transform of {self.n} {self.dtype.display}"
        have = 0 if self.given == "half" else self.n
        return "" if self.have >= have and self.keep <= self.n else f"there are no {self.n} of {self.have} elements"

    def needs(self) -> Needs:
        x, y = (self.dtype if kind == "real" else _TURNED[self.dtype] for kind in (self.given, self.made))
        given = [(x, product((self.outer, self.have, self.inner))), (F64, 2 * self.n)]
        return Needs(given, [(y, product((self.outer, self.keep, self.inner)))], scratch_of(32 * self.n * self.shares))

    @property
    def shares(self) -> int:
        return shares(self.outer * self.n * self.inner, self.outer * self.inner, SLOTS)


class Random(NamedTuple):
    """y: `total` random numbers of a key."""

    dtype: DType
    total: int
    key: Ints

    def fault(self) -> str:
        fine = self.dtype.is_float and len(self.key) == 2
        return "" if fine else f"there are no random numbers of {self.dtype.display} by {list(self.key)}"

    def needs(self) -> Needs:
        return Needs([], [(self.dtype, self.total)])

    @property
    def shares(self) -> int:
        return shares(self.total, self.total // MANY)


AnyRoutine: TypeAlias = (
    Forest
    | Nonzero
    | Scan
    | TopK
    | ScatterNd
    | ScatterElements
    | UpdateSlice
    | Segment
    | Suppress
    | Fourier
    | Random
    | RowAttention
)
ROUTINES: dict[str, type[AnyRoutine]] = {
    "scan": Scan,
    "top_k": TopK,
    "scatter_nd": ScatterNd,
    "scatter_elements": ScatterElements,
    "update_slice": UpdateSlice,
    "segment": Segment,
    "nonzero": Nonzero,
    "suppress": Suppress,
    "forest": Forest,
    "fourier": Fourier,
    "uniform": Random,
    "normal": Random,
    "row_attention": RowAttention,
}


def widest(extents: Sizes) -> int:
    """The axis with the most elements, the first of equals; one that is known at run time has many; -1 for none."""
    lengths = [_long(size) for size in extents]
    return lengths.index(max(lengths)) if lengths else -1


def _long(size: Size) -> int:
    return size if isinstance(size, int) else FEW


def reduction_fault(reduction: str, dtype: DType, positions: DType) -> str:
    """Why numbers of a type are not combined so at positions of another; empty when they are."""
    if reduction not in _REDUCTIONS or not positions.is_int:
        return f"there is no reduction {reduction!r} at positions of type {positions.display}"
    no_order = dtype.is_complex and reduction in ("max", "min")
    return f"there is no {reduction} of {dtype.display}" if no_order or _no_quotient(reduction, dtype) else ""


def _no_quotient(reduction: str, dtype: DType) -> bool:
    return dtype is DType.BOOL and reduction == "div"


def parameters(name: str, values: Sequence[object]) -> AnyRoutine | str:
    """What a routine is given; or what is wrong with that, as a sentence."""
    cls = ROUTINES.get(name)
    if cls is None:
        return f"there is no routine {name!r}"
    names = cls._fields
    if len(values) != len(names):
        return f"{name} takes {len(names)} parameters ({', '.join(names)}), not {len(values)}"
    for field, value in zip(names, values, strict=True):
        if not field_check(cls, field)(value):
            return f"the parameter {field} of {name} is not {hint_text(cls, field)}"
    return cls(*values)  # type: ignore[arg-type]
