"""What an artifact of a project may be at most, or must be at least."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import NamedTuple

from mlconv.diagnostics.hints import did_you_mean
from mlconv.driver.projects.values import SettingError, TableError

_UNITS = {"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
_TIMES = {"": 1e-3, "ms": 1e-3, "us": 1e-6, "s": 1.0}
_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*")


class Held(NamedTuple):
    """A bound, and what was found."""

    name: str
    limit: float
    value: float
    ok: bool


@dataclass(frozen=True, slots=True)
class Bounds:
    """None of what has no bound.

    size: bytes of all files of the artifact, at most.  ops: at most.  error: largest difference of an output from the
    model's, as a part of its largest value, at most.  snr: ratio of signal to noise of outputs to the model's, in dB,
    at least.  agreement: part of samples with the model's top-1 answer, at least.  time: seconds of one run here on one
    thread, at most.
    """

    size: float | None = None
    ops: float | None = None
    error: float | None = None
    snr: float | None = None
    agreement: float | None = None
    time: float | None = None

    @staticmethod
    def of(table: Mapping[str, object]) -> Bounds:
        """`size = "4 MB"`, `time = "5 ms"`, others numbers.  Raises TableError with all that is wrong."""
        known = [f.name for f in fields(Bounds)]
        found: dict[str, float] = {}
        wrong: list[SettingError] = []
        for key, value in table.items():
            units = {"size": _UNITS, "time": _TIMES}.get(key)
            try:
                if key not in known:
                    help_ = did_you_mean(key, known) or f"there are {', '.join(known)}"
                    raise SettingError(f"there is no bound {key!r}", help_)
                found[key] = _quantity(key, value, units) if units is not None else _number(key, value)
            except SettingError as error:
                wrong.append(SettingError(str(error), error.help, ("bounds", key)))
        if wrong:
            raise TableError(wrong)
        return Bounds(**found)

    @property
    def compares(self) -> bool:
        """The artifact is to be run beside its model."""
        return any(limit is not None for limit in (self.error, self.snr, self.agreement))

    def data(self) -> dict[str, float]:
        """Those that there are."""
        return {name: limit for name, limit in asdict(self).items() if limit is not None}

    def held(self, values: Mapping[str, float]) -> list[Held]:
        """Each bound, and whether what was found keeps it.  values: by name; NaN, which keeps none, for one that could
        not be found.
        """
        found = []
        for name, limit in self.data().items():
            value, at_least = values.get(name, math.nan), name in ("snr", "agreement")
            found.append(Held(name, limit, value, value >= limit if at_least else value <= limit))
        return found


def _number(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise SettingError(f"bound {key} is {value!r}, expected a number")
    return float(value)


def _quantity(key: str, value: object, units: Mapping[str, float]) -> float:
    """A number, or a text with a unit.  Raises SettingError."""
    if not isinstance(value, str):
        return _number(key, value) * units[""]
    match = _QUANTITY.fullmatch(value)
    if match is None or match[2].lower() not in units:
        raise SettingError(f"bound {key} is {value!r}", f'write it like "4 {"MB" if key == "size" else "ms"}"')
    return float(match[1]) * units[match[2].lower()]
