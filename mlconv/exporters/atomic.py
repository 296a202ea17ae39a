"""Files that appear under their name only when they are whole, and conversions whose files appear together or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from mlconv.diagnostics import Code, ConversionError


@contextlib.contextmanager
def replacing(target: Path, check: Callable[[Path], None] | None = None) -> Iterator[BinaryIO]:
    """An open file beside `target`, renamed to it at the end; nothing is left behind on failure.

    check: called on the finished file before it is renamed; raises to refuse it.  Raises ConversionError MLC0007 when the file cannot be written.
    """
    temporary = target.with_name(f"{_unused()}.tmp")
    try:
        with open(temporary, "xb", buffering=1 << 20) as out:
            yield out
        if check is not None:
            check(temporary)
        os.replace(temporary, target)
    except OSError as e:
        raise ConversionError(Code.MLC0007, f"cannot write {target}: {e.strerror or e}") from e
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


@contextlib.contextmanager
def staged(target: Path) -> Iterator[Path]:
    """The path to write instead of `target`: the same name in a folder of its own beside it, which goes at the end whatever happens.

    Files that are written beside the path lie in that folder too, until `publish`.  Raises ConversionError MLC0007 when there can be no such folder.
    """
    check_target(target)
    folder = target.with_name(_unused())
    try:
        folder.mkdir(0o700)
    except OSError as e:
        raise ConversionError(Code.MLC0007, f"cannot write {target}: {e.strerror or e}") from e
    try:
        yield folder / target.name
    finally:
        with contextlib.suppress(OSError):
            for name in os.listdir(folder):
                os.unlink(folder / name)
            folder.rmdir()


def _unused() -> str:
    """A name that nothing has: 64 random bits."""
    return f".mlconv-{os.urandom(8).hex()}"


def publish(written: Path, target: Path, inputs: Iterable[str]) -> None:
    """Move what was written beside `written`, itself last, to where `target` is.  All names are checked first.

    inputs: files that the conversion reads.  Raises ConversionError MLC0007 when one of them, or what is no regular file, would be overwritten.
    """
    files = sorted(os.listdir(written.parent), key=lambda name: (name == written.name, name))
    sources = tuple(inputs)
    for name in files:
        check_target(target.with_name(name), sources)
    for name in files:
        try:
            os.replace(written.with_name(name), target.with_name(name))
        except OSError as e:
            raise ConversionError(Code.MLC0007, f"cannot write {target.with_name(name)}: {e.strerror or e}") from e


def check_target(target: Path, inputs: Iterable[str] = ()) -> None:
    """A file can be written under this name.  inputs: files that are read.  Raises ConversionError MLC0007."""
    if not target.name or "\0" in str(target):
        raise ConversionError(Code.MLC0007, f"cannot write {str(target)!r}: it is not the name of a file")
    try:
        status = os.stat(target)
    except FileNotFoundError:
        _check_folder(target)
        return
    except OSError as e:
        raise ConversionError(Code.MLC0007, f"cannot write {target}: {e.strerror or e}") from e
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a device, a pipe or a socket"
        raise ConversionError(Code.MLC0007, f"cannot write {target}: it is {kind}, not a regular file", help="name a file; -o - writes to standard output")
    for name in inputs:
        with contextlib.suppress(OSError):
            if os.path.samestat(status, os.stat(name)):
                raise ConversionError(Code.MLC0007, f"cannot write {target}: it is an input of this run ({name})", help="name another file with -o")


def _check_folder(target: Path) -> None:
    if not target.parent.is_dir():
        raise ConversionError(Code.MLC0007, f"cannot write {target}: there is no folder {target.parent}", help="make the folder first")


def write_text(path: str, text: str, inputs: Iterable[str] = ()) -> None:
    """Write a file of text.  inputs: files that the run reads, which are not overwritten.  Raises ConversionError MLC0007."""
    target = Path(path)
    check_target(target, inputs)
    with replacing(target) as out:
        out.write(text.encode("utf-8", "surrogateescape"))
