"""Products of matrices, and convolutions of single elements, under other layouts.

y = x w sums over the last axis of x.  Where x and y have that axis at another place, the same one in both, y is
w' x with the axes behind it merged: a product whose left operand is constant, which takes no transpose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, Union

from mlconv.dialects import core
from mlconv.dialects.core.contract import Product
from mlconv.dialects.core.window import Convolution
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import MATRIX, moves_nothing
from mlconv.passes.layout.costs import AN_OP, exact
from mlconv.passes.layout.permutation import Perm, between, channels_first, compose, identity, invert
from mlconv.passes.layout.solver import Cost, Solver
from mlconv.rewrite import edit
from mlconv.rewrite.core_builder import CoreBuilder

if TYPE_CHECKING:
    from mlconv.passes.layout.rebuild import Rebuild

Weighted: TypeAlias = Union[core.MatMul, core.Conv]
_PRICE = 3 * AN_OP  # two reshapes, and a bias that stays an op


def swap_last(p: Perm) -> Perm:
    return (*p[:-2], p[-1], p[-2])


def vote_matmul(op: Product, solver: Solver) -> None:
    """Swapping the last two axes of an operand is free, and of the result where the product is turned for it; where
    the target reads operands as they lie, that they lie so is what is asked for.
    """
    rank = op.y.tensor.rank or 0
    if isinstance(op, core.MatMul) and is_weighted(op, solver):
        own = identity(rank)
        vote_either_side(op, op.a, own, own, solver)
        return
    plainly = _is_plain(op, solver)
    for v, turned in ((op.a, op.transpose_a), (op.b, op.transpose_b)):
        own = identity(v.tensor.rank or 0)
        free = (swap_last(own),) if plainly and turned else (own,) if plainly else (own, swap_last(own))
        solver.vote(v, free, exact(v, *free))
    if plainly:
        own = identity(rank)
        solver.vote(op.y, (own,), exact(op.y, own))
        return
    plain, either = (exact(op.y, identity(rank), *more) for more in ((), (swap_last(identity(rank)),)))

    def turns() -> bool:
        there = solver.expected(op.b)
        return there is not None and may_turn(op, there, solver)

    def wanted() -> tuple[Perm, ...]:
        return (swap_last(identity(rank)),) if turns() else ()

    by_weights = isinstance(op.a.producer, core.Constant)
    solver.vote(op.y, wanted if by_weights else (), lambda layout: (either if turns() else plain)(layout), op.b)


def _is_plain(op: Product, solver: Solver) -> bool:
    """Whether the operands of a product are read as they lie; those of floats of two axes are in any order."""
    matrices = op.a.tensor.rank == op.b.tensor.rank == MATRIX and op.y.tensor.dtype.is_float
    return solver.plain_products and not (matrices and isinstance(op, core.MatMul))


def may_turn(op: Product, layout: Perm, solver: Solver) -> bool:
    """Whether (a b)^T may be computed as b^T a^T, with b stored under a layout: of floats, where b is computed, and
    read in its order then, as not all kernels read a left operand against it.  a: computed, or a matrix of weights; a
    softmax that will be integers keeps its side, as those on the right have no zero point, and half as many steps.
    """
    values = (op.a, op.b, op.y)
    weights = isinstance(op.a.producer, core.Constant) and op.a.tensor.rank == 2
    return (
        isinstance(op, core.MatMul)
        and op.y.tensor.dtype.is_float
        and not (solver.rounded and isinstance(op.a.producer, core.Softmax))
        and op.transpose_b != (layout == swap_last(identity(len(layout))))
        and len({v.tensor.rank for v in values[1 if weights else 0 :]}) == 1
        and not any(v.tensor.quant is not None for v in values)
        and not any(isinstance(v.producer, core.Constant) for v in values[1 if weights else 0 :])
    )


def rebuild_matmul(op: Product, r: Rebuild) -> None:
    if isinstance(op, core.MatMul) and _rebuilt_left(op, op.a, r):
        return
    layout, there = r.layout(op.y), r.layout(op.a)
    if isinstance(op, core.MatMul) and is_weighted(op, r.solver) and _is_right(op, op.y, layout, op.a, there):
        r.make(op, [r.get(op.a, there), *r.plain([op.b])], {}, [layout])
        return
    operands: list[Value | None] = []
    attributes: dict[str, bool] = {}
    for v, name in ((op.a, "transpose_a"), (op.b, "transpose_b")):
        own = identity(v.tensor.rank or 0)
        swapped = not isinstance(v.producer, core.Constant) and _is_swapped(v, r.layout(v))
        operands.append(r.get(v, swap_last(own) if swapped else own))
        attributes[name] = op.attributes[name] != swapped
    own = identity(op.y.tensor.rank or 0)
    if not _is_plain(op, r.solver) and r.layout(op.y) == swap_last(own) and may_turn(op, r.layout(op.b), r.solver):
        turned = {"transpose_a": not attributes["transpose_b"], "transpose_b": not attributes["transpose_a"]}
        r.make(op, operands[::-1], turned, [swap_last(own)])
        return
    operands += r.plain(op.operands[2:])
    r.make(op, operands, attributes, [own])


def _is_swapped(v: Value, layout: Perm) -> bool:
    """Stored with its last two axes swapped, up to axes of size 1 that stand elsewhere."""
    own = identity(len(layout))
    if layout in (own, swap_last(own)):
        return layout != own
    stored = tuple((v.tensor.shape or ())[a] for a in layout)
    moves_own, moves_swapped = (not moves_nothing(stored, between(layout, p)) for p in (own, swap_last(own)))
    return moves_own and not moves_swapped


# Constant weights ------------------------------------------------------------------------------------------------


def is_weighted(op: Product | Convolution, solver: Solver) -> bool:
    """A product with constant weights, of a target that may have these on the left."""
    if not solver.left_weights or not isinstance(op, (core.MatMul, core.Conv)):
        return False
    x, w = (op.a, op.b) if isinstance(op, core.MatMul) else (op.x, op.w)
    if not isinstance(w.producer, core.Constant) or any(
        v.tensor.quant is not None or v.tensor.dtype is not DType.F32 for v in (x, w)
    ):
        return False
    if isinstance(op, core.MatMul):
        return not op.transpose_a and w.tensor.rank == 2 and (x.tensor.rank or 0) > 2
    return op.is_product()


def _order(op: Weighted, v: Value, layout: Perm) -> Perm:
    """The axes of an operand or a result as they are stored, as numbers that both share: the last is summed over."""
    if isinstance(op, core.MatMul):
        return layout
    names = op.y_layout if v is op.y else op.x_layout
    shared = channels_first(names)
    return compose(invert((*shared[:1], *shared[2:], shared[1])), layout)


def vote_either_side(op: Weighted, x: Value, own_x: Perm, own_y: Perm, solver: Solver) -> None:
    """Both are as the op has them, or both have what is summed over at the same other place."""

    def cost(v: Value, own: Perm, other: Value, own_other: Perm) -> Cost:
        moved, moved_other = exact(v, own), exact(other, own_other)

        def of(layout: Perm) -> int:
            there = solver.expected(other)
            if there is None:  # it will follow
                inside = _is_inside(op, v, layout)
                return min(_PRICE, moved(layout)) if inside else 0 if _has_rows(op, v, layout) else moved(layout)
            if is_left(op, v, layout, other, there):
                return min(_PRICE, moved(layout))
            return 0 if _is_right(op, v, layout, other, there) else moved(layout) + moved_other(there)

        return of

    def wanted(v: Value, own: Perm, other: Value) -> Callable[[], tuple[Perm, ...]]:
        def found() -> tuple[Perm, ...]:
            there = solver.expected(other)
            place = invert(_order(op, v, identity(len(own))))
            return (own,) if there is None else (own, compose(place, _order(op, other, there)))

        return found

    for v, own, other, own_other in ((x, own_x, op.y, own_y), (op.y, own_y, x, own_x)):
        rows = isinstance(op, core.MatMul)
        solver.vote(v, wanted(v, own, other) if rows else (own,), cost(v, own, other, own_other), other)
        if rows:
            solver.follow(v, other)
        else:
            solver.vote(v, wanted(v, own, other), lambda layout: 0)


def is_left(op: Weighted, v: Value, layout: Perm, other: Value, there: Perm) -> bool:
    """Whether the layouts of operand and result are those of a product with the weights on the left."""
    return _is_inside(op, v, layout) and _order(op, v, layout) == _order(op, other, there)


def _is_inside(op: Weighted, v: Value, layout: Perm) -> bool:
    """What is summed over stands in front of other axes, from where it cannot be taken for nothing."""
    order, summed = _order(op, v, layout), len(layout) - 1
    if order[-1] == summed:
        return False
    at = layout[order.index(summed)]
    last = (*(a for a in layout if a != at), at)
    return not moves_nothing([(v.tensor.shape or ())[a] for a in layout], between(layout, last))


def _is_right(op: Weighted, v: Value, layout: Perm, other: Value, there: Perm) -> bool:
    """Whether the layouts are those of a product of matrices as it is, whose rows may be in any order."""
    return _has_rows(op, v, layout) and _order(op, v, layout) == _order(op, other, there)


def _has_rows(op: Weighted, v: Value, layout: Perm) -> bool:
    """Whether an operand or a result of a product of matrices is rows of what is summed over, in any order."""
    return isinstance(op, core.MatMul) and layout[-1] == len(layout) - 1


def _rebuilt_left(op: Weighted, x: Value, r: Rebuild) -> bool:
    """w' x, where that is what the layouts are; tells whether it was."""
    layout, there = r.layout(op.y), r.layout(x)
    if not is_weighted(op, r.solver) or not is_left(op, op.y, layout, x, there):
        return False
    e, order = CoreBuilder(r.at()), _order(op, op.y, layout)
    at, right = order.index(len(order) - 1), r.get(x, there)
    apart = e.dims(right) if at + 2 < len(order) else []
    if apart:
        right = e.reshape(right, [*apart[: at + 1], e.prod(apart[at + 1 :])])
    y = e.y(core.MatMul(e.constant(_rows(op)), right))
    bias = None if isinstance(op, core.MatMul) else op.bias
    if bias is not None:
        y = e.y(core.Add(y, e.reshape(bias, (*e.dims(bias), 1))))
    if apart:
        y = e.reshape(y, [*apart[:at], *e.dims(y)[at : at + 1], *apart[at + 1 :]])
    edit.rename(y, op.y.name)
    r.bind(op.y, y, layout)
    return True


def _rows(op: Weighted) -> Const:
    """Weights [outputs, inputs]."""
    if isinstance(op, core.MatMul):
        w: Const = op.b.producer.value  # type: ignore[union-attr]
        return w if op.transpose_b else recipes.transpose(w, (1, 0))
    w = op.w.producer.value  # type: ignore[union-attr]
    outputs, inputs = op.w_layout.index("O"), op.w_layout.index("I")
    matrix = w.reshape(tuple(w.shape[a] for a in sorted((outputs, inputs))))
    return matrix if outputs < inputs else recipes.transpose(matrix, (1, 0))


def rebuild_pointwise(op: Convolution, r: Rebuild) -> bool:
    """A convolution of single elements whose channels stay where they are; tells whether it is one."""
    return isinstance(op, core.Conv) and _rebuilt_left(op, op.x, r)
