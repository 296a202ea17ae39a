"""A look at constants before they are written: float weights that are NaN or infinite.

Constants are read once, block by block, and their pages given back; a module with more than `LIMIT_BYTES` of weights is
not looked at.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from mlconv.diagnostics import Code, Diagnostic, Severity
from mlconv.dialects import core
from mlconv.ir.constants import Const, release_part
from mlconv.ir.module import Module
from mlconv.ir.recipes import Derived
from mlconv.passes.base import Pass, PassContext
from mlconv.provenance.locations import first_name

LIMIT_BYTES = 1 << 30
SMALL = 1 << 4  # masks and bounds are small, and rightly infinite


class CheckFinite(Pass):
    """Warn about float weights that are NaN or infinite; nothing changes."""

    name: ClassVar[str] = "check-finite"
    reads_weights: ClassVar[bool] = True

    def run(self, module: Module, context: PassContext) -> None:
        for warning in find_not_finite(module):
            context.engine.add(warning)


def find_not_finite(module: Module) -> list[Diagnostic]:
    """A warning for each float constant that holds NaN, or infinity in a tensor of more than a few elements."""
    sources: dict[Const, core.Constant] = {}
    for op in module.walk():
        if isinstance(op, core.Constant) and not _bounds_trees(op) and not _fills(op):
            for c in _leaves(op.value):
                sources.setdefault(c, op)
    if sum(c.nbytes for c in sources) > LIMIT_BYTES:
        return []
    found = []
    for c, op in sources.items():
        bad = _first_bad(c) if c.dtype.is_float and c.dtype.bits >= 16 else None
        if bad is not None:
            name = op.y.name or first_name(op.location)
            message = f"constant {name!r} ({c.dtype.display}{list(c.shape)}) holds {bad}"
            found.append(Diagnostic(Code.ConstantNotFinite, message, Severity.WARNING, op.location, name))
    return found


def _bounds_trees(op: core.Constant) -> bool:
    """All numbers are at most infinity: a test of a tree that only NaN fails."""
    return bool(op.y.users) and all(isinstance(u, core.TreeEnsemble) and u.thresholds is op.y for u in op.y.users)


def _fills(op: core.Constant) -> bool:
    """One number that is chosen where there is none, as jax has NaN where an index is out of range: it is meant."""
    return op.value.size == 1 and bool(op.y.users) and all(isinstance(u, core.Select) for u in op.y.users)


def bad_number(c: Const) -> float | None:
    """NaN or infinity that a constant of floats holds, or what it is made of."""
    floats = (leaf for leaf in _leaves(c) if leaf.dtype.is_float and leaf.dtype.bits >= 16)
    return next((bad for leaf in floats if (bad := _first_bad(leaf)) is not None), None)


def _leaves(c: Const) -> list[Const]:
    """The constants that a recipe starts from."""
    return [leaf for part in c.inputs for leaf in _leaves(part)] if isinstance(c, Derived) else [c]


def _first_bad(c: Const) -> float | None:
    """The first NaN, or the first infinity of a larger tensor."""
    bad = None
    flat = c.view().reshape(-1)
    step = 1 << 20
    for start in range(0, flat.size, step):
        part = flat[start : start + step]
        with np.errstate(all="ignore"):
            total = np.add.reduce(part, dtype=np.float64 if part.dtype == np.float64 else np.float32)
        if not np.isfinite(total):  # an overflow of the sum is looked into, and is no finding
            wide = part.astype(np.float64)
            mask = np.isnan(wide) if flat.size <= SMALL or np.any(np.isnan(wide)) else ~np.isfinite(wide)
            if mask.any():
                bad = float(wide[mask][0])
                break
        release_part(part)
    c.release()
    return bad
