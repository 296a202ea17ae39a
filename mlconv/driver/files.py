"""The files that a model lies in."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TypedDict


class FileFacts(TypedDict):
    """bytes: its size."""

    path: str
    bytes: int


def files_of(path: str) -> list[str]:
    """The files that a path stands for: itself, all files of a SavedModel, those right in another folder (of
    arrays).
    """
    if not os.path.isdir(path):
        return [path]
    walked = os.walk(path)
    if any(os.path.exists(os.path.join(path, f"saved_model.{suffix}")) for suffix in ("pb", "pbtxt")):
        return [os.path.join(folder, name) for folder, _, names in walked for name in names]
    return [os.path.join(path, name) for _, _, names in islice(walked, 1) for name in names]


def file_facts(paths: Iterable[str]) -> list[FileFacts]:
    """Each file once, by where it is; those that are gone are left out."""
    known = dict.fromkeys(os.path.normpath(path) for path in paths)
    return [{"path": path, "bytes": os.path.getsize(path)} for path in known if os.path.isfile(path)]


def bytes_of(files: Sequence[FileFacts]) -> int:
    """Of all of them."""
    return sum(f["bytes"] for f in files)
