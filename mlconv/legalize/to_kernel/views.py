"""Views through views: the same elements where a buffer holds a tensor in another layout."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.dialects.kernel import Sizes, View, dense
from mlconv.ir.dims import Size, total
from mlconv.ir.shapes import static


class _Group(NamedTuple):
    """Axes that run on in both: how many elements, their stride in the dense tensor and in the buffer."""

    size: Size
    own: Size
    there: Size


def restride(view: View, extents: Sizes, shape: Sizes, target: View) -> View | None:
    """`view` addresses elements of a dense tensor of `shape` with loops of `extents`; the same elements in a buffer
    that holds the tensor by `target`, a view over the axes of `shape`.  None where no strides say so.
    """
    if view.offset == 0 and _axes(extents, view.strides) == _axes(shape, dense(shape)):
        left = [s for s, n in zip(target.strides, shape, strict=True) if n != 1]
        return View(target.offset, tuple(0 if n == 1 else left.pop(0) for n in extents))
    groups = _groups(shape, target)
    numbers = [(g.size, g.own) for g in groups if isinstance(g.size, int) and isinstance(g.own, int)]
    if len(numbers) < len(groups) or static((view.offset, *extents, *view.strides)) is None:
        whole = _whole_groups(view, extents, groups, target)
        return whole if whole is not None else _parts_of_axes(view, extents, shape, target)
    places, rest = [], _int(view.offset)
    for _, stride in numbers:
        places.append(rest // stride)
        rest %= stride
    low, high = list(places), list(places)
    offset, strides = target.offset + total(p * g.there for p, g in zip(places, groups, strict=True)), list[Size]()
    for extent, stride in ((_int(e), _int(s)) for e, s in zip(extents, view.strides, strict=True)):
        if extent == 1 or stride == 0:
            strides.append(0)
            continue
        at = next((i for i, (_, own) in enumerate(numbers) if own <= abs(stride)), -1)
        if at < 0 or stride % numbers[at][1]:
            return None
        steps = stride // numbers[at][1]
        reach = steps * (extent - 1)
        low[at] += min(reach, 0)
        high[at] += max(reach, 0)
        strides.append(steps * groups[at].there)
    if any(lo < 0 or hi >= size for lo, hi, (size, _) in zip(low, high, numbers, strict=True)):
        return None
    return View(offset, tuple(strides))


def _axes(extents: Sizes, strides: Sizes) -> list[tuple[Size, Size]]:
    """Extents and strides of loops with more than one turn."""
    return [(n, s) for n, s in zip(extents, strides, strict=True) if n != 1]


def _int(size: Size) -> int:
    return size if isinstance(size, int) else 0


def _whole_groups(view: View, extents: Sizes, groups: list[_Group], target: View) -> View | None:
    """Sizes that are known at run time: loops must go over whole groups, step by step, one for each or several that are
    nested as its axes are, and over every group once at most.
    """
    if view.offset != 0:
        return None
    strides: list[Size] = [0] * len(extents)
    left = [i for i, (n, stride) in enumerate(zip(extents, view.strides, strict=True)) if n != 1 and stride != 0]
    for group in groups:
        done: Size = 1
        while done != group.size:
            loop = next((i for i in reversed(left) if view.strides[i] == group.own * done), None)
            if loop is None:
                break
            left.remove(loop)
            strides[loop] = group.there * done
            done = done * extents[loop]
        if done != 1 and done != group.size:
            return None
    return None if left else View(target.offset, tuple(strides))


def _parts_of_axes(view: View, extents: Sizes, shape: Sizes, target: View) -> View | None:
    """Sizes that are known at run time: each loop goes along an axis of its own, over all of it or a part that is
    certainly inside.
    """
    own, rest, starts = dense(shape), view.offset, list[int]()
    if not isinstance(rest, int) or rest < 0:
        return None
    for step in own:
        start, rest = divmod(rest, step) if isinstance(step, int) else (0, rest)
        starts.append(start)
    strides: list[Size] = [0] * len(extents)
    left = [axis for axis, n in enumerate(shape) if n != 1]
    for loop, (n, stride) in enumerate(zip(extents, view.strides, strict=True)):
        if n == 1 or stride == 0:
            continue
        axis = next((a for a in left if own[a] == stride), None)
        if axis is None:
            return None
        left.remove(axis)
        strides[loop] = target.strides[axis]
        behind = shape[axis] - n - starts[axis]
        if not isinstance(behind, int) or behind < 0:
            return None
    if any(starts[axis] and not _reaches(shape[axis], starts[axis]) for axis in left):
        return None
    return View(target.offset + total(n * s for n, s in zip(starts, target.strides, strict=True)), tuple(strides))


def _reaches(size: Size, place: int) -> bool:
    """There certainly is such a place."""
    return isinstance(size, int) and place < size


def _groups(shape: Sizes, target: View) -> list[_Group]:
    """Outermost first; unit axes are dropped."""
    out: list[_Group] = []
    for size, own, there in zip(shape, dense(shape), target.strides, strict=True):
        if size == 1:
            continue
        if out and out[-1].there == there * size:
            out[-1] = _Group(out[-1].size * size, own, there)
        else:
            out.append(_Group(size, own, there))
    return out


def placement(extents: Sizes, source: View, target: View) -> tuple[Sizes, View] | None:
    """A copy of a whole dense tensor, told by its loops: (shape, view over it) that says where each element of the
    source goes.  None when the copy does not read every element exactly once.
    """
    left = [i for i in range(len(extents)) if extents[i] != 1]
    axes: list[int] = []
    run: Size = 1
    while left:
        inner = next((i for i in left if source.strides[i] == run), None)
        if inner is None:
            return None
        left.remove(inner)
        axes.insert(0, inner)
        run = run * extents[inner]
    if source.offset != 0:
        return None
    return tuple(extents[i] for i in axes), View(target.offset, tuple(target.strides[i] for i in axes))
