"""Artifacts on standard output."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from mlconv.commands.stdio import send
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.options import Options
from mlconv.exporters.target import Target

STANDARD_OUTPUT = "-"


@contextmanager
def streamed(target: Target, output: str | None, options: Options) -> Iterator[str | None]:
    """The path to write to.  For `-` it is a file of a temporary folder, whose bytes go to standard output when the
    block ends well.

    Raises ConversionError UsageError for `-` where more than one file is written.
    """
    if output != STANDARD_OUTPUT:
        yield output
        return
    import tempfile

    if not target.one_file or options.io_json:
        why = f"target {target.name} writes further files beside the artifact, which -o - has no place for"
        raise ConversionError(Code.UsageError, why, help="name a file with -o")
    if options.max_drop is not None:
        why = "--max-drop may write the best model beside the artifact, which -o - has no place for"
        raise ConversionError(Code.UsageError, why, help="name a file with -o")
    with tempfile.TemporaryDirectory(prefix="mlconv-") as folder:
        path = os.path.join(folder, "model" + target.suffix)
        yield path
        if len(os.listdir(folder)) > 1:
            raise ConversionError(
                Code.UsageError,
                "the model has variables, whose first values go into a file beside the artifact",
                help="name a file with -o",
            )
        with open(path, "rb") as f:
            send(f)
