"""Products whose channels go to several lines of a result, as phases of a transposed convolution do: the parts are a
batch of products of the same places, each with weights of its own, and are written where they belong.
"""

from __future__ import annotations

from mlconv.dialects.kernel import LOADS, PANEL, Gemm, Instr, View, view_of, with_view
from mlconv.ir.dims import Size
from mlconv.legalize.to_kernel.views import restride

_MOST = 8  # parts
_NEAR = 128 << 10  # bytes of the weights of a part, which each line reads: where they are more, a copy takes less


def in_parts(problem: Gemm, shape: tuple[Size, ...], target: View) -> Gemm | None:
    """The product, writing a dense tensor of `shape` by `target`, in which its channels lie apart: by the fewest parts
    that fill panels of weights and lie together; None where there are none, and of integers, which sets without
    instructions for sums of bytes widen for each part.
    """
    indexing = problem.indexing
    plain = problem.weight_strides == (0, 0) and not problem.pitch and not indexing.borders
    if not plain or not problem.types.sums.is_float or indexing.out.strides[3] != 1:
        return None
    for parts in range(2, _MOST + 1):
        channels = indexing.channels // parts
        if parts * channels != indexing.channels or channels % PANEL:
            continue
        view = View(indexing.out.offset, (*indexing.out.strides[:3], channels, 1))
        out = restride(view, (*indexing.rows, parts, channels), shape, target)
        near = channels * problem.depth * problem.types.weights.bits <= 8 * _NEAR
        if out is not None and out.strides[4] == 1 and near:
            return _of_parts(problem, parts, channels, out)
    return None


def _of_parts(problem: Gemm, parts: int, channels: int, out: View) -> Gemm | None:
    """out: of batch, rows, columns, parts and channels.  Lines of all images are one axis; the parts are the batch."""
    indexing = problem.indexing
    lines, count = indexing.rows[1], indexing.rows[0] * indexing.rows[1]

    def moved(view: View, part: Size) -> View | None:
        image, line, *others = view.strides
        if indexing.rows[0] == 1 or image == line * lines:
            return View(view.offset, (part, line, *others))
        return View(view.offset, (part, image, *others)) if lines == 1 else None

    x, to = moved(indexing.x, 0), moved(View(out.offset, (*out.strides[:3], 1)), out.strides[3])
    after = list[Instr]()
    for i in indexing.after:
        if i.opcode in LOADS:
            view = moved(view_of(i), view_of(i).strides[3] * channels)
            if view is None:
                return None
            i = with_view(i, view)
        after.append(i)
    if x is None or to is None:
        return None
    rows = (parts, count, indexing.rows[2])
    split = indexing._replace(rows=rows, x=x, channels=channels, after=tuple(after), out=to)
    made = problem._replace(indexing=split)
    return made._replace(weight_strides=(made.columns * made.depth // made.types.shared, 0))
