"""The format HLO."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from mlconv.importers.format import Confidence, LoadRequest, SourceFormat
from mlconv.importers.sniff import is_text

if TYPE_CHECKING:
    from mlconv.importers.loaded import LoadedModel

# HloModuleProto starts with two strings, the names of module and entry computation (fields 1 and 2); a GraphDef has
# messages in field 1.
_HEAD = re.compile(
    rb"\n(?:[\x01-\x7f]|[\x80-\xff][\x01-\x03])[\w.:<>-]+\x12(?:[\x01-\x7f]|[\x80-\xff][\x01-\x03])[\w.<>-]+"
)


class Hlo(SourceFormat):
    """HloModuleProto files.  A module is as it is: nothing is cut."""

    name = "hlo"
    label = "HLO"
    prefix = "hlo."
    legalization = "from-hlo"
    takes: ClassVar[frozenset[str]] = frozenset()

    def recognises(self, head: bytes, path: str) -> Confidence:
        return Confidence.LIKELY if _HEAD.match(head) and not is_text(head) else Confidence.NO

    def load(self, path: str, request: LoadRequest) -> LoadedModel:
        from mlconv.importers.hlo.graph import import_hlo

        request.opened([f"{path}.json", f"{path}.safetensors"])
        return import_hlo(path)

    def sections(self, path: str, files: Sequence[str]) -> dict[str, int]:
        from mlconv.formats.files import map_file
        from mlconv.formats.wire_sections import HLO, sections_of

        found = Counter(sections_of(map_file(path), HLO, "HloModuleProto"))
        for beside in files:
            if not os.path.samefile(beside, path):
                found["weights" if beside.endswith(".safetensors") else "metadata"] += os.path.getsize(beside)
        return dict(found)


FORMAT = Hlo()
