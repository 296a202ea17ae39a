"""What a layer's loss comes from, by what was measured, and what may be done about it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from mlconv.quantize.losses import SiteLoss, ValueLoss
from mlconv.quantize.report import FLOAT, Cause
from mlconv.quantize.scheme import Scheme

_LEAST_SHARE = 0.05  # of the error; smaller causes are not told
_CHANNELS = 8.0  # times the median range of channels: three bits of eight are lost to the others
_REACH = 2.0  # times the range of the numbers: a bit of eight is lost
_PEAK = 12.0  # times the root mean square: a normal distribution's peaks are 4 to 6 times
_FINER = {"int8": "int16x8", "int8-io-int8": "int16x8", "int8-io-uint8": "int16x8", "int4": "int8-weights"}
_FINER_WEIGHTS = {4: "int8-weights"}


@dataclass(frozen=True, slots=True)
class Facts:
    """Of a layer.  select: what a rule finds it by.  widened: channels of weights that have larger steps, such that
    their biases are integers of 32 bits.  worst: the layer in front that loses most by itself, and its ratio; empty
    where there is none.  dynamic: it rounds what it reads when it runs.
    """

    scheme: Scheme
    select: str
    widened: int = 0
    worst: str = ""
    worst_snr: float | None = None
    equalizes: bool = True
    dynamic: bool = False


def causes_of(loss: SiteLoss, facts: Facts) -> list[Cause]:
    """The largest first."""
    parts = _parts(loss)
    total = sum(parts.values())
    if not total > 0:
        return []
    found: dict[str, Cause] = {}
    for part, error in sorted(((p, e) for p, e in parts.items() if e > 0), key=lambda pair: -pair[1]):
        cause = _CAUSES[part](error / total, loss, facts)
        if cause.cause in found:
            found[cause.cause].share += cause.share
        elif cause.share >= _LEAST_SHARE or not found:
            found[cause.cause] = cause
    return sorted(found.values(), key=lambda cause: -cause.share)


def saturation(loss: SiteLoss) -> float | None:
    """Share of the network's results at the outermost integers, beyond those of the floats that lie there: what a
    clamp such as ReLU puts there is no loss.
    """
    result = loss.result
    if result is None or not result.count:
        return None
    return max(0.0, loss.limits) / result.count


def _parts(loss: SiteLoss) -> dict[str, float]:
    """Squared errors that add up to that of the network, where they do not depend on one another."""
    result = loss.result
    rounding = 0.0 if result is None else result.rounding
    clipping = 0.0 if result is None else min(result.clipping, rounding)
    rest = max(loss.own - rounding, 0.0)
    inputs = rest if result is not None else 0.0
    if loss.inputs is not None:
        inputs = min(loss.inputs, rest)
    clipped_inputs = inputs * _clipped_share(loss.reads)
    return {
        "clipped": clipping + clipped_inputs,
        "result": rounding - clipping,
        "inputs": inputs - clipped_inputs,
        "weights": rest - inputs,
        "earlier": max(loss.network - loss.own, 0.0),
    }


def _clipped_share(reads: tuple[ValueLoss, ...]) -> float:
    rounding = sum(read.rounding for read in reads)
    return min(1.0, sum(read.clipping for read in reads) / rounding) if rounding else 0.0


def _clipped(share: float, loss: SiteLoss, facts: Facts) -> Cause:
    part = saturation(loss) or 0.0
    text = f"numbers lie beyond the outermost integers ({part:.2%} of the results)"
    return Cause("clipped", share, text, f"calibrate with more samples, or {_rule(facts)}")


def _result(share: float, loss: SiteLoss, facts: Facts) -> Cause:
    assert loss.result is not None
    return _rounded(share, loss.result, "its results", facts)


def _inputs(share: float, loss: SiteLoss, facts: Facts) -> Cause:
    if not loss.reads:
        return Cause("rounding", share, "rounding of what it reads", _rule(facts))
    worst = max(loss.reads, key=lambda read: read.rounding / read.signal if read.signal else 0.0)
    return _rounded(share, worst, "what it reads", facts)


def _rounded(share: float, value: ValueLoss, what: str, facts: Facts) -> Cause:
    """Why steps are large for the numbers that are rounded."""
    ratio, peak = value.channel_ratio, value.peak / value.rms if value.rms else 0.0
    if value.reach >= _REACH:
        text = (
            f"integers of {what} reach {value.reach:.1f} times as far as the numbers: their scale is shared, or fixed"
        )
        return Cause("scale", share, text, _rule(facts))
    if ratio is not None and ratio >= _CHANNELS:
        text = f"one channel dominates {what}: its range is {ratio:.0f} times the median of the channels"
        help_ = _rule(facts) if facts.equalizes else "equalize = true in the recipe"
        return Cause("channels", share, text, help_)
    if peak >= _PEAK:
        return Cause(
            "outliers", share, f"outliers in {what}: the peak is {peak:.0f} times the usual size", _rule(facts)
        )
    return Cause("rounding", share, f"rounding of {what}", _rule(facts))


def _weights(share: float, loss: SiteLoss, facts: Facts) -> Cause:
    scheme = facts.scheme
    if facts.widened:
        text = f"biases of {facts.widened} channels do not fit into 32 bits, which takes steps from their weights"
        return Cause("bias", share, text, _rule(facts))
    if facts.dynamic:
        return Cause("weights", share, "rounding of weights, and of what it reads when it runs", _rule(facts))
    if scheme.block < 0:
        return Cause("weights", share, "rounding of weights, which share one scale", "--granularity channel")
    what = "weights" if scheme.activations is None or scheme.is_static else "factors"
    text = f"rounding of {what} to {scheme.bits} bits"
    if scheme.bits <= 4 and (scheme.block == 0 or scheme.block > 32):
        return Cause("weights", share, text, "--granularity 32")
    return Cause("weights", share, text, _rule(facts, _FINER_WEIGHTS.get(scheme.bits, FLOAT)))


def _earlier(share: float, loss: SiteLoss, facts: Facts) -> Cause:
    if not facts.worst or facts.worst_snr is None:
        return Cause("earlier", share, "it comes from layers in front")
    text = f"it comes from layers in front, of which {facts.worst} loses most ({facts.worst_snr:.1f} dB)"
    return Cause("earlier", share, text, f"improve {facts.worst}")


def _rule(facts: Facts, finer: str = "") -> str:
    """The option that gives the layer more bits."""
    finer = finer or _FINER.get(facts.scheme.name, FLOAT)
    return f"--quantize-rule {shlex.quote(f'{facts.select}={finer}')}"


_CAUSES = {"clipped": _clipped, "result": _result, "inputs": _inputs, "weights": _weights, "earlier": _earlier}
