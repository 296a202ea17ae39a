"""Elements that are chosen by their values.

Sources: ONNX TopK-11, Unique-11, NonZero-13, NonMaxSuppression-11; TensorFlow counterparts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import normalize_axis, ranked
from mlconv.ir.constants import Array
from mlconv.ir.core import Known, Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.facts import Condition
from mlconv.ir.quant_rules import SAME
from mlconv.ir.spec import OpDef, attr, known_ints, op, operand, result
from mlconv.ir.traits import DefinesSize, Effect
from mlconv.ir.types import TensorType


@op("core.nonzero")
class NonZero(OpDef):
    """Index tuples of the elements that are not zero, in row-major order: [count, rank(x)] int64 (TensorFlow Where;
    ONNX NonZero is the transpose).  With `padded`, [elements of x, rank(x)], and the rest is 0.
    """

    x: Value = operand()
    padded: bool = attr(default=False)
    y: Value = result()

    def infer(self) -> TensorType:
        size = self.x.tensor.size
        count = size if self.padded and size is not None else Dim.unknown()
        return TensorType(DType.I64, (count, len(ranked(self.x))))

    def eval(self, x: Array) -> Array:
        places = np.argwhere(x).astype(np.int64)
        return np.pad(places, ((0, x.size - len(places)), (0, 0))) if self.padded else places


@op("core.define_size", traits=[Effect, DefinesSize])
class DefineSize(OpDef):
    """x, an integer scalar, which is a size from here on: `symbol`, from 0 to `bound`, and fulfils `conditions`
    together with sizes that are known before.  y is x as int64.
    """

    x: Value = operand()
    symbol: str = attr(default="")
    bound: Size = attr(default=0)
    conditions: tuple[Condition, ...] = attr(default=())
    y: Value = result()

    def infer(self) -> TensorType:
        if not self.x.tensor.dtype.is_int or ranked(self.x) != ():
            raise ConversionError(Code.TypeMismatch, f"a size is an integer scalar, not {self.x.type}")
        return TensorType(DType.I64, ())

    def eval(self, x: Array) -> Array:
        number = int(x)
        if number < 0 or (isinstance(self.bound, int) and number > self.bound):
            raise ConversionError(Code.ShapeMismatch, f"the size {self.symbol} is {number}, its bound {self.bound}")
        return np.asarray(number, np.int64)

    def deduce(self) -> Known | None:
        return (Dim.symbol(self.symbol),)


@op("core.top_k", quant=SAME)
class TopK(OpDef):
    """The k largest (or smallest) along `axis`, sorted, and their indices (`index_dtype`); equal values: the lower
    index first.  k: integer scalar.
    """

    x: Value = operand()
    k: Value = operand()
    axis: int = attr(default=-1)
    largest: bool = attr(default=True)
    index_dtype: DType = attr(default=DType.I64)
    values: Value = result()
    indices: Value = result()

    def infer(self) -> list[TensorType]:
        t = self.x.tensor
        shape = ranked(self.x)
        axis = normalize_axis(self.axis, len(shape))
        whole = shape[axis]
        known = known_ints(self.k)
        k: Size = Dim.unknown() if not known or known[0] is None else known[0]
        if isinstance(k, int) and isinstance(whole, int) and k > whole:
            raise ConversionError(Code.ShapeMismatch, f"k = {k} is larger than the size {whole} of axis {axis} of {t}")
        out = (*shape[:axis], k, *shape[axis + 1 :])
        return [t.with_shape(out), TensorType(self.index_dtype, out)]

    def eval(self, x: Array, k: Array) -> tuple[Array, Array]:
        n = int(k.reshape(()))
        # the bits turned over: no integer overflows
        key = x if not self.largest else ~x if x.dtype.kind in "iu" else -x.astype(np.float64)
        order = np.argsort(key, axis=self.axis, kind="stable")
        order = np.take(order, np.arange(n), self.axis)
        return np.take_along_axis(x, order, self.axis), order.astype(self.index_dtype.numpy)


@op("core.unique")
class Unique(OpDef):
    """Distinct slices along `axis` (None: of the flattened x): y, first index, inverse index, count, the last three of
    `index_dtype`, rank 1.

    sorted: ascending (ONNX), else in order of first occurrence (TensorFlow Unique).
    """

    x: Value = operand()
    axis: int | None = attr(default=None)
    sorted: bool = attr(default=True)
    index_dtype: DType = attr(default=DType.I64)
    y: Value = result()
    first: Value = result()
    inverse: Value = result()
    count: Value = result()

    def infer(self) -> list[TensorType]:
        t, count = self.x.tensor, Dim.unknown()
        index = TensorType(self.index_dtype, (count,))
        if self.axis is None:
            return [
                t.with_shape((count,)),
                index,
                TensorType(self.index_dtype, (t.size if t.size is not None else Dim.unknown(),)),
                index,
            ]
        shape = ranked(self.x)
        out = (*shape[: self.axis], count, *shape[self.axis + 1 :])
        return [t.with_shape(out), index, TensorType(self.index_dtype, (shape[self.axis],)), index]

    def eval(self, x: Array) -> tuple[Array, ...]:
        y, first, inverse, count = np.unique(x, True, True, True, axis=self.axis)
        inverse = inverse.reshape(-1)
        if not self.sorted:
            order = np.argsort(first, kind="stable")
            y = np.take(y, order, self.axis or 0)
            rank = np.argsort(order, kind="stable")
            first, count, inverse = first[order], count[order], rank[inverse]
        integer = self.index_dtype.numpy
        return y, first.astype(integer), inverse.astype(integer), count.astype(integer)


@op("core.non_max_suppression")
class NonMaxSuppression(OpDef):
    """Greedy suppression of boxes that overlap a better one, for one class: indices of the selected boxes, best first,
    and their scores.

    boxes [n, 4] corners (y1, x1, y2, x2, either order); scores [n]; max_output integer scalar; iou_threshold,
    score_threshold, soft_sigma float scalars (soft_sigma 0: hard suppression).  Results: selected [k] int32, scores
    [k], and valid count, int32 scalar; with `padded` k is max_output and the rest is 0.  plain: boxes are taken to have
    areas, and scores to differ, as detectors have them: a target's own op will do as it is.  Source: TensorFlow
    NonMaxSuppressionV5; TFLite NON_MAX_SUPPRESSION_V5.
    """

    boxes: Value = operand()
    scores: Value = operand()
    max_output: Value = operand()
    iou_threshold: Value = operand()
    score_threshold: Value = operand()
    soft_sigma: Value = operand()
    padded: bool = attr(default=False)
    plain: bool = attr(default=False)
    selected: Value = result()
    selected_scores: Value = result()
    valid: Value = result()

    def infer(self) -> list[TensorType]:
        self._fit(self.boxes.tensor.shape, self.scores.tensor.shape)
        known = known_ints(self.max_output)
        count: Size = Dim.unknown()
        if self.padded and known and known[0] is not None:
            count = known[0]
        return [TensorType(DType.I32, (count,)), self.scores.tensor.with_shape((count,)), TensorType(DType.I32, ())]

    def _fit(self, boxes: Sequence[Size] | None, scores: Sequence[Size] | None) -> None:
        if boxes and scores and isinstance(boxes[0], int) and isinstance(scores[0], int) and boxes[0] != scores[0]:
            message = f"{self.name} of {boxes[0]} boxes has {scores[0]} scores"
            raise ConversionError(Code.ShapeMismatch, message)

    def eval(
        self, boxes: Array, scores: Array, max_output: Array, iou: Array, threshold: Array, sigma: Array
    ) -> tuple[Array, ...]:
        self._fit(boxes.shape, scores.shape)
        picked, kept = _suppress(boxes, scores, int(max_output.reshape(())), float(iou), float(threshold), float(sigma))
        valid = np.asarray(len(picked), np.int32)
        if self.padded:
            missing = int(max_output.reshape(())) - len(picked)
            picked, kept = picked + [0] * missing, kept + [0.0] * missing
        return np.asarray(picked, np.int32), np.asarray(kept, scores.dtype), valid


def _suppress(
    boxes: Array, scores: Array, limit: int, iou: float, threshold: float, sigma: float
) -> tuple[list[int], list[float]]:
    """Selected indices and scores.  Soft suppression decays scores by exp(-overlap^2 / (2 sigma)) and takes boxes again
    in the new order.

    Overlaps are float32, as in the sources: one that equals the threshold suppresses nothing.
    """
    corners = boxes.astype(np.float32)
    y, x = np.sort(corners[:, [0, 2]], axis=1), np.sort(corners[:, [1, 3]], axis=1)
    area = (y[:, 1] - y[:, 0]) * (x[:, 1] - x[:, 0])
    left = {int(i): float(s) for i, s in enumerate(scores) if s > threshold}
    begin = dict.fromkeys(left, 0)
    picked: list[int] = []
    kept: list[float] = []
    while left and len(picked) < limit:
        i = min(left, key=lambda j: (-left[j], j))
        original, score, dropped = left[i], left[i], False
        for j in reversed(picked[begin[i] :]):
            height = max(np.float32(0), min(y[i, 1], y[j, 1]) - max(y[i, 0], y[j, 0]))
            width = max(np.float32(0), min(x[i, 1], x[j, 1]) - max(x[i, 0], x[j, 0]))
            union = area[i] + area[j] - height * width
            overlap = height * width / union if area[i] > 0 and area[j] > 0 and union > 0 else 0.0
            if sigma > 0:
                score *= float(np.exp(-(overlap**2) * 0.5 / sigma))
            elif overlap > iou:
                dropped = True
            if dropped or score <= threshold:
                break
        begin[i] = len(picked)
        if dropped or score <= threshold:
            del left[i]
        elif score == original:
            picked.append(i)
            kept.append(score)
            del left[i]
        else:
            left[i] = score
    return picked, kept
