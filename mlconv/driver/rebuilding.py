"""Building again what a certificate describes."""

from __future__ import annotations

import os
from pathlib import Path

from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.certificate import Digest, digest_of, read_certificate, typed_options
from mlconv.driver.conversion import convert
from mlconv.driver.result import Result


def rebuild(path: str, output: str | None = None) -> Result:
    """Do again what a certificate describes.  output: another name for the artifact.

    Raises ConversionError CertificateBroken where an input is another file now, or a written file has other bytes;
    the artifact is there then, to be looked at.
    """
    told = read_certificate(path)
    changed = [entry["name"] for entry in told["inputs"] if digest_of(entry["name"], entry["name"]) != entry]
    if changed:
        raise ConversionError(
            Code.CertificateBroken, f"{changed[0]} is not the file that {path} names", help="get the one it was"
        )
    target = told["output"] if output is None else output
    result = convert(told["model"], told["target"], target, **typed_options(told["options"], path))
    renamed = (Path(told["output"]).name, Path(result.output).name)
    others = [e["name"] for e in told["outputs"] if not _is_same(e, Path(result.output).parent, renamed)]
    if others:
        is_named = len(set(renamed)) == 1
        raise ConversionError(
            Code.CertificateBroken,
            f"{others[0]} has other bytes than {path} says",
            help="compare the versions that it names with `mlconv doctor`"
            if is_named
            else f"names of files are written into some: build it as {renamed[0]}, in another folder",
        )
    return result


def _is_same(entry: Digest, folder: Path, renamed: tuple[str, str]) -> bool:
    """A file that was written again.  Names of files are written into some of them: then names count, too."""
    old, new = renamed
    name = entry["name"]
    stem_old, stem_new = old.partition(".")[0], new.partition(".")[0]
    name = new + name.removeprefix(old) if name.startswith(old) else stem_new + name.removeprefix(stem_old)
    path = str(folder / name)
    return os.path.exists(path) and digest_of(path, entry["name"]) == entry
