"""Files that appear under their name only when they are whole, and conversions whose files appear together or not at
all.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.run_files import RunFiles

_MOST_LINKS = 40  # as Linux follows
_WINDOWS = os.name == "nt"
# Names that stand for devices, whatever suffix they have, and characters and ends that no name has: "Naming Files,
# Paths, and Namespaces", documentation of Windows.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\xb9\xb2\xb3])(?:[. ].*)?", re.I | re.S)
_NOT_IN_NAMES = re.compile(r'[<>:"|?*\x00-\x1f]|[ .]$')
_BUFFER = 1 << 16  # bytes that small pieces are gathered in; larger ones are written as they are
_MADE_UP = re.compile(r"\.mlconv-[0-9a-f]{16}")  # names that `_unused` gives


@contextlib.contextmanager
def replacing(target: Path, check: Callable[[Path], None] | None = None) -> Iterator[BinaryIO]:
    """An open file beside `target`, renamed to it at the end; nothing is left behind on failure.

    check: called on the finished file before it is renamed; raises to refuse it.  Raises ConversionError
    OutputNotWritable when the file cannot be written.
    """
    temporary = target.with_name(f"{_unused()}.tmp")
    try:
        with open(temporary, "xb", buffering=_BUFFER) as out:
            yield out
        if check is not None:
            check(temporary)
        _keep_mode(temporary, target)
        os.replace(temporary, target)
    except OSError as e:
        raise _cannot(target, e) from e
    finally:
        _surely(lambda: temporary.unlink(missing_ok=True))


def write_pieces(out: BinaryIO, pieces: Iterable[bytes | memoryview]) -> int:
    """Write pieces one after the other; returns how many bytes they are.  Of large ones one is in memory at a time."""
    size = 0
    for piece in pieces:
        size += out.write(piece)
        del piece
    return size


@contextlib.contextmanager
def staged(target: Path, holds: frozenset[str] = frozenset()) -> Iterator[Path]:
    """The path to write instead of `target`: the same name in a folder of its own beside it, which goes at the end
    whatever happens.  holds: as `check_target` has it.

    Files that are written beside the path lie in that folder too, until `publish`.  Raises ConversionError
    OutputNotWritable when there can be no such folder.
    """
    check_target(target, holds=holds)
    folder = target.with_name(_unused())
    try:
        try:
            folder.mkdir(0o700)
        except OSError as e:
            raise _cannot(target, e) from e
        yield folder / target.name
    finally:
        _surely(lambda: _remove(folder))


def _surely(clean: Callable[[], None]) -> None:
    """Clean up, although a signal may end that: it is the only one (see `cli`), and what it has left is done again."""
    try:
        with contextlib.suppress(OSError):
            clean()
    finally:
        with contextlib.suppress(OSError):
            clean()


def _remove(folder: Path) -> None:
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            _remove(Path(entry.path))
        else:
            os.unlink(entry.path)
    folder.rmdir()


def _unused() -> str:
    """A name that nothing has: 64 random bits."""
    return f".mlconv-{os.urandom(8).hex()}"


def _cannot(target: Path, error: OSError) -> ConversionError:
    """The error says the name that the user knows: without folders of `staged`."""
    known = Path(*(part for part in target.parts if not _MADE_UP.fullmatch(part)))
    # Windows replaces no file that a process has open or mapped, a loaded model for one.
    help_ = "close what has the file open" if _WINDOWS and isinstance(error, PermissionError) else ""
    return ConversionError(Code.OutputNotWritable, f"cannot write {known}: {error.strerror or error}", help=help_)


def publish(written: Path, target: Path, check: Callable[[list[str]], None]) -> list[str]:
    """Move what was written beside `written`, itself last, to where `target` is: all of it, or nothing.  Returns names.

    check: refuses names that are not to be overwritten, before the first is.  Raises ConversionError OutputNotWritable.
    """
    names = sorted(os.listdir(written.parent), key=lambda name: (name == written.name, name))
    check(names)
    undo: list[Callable[[], object]] = []
    whole = False
    try:
        for name in names:
            _move(written.with_name(name), target.with_name(name), undo)
        whole = True
    finally:
        for back in reversed(undo if not whole else ()):
            with contextlib.suppress(OSError):
                back()
    return names


def _move(written: Path, target: Path, undo: list[Callable[[], object]]) -> None:
    """Give a file its name; adds to `undo` what brings back the file that had it, which is kept beside `written`.
    Raises ConversionError OutputNotWritable.
    """
    old = written.with_name(f"{_unused()}.old")
    _keep_mode(written, target)
    try:
        if os.path.lexists(target):
            undo.append(lambda: os.replace(old, target))
            _keep(target, old)
        else:
            undo.append(lambda: _unpublish(target))
        os.replace(written, target)
    except OSError as e:
        raise _cannot(target, e) from e


def _unpublish(target: Path) -> None:
    if target.is_dir() and not target.is_symlink():
        _remove(target)
    else:
        target.unlink(missing_ok=True)


def _keep_mode(written: Path, target: Path) -> None:
    """What replaces a file can be read by those who could read that."""
    with contextlib.suppress(OSError):
        status = os.lstat(target)
        if stat.S_ISREG(status.st_mode):
            os.chmod(written, stat.S_IMODE(status.st_mode))


def _keep(target: Path, old: Path) -> None:
    """A second name for a file; a link, and a file where there are no second names, loses its own for a moment."""
    if not target.is_symlink():
        with contextlib.suppress(OSError):
            os.link(target, old)
            return
    os.replace(target, old)


def check_target(
    target: Path, files: RunFiles | None = None, purpose: str = "an output", holds: frozenset[str] = frozenset()
) -> None:
    """A file can be written under this name.  files: of the run, which take note of it.  holds: a folder is written
    instead, over one that has nothing else in it.  Raises ConversionError OutputNotWritable.
    """
    if not target.name or "\0" in str(target):
        raise ConversionError(Code.OutputNotWritable, f"cannot write {str(target)!r}: it is not the name of a file")
    if _WINDOWS and (_RESERVED.fullmatch(target.name) or _NOT_IN_NAMES.search(target.name)):
        raise ConversionError(
            Code.OutputNotWritable,
            f"cannot write {target}: Windows has no file of the name {target.name!r}",
            help="name another file",
        )
    if files is not None:
        files.write(target, purpose)
    kind = ""
    try:
        kind = "a link to what a process has opened" if _is_of_the_system(target) else ""
        mode = os.stat(target).st_mode
        if holds and not kind:
            _check_replaceable(target, stat.S_ISDIR(mode), holds)
        elif not stat.S_ISREG(mode):
            kind = kind or ("a folder" if stat.S_ISDIR(mode) else "a device, a pipe or a socket")
    except FileNotFoundError:
        _check_folder(target)
    except OSError as e:
        raise _cannot(target, e) from e
    if kind:
        raise ConversionError(
            Code.OutputNotWritable,
            f"cannot write {target}: it is {kind}, not a regular file",
            help="name a file; -o - writes to standard output",
        )


def _check_replaceable(target: Path, is_folder: bool, holds: frozenset[str]) -> None:
    """A folder with nothing in it but what is written anew."""
    if not is_folder or target.is_symlink():
        raise ConversionError(
            Code.OutputNotWritable, f"cannot write {target}: a folder is written, and this is none", help="name another"
        )
    others = sorted(set(os.listdir(target)) - holds)
    if others:
        raise ConversionError(
            Code.OutputNotWritable,
            f"cannot write {target}: the folder has {others[0]} in it, which would be lost",
            help="name a folder that is not there yet",
        )


def _is_of_the_system(target: Path) -> bool:
    """The name, or a link that it leads through, is one of /proc or /dev (`/dev/stdout`, `/dev/fd/1`): it stands for an
    open file, and is not to be replaced.
    """
    for _ in range(_MOST_LINKS):
        folder = os.path.realpath(target.parent)
        if folder in ("/dev", "/proc") or folder.startswith(("/proc/", "/dev/fd")):
            return True
        if not target.is_symlink():
            return False
        target = target.parent / os.readlink(target)
    return False


def _check_folder(target: Path) -> None:
    if not target.parent.is_dir():
        raise ConversionError(
            Code.OutputNotWritable,
            f"cannot write {target}: there is no folder {target.parent}",
            help="make the folder first",
        )


def write_text(path: str, text: str, files: RunFiles | None, purpose: str) -> None:
    """Write a file of text.  files: of the run, which take note of it.  Raises ConversionError OutputNotWritable."""
    target = Path(path)
    check_target(target, files, purpose)
    with replacing(target) as out:
        out.write(text.encode("utf-8", "surrogateescape"))
