"""Outputs of a quantized model that are far from those of the one without, for which no op is at fault: integers end
before numbers that no scale was made for, or data decide how much there is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.dims import Size
from mlconv.runtime.measures import Measure, Verdict
from mlconv.runtime.pairing import Pair

if TYPE_CHECKING:
    from mlconv.driver.layering import Layers

Outputs = Mapping[str, Array]
_LEAST_DB = 8.0  # below that integers end too early for any inputs: of pairs without a fault outputs had 9.8 and more


@dataclass(frozen=True)
class FarOutputs:
    """outputs: of both models.  measure: compares one of these.  drawn: inputs are, so that no scale was made for them:
    what the first model gives where its values end as the other's integers do is held to the other's outputs then, by
    the same limits.  reference: path of the first.
    """

    outputs: Sequence[Pair]
    measure: Callable[[Pair, Outputs, Outputs], Measure]
    drawn: bool
    reference: str

    def judged(
        self, measures: Sequence[Measure], run: tuple[Outputs, Outputs], look: Callable[[], Layers]
    ) -> list[Measure]:
        """What was measured of one run: outputs that no op is at fault for are noise.  run: outputs of both models.
        look: compares layers, if there is anything to tell.
        """
        if not any(map(self._is_open, measures, self.outputs)):
            return list(measures)
        try:
            layers = look()
        except ConversionError as error:
            if error.code is not Code.VerificationImpossible:
                raise
            return list(measures)
        if layers.problem or not layers.report.layers:
            return list(measures)
        pairs = zip(measures, self.outputs, strict=True)
        return [self._judged(one, pair, run, layers) if self._is_open(one, pair) else one for one, pair in pairs]

    def _is_open(self, one: Measure, pair: Pair) -> bool:
        if one.verdict is not Verdict.DIFFERENT:
            return False
        return _has_open_size(pair) if one.max_abs == math.inf else self.drawn

    def _judged(self, one: Measure, pair: Pair, run: tuple[Outputs, Outputs], layers: Layers) -> Measure:
        is_first = layers.reference == self.reference
        name = (pair.a if is_first else pair.b).name
        if one.max_abs == math.inf:
            alike = name in layers.report.agreed
            return replace(one, verdict=Verdict.NOISE, why=f"data decide sizes: {one.why}") if alike else one
        if name not in layers.report.ended or one.snr_db < _LEAST_DB:
            return one
        ended = {name: layers.report.ended[name]}
        again = self.measure(pair, ended if is_first else run[0], run[1] if is_first else ended)
        why = f"{one.snr_db:.1f} dB of drawn inputs, {again.snr_db:.1f} dB without what integers inside cut off"
        return replace(one, verdict=Verdict.NOISE, why=why) if again.verdict.ok else one


def _has_open_size(pair: Pair) -> bool:
    shapes: list[Sequence[Size]] = [port.shape for port in (pair.a, pair.b) if port.shape is not None]
    return any(not isinstance(n, int) for shape in shapes for n in shape)
