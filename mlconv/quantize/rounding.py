"""Numbers as integers so that sums of products with them lose least.

Rows of weights [groups, outputs, k] meet inputs whose second moments are [groups, k, k]: what is lost is e h e' of each
row's error e.

Sources: Frantar et al. 2023, "GPTQ", algorithm 1; Behdin et al. 2023, "QuantEase", algorithm 1 (one number after the
other is set to what is best for all the others as they are).  Scales are chosen by what is lost behind all of that: a
row of few numbers of few bits may come next to a point of one lattice and far from all of another.
"""

from __future__ import annotations

import numpy as np

from mlconv.ir.constants import Array

_SHRINKS = np.linspace(1.0, 0.6, 21)  # parts of the largest weight that a scale may leave
_LEAST_SHORT = np.float32(2.0**-14)  # the least normal number of float16
_DAMPING = 0.003  # of the mean of the diagonal; GPTQ, section 3.3, step 3, where it is 0.01
_DOUBT = 0.03  # times k over inputs seen, that much more: few inputs tell little of others
_COLUMNS = 128  # that are rounded before the rest is brought up to date; GPTQ, section 3.3, step 2
_SWEEPS = 3
_FEW = 7  # the largest code of weights whose scales are tried out: of more bits, all scales lose about the same
_TRIED = 16  # scales of a row
_SMALLEST = 0.5  # of them, over the one that leaves the largest weight where it is
_TRIED_IN_BLOCKS = 3  # where blocks have scales of their own, fewer numbers hang on each
_SMALLEST_IN_BLOCKS = 0.8
_WORK = 1 << 29  # multiply-adds of the trials of all rows, and, of 256 times less, numbers


def nearest(rows: Array, spread: Array, top: int) -> Array:
    return np.clip(np.rint(rows / spread), -top, top)


def _scales(rows: Array, top: int, block: int, square: Array | None) -> Array:
    """Scales [groups, outputs, blocks], numbers of float32, that lose least of the squared error, where each number
    counts as its moment says.
    """
    groups, outputs, depth = rows.shape
    parts = rows.reshape(groups, outputs, depth // (block or depth), block or depth)
    weight = np.ones((groups, depth)) if square is None else np.maximum(np.einsum("gkk->gk", square), 0)
    counts = weight.reshape(groups, 1, *parts.shape[2:])
    full = np.maximum(np.abs(parts).max(-1) / top, 2.0**-100)
    best, least = stored_scales(full, block), np.full(full.shape, np.inf)
    for shrink in _SHRINKS:
        scale = stored_scales(full * shrink, block)
        error = ((parts - nearest(parts, scale[..., None], top) * scale[..., None]) ** 2 * counts).sum(-1)
        better = error < least
        best, least = np.where(better, scale, best), np.where(better, error, least)
    return np.asarray(best)


def stored_scales(scales: Array, block: int) -> Array:
    """Scales as files hold them: float32, or, of blocks, numbers that bfloat16 and float16 have, too."""
    single = scales.astype(np.float32)
    if block:
        limited = np.maximum(single, _LEAST_SHORT).view(np.uint32)
        single = ((limited + 0x8000) & np.uint32(0xFFFF0000)).view(np.float32)
    return single.astype(np.float64)


def rounded(rows: Array, top: int, block: int, square: Array | None, seen: int = 1) -> tuple[Array, Array]:
    """Codes [groups, outputs, k] from -top to top, and scales [groups, outputs, blocks].  block: numbers of a row that
    have one scale, 0 for all.  seen: inputs that moments are the mean of.  With moments, each column is rounded, and
    those behind it take over its error; then each once more, as all the others have become, and scales as the codes
    have.
    """
    square = None if square is None else _without_overflows(square)
    scales = _scales(rows, top, block, square)
    size = block or rows.shape[-1]
    spread = np.repeat(scales, size, axis=-1)
    if square is None:
        return nearest(rows, spread, top), scales
    around, root = _definite(damped(square, _DAMPING + _DOUBT * rows.shape[-1] / seen))
    starts = [scales] if top > _FEW else [scales, *_others(rows, top, block)]
    return _best(rows, starts, top, block, around, root)


def _others(rows: Array, top: int, block: int) -> list[Array]:
    """Scales to try, fewer of large weights, where each takes longer and rows differ less."""
    most, smallest = (_TRIED_IN_BLOCKS, _SMALLEST_IN_BLOCKS) if block else (_TRIED, _SMALLEST)
    count = min(most, _WORK // (rows.size * rows.shape[-1]), (_WORK >> 8) // rows.size)
    parts = rows.reshape(*rows.shape[:2], -1, block or rows.shape[-1])
    full = np.maximum(np.abs(parts).max(-1) / top, 2.0**-100)
    return [stored_scales(full * shrink, block) for shrink in np.linspace(1.0, smallest, count)]


def _best(rows: Array, starts: list[Array], top: int, block: int, square: Array, root: Array) -> tuple[Array, Array]:
    """Codes and scales of each row, by the start that loses least.  square, root: as `_definite` gives them."""
    groups, outputs, _ = rows.shape
    many = np.concatenate([rows] * len(starts), axis=1)
    codes, scales = _descended(many, np.concatenate(starts, axis=1), top, block, square, root)
    if len(starts) == 1:
        return codes, scales
    error = many - codes * np.repeat(scales, block or rows.shape[-1], axis=-1)
    lost = np.einsum("gok,gok->go", error @ square, error).reshape(groups, len(starts), outputs)
    place = lost.argmin(1)[:, None, :, None]
    codes, scales = (
        np.take_along_axis(a.reshape(groups, len(starts), outputs, -1), place, 1)[:, 0] for a in (codes, scales)
    )
    return codes, scales


def _descended(rows: Array, scales: Array, top: int, block: int, square: Array, root: Array) -> tuple[Array, Array]:
    """Codes for scales, and scales for codes, in turns."""
    size = block or rows.shape[-1]
    spread = np.repeat(scales, size, axis=-1)
    codes = _gptq(rows.copy(), spread, top, root)
    for _ in range(_SWEEPS):
        if not _sweep(rows, codes, spread, top, square):
            break
        scales = _fitted(rows, codes, scales, block, square)
        spread = np.repeat(scales, size, axis=-1)
    return codes, scales


def _fitted(rows: Array, codes: Array, scales: Array, block: int, square: Array) -> Array:
    """The scales that are best for codes, one block after the other."""
    size = block or rows.shape[-1]
    scales = scales.copy()
    slope = (rows - codes * np.repeat(scales, size, axis=-1)) @ square
    for i in range(scales.shape[-1]):
        span = slice(i * size, (i + 1) * size)
        part = codes[:, :, span]
        seen = part @ square[:, span]
        curve = (part * seen[:, :, span]).sum(-1)
        change = (part * slope[:, :, span]).sum(-1) / np.where(curve > 0, curve, 1.0)
        fitted = stored_scales(np.where(scales[:, :, i] + change > 0, scales[:, :, i] + change, scales[:, :, i]), block)
        slope -= (fitted - scales[:, :, i])[:, :, None] * seen
        scales[:, :, i] = fitted
    return scales


def damped(square: Array, part: float) -> Array:
    """With a part of the mean of the diagonals [groups, k, k] on them, so that there is an inverse."""
    diagonal = np.einsum("gkk->gk", square)
    damping = part * diagonal.mean(-1, keepdims=True)
    found = square.copy()
    place = np.arange(square.shape[-1])
    found[:, place, place] = np.where(diagonal > 0, diagonal, 1.0) + np.where(damping > 0, damping, 1.0)
    return found


def _without_overflows(square: Array) -> Array:
    """In groups whose moments are not finite all places count alike."""
    lost = ~np.isfinite(square).all((1, 2), keepdims=True)
    return np.where(lost, np.eye(square.shape[-1]), square) if lost.any() else square


def _definite(square: Array) -> tuple[Array, Array]:
    """Moments, and the upper Cholesky factors of their inverses.  They are damped more in groups whose sums lost what
    they should have: of numbers that hardly differ, rounding errors of float32 alone are left around the mean.
    """
    root = _inverse_root(square)
    if root is not None:
        return square, root
    found, roots = square.copy(), list[Array]()
    for group in range(len(found)):
        part = found[group : group + 1]
        while (own := _inverse_root(part)) is None:
            part[:] = damped(part, 1.0)
        roots.append(own)
    return found, np.concatenate(roots)


def _inverse_root(square: Array) -> Array | None:
    """None where there is none: of what is not finite, too, for which numpy does not tell."""
    try:
        with np.errstate(all="ignore"):
            inverse = np.linalg.inv(square)
            root = np.linalg.cholesky((inverse + inverse.swapaxes(1, 2)) / 2).swapaxes(1, 2)
    except np.linalg.LinAlgError:
        return None
    return root if np.isfinite(root).all() else None


def _gptq(w: Array, spread: Array, top: int, root: Array) -> Array:
    """Changes w."""
    depth = w.shape[-1]
    codes = np.empty_like(w)
    for start in range(0, depth, _COLUMNS):
        stop = min(start + _COLUMNS, depth)
        errors = np.empty((*w.shape[:2], stop - start))
        for j in range(start, stop):
            codes[:, :, j] = nearest(w[:, :, j], spread[:, :, j], top)
            lost = w[:, :, j] - codes[:, :, j] * spread[:, :, j]
            errors[:, :, j - start] = lost / root[:, None, j, j]
            w[:, :, j:stop] -= errors[:, :, j - start, None] * root[:, None, j, j:stop]
        w[:, :, stop:] -= errors @ root[:, start:stop, stop:]
    return codes


def _sweep(rows: Array, codes: Array, spread: Array, top: int, square: Array) -> bool:
    """Set each column of codes to what is best.  Tells whether any changed."""
    depth = rows.shape[-1]
    slope = (rows - codes * spread) @ square
    changed = False
    for start in range(0, depth, _COLUMNS):
        stop = min(start + _COLUMNS, depth)
        moved = np.zeros((*rows.shape[:2], stop - start))
        for j in range(start, stop):
            step = spread[:, :, j]
            wanted = codes[:, :, j] * step + slope[:, :, j] / square[:, None, j, j]
            code = nearest(wanted, step, top)
            moved[:, :, j - start] = (code - codes[:, :, j]) * step
            changed = changed or bool(moved[:, :, j - start].any())
            codes[:, :, j] = code
            slope[:, :, j:stop] -= moved[:, :, j - start, None] * square[:, None, j, j:stop]
        slope[:, :, stop:] -= moved @ square[:, start:stop, stop:]
    return changed
