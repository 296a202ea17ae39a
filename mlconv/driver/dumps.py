"""The IR after each pass, in a folder: texts, and beside them, once each, constants that no file of the model holds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.atomic import check_target, write_text
from mlconv.formats.run_files import RunFiles
from mlconv.ir.constants import Const

if TYPE_CHECKING:
    from mlconv.ir.text import Place

DUMP = "the IR after a pass"
CONSTANTS = "constants.data"
_ALIGNMENT = 64


class Dumps:
    """Of one conversion."""

    def __init__(self, folder: str, files: RunFiles | None) -> None:
        self.folder, self.files = folder, files
        self.path = Path(folder, CONSTANTS)
        self._kept: dict[str, int] = {}
        self._end = 0

    def write(self, name: str, text: str) -> None:
        """Raises ConversionError OutputNotWritable."""
        self._make_folder()
        write_text(os.path.join(self.folder, name), text, self.files, DUMP)

    def keep(self, constant: Const) -> Place:
        """Where the bytes of a constant are.  Raises ConversionError OutputNotWritable."""
        import hashlib

        from mlconv.ir.text import Place

        data = b"".join(bytes(block) for block in constant.blocks())
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._kept:
            self._append(digest, data)
        return Place(CONSTANTS, self._kept[digest], digest)

    def _append(self, digest: str, data: bytes) -> None:
        if not self._kept:
            self._make_folder()
            check_target(self.path, self.files, DUMP)
        try:
            if not self._kept:
                self.path.unlink(missing_ok=True)
            with open(self.path, "ab") as out:
                out.write(data + bytes(-len(data) % _ALIGNMENT))
        except OSError as e:
            raise ConversionError(Code.OutputNotWritable, f"cannot write {self.path}: {e.strerror or e}") from e
        self._kept[digest], self._end = self._end, self._end + len(data) + -len(data) % _ALIGNMENT

    def _make_folder(self) -> None:
        try:
            os.makedirs(self.folder, exist_ok=True)
        except (OSError, ValueError) as e:
            raise ConversionError(
                Code.OutputNotWritable, f"cannot write IR into {self.folder}: {getattr(e, 'strerror', None) or e}"
            ) from e
