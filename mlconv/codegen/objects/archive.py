"""Static and shared libraries of one object.

Source: the common `ar` format (System V variant: symbol table in the member `/`, long names in `//`), as ld and lld
read it.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mlconv.codegen.machines.targets import Target, host_triple
from mlconv.diagnostics import Code, ConversionError

_LINK_SECONDS = 600


def _member(name: str, size: int) -> bytes:
    """A header of 60 bytes; no time, no owner: same input, same bytes."""
    return f"{name:<16}{0:<12}{0:<6}{0:<6}{'644':<8}{size:<10}`\n".encode()


def archive(
    name: str, size: int, pieces: Iterable[bytes | memoryview], symbols: Sequence[str]
) -> Iterator[bytes | memoryview]:
    """An archive of an object of `size` bytes that defines `symbols`, in pieces."""
    strings = b"".join(s.encode() + b"\0" for s in symbols)
    index_size = 4 + 4 * len(symbols) + len(strings)
    names = f"{name}/\n".encode("utf-8", "surrogateescape")
    head = b"!<arch>\n" + _member("/", index_size)
    first = len(head) + index_size + index_size % 2 + 60 + len(names) + len(names) % 2
    index = struct.pack(f">I{len(symbols)}I", len(symbols), *([first] * len(symbols))) + strings
    yield (
        head
        + index
        + b"\n" * (index_size % 2)
        + _member("//", len(names))
        + names
        + b"\n" * (len(names) % 2)
        + _member("/0", size)
    )
    yield from pieces
    yield b"\n" * (size % 2)


def linker(target: Target) -> list[str]:
    """The command that makes a shared library of an object of this target.  Raises ConversionError TargetUnavailable
    when there is none.
    """
    prefix = "" if target.triple == host_triple() else f"{target.arch}-linux-gnu-"
    if target.format != "elf" or "linux" not in target.triple:
        raise ConversionError(Code.TargetUnavailable, f"shared libraries are made for Linux, not for {target.triple}")
    for tool in ("cc", "gcc", "ld"):
        path = shutil.which(prefix + tool)
        if path is not None:
            return [path, "-shared"]
    raise ConversionError(
        Code.TargetUnavailable,
        f"no linker for {target.triple}: neither {prefix}cc nor {prefix}ld is there",
        help="link MODEL.o yourself",
    )


def link(command: Sequence[str], image: Path, library: Path) -> None:
    """Make the shared library, which appears when it is whole.  Raises ConversionError ArtifactInvalid when the linker
    refuses.
    """
    temporary = library.with_name(f".{image.name}.so")
    done = subprocess.run(
        [*command, "-o", temporary, image, "-lm"], capture_output=True, text=True, timeout=_LINK_SECONDS, check=False
    )
    if done.returncode:
        temporary.unlink(missing_ok=True)
        raise ConversionError(
            Code.ArtifactInvalid, f"{command[0]} could not make {library.name}: {done.stderr.strip()[-500:]}"
        )
    temporary.replace(library)
