"""What a notebook shows of an object: a small table, without script or style of its own."""

from __future__ import annotations

from collections.abc import Iterable

from mlconv.diagnostics.text import printable


def table(title: str, rows: Iterable[tuple[str, object]]) -> str:
    """HTML of a table of two columns.  Texts may come out of models: they are escaped, and so are characters that
    nobody sees.
    """
    lines = "".join(
        f"<tr><th style='text-align:left'>{_text(name)}</th><td style='text-align:left'>{_text(value)}</td></tr>"
        for name, value in rows
    )
    return f"<table><caption style='text-align:left'>{_text(title)}</caption>{lines}</table>"


def _text(value: object) -> str:
    from html import escape

    return escape(printable(str(value)))
