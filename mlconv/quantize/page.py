"""The report as one page: what it says lies in it as data, which a script of its own draws; it asks for nothing
else.
"""

from __future__ import annotations

import html
import json
import os
from collections.abc import Mapping
from importlib import resources

_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
"""Characters that could end the element that holds the data, whatever names a model has."""


def page_of(data: Mapping[str, object]) -> str:
    """data: as `Report.data` gives it."""
    files = resources.files("mlconv.quantize") / "web"
    page, style, script = (
        (files / f"page.{suffix}").read_text(encoding="utf-8").strip() for suffix in ("html", "css", "js")
    )
    model = os.path.basename(str(data.get("model", ""))) or "model"
    parts = {
        "title": html.escape(f"{model}, quantized: {data.get('scheme', '')}".encode("utf-8", "replace").decode()),
        "style": style,
        "script": script,
        "data": json.dumps(data, allow_nan=False).translate(_ESCAPES),
    }
    pieces = page.split("{{")
    return pieces[0] + "".join(parts[name] + rest for name, _, rest in (p.partition("}}") for p in pieces[1:])) + "\n"
