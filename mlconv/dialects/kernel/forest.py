"""What the routine `forest` is given: ensembles of trees, of which rows are compared as integers."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.dialects.kernel.routine_base import Needs, Room, shares
from mlconv.ir.dims import Size, ceildiv
from mlconv.ir.dtypes import DType

TREE_GROUP, ROW_BLOCK = 6, 64
"""Trees of one target that a single row goes down together, and rows that are looked at together."""
LOWEST = {DType.F32: -(1 << 31), DType.F64: -(1 << 63)}
"""The key of a threshold that no number is at most.  The next one is that of NaN where NaN is below all numbers."""
_I32, _I64, _F32, _F64 = DType.I32, DType.I64, DType.F32, DType.F64


class Forest(NamedTuple):
    """x [rows, columns], of which columns `used` are compared; y [rows, targets].

    A number's key is an integer of its size: keys are in the order of numbers, that of NaN is the highest.  `members`
    words of that size follow, in which the bit of a value is set where a column has it.  Where `missing`, as many
    further keys of a row follow, in which NaN is lower than all numbers, and has all bits set.

    Operands: x; the used columns int32 [used]; where there are members, their columns int32 [members] and the values
    of their bits [members, bits of a key]; nodes.  The first child of a node is the next one.  From the lowest bit on,
    a node has the key of its threshold, or a set of bits, 32 bits; the place of a key, 15; whether one of the bits must
    be set, 1; and how far the second child is, less 1, of 16 bits with a sign: -1 of a leaf, whose threshold is LOWEST.
    Where `wide`, nodes have places of 31 bits, 1, and 32 bits, and thresholds int64 [nodes] follow.  Then what leaves
    hold [nodes]; or, where all leaves count for all targets, their numbers int32 [nodes] and what they hold [leaves,
    targets]; roots and targets int32 [trees]; roots of groups of TREE_GROUP trees of one target int32
    [groups * TREE_GROUP], targets int32 [groups].

    bits: where no tree has more leaves than these, 32 or 64, else 0.  Then blocks of rows are compared with all nodes
    of a tree: inner nodes in the order of trees, those with sets last: ends of trees and of the others int32
    [2, trees]; places int32 [inner], keys [inner], and masks without the leaves below the first child [inner]; the
    places of the first leaves int32 [trees]; what leaves hold, or their numbers [tree_leaves].

    Scratch, for each share of the rows: float64 sums [targets, ROW_BLOCK], numbers of leaves int32 [ROW_BLOCK], keys.
    """

    dtype: DType
    rows: Size
    columns: int
    used: int
    members: int
    nodes: int
    trees: int
    groups: int
    targets: int
    leaves: int
    inner: int
    tree_leaves: int
    wide: bool
    missing: bool
    bits: int
    opcode: str

    def fault(self) -> str:
        counts = (self.columns, self.used, self.nodes, self.trees, self.groups, self.targets)
        fine = self.dtype in (_F32, _F64) and (self.wide or self.dtype is _F32) and self.opcode in ("add", "min", "max")
        fine = fine and min(counts) > 0 <= min(self.leaves, self.members) and self.bits in (0, 32, 64)
        return "" if fine and self.inner >= 0 <= self.tree_leaves else f"there is no forest of {self.dtype.display}"

    def needs(self) -> Needs:
        given: list[Room] = [(self.dtype, self.rows * self.columns), (_I32, self.used)]
        given += [(_I32, self.members), (self.dtype, self.members * self.word)] if self.members else []
        given += [(_I64, self.nodes)]
        given += [(_I64, self.nodes)] * self.wide
        given += [(_I32, self.nodes), (self.dtype, self.leaves * self.targets)] if self.leaves else []
        given += [] if self.leaves else [(self.dtype, self.nodes)]
        given += [(_I32, self.trees)] * 2 + [(_I32, self.groups * TREE_GROUP), (_I32, self.groups)]
        if self.bits:
            held = _I32 if self.leaves else self.dtype
            masks = _I64 if self.bits == 64 else _I32
            given += [(_I32, 2 * self.trees), (_I32, self.inner), (self.key, self.inner), (masks, self.inner)]
            given += [(_I32, self.trees), (held, self.tree_leaves)]
        return Needs(given, [(self.dtype, self.rows * self.targets)], self.own_scratch * self.shares)

    @property
    def key(self) -> DType:
        return _I32 if self.dtype is _F32 else _I64

    @property
    def keys(self) -> int:
        """Of one row."""
        return (self.used + self.members) * (2 if self.missing else 1)

    @property
    def word(self) -> int:
        """Bits of a key."""
        return 8 * self.key.itemsize

    @property
    def own_scratch(self) -> int:
        """Bytes for each share."""
        keys = self.key.itemsize * self.keys * ROW_BLOCK
        return (8 * ROW_BLOCK * self.targets + 4 * ROW_BLOCK + keys + 63) // 64 * 64

    @property
    def shares(self) -> int:
        return shares(self.rows * self.trees * 8, ceildiv(self.rows, ROW_BLOCK), self._most)

    @property
    def _most(self) -> int:
        """Shares whose scratch memory stays small."""
        return max(1, min(16, (8 << 20) // self.own_scratch))
