"""Whether a result is off by more than roundings do, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.quant import QuantType
from mlconv.runtime.compare import has_nan, rms
from mlconv.runtime.layer_values import LayerValue, ends_of

ROUNDED = 6.0
"""Times what is expected of rounded weights: of nine, all may be rounded the same way."""
_STEP = 0.6  # of a step, as root mean square: twice that of rounding
_FLAT_STEP, _EVEN = 1.1, 0.1  # of a step, where a channel is one number: the bias is rounded, too, and the result
_FEW = 8
_FLIPS, _FLIPPED, _FURTHER = 6.0, 0.3, 3.5  # squared steps of a channel; their root mean square; of one element
_GROWN = 10.0  # of one element, in turns of a loop
_LONE = 4.0
_ONE, _MOVED = 1.5, 0.75  # steps of one element, and root mean square of all, by kernels that move integers

MOST_CUT, _MOST_DRAWN = 0.05, 0.25
"""Of the elements, may lie beyond all integers; of numbers that no scale was made for."""
_MOST_SLIGHT, _SLIGHTLY = 0.1, 0.1  # of all elements, that lie beyond what integers reach by a part of that
_PARTS = 16  # elements, of which a part says something, where it is more than one


def reaches(quant: QuantType, plain: Array) -> bool:
    """Whether integers end beyond what a model gives by itself, but for a few: its scale is no mistake then, and more
    is cut off where the other model's values in front are more.
    """
    if not quant.is_per_tensor:
        return False
    low, high = ends_of(quant)
    step = (high - low) / (quant.qmax - quant.qmin)
    return bool(((plain < low - step) | (plain > high + step)).mean() <= MOST_CUT)


def cut_off(own: Array, other: Array, quant: QuantType | None, is_made_for: bool = False, drawn: bool = False) -> Array:
    """Where the other's integers end, if that is a small part.  is_made_for: these reach what the model gives by
    itself, and what is in front of them here is more.  drawn: no scale was made for what is in front, so that any part
    may be cut off.
    """
    if quant is None or not quant.is_per_tensor:
        return np.zeros(own.shape, np.bool_)
    low, high = ends_of(quant)
    half = (high - low) / (quant.qmax - quant.qmin) / 2
    cut = (other < low + half) & (own < other) | (other > high - half) & (own > other)
    if drawn:
        return np.asarray(cut)
    if (is_made_for and cut.size >= _PARTS) or np.count_nonzero(cut) == 1:
        most = _MOST_DRAWN
    else:
        beyond = float(np.maximum(low - own, own - high).max(initial=0, where=cut))
        most = _MOST_SLIGHT if beyond <= _SLIGHTLY * (high - low) else MOST_CUT
    return cut if cut.mean() <= most else np.zeros(own.shape, np.bool_)


def off_by_elements(errors: Array, allowed: Array) -> str:
    wrong = errors > np.broadcast_to(allowed, errors.shape)
    if not wrong.any():
        return ""
    place = tuple(int(i) for i in np.unravel_index(int(np.where(wrong, errors, 0).argmax()), errors.shape))
    most = float(np.broadcast_to(allowed, errors.shape)[place])
    return f"off by {errors[place]:.3g} at {list(place)}, roundings do {most:.3g}"


def _channels(x: Array) -> list[tuple[int, Array]]:
    """Root mean squares of channels, by axis; of all where there are no channels of enough elements."""
    found = []
    for axis in sorted({1, x.ndim - 1}) if x.ndim > 1 else ():
        if x.size // max(1, x.shape[axis]) >= _FEW:
            found.append((axis, np.sqrt(np.square(x).mean(tuple(i for i in range(x.ndim) if i != axis)))))
    return found or [(-1, np.asarray([rms(x)]))]


def off_by_channels(errors: Array, noise: Array, allowed: Array, step: Array) -> str:
    """Integers on one side."""
    if off_by_elements(errors, allowed) == "":
        return ""
    bounds = dict(_channels(noise)), dict(_channels(np.broadcast_to(allowed, errors.shape))), dict(_channels(step))
    for axis, found in _channels(errors):
        steps = np.where(_are_flat(errors, axis, bounds[2][axis]), _FLAT_STEP, _STEP) * bounds[2][axis]
        most = np.sqrt((ROUNDED * bounds[0][axis]) ** 2 + bounds[1][axis] ** 2 + steps**2)
        at = int((found - most).argmax())
        if found[at] > most[at]:
            where = f"channel {at} is" if axis >= 0 else "it is"
            return f"{where} off by {found[at]:.3g} (root mean square), roundings do {most[at]:.3g}"
    return ""


def _are_flat(errors: Array, axis: int, step: Array) -> Array:
    """Which channels are off by the same everywhere: those of one number, whose roundings do not even out."""
    axes = tuple(i for i in range(errors.ndim) if i != axis) if axis >= 0 else tuple(range(errors.ndim))
    return np.asarray(np.ptp(errors, axes) <= _EVEN * step)


def off_by_steps(steps: Array, whole: bool = False, loops: bool = False) -> str:
    """The same integers are expected.  whole: flips are those of all that come behind.  loops: those of a turn grow in
    the next ones.
    """
    if float(steps.max(initial=0)) > (_GROWN if loops else _FURTHER) or (loops and rms(steps) > _MOVED):
        return f"off by {float(steps.max()):.3g} steps"
    for axis, found in [] if whole or not steps.size else _channels(steps):
        at = int(found.argmax())
        others = rms(np.delete(found, at)) if found.size > 1 else 0.0
        count = steps.size // found.size
        if found[at] > max(_LONE * others, _FLIPPED) and found[at] ** 2 * count >= _FLIPS:
            where = f"channel {at} is" if axis >= 0 else "it is"
            return f"{where} off by {found[at]:.2g} steps (root mean square), the others by {others:.2g}"
    return ""


def off_by_moving(steps: Array) -> str:
    """Integers become those of another scale, and are moved: kernels have few bits of the ratio of both (qs8-vcvt of
    XNNPACK has 8 of a fraction), so that all of one number may round the other way; a channel may have few others.
    """
    if float(steps.max(initial=0)) > _ONE:
        return f"off by {float(steps.max()):.3g} steps"
    return f"off by {rms(steps):.2g} steps (root mean square)" if steps.size and rms(steps) > _MOVED else ""


def widened(x: Array) -> Array:
    """Numbers in double precision."""
    if x.dtype.kind not in "biufcV":
        return x
    with np.errstate(invalid="ignore"):  # NaN of any kind, where a runtime leaves memory that nothing was written to
        return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def finite_part(x: Array) -> Array:
    """Numbers; all else is 0."""
    if x.dtype.kind in "OSU":
        return np.zeros(x.shape)
    wide = widened(x)
    return np.where(np.isfinite(wide), wide, 0)


def with_kept_nan(
    a: Array, b: Array, ops: Sequence[Op], others: Mapping[Value, LayerValue], inputs: Mapping[str, Array]
) -> Array:
    """Numbers of the other model, with NaN where this one gives NaN, if its ops read NaN of the other's values or of
    inputs: kernels of maxima, pools and activations may take a number in its place.
    """
    read = {v for op in ops for v in op.inputs}.difference(*(op.results for op in ops))
    found = (others[v].array if v in others else inputs.get(v.name) for v in read)
    return np.where(np.isnan(a), np.nan, b) if any(x is not None and has_nan(x) for x in found) else b


def are_alike(a: Array, b: Array) -> bool:
    """Both are numbers, or both are integers, which are not stored in another form; complex numbers are no pairs."""
    if (a.dtype.kind == "c") != (b.dtype.kind == "c"):
        return False
    if (a.dtype.kind in "biu") != (b.dtype.kind in "biu"):
        return False
    return a.dtype == b.dtype or a.dtype.kind not in "iu" or min(a.dtype.itemsize, b.dtype.itemsize) > 1
