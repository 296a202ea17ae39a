"""The format StableHLO: text, bytecode, and what jax.export serializes around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from mlconv.formats.files import open_regular
from mlconv.importers.format import Confidence, LoadRequest, SourceFormat

if TYPE_CHECKING:
    from mlconv.importers.loaded import LoadedModel

_MAGIC = b"ML\xefR"
_SPACE = rb"(?:\s|//[^\n]*\n|[#!][\w.$-]+\s*=[^\n]*\n)*"
_MODULE = re.compile(_SPACE + rb"(?:module\b|func\.func\b)")
_GENERIC = re.compile(_SPACE + rb'"builtin\.module"')
_OPS = re.compile(rb'"?(?:stablehlo|vhlo|func\.func|func\.return)\b')


class StableHlo(SourceFormat):
    """Modules of StableHLO.  They are as they are: nothing is cut."""

    name = "stablehlo"
    label = "StableHLO"
    prefix = "hlo."
    legalization = "from-hlo"
    takes: ClassVar[frozenset[str]] = frozenset({"shapes"})

    def recognises(self, head: bytes, path: str) -> Confidence:
        if head.startswith(_MAGIC) or _MODULE.match(head) or (_GENERIC.match(head) and _OPS.search(head)):
            return Confidence.CERTAIN
        return Confidence.CERTAIN if _is_exported(head, path) else Confidence.NO

    def load(self, path: str, request: LoadRequest) -> LoadedModel:
        from mlconv.importers.stablehlo.read import import_stablehlo

        return import_stablehlo(path, request.shapes, request.engine)

    def sections(self, path: str, files: Sequence[str]) -> dict[str, int]:
        from mlconv.importers.stablehlo.bytecode import bytecode_sections

        return bytecode_sections(path)


def _is_exported(head: bytes, path: str) -> bool:
    """A module lies where jax.export has it, which may be behind what is in front of it."""
    from mlconv.importers.stablehlo.exported import module_range

    found = module_range(head)
    if found is None or head[:4] == b"\0\0\0\0":
        return False
    try:
        with open_regular(path) as f:
            f.seek(found[0])
            return f.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


FORMAT = StableHlo()
