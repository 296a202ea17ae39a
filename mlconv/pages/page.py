"""One generator of pages: what a run says lies in its page as data, which scripts of its own draw; it asks for nothing
else.

A page is a frame and parts, each of them up to three files of one name: its markup, its style, its script.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from mlconv.diagnostics.text import printable, printable_data

_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
"""Characters that could end the element that holds the data, whatever names a model has."""
_FRAME = "base"
_SCRIPTS = {"graph": ("layered", "scene", "details", "search", "graph")}
"""Those of parts that have several, in order."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a page is about.  kind: the line above its heading.  parts: in order; one that stands for a key of the data
    which is not there, or empty, is left out.  shared: scripts in front of those of the parts.
    """

    kind: str
    parts: tuple[str, ...]
    shared: tuple[str, ...] = ()


CONTENTS = {
    "quantization": Content("Quantization report", ("quantization",)),
    "conversion": Content(
        "Conversion report",
        ("summary", "diagnostics", "graph", "fates", "memory", "stages", "quantization"),
        ("model",),
    ),
    "build": Content("Build report", ("build",)),
    "failed": Content("Conversion report: failed", ("diagnostics", "graph", "fates", "quantization"), ("model",)),
    "unread": Content("Conversion report: failed", ("diagnostics",), ("model",)),
    "graph": Content("Model graph", ("graph", "fates", "diagnostics"), ("model",)),
}


def page_of(content: str, heading: str, made: str, data: Mapping[str, object]) -> str:
    """A page.  content: a key of `CONTENTS`.  heading, made: what it is of, and where that came from.  data: plain, by
    part.
    """
    asked = CONTENTS[content]
    parts = [part for part in asked.parts if data.get(part)]
    style = "\n".join(filter(None, (_text(part, "css") for part in (_FRAME, *parts))))
    script = _script(asked.shared, parts)
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'"
    heading = printable(heading)
    pieces = {
        "content": content,
        "policy": policy + "; form-action 'none'",
        "title": html.escape(f"{heading} · {asked.kind}"),
        "kind": html.escape(asked.kind),
        "heading": html.escape(heading),
        "made": html.escape(printable(made)),
        "style": style,
        "body": "\n".join(filter(None, (_text(part, "html") for part in parts))),
        "data": json.dumps(printable_data(data), allow_nan=False, separators=(",", ":")).translate(_ESCAPES),
        "script": script,
    }
    first, *rest = _text("shell", "html").split("{{")
    return first + "".join(pieces[name] + text for name, _, text in (piece.partition("}}") for piece in rest)) + "\n"


def _script(shared: Sequence[str], parts: Sequence[str]) -> str:
    """What is shared, then each part in a scope of its own."""
    names = [*shared, *(name for part in parts for name in _SCRIPTS.get(part, (part,)))]
    own = [f"(() => {{\n{text}\n}})();" for text in (_text(name, "js") for name in names) if text]
    last = 'document.documentElement.dataset.ready = "true";'
    return "\n".join(('"use strict";', "(() => {", _text(_FRAME, "js"), *own, last, "})();"))


def _text(name: str, suffix: str) -> str:
    """A file of a part; empty where it has none."""
    path = resources.files("mlconv.pages") / "web" / f"{name}.{suffix}"
    return path.read_text(encoding="utf-8").strip() if path.is_file() else ""


def _hash(text: str) -> str:
    """The only style, or script, that a browser takes from the page.  Source: Content Security Policy Level 3, "Hash
    usage".
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
