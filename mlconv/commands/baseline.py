"""A baseline: problems that are known, by model, so that only new ones fail."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mlconv.diagnostics.codes import Code
from mlconv.diagnostics.engine import ConversionError, Diagnostic
from mlconv.diagnostics.group import fingerprints, portable
from mlconv.formats.files import read_text

_VERSION = 2
_FIRST = 1  # problems of all models in one table


@dataclass(frozen=True)
class Baseline:
    """by_model: problems of each by fingerprint, with a text for readers.  A model is the path that it was given by,
    of absolute ones the name.  unsorted: of files of the first version, fingerprints of no known model.
    """

    by_model: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    unsorted: frozenset[str] = frozenset()

    @staticmethod
    def read(path: str) -> Baseline:
        """Raises ConversionError InputNotReadable (not readable), UsageError (no baseline)."""
        try:
            data: object = json.loads(read_text(path))
        except OSError as error:
            raise ConversionError(
                Code.InputNotReadable, f"baseline {path}: {error.strerror}", help="write one with --write-baseline"
            ) from None
        except (ValueError, RecursionError):
            data = None
        found = _understood(data)
        if found is None:
            raise ConversionError(
                Code.UsageError,
                f"{path} is not a baseline of version {_FIRST} or {_VERSION}",
                help="write one with --write-baseline",
            )
        return found

    @staticmethod
    def read_if_there(path: str) -> Baseline:
        """What is to be written anew; nothing where there is no file yet.  Raises ConversionError UsageError."""
        return Baseline.read(path) if os.path.exists(path) else Baseline()

    def only_new(self, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
        """Those that the baseline does not know."""
        known = self.unsorted.union(*self.by_model.values())
        return [d for name, d in zip(fingerprints(diagnostics), diagnostics, strict=True) if name not in known]

    def gone(self, diagnostics: Sequence[Diagnostic], models: Sequence[str]) -> int:
        """How many known problems of these models are no longer there."""
        there = set(fingerprints(diagnostics))
        return sum(name not in there for model in models for name in self.by_model.get(portable(model), ()))

    def with_problems(self, diagnostics: Sequence[Diagnostic], models: Sequence[str]) -> Baseline:
        """With these problems of these models; of others with what it had.  Code, node and message are for readers;
        only the fingerprint counts.
        """
        looked = {portable(model) for model in models}
        by_model: dict[str, dict[str, str]] = {m: dict(had) for m, had in self.by_model.items() if m not in looked}
        for name, d in zip(fingerprints(diagnostics), diagnostics, strict=True):
            by_model.setdefault(portable(d.model), {})[name] = f"{d.code.id} {d.node}: {d.message}"
        return Baseline(by_model)

    def text(self) -> str:
        """The file."""
        models = {model: dict(sorted(self.by_model[model].items())) for model in sorted(self.by_model)}
        return json.dumps({"version": _VERSION, "models": models}, indent=1, ensure_ascii=False) + "\n"


def _understood(data: object) -> Baseline | None:
    if not isinstance(data, dict):
        return None
    known, models = data.get("known"), data.get("models")
    if data.get("version") == _FIRST and isinstance(known, dict):
        return Baseline(unsorted=frozenset(map(str, known)))
    if data.get("version") != _VERSION or not isinstance(models, dict):
        return None
    if not all(isinstance(listed, dict) for listed in models.values()):
        return None
    return Baseline({str(model): {str(k): str(v) for k, v in listed.items()} for model, listed in models.items()})
