"""The pages of diagnostics, one Markdown file a code, as package data."""

from __future__ import annotations

from importlib import resources

from mlconv.diagnostics.codes import Code
from mlconv.diagnostics.engine import ConversionError


def explain(code: str) -> str:
    """The page of a code (`MLC0401`, case does not matter).  Raises ConversionError MLC0801 for a code that does not
    exist.
    """
    name = code.upper()
    if name not in Code.__members__:
        raise ConversionError(
            Code.MLC0801,
            f"there is no diagnostic {code!r}",
            help=f"codes run from {min(Code.__members__)} to {max(Code.__members__)}",
        )
    return (resources.files("mlconv.diagnostics") / "pages" / f"{name}.md").read_text(encoding="utf-8")
