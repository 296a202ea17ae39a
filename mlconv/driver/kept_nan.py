"""NaN in what two models give: kernels of maxima, pools and activations may take a number in its place, integers hold
none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mlconv.diagnostics import ConversionError
from mlconv.driver.options import Options
from mlconv.driver.side import Side
from mlconv.driver.sides import ModelSide, TfliteSide, readable
from mlconv.ir.constants import Array
from mlconv.runtime.compare import has_nan
from mlconv.runtime.pairing import Pair

_Run = dict[str, Array]
_ENDS = -1e6, 1e6  # beyond what is rounded


def with_kept_nan(
    first: Side,
    options: Options,
    outputs: Sequence[Pair],
    calls: Sequence[Mapping[str, Array]],
    found: Sequence[Mapping[str, Array]],
    other: Sequence[Mapping[str, Array]],
) -> tuple[list[_Run], list[_Run]]:
    """Results with NaN where the model as it is written gives NaN, and a side has it or reads it, and one has not.
    Found by the interpreter, where it runs the model.
    """
    runs = [(dict(x), dict(y)) for x, y in zip(found, other, strict=True)]
    reads_nan = [any(map(has_nan, call.values())) for call in calls]
    apart_in = [
        [p for p in outputs if _may_lack_nan(x[p.a.name], p.to_a(y[p.b.name]), reads)]
        for (x, y), reads in zip(runs, reads_nan, strict=True)
    ]
    model = _in_ops(first, options) if any(apart_in) else None
    for call, (x, y), reads, apart in zip(calls, runs, reads_nan, apart_in, strict=True):
        known = _nan_of(model, call, first.quantizes) if apart and model is not None else {}
        for pair in apart:
            if (nan := known.get(pair.a.name)) is not None and nan.shape == x[pair.a.name].shape:
                if not reads:  # what the second side makes of numbers has to be NaN, too
                    nan = nan & np.isnan(pair.to_a(y[pair.b.name]))
                laid = nan.transpose(pair.perm) if pair.perm and nan.ndim == len(pair.perm) else nan
                for values, name, mask in ((x, pair.a.name, nan), (y, pair.b.name, laid)):
                    values[name] = np.where(mask, values[name].dtype.type(np.nan), values[name])
    return [x for x, _ in runs], [y for _, y in runs]


def in_numbers(x: Array, number: float | None = None) -> Array:
    """An input with a number, or the mean of its own, for NaN, which kernels round to any integer."""
    if not has_nan(x):
        return x
    known = x[np.isfinite(x)]
    mean = known.mean() if known.size else 0
    return np.where(np.isnan(x), x.dtype.type(mean if number is None else number), x)


def _may_lack_nan(x: Array, y: Array, reads_nan: bool) -> bool:
    """One of two outputs has NaN and the other has not; or they differ, of inputs with NaN."""
    if not (x.dtype.kind == y.dtype.kind == "f" and x.shape == y.shape):
        return False
    return bool(((x != y) if reads_nan else (np.isnan(x) != np.isnan(y))).any())


def _in_ops(side: Side, options: Options) -> ModelSide | None:
    """The model that a side holds; none where the interpreter is not asked."""
    if not isinstance(side, (ModelSide, TfliteSide)) or side.has_variables:
        return None
    try:
        return readable(side, options)
    except ConversionError:
        return None


def _nan_of(model: ModelSide, call: Mapping[str, Array], quantizes: bool) -> Mapping[str, Array]:
    """Where outputs are NaN, or come of NaN that integers do not hold; none of a model that is not interpreted."""
    try:
        nan = {name: np.isnan(y) for name, y in model.core.run(call, {}).items() if y.dtype.kind == "f"}
        if quantizes and any(map(has_nan, call.values())):
            low, high = (model.core.run({k: in_numbers(x, end) for k, x in call.items()}, {}) for end in _ENDS)
            alike = (name for name, mask in nan.items() if low[name].shape == high[name].shape == mask.shape)
            nan |= {name: nan[name] | (low[name] != high[name]) for name in alike}
        return nan
    except ConversionError:
        return {}
