"""The pages of diagnostics, one Markdown file a code, as package data."""

from __future__ import annotations

from importlib import resources

from mlconv.diagnostics.codes import Code, code_of
from mlconv.diagnostics.engine import ConversionError


def explain(code: str) -> str:
    """The page of a code (`MLC0401`, case does not matter).  Raises ConversionError UsageError for a code that does not
    exist.
    """
    name = code.upper()
    if code_of(name) is None:
        ids = [c.id for c in Code]
        raise ConversionError(
            Code.UsageError,
            f"there is no diagnostic {code!r}",
            help=f"codes run from {min(ids)} to {max(ids)}",
        )
    return (resources.files("mlconv.diagnostics") / "pages" / f"{name}.md").read_text(encoding="utf-8")
