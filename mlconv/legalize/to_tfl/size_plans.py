"""How vectors of sizes are computed: expressions of sizes as trees, and trees of all elements of a vector as a few ops.

A leaf is a number or an axis of a value in view.  Where the roots of elements differ, those that have another one take
part with a number that changes nothing: `[2*h, w]` is `[h, w] * [2, 1]`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias, Union

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dim_fold import BinaryFold, line_of
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.size_forms import as_remainder

OPS: Final = {
    "add": "ADD",
    "mul": "MUL",
    "floordiv": "FLOOR_DIV",
    "mod": "FLOOR_MOD",
    "min": "MINIMUM",
    "max": "MAXIMUM",
}
_BEYOND: Final = (1 << 31) - 1  # leaves what is not negative as the remainder
_NEUTRAL: Final = {"add": 0, "mul": 1, "floordiv": 1}
_MOST_NODES: Final = 256  # of the trees of a vector, for which all orders are tried
_LIMITS: Final = {"min": _BEYOND, "max": -_BEYOND}  # leave what int32 holds as it is


class Node(NamedTuple):
    """fn(a, b) of two trees."""

    fn: str
    a: Tree
    b: Tree


Tree: TypeAlias = Union[int, Dim, Node]


class ShapeOf(NamedTuple):
    """SHAPE of a value."""

    value: Value
    dtype: DType


class FromTable(NamedTuple):
    """Sizes that are all leaves, gathered.  scalar: a number, not a vector of one."""

    sizes: tuple[Size, ...]
    scalar: bool
    dtype: DType


class Apply(NamedTuple):
    """A TFLite op of two plans, element by element."""

    builtin: str
    a: Plan
    b: Plan


class Pack(NamedTuple):
    """Numbers as a vector."""

    numbers: tuple[Plan, ...]


class Picked(NamedTuple):
    """Elements of a vector that several needs share."""

    whole: Plan
    at: tuple[int, ...]
    scalar: bool


class Split(NamedTuple):
    """A vector in pieces of these lengths, or in numbers, all by one op."""

    whole: Plan
    lengths: tuple[int, ...] | None


class Piece(NamedTuple):
    """A result of a split."""

    of: Split
    at: int


class Cast(NamedTuple):
    """A plan as integers of another width."""

    plan: Plan
    dtype: DType


Plan: TypeAlias = Union[ShapeOf, FromTable, Apply, Pack, Picked, Split, Piece, Cast]


class Told(NamedTuple):
    """How a vector is computed, and the sizes that it holds: -1 for one of them where RESHAPE reads it."""

    plan: Plan
    sizes: tuple[Size, ...]


class Trees(BinaryFold[Tree]):
    """Sizes as trees.  is_leaf: an axis of a value in view.  lines: such axes that are a multiple of a symbol, and a
    number more, by symbol.  Raises LookupError for a symbol that no axis tells.
    """

    def __init__(self, is_leaf: Callable[[Dim], bool], lines: dict[str, Dim]) -> None:
        super().__init__()
        self.is_leaf, self.lines = is_leaf, lines

    def ready(self, size: Dim) -> Tree | None:
        if self.is_leaf(size):
            return size
        remainder = as_remainder(size)
        return None if remainder == size else self.of(remainder)

    def number(self, value: int) -> Tree:
        return value

    def symbol(self, name: str) -> Tree:
        size = Dim.symbol(name)
        if self.is_leaf(size):
            return size
        axis = self.lines[name]
        line = line_of(axis)
        if line is None:
            raise LookupError(name)
        return self.binary("floordiv", self.binary("add", axis, -line.offset), line.factor)

    def unknown(self, size: Dim) -> Tree:
        if not self.is_leaf(size):
            raise LookupError(size)
        return size

    def binary(self, function: str, a: Tree, b: Tree) -> Tree:
        return a if b == _NEUTRAL.get(function) else Node(function, a, b)


def arithmetic(trees: Sequence[Tree], scalar: bool) -> Plan:
    """The ops that compute a vector of trees, in int32: of all functions that are done last for some element, the one
    with which it takes fewest ops.  Raises LookupError where there is none, or too many are done to be tried.
    """
    if sum(_nodes(tree, _MOST_NODES) for tree in trees) > _MOST_NODES:
        raise LookupError(trees)
    return _arithmetic(tuple(trees), scalar)


def _nodes(tree: Tree, most: int) -> int:
    """How many a tree has, or one more than the most."""
    count, stack = 0, [tree]
    while stack and count <= most:
        node = stack.pop()
        if isinstance(node, Node):
            count += 1
            stack += [node.a, node.b]
    return count


@lru_cache(maxsize=1 << 12)
def _arithmetic(trees: tuple[Tree, ...], scalar: bool) -> Plan:
    roots = dict.fromkeys(t.fn for t in trees if isinstance(t, Node))
    if not roots:
        return FromTable(tuple(t for t in trees if not isinstance(t, Node)), scalar, DType.I32)
    plans = [plan for fn in roots if (plan := _last_done(trees, fn, scalar)) is not None]
    if not plans:
        raise LookupError(trees)
    return min(plans, key=ops_of)


def _last_done(trees: tuple[Tree, ...], fn: str, scalar: bool) -> Plan | None:
    last = [t for t in trees if isinstance(t, Node) and t.fn == fn]
    limits = fn in _LIMITS and all(isinstance(t.a, int) or isinstance(t.b, int) for t in last)
    try:
        pairs = [_limited(t, fn) if limits else _operands(t, fn, last[0]) for t in trees]
        a, b = (_arithmetic(tuple(pair[i] for pair in pairs), scalar) for i in range(2))
    except LookupError:
        return None
    return Apply(OPS[fn], a, b)


def _limited(tree: Tree, fn: str) -> tuple[Tree, Tree]:
    """What an op is given for an element that it holds to a number, or leaves as it is."""
    if not isinstance(tree, Node) or tree.fn != fn:
        return tree, _LIMITS[fn]
    return (tree.a, tree.b) if isinstance(tree.b, int) else (tree.b, tree.a)


def _operands(tree: Tree, fn: str, model: Node) -> tuple[Tree, Tree]:
    """What an op is given for an element.  model: one that it is done last for.  Raises LookupError where nothing
    leaves it as it is.
    """
    if isinstance(tree, Node) and tree.fn == fn:
        return tree.a, tree.b
    if tree == 0 and fn in ("mod", "floordiv", "mul"):  # as its neighbours are
        return (0, model.b) if fn == "floordiv" else (model.a, 0 if fn == "mul" else 1)
    if fn == "add" and isinstance(tree, int) and isinstance(model.b, int):
        return 0, tree
    if fn in ("min", "max"):
        return tree, tree
    if fn == "mod":
        if isinstance(tree, Node) or (isinstance(tree, int) and tree < 0):
            raise LookupError(tree)
        return tree, _BEYOND
    return tree, _NEUTRAL[fn]


def nodes_of(tree: Tree) -> int:
    """How many ops a tree is."""
    return 1 + nodes_of(tree.a) + nodes_of(tree.b) if isinstance(tree, Node) else 0


def ops_of(plan: Plan, made: Collection[Plan] = ()) -> int:
    """How many ops a plan is, less those of the table and of plans that are made anyway."""
    if plan in made or (isinstance(plan, FromTable) and all(isinstance(s, int) for s in plan.sizes)):
        return 0
    return is_op(plan) + sum(ops_of(part, made) for part in parts_of(plan))


def is_op(plan: Plan) -> bool:
    """It takes an op of its own, unless it is made of numbers alone."""
    return not isinstance(plan, Piece)


def table_ops(plans: Sequence[Plan], axes: Mapping[Size, tuple[Value, int]]) -> int:
    """How many ops a table and what is computed from it are.  axes: of values, that tell sizes."""
    leaves = {size for plan in plans for _, size in leaves_of(plan)}
    values = {axes[size][0] for size in leaves if isinstance(size, Dim)}
    told = {n for v in values for n in v.tensor.shape or ()}
    parts = {part for plan in plans for part in all_parts(plan) if is_op(part) and ops_of(part)}
    return len(values) + (len(values) > 1 or not leaves <= told) + len(parts)


def parts_of(plan: Plan) -> tuple[Plan, ...]:
    """The plans that the last op of a plan reads, each once."""
    if isinstance(plan, Apply):
        return plan.a, plan.b
    if isinstance(plan, Cast):
        return (plan.plan,)
    if isinstance(plan, Picked | Split):
        return (plan.whole,)
    if isinstance(plan, Piece):
        return (plan.of,)
    return tuple(dict.fromkeys(plan.numbers)) if isinstance(plan, Pack) else ()


def all_parts(plan: Plan) -> list[Plan]:
    """A plan and all that it is made of."""
    return [plan, *(p for part in parts_of(plan) for p in all_parts(part))]


def leaves_of(plan: Plan) -> list[tuple[DType, Size]]:
    """What a plan gathers from the table."""
    if isinstance(plan, FromTable) and not all(isinstance(s, int) for s in plan.sizes):
        return [(plan.dtype, size) for size in plan.sizes]
    return [leaf for part in parts_of(plan) for leaf in leaves_of(part)]


def stays_known(tree: Tree) -> bool:
    """LiteRT computes it before it runs: it is a leaf, or a multiple of one."""
    return not isinstance(tree, Node) or (tree.fn == "mul" and stays_known(tree.a) and stays_known(tree.b))


class Vector(NamedTuple):
    """Trees that something reads as a tensor of a rank, and the sizes that they are of."""

    trees: tuple[Tree, ...]
    rank: int
    sizes: tuple[Size, ...]


def together(vectors: Sequence[Vector]) -> list[Plan] | None:
    """Plans of several vectors of trees that take their elements from one vector in which all that differ are computed;
    None where that takes no fewer ops.
    """
    trees = list(dict.fromkeys(t for v in vectors for t in v.trees))
    try:
        whole = arithmetic(trees, False)
        apart = sum(ops_of(plan) for plan in {arithmetic(v.trees, v.rank == 0) for v in vectors})
        divided = None if is_planned(whole) else _divided(vectors)
    except LookupError:
        return None
    places = {tree: i for i, tree in enumerate(trees)}
    picked: list[Plan] = [Picked(whole, tuple(places[t] for t in v.trees), v.rank == 0) for v in vectors]
    found = picked if divided is None else min((picked, divided), key=_all_ops)
    return found if _all_ops(found) < apart else None


def _all_ops(plans: Sequence[Plan]) -> int:
    return len({part for plan in plans for part in all_parts(plan) if is_op(part) and ops_of(part)})


def is_planned(plan: Plan) -> bool:
    """LiteRT computes it before it runs, as it does a GATHER of it, but no SPLIT_V."""
    return not isinstance(plan, Apply) or (plan.builtin == "MUL" and is_planned(plan.a) and is_planned(plan.b))


def _divided(vectors: Sequence[Vector]) -> list[Plan]:
    """As pieces of a vector that has them one after another, with all numbers at its end."""
    pieces = list(dict.fromkeys(v.trees for v in vectors if v.rank == 1))
    numbers = tuple(dict.fromkeys(v.trees[0] for v in vectors if v.rank == 0))
    joined = dict.fromkeys(t for v in vectors if v.rank > 1 for t in v.trees)
    rest = tuple(t for t in joined if not any(t in piece for piece in (*pieces, numbers)))
    parts = [piece for piece in (*pieces, numbers, rest) if piece]
    trees = [t for piece in parts for t in piece]
    whole = arithmetic(trees, False)
    split = Split(whole, tuple(map(len, parts)))
    ends: dict[tuple[Tree, ...], Plan] = {
        piece: whole if len(parts) == 1 else Piece(split, i) for i, piece in enumerate(parts)
    }
    found: list[Plan] = []
    for v in vectors:
        if v.rank == 1:
            found.append(ends[v.trees])
        elif v.rank == 0 and len(numbers) > 1:
            found.append(Piece(Split(ends[numbers], None), numbers.index(v.trees[0])))
        else:
            found.append(Picked(whole, tuple(map(trees.index, v.trees)), v.rank == 0))
    return found


def factors(numbers: Sequence[int], dtype: DType) -> Array:
    """Also what comparisons of sizes are known to give.  Raises ConversionError TensorTooLarge for factors that the
    type does not hold.
    """
    largest = max(numbers, key=abs, default=0)
    if dtype is not DType.BOOL and abs(largest) > np.iinfo(dtype.numpy).max:
        raise ConversionError(
            Code.TensorTooLarge, f"sizes are computed with {largest}, which {dtype.display} does not hold"
        )
    return np.asarray(numbers, dtype.numpy)


def cover(values: list[Value], wanted: set[Dim]) -> list[Value]:
    """Values whose shapes have all that is wanted; those with more of it are taken first."""
    chosen: list[Value] = []
    left = set(wanted)
    while left:
        best = max(values, key=lambda v: len(left & set(v.tensor.shape or ())))
        chosen.append(best)
        left -= {s for s in best.tensor.shape or () if isinstance(s, Dim)}
    return chosen
