"""Which paths are native objects, which are run and looked at, and not converted."""

from __future__ import annotations

from mlconv.formats.files import head_of

_MAGICS = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\0asm")


def is_object(path: str) -> bool:
    """By its name."""
    return path.endswith((".o", ".obj"))


def looks_like_object(path: str) -> bool:
    """By its name, or by how it begins."""
    if is_object(path):
        return True
    try:
        return head_of(path, 4).startswith(_MAGICS)
    except OSError:
        return False
