"""Views through views: the same cells where a buffer holds a tensor in another layout."""

from __future__ import annotations

from mlconv.dialects.kernel import Ints, View, dense


def restride(view: View, extents: Ints, shape: Ints, target: View) -> View | None:
    """`view` addresses cells of a dense tensor of `shape` with loops of `extents`; the same cells in a buffer that holds the tensor by `target`, a view
    over the axes of `shape`.  None where no strides say so."""
    groups = _groups(shape, target)
    places, rest = [], view.offset
    for _, stride, _ in groups:
        places.append(rest // stride)
        rest %= stride
    low, high = list(places), list(places)
    offset, strides = target.offset + sum(p * t for p, (_, _, t) in zip(places, groups, strict=True)), []
    for extent, stride in zip(extents, view.strides, strict=True):
        if extent == 1 or stride == 0:
            strides.append(0)
            continue
        at = next((i for i, (_, own, _) in enumerate(groups) if own <= abs(stride)), -1)
        if at < 0 or stride % groups[at][1]:
            return None
        steps = stride // groups[at][1]
        reach = steps * (extent - 1)
        low[at] += min(reach, 0)
        high[at] += max(reach, 0)
        strides.append(steps * groups[at][2])
    if any(lo < 0 or hi >= size for lo, hi, (size, _, _) in zip(low, high, groups, strict=True)):
        return None
    return View(offset, tuple(strides))


def _groups(shape: Ints, target: View) -> list[tuple[int, int, int]]:
    """(size, stride in the dense tensor, stride in the buffer), outermost first; axes that run on in both are joined, unit axes dropped."""
    out: list[tuple[int, int, int]] = []
    for size, own, there in zip(shape, dense(shape), target.strides, strict=True):
        if size == 1:
            continue
        if out and out[-1][2] == there * size:
            out[-1] = (out[-1][0] * size, own, there)
        else:
            out.append((size, own, there))
    return out


def placement(extents: Ints, source: View, target: View) -> tuple[Ints, View] | None:
    """A copy of a whole dense tensor, told by its loops: (shape, view over it) that says where each cell of the source goes.  None when the copy does
    not read every cell exactly once."""
    axes = sorted((i for i in range(len(extents)) if extents[i] != 1), key=lambda i: -source.strides[i])
    shape = tuple(extents[i] for i in axes)
    if source.offset or tuple(source.strides[i] for i in axes) != dense(shape):
        return None
    return shape, View(target.offset, tuple(target.strides[i] for i in axes))
