"""How each op looks at the layout of its operands and results, and how it is rebuilt under another one.  One table.

An op that is not in the table takes and gives values as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mlconv.dialects import core
from mlconv.dialects.core.recurrent import Recurrent
from mlconv.dialects.core.reduce import REDUCTIONS, AlongAxis, Reduce
from mlconv.dialects.core.rounded_tables import Normalized
from mlconv.dialects.core.transposed import TransposedConvolution
from mlconv.dialects.core.window import AveragePooling, Convolution, spatial
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Elementwise
from mlconv.passes.layout.costs import AN_OP, exact, weight
from mlconv.passes.layout.looked_up import looks_up_rows, rebuild_lookup, vote_lookup
from mlconv.passes.layout.permutation import Perm, channels_first, compose, identity, invert
from mlconv.passes.layout.products import (
    is_weighted,
    rebuild_matmul,
    rebuild_pointwise,
    vote_either_side,
    vote_matmul,
)
from mlconv.passes.layout.reshapes import ask_nothing, rebuild_reshape, rebuild_shape_of, vote_reshape
from mlconv.passes.layout.solver import Cost, Solver
from mlconv.passes.layout.unit_axes import (
    rebuild_expand_dims,
    rebuild_place,
    rebuild_squeeze,
    takes_a_place,
    vote_unit_axes,
)

if TYPE_CHECKING:
    from mlconv.passes.layout.rebuild import Rebuild


_SPACED = 4  # elements from one to the next, at most, that vectors are read of as fast as neighbours
_PICKED = 3  # times what a move costs: elements that are picked one by one
_WINDOW = 5  # elements of windows that take as long as one that is moved
_LANES = 16
_BATCH_FIRST = (1, 0, 2)  # of steps, batches and numbers
_PASSES = 4  # times that a normalization which is several ops takes as long as a move
_NARROW = 3  # times what a move costs: vectors of axes that are shorter than these


def is_elementwise(op: OpDef) -> bool:
    return Elementwise in op.spec.traits


def full_rank(op: OpDef) -> list[Value]:
    """Operands of the result's rank that are not constants."""
    rank = op.results[0].tensor.rank
    return [v for v in op.inputs if v.tensor.rank == rank and not isinstance(v.producer, core.Constant)]


def tie_all(op: OpDef, solver: Solver) -> None:
    """Operands of the result's rank are stored as it is.  Those of a lower one stand as they are where that is the
    source's order; else they are expanded, and moved.
    """
    y = op.results[0]
    own = identity(y.tensor.rank or 0)
    for v in full_rank(op):
        solver.tie(v, y, own)
    for v in op.inputs:
        if 0 < (v.tensor.rank or 0) < len(own) and not _is_free(v):
            solver.vote(y, (own,), _unless_own(own, AN_OP + weight(v)))


def _is_free(v: Value) -> bool:
    return isinstance(v.producer, core.Constant) or all(n == 1 for n in v.tensor.shape or ())


def _unless_own(own: Perm, price: int) -> Cost:
    return lambda layout: 0 if layout == own else price


def tie_first(op: OpDef, solver: Solver) -> None:
    x = op.inputs[0]
    for y in op.results:
        solver.tie(x, y, identity(x.tensor.rank or 0))


def tie_broadcast(op: core.BroadcastTo, solver: Solver) -> None:
    """As elementwise, but stay where the source has them those whose axes a reshape merges: repeated heads, which are
    gathered, or not repeated at all where products read them as rows.  Moving them behind that costs no more.
    """
    if not any(isinstance(user, core.Reshape) for user in op.y.users):
        tie_all(op, solver)
        return
    for v in (op.x, op.y):
        own = identity(v.tensor.rank or 0)
        solver.vote(v, (own,), _unless_own(own, 2 * AN_OP + weight(op.y)))


def tie_transpose(op: core.Transpose, solver: Solver) -> None:
    solver.tie(op.x, op.y, op.perm)


def preferred(layout: str, solver: Solver) -> Perm:
    """The permutation that takes `layout` to what the target wants: N, spatial axes, C, or channels first."""
    first = channels_first(layout)
    return first if solver.channels_first else (first[0], *first[2:], first[1])


def images(layout: str, solver: Solver) -> tuple[Perm, str]:
    """The same for `NHWC` and `NCHW`, and the name of what is wanted."""
    wanted = "NCHW" if solver.channels_first else "NHWC"
    return tuple(layout.index(c) for c in wanted), wanted


def vote_convolution(op: Convolution | TransposedConvolution, solver: Solver) -> None:
    if isinstance(op, core.Conv) and is_weighted(op, solver):
        vote_either_side(op, op.x, preferred(op.x_layout, solver), preferred(op.y_layout, solver), solver)
    else:
        either = is_either(op, solver)
        for v, layout in ((op.x, op.x_layout), (op.y, op.y_layout)):
            want, first = preferred(layout, solver), channels_first(layout)
            if either:
                laid = weight(op.x) if isinstance(op, core.Conv) and op.is_product() and v is op.y else 0  # in panels
                solver.vote(v, (want, first), _either(v, want, first, AN_OP + laid))
            else:
                solver.vote(v, (want,), exact(v, want))
    if op.y.has_one_use and isinstance(op.y.users[0], core.Clamp):
        own = preferred(op.y_layout, solver)
        solver.vote(op.y, (own,), lambda layout: 0 if layout == own else AN_OP)  # limits that are not a part of it


def is_either(op: Convolution | TransposedConvolution, solver: Solver) -> bool:
    """A convolution of few channels by known floats, which is a product whose left operand is constant where channels
    are first.
    """
    if not solver.windows_anywhere or not isinstance(op, core.Conv) or not isinstance(op.w.producer, core.Constant):
        return False
    floats = all(v.tensor.quant is None and v.tensor.dtype is DType.F32 for v in (op.x, op.w, op.y))
    return floats and op.has_few_inputs()


def vote_pool(op: core.MaxPool | AveragePooling, solver: Solver) -> None:
    tie_first(op, solver)
    want = preferred(op.layout, solver)
    price = _windows_price(op, solver)
    if price is not None:
        solver.vote(op.x, (want,), price)
        return
    solver.vote(op.x, (want,), exact(op.x, want))
    solver.vote(op.y, (want,), exact(op.y, want))


def _windows_price(op: core.MaxPool | AveragePooling, solver: Solver) -> Cost | None:
    """What it costs to pool under a layout, beside the least: vectors lie along the axis that is last.  None where that
    has to be the channels.
    """
    axes, out, want = spatial(op.layout), op.y.tensor.shape or (), preferred(op.layout, solver)
    plain = isinstance(op, (core.MaxPool, core.AvgPool)) and op.x.tensor.quant is None and _are_apart(op)
    if not solver.windows_anywhere or not plain or not axes:
        return None
    moved, work = exact(op.x, want), weight(op.y) * math.prod(op.window) // _WINDOW
    few = work * (_LANES // max(1, estimate(out[want[-1]])))

    def cost(layout: Perm) -> int:
        if layout == want:
            return few
        last = layout[-1]
        if last not in axes or estimate(out[last]) < _LANES // 2:
            return _NARROW * moved(layout)
        return work * (1 if op.strides[axes.index(last)] == 1 else 2)

    return cost


def _are_apart(op: core.MaxPool | AveragePooling) -> bool:
    """No windows share elements, and all are whole; or those of a line share lines, and a few elements: others are
    faster along channels, two moves included.
    """
    if isinstance(op.pads, str):
        return False
    apart = all(s >= (k - 1) * d + 1 for s, k, d in zip(op.strides, op.window, op.dilations, strict=True))
    by_lines = len(op.window) == 2 and op.window[0] > op.strides[0] and 1 < op.strides[1] <= _SPACED
    return (apart and not any(map(any, op.pads))) or by_lines


def vote_blocks(op: core.DepthToSpace | core.SpaceToDepth, solver: Solver) -> None:
    want, _ = images(op.layout, solver)
    if _is_short_block(op, solver):
        tie_first(op, solver)
        first = channels_first(op.layout)
        solver.vote(op.x, (want, first), _either(op.x, want, first))
        return
    for v in (op.x, op.y):
        solver.vote(v, (want,), exact(v, want))


def _is_short_block(op: core.DepthToSpace | core.SpaceToDepth, solver: Solver) -> bool:
    return solver.windows_anywhere and op.block_size <= _SPACED and op.x.tensor.quant is None


def _either(v: Value, want: Perm, other: Perm, price: int = AN_OP) -> Cost:
    """What is wanted, or another layout for a price."""
    moved = exact(v, want, other)
    return lambda layout: moved(layout) + (price if layout == other != want else 0)


def vote_resize(op: core.Resize | core.QuantResize, solver: Solver) -> None:
    tie_first(op, solver)
    rank = op.x.tensor.rank or 0
    axes = (
        [a for a in op.axes if op.x.tensor.shape is not None and op.x.tensor.shape[a] != op.y.tensor.shape[a]]
        if op.y.tensor.shape
        else []
    )
    if rank == 4 and 1 <= len(axes) <= 2 and 0 not in axes:
        rest = [a for a in range(1, 4) if a not in axes]
        spatial = axes if len(axes) == 2 else sorted([*axes, rest.pop(0)])
        want = (0, *rest, *spatial) if solver.channels_first else (0, *spatial, *rest)
        if solver.windows_anywhere and op.attributes.get("mode") == "nearest" and op.x.tensor.quant is None:
            first = (0, *rest, *spatial)
            solver.vote(op.x, (want, first), _either(op.x, want, first, _PICKED * weight(op.y)))
            return
        solver.vote(op.x, (want,), exact(op.x, want))
        solver.vote(op.y, (want,), exact(op.y, want))


def vote_last_axis(op: AlongAxis | Normalized, solver: Solver) -> None:
    """Targets that want channels last have softmax along the last axis; any order of the others will do."""
    tie_first(op, solver)
    if solver.channels_first:
        return
    want = (*(a for a in range(op.x.tensor.rank or 0) if a != op.axis), op.axis)
    solver.vote(op.x, (want,), lambda layout: 2 * exact(op.x, (*(a for a in layout if a != op.axis), op.axis))(layout))


def vote_recurrent(op: Recurrent, solver: Solver) -> None:
    """As the source has it; for targets whose loops take the steps from any axis, x and y may have batches in front."""
    x, y = op.inputs[0], op.results[0]
    for v in (*op.inputs, *op.results):
        own = identity(v.tensor.rank or 0)
        free = (own, _BATCH_FIRST) if solver.left_weights and v in (x, y) else (own,)
        if len(own) > 1 and not isinstance(v.producer, core.Constant):
            solver.vote(v, free, exact(v, *free))


# rebuilding -------------------------------------------------------------------------------------------------------


def rebuild_elementwise(op: OpDef, r: Rebuild) -> None:
    layout = r.layout(op.results[0])
    r.make(op, [None if v is None else r.aligned(v, layout) for v in op.operands], {}, [layout] * len(op.results))


def rebuild_broadcast(op: core.BroadcastTo, r: Rebuild) -> None:
    layout = r.layout(op.y)
    r.make(op, [r.aligned(op.x, layout), r.permute_rows(op.shape, layout)], {}, [layout])


def rebuild_transpose(op: core.Transpose, r: Rebuild) -> None:
    source, target = r.layout(op.x), r.layout(op.y)
    if compose(op.perm, target) == source:
        r.bind(op.y, r.stored(op.x), target)
    else:
        r.bind(op.y, r.get(op.x, compose(op.perm, target)), target)


def with_axis(name: str) -> Callable[[OpDef, Rebuild], None]:
    """For ops with one axis attribute whose results have x's rank."""

    def rebuild(op: OpDef, r: Rebuild) -> None:
        layout = r.layout(op.results[0])
        axis = invert(layout)[op.attributes[name] % len(layout)]
        r.make(op, [r.get(op.inputs[0], layout), *r.plain(op.operands[1:])], {name: axis}, [layout] * len(op.results))

    return rebuild


def rebuild_concat(op: core.Concat, r: Rebuild) -> None:
    layout = r.layout(op.y)
    r.make(op, [r.get(v, layout) for v in op.xs], {"axis": invert(layout)[op.axis]}, [layout])


def _is_centred_by(op: Reduce) -> bool:
    """Whether what is reduced, with its axes kept, is subtracted from what it is reduced from."""
    return op.keepdims and any(isinstance(user, core.Sub) and user.a is op.x for user in op.y.users)


def rebuild_reduce(op: Reduce, r: Rebuild) -> None:
    """Without kept axes the result has the order that the remaining axes are stored in; a mean that is subtracted from
    what it is the mean of is stored as both are.
    """
    layout = r.layout(op.y if _is_centred_by(op) else op.x)
    place = invert(layout)
    axes = tuple(sorted(place[a] for a in op.axes))
    if op.keepdims:
        out = layout
    else:
        left = [a for a in layout if a not in op.axes]
        order = sorted(left)
        out = tuple(order.index(a) for a in left)
    r.make(op, [r.get(op.x, layout)], {"axes": axes}, [out])


def rebuild_axes(op: core.Resize | core.QuantResize | core.Reverse, r: Rebuild) -> None:
    layout = r.layout(op.y)
    place = invert(layout)
    r.make(op, [r.get(op.x, layout), *r.plain(op.operands[1:])], {"axes": tuple(place[a] for a in op.axes)}, [layout])


def rebuild_recurrent(op: Recurrent, r: Rebuild) -> None:
    """Transposes stand beside the op, where they are asked for: the target takes them in."""
    r.keep(op)


def permuted_string(layout: str, p: Perm) -> str:
    return "".join(layout[a] for a in p)


def rebuild_convolution(op: Convolution | TransposedConvolution, r: Rebuild) -> None:
    if isinstance(op, core.Conv) and rebuild_pointwise(op, r):
        return
    x_layout, y_layout = preferred(op.x_layout, r.solver), preferred(op.y_layout, r.solver)
    if is_either(op, r.solver) and r.layout(op.y) == channels_first(op.y_layout):
        x_layout, y_layout = channels_first(op.x_layout), channels_first(op.y_layout)
    attributes = {
        "x_layout": permuted_string(op.x_layout, x_layout),
        "y_layout": permuted_string(op.y_layout, y_layout),
    }
    r.make(op, [r.get(op.x, x_layout), *r.plain(op.operands[1:])], attributes, [y_layout])


def rebuild_pool(op: core.MaxPool | AveragePooling, r: Rebuild) -> None:
    layout = preferred(op.layout, r.solver)
    if _windows_price(op, r.solver) is not None:
        layout = r.layout(op.y)
    r.make(op, [r.get(op.x, layout)], {"layout": permuted_string(op.layout, layout)}, [layout])


def rebuild_blocks(op: core.DepthToSpace | core.SpaceToDepth, r: Rebuild) -> None:
    want, name = images(op.layout, r.solver)
    first = channels_first(op.layout)
    if _is_short_block(op, r.solver) and r.layout(op.y) == first:
        want, name = first, "NCHW"
    r.make(op, [r.get(op.x, want)], {"layout": name}, [want])


def rebuild_quantized(op: core.Quantize | core.Dequantize | core.Requantize, r: Rebuild) -> None:
    layout = r.layout(op.y)
    element = op.attributes.get("element")
    attributes = {"element": element.transposed(layout)} if isinstance(element, QuantType) else {}
    r.make(op, [r.get(op.x, layout)], attributes, [layout])


def rebuild_table(op: core.QuantTable, r: Rebuild) -> None:
    layout = r.layout(op.y)
    r.make(op, [r.get(op.x, layout), *r.plain(op.operands[1:])], {}, [layout])


def rows_permuted(indices: tuple[int, ...]) -> Callable[[OpDef, Rebuild], None]:
    """For ops with operands that have one entry (row) for each axis: slice bounds, pads, repeats, shapes; masks are
    bits by axis.
    """

    def rebuild(op: OpDef, r: Rebuild) -> None:
        layout = r.layout(op.results[0])
        operands: list[Value | None] = [r.get(op.inputs[0], layout)]
        for i, v in enumerate(op.operands[1:], 1):
            operands.append(r.permute_rows(v, layout) if i in indices and v is not None else v)
        masks: dict[str, int] = {
            k: sum((op.attributes[k] >> a & 1) << i for i, a in enumerate(layout))
            for k in ("begin_mask", "end_mask")
            if k in op.attributes
        }
        r.make(op, operands, masks, [layout])

    return rebuild


Ties = Callable[[Any, Solver], None]
Rebuilder = Callable[[Any, "Rebuild"], None]
_AXIS = with_axis("axis")


def tie_reduce(op: Reduce, solver: Solver) -> None:
    if op.keepdims:
        tie_first(op, solver)


def tie_mean(op: core.ReduceMean, solver: Solver) -> None:
    """Targets that want channels first have normalization by means along the last axes as one op."""
    tie_reduce(op, solver)
    rank = op.x.tensor.rank or 0
    last = [*range(rank - len(op.axes), rank)]
    if solver.channels_first and _is_centred_by(op) and sorted(a % rank for a in op.axes) == last:
        apart = AN_OP + _PASSES * weight(op.x)
        solver.vote(op.x, (identity(rank),), lambda layout: 0 if sorted(layout[last[0] :]) == last else apart)


RULES: dict[type[OpDef], tuple[Ties, Rebuilder]] = {
    core.Transpose: (tie_transpose, rebuild_transpose),
    core.Reshape: (vote_reshape, rebuild_reshape),
    core.ShapeOf: (ask_nothing, rebuild_shape_of),
    core.ExpandDims: (vote_unit_axes, rebuild_expand_dims),
    core.Squeeze: (vote_unit_axes, rebuild_squeeze),
    core.Conv: (vote_convolution, rebuild_convolution),
    core.QuantConv: (vote_convolution, rebuild_convolution),
    core.DynamicConv: (vote_convolution, rebuild_convolution),
    core.IntegerConv: (vote_convolution, rebuild_convolution),
    core.QuantConvTranspose: (vote_convolution, rebuild_convolution),
    core.ConvTranspose: (vote_convolution, rebuild_convolution),
    core.MaxPool: (vote_pool, rebuild_pool),
    core.AvgPool: (vote_pool, rebuild_pool),
    core.QuantAveragePool: (vote_pool, rebuild_pool),
    core.DepthToSpace: (vote_blocks, rebuild_blocks),
    core.SpaceToDepth: (vote_blocks, rebuild_blocks),
    core.Resize: (vote_resize, rebuild_axes),
    core.QuantResize: (vote_resize, rebuild_axes),
    core.Softmax: (vote_last_axis, _AXIS),
    core.LogSoftmax: (vote_last_axis, _AXIS),
    core.QuantSoftmax: (vote_last_axis, _AXIS),
    core.QuantLogSoftmax: (vote_last_axis, _AXIS),
    core.QuantTable: (tie_first, rebuild_table),
    core.MatMul: (vote_matmul, rebuild_matmul),
    core.DynamicMatMul: (vote_matmul, rebuild_matmul),
    core.QuantMatMul: (vote_matmul, rebuild_matmul),
    core.QuantMean: (tie_reduce, rebuild_reduce),
    core.Concat: (tie_all, rebuild_concat),
    core.Split: (tie_first, _AXIS),
    core.CumSum: (tie_first, _AXIS),
    core.CumProd: (tie_first, _AXIS),
    core.Reverse: (tie_first, rebuild_axes),
    core.Lstm: (vote_recurrent, rebuild_recurrent),
    core.Gru: (vote_recurrent, rebuild_recurrent),
    core.Rnn: (vote_recurrent, rebuild_recurrent),
    core.Requantize: (tie_first, rebuild_quantized),
    core.Quantize: (tie_first, rebuild_quantized),
    core.Dequantize: (tie_first, rebuild_quantized),
    core.StorageCast: (tie_first, rebuild_quantized),
    core.Pad: (tie_first, rows_permuted((1,))),
    core.Slice: (tie_first, rows_permuted((1, 2, 3))),
    core.DynamicSlice: (tie_first, rows_permuted((1, 2))),
    core.Tile: (tie_first, rows_permuted((1,))),
    core.BroadcastTo: (tie_broadcast, rebuild_broadcast),
    **dict.fromkeys(REDUCTIONS, (tie_reduce, rebuild_reduce)),
    core.ReduceMean: (tie_mean, rebuild_reduce),
}


def rule_of(op: OpDef) -> tuple[Ties, Rebuilder] | None:
    """The rule of an op, or None when it takes values as they are."""
    for value in (*op.results, *op.inputs):
        if value.tensor.shape is None:
            return None
    rule = RULES.get(type(op))
    if rule is not None:
        return rule
    if isinstance(op, core.Gather) and takes_a_place(op):
        return vote_unit_axes, rebuild_place
    if isinstance(op, core.Gather) and looks_up_rows(op):
        return vote_lookup, rebuild_lookup
    return (tie_all, rebuild_elementwise) if is_elementwise(op) else None
