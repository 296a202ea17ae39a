"""Windows over images whose number data decide, which may be none: XNNPACK does not tell the size of a result without
images, so that LiteRT ends with an error (rois of a detector that found nothing).

They get one image of zeros more, and the result is cut back. Between such ops the image stays.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects.core import Constant
from mlconv.dialects.tfl import TflOp
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Value, clone_op, walk
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.rewrite import edit

_WINDOWS = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D", "MAX_POOL_2D", "AVERAGE_POOL_2D", "SPACE_TO_DEPTH"})
_BY_ELEMENT = frozenset({"ADD", "SUB", "MUL", "RELU", "RELU6", "LEAKY_RELU", "LOGISTIC", "TANH", "HARD_SWISH"})
_RANK = 4


def add_rows(block: Block) -> int:
    """Add an image to what may have none where windows go over it, in a block and the regions within; returns to how
    many windows.
    """
    rows = _Rows()
    done = 0
    for op in [*walk(block)]:
        if not isinstance(op, TflOp) or op.builtin not in _WINDOWS | _BY_ELEMENT or not _may_be_empty(op.result):
            continue
        x = op.operands[0] if op.builtin in _WINDOWS else None
        if x is not None and _may_be_empty(x):
            rows.lengthen(op, [rows.longer.get(x) or rows.start(op, x), *op.operands[1:]])
            done += 1
        elif x is None and rows.goes_on(op):
            rows.lengthen(op, [v and rows.longer.get(v, v) for v in op.operands])
    for cut in reversed(rows.longer):
        if cut.producer is not None and not cut.uses and isinstance(cut.producer, TflOp):
            edit.erase(cut.producer)
    return done


def _may_be_empty(x: Value) -> bool:
    """Four axes, the first of a size that nothing tells before the model runs."""
    shape = x.tensor.shape
    return shape is not None and len(shape) == _RANK and isinstance(shape[0], Dim) and not shape[0].is_known


class _Rows:
    """Values with an image more, by those without.  sizes: run-time shapes that begin with the number of images."""

    def __init__(self) -> None:
        self.longer: dict[Value, Value] = {}
        self.sizes: dict[Value, Value] = {}

    def goes_on(self, op: TflOp) -> bool:
        """All that is computed is longer, and as long as the result; windows may follow."""
        given = [v for v in op.operands if v is not None]
        computed = [v for v in given if not isinstance(v.producer, Constant)]
        return (
            bool(computed)
            and all(v in self.longer and v.tensor.shape == op.result.tensor.shape for v in computed)
            and all(_is_even(v) for v in given if v not in computed)
            and any(isinstance(u, TflOp) and u.builtin in _WINDOWS | _BY_ELEMENT for u in op.result.users)
        )

    def start(self, op: TflOp, x: Value) -> Value:
        """x with an image of zeros behind."""
        e = _before(op)
        pads = e.constant(np.asarray([(0, 1), *[(0, 0)] * (_RANK - 1)], np.int32), DType.I32)
        more = e.one("PAD", [x, pads], _longer(x.tensor))
        self.sizes[more] = e.one("SHAPE", [x], TensorType(DType.I32, (_RANK,)), out_type="INT32")
        return more

    def lengthen(self, op: TflOp, operands: list[Value | None]) -> None:
        """Let an op compute an image more, and cut its result."""
        made = clone_op(op, {})
        edit.insert(made, before=op)
        edit.set_operands(made, operands)
        more = made.results[0]
        edit.retype(more, _longer(op.result.tensor))
        edit.rename(more, "")
        sizes = next(self.sizes[v] for v in operands if v in self.sizes)
        e = _before(op)
        zeros, ones, every = e.ints([0] * _RANK), e.ints([1] * _RANK), (1 << _RANK) - 1
        cut = e.one("STRIDED_SLICE", [more, zeros, sizes, ones], op.result.type, begin_mask=every, end_mask=every - 1)
        edit.replace(op, [cut])
        self.longer[cut], self.sizes[more] = more, sizes


def _is_even(constant: Value) -> bool:
    """It is the same for each image."""
    shape = constant.tensor.shape
    return shape is not None and (len(shape) < _RANK or shape[0] == 1)


def _longer(t: TensorType) -> TensorType:
    first, *others = t.shape or ()
    return t.with_shape((first + 1, *others))


def _before(op: TflOp) -> TflBuilder:
    assert op.block is not None and op.location is not None
    return TflBuilder(Builder(op.block, op.location, op))
