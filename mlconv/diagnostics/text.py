"""Text of unknown origin (names, paths, messages of other programs) in a form that a terminal, a table and a log show
as it is.

All that people read goes through `printable`, all data for machines through `json_text`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    from mlconv.diagnostics.engine import Diagnostic

Json = Union[None, bool, int, float, str, Sequence["Json"], Mapping[str, "Json"]]
FORMATS = ("human", "concise", "json", "github", "sarif", "junit", "gitlab", "markdown")
"""Forms of a report."""

# Controls (ESC begins terminal sequences), soft hyphen, marks and overrides of direction (Unicode TR 36, "Bidirectional
# Text Spoofing"), other characters without width, line and paragraph separators, tags, lone surrogates.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_UNSEEN_BUT_TABS = re.compile(_UNSEEN.pattern.replace("\x00-\x1f", "\x00-\x08\x0a-\x1f"))
# What CI runners take for commands: `::error::` at the start of a line, `##[error]` and `##vso[` anywhere.
_COMMAND = re.compile(r"^(\s*):(?=:)")
_OLD_COMMAND = re.compile(r"##(?=\[|vso\[)")


def printable(text: str, tabs: bool = False) -> str:
    r"""The text in one line, with `\x1b` in place of ESC and the like.  tabs: these may stay."""
    plain = (_UNSEEN_BUT_TABS if tabs else _UNSEEN).sub(_escaped, text)
    return _OLD_COMMAND.sub(r"#\\x23", _COMMAND.sub(r"\1\\x3a", plain))


def json_text(data: object, indent: int | None = None) -> str:
    """Data as JSON in ASCII, with nothing in it that a terminal or a CI runner would act on; it reads back as it
    was.
    """
    return json.dumps(data, indent=indent).replace("##", "#\\u0023").replace("\x7f", "\\u007f")


def _escaped(match: re.Match[str]) -> str:
    known = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
    code = ord(match.group())
    return known.get(match.group()) or (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )


def printable_diagnostic(d: Diagnostic) -> Diagnostic:
    """A diagnostic whose texts are printable; its location is not changed, as source files are found by it."""
    return replace(
        d,
        message=printable(d.message),
        model=printable(d.model),
        node=printable(d.node),
        op=printable(d.op),
        why=tuple(map(printable, d.why)),
        help=printable(d.help),
        notes=tuple(map(printable, d.notes)),
    )


def printable_data(data: Any) -> Any:
    """Plain data (of a report) whose texts are printable, keys too."""
    if isinstance(data, str):
        return printable(data)
    if isinstance(data, dict):
        return {printable(k) if isinstance(k, str) else k: printable_data(v) for k, v in data.items()}
    if isinstance(data, (list, tuple)):
        return [printable_data(v) for v in data]
    return data


def amount(count: int, what: str) -> str:
    """`1 op`, `1,234 ops`.  what: one of them."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
