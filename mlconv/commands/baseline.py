"""A baseline: problems that are known, so that only new ones fail."""

from __future__ import annotations

import json
from collections.abc import Sequence

from mlconv.diagnostics.codes import Code
from mlconv.diagnostics.engine import ConversionError, Diagnostic
from mlconv.diagnostics.group import fingerprints
from mlconv.formats.files import read_text

_VERSION = 1


def baseline_text(diagnostics: Sequence[Diagnostic]) -> str:
    """The file that makes all of these known.  Code, node and message stand there for readers; only the fingerprint
    counts.
    """
    entries = {
        name: f"{d.code.id} {d.node}: {d.message}"
        for name, d in zip(fingerprints(diagnostics), diagnostics, strict=True)
    }
    return (
        json.dumps({"version": _VERSION, "known": dict(sorted(entries.items()))}, indent=1, ensure_ascii=False) + "\n"
    )


def read_baseline(path: str) -> frozenset[str]:
    """Fingerprints of a baseline file.  Raises ConversionError InputNotReadable (not readable), UsageError (no
    baseline).
    """
    try:
        data: object = json.loads(read_text(path))
    except OSError as error:
        raise ConversionError(
            Code.InputNotReadable, f"baseline {path}: {error.strerror}", help="write one with --write-baseline"
        ) from None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("version") != _VERSION or not isinstance(data.get("known"), dict):
        raise ConversionError(
            Code.UsageError, f"{path} is not a baseline of version {_VERSION}", help="write one with --write-baseline"
        )
    return frozenset(data["known"])


def only_new(diagnostics: Sequence[Diagnostic], known: frozenset[str]) -> list[Diagnostic]:
    """Those that the baseline does not know."""
    return [d for name, d in zip(fingerprints(diagnostics), diagnostics, strict=True) if name not in known]
