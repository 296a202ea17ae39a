"""Names of the files beside an artifact, and whose they are."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.atomic import check_target
from mlconv.formats.files import read_text
from mlconv.formats.run_files import RunFiles

PURPOSE = "a file of the artifact"
RECIPE, FINDINGS, CERTIFICATE, REPORT = "the recipe", "what calibration found", "the certificate", "the report"
SHOWN = "source that the report shows"
_CONTRACT = ".io.json"


def claim(artifact: Path, names: Iterable[str], files: RunFiles, holds: frozenset[str] = frozenset()) -> None:
    """An artifact and files beside it can be written.  holds: the artifact is a folder, as `check_target` has it.

    Raises ConversionError OutputNotWritable for what the run reads or writes for another purpose, and for files of
    another artifact: `a.io.json` and `a.h` are those of `a.o` or of `a.obj`, and the other one cannot be used without
    them.
    """
    check_target(artifact, holds=holds)
    for held in artifact.rglob("*") if holds else ():
        files.write(held, PURPOSE)
    for name in names:
        beside = artifact.with_name(name)
        check_target(beside, files, PURPOSE, holds if name == artifact.name else frozenset())
        other = _artifact_of(beside) if name.endswith(_CONTRACT) and name != artifact.name else ""
        if (
            other not in ("", artifact.name)
            and os.path.basename(other) == other
            and artifact.with_name(other).is_file()
        ):
            why = f"cannot write {artifact}: {beside} belongs to {artifact.with_name(other)}, which needs it"
            raise ConversionError(
                Code.OutputNotWritable, why, help="give the artifact another name, or remove the other one"
            )


def _artifact_of(interface: Path) -> str:
    """The artifact that a model interface is of; empty when the file is no model interface."""
    try:
        found = json.loads(read_text(interface))
    except (OSError, ValueError, RecursionError):
        return ""
    name = found.get("artifact") if isinstance(found, dict) else None
    return name if isinstance(name, str) and "\0" not in name else ""
