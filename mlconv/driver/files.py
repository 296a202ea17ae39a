"""The files that a model lies in."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TypedDict

from mlconv.formats.saved_model_folder import MESSAGES, holds_saved_model


class FileFacts(TypedDict):
    """bytes: its size."""

    path: str
    bytes: int


def model_of(path: str) -> str:
    """The model that a file is a part of: the folder of a SavedModel for what lies in it, else the path as it is.
    Tools that go by changed files (pre-commit) name these.
    """
    folder, name = os.path.split(path)
    if name in MESSAGES:
        return folder or os.curdir
    above, last = os.path.split(folder)
    if last in ("variables", "assets") and os.path.isfile(path) and holds_saved_model(above or os.curdir):
        return above or os.curdir
    return path


def distinct(paths: Iterable[str]) -> list[str]:
    """Each file once, as it is written first: `m.onnx`, `./m.onnx` and its whole path are one."""
    found: dict[str, str] = {}
    for path in paths:
        found.setdefault(os.path.abspath(path), path)
    return list(found.values())


def files_of(path: str) -> list[str]:
    """The files that a path stands for: itself, all files of a SavedModel, those right in another folder (of
    arrays).
    """
    if not os.path.isdir(path):
        return [path]
    walked = os.walk(path)
    if holds_saved_model(path):
        return [os.path.join(folder, name) for folder, _, names in walked for name in names]
    return [os.path.join(path, name) for _, _, names in islice(walked, 1) for name in names]


def file_facts(paths: Iterable[str]) -> list[FileFacts]:
    """Each file once, by where it is; those that are gone are left out."""
    known = dict.fromkeys(os.path.normpath(path) for path in paths)
    return [{"path": path, "bytes": os.path.getsize(path)} for path in known if os.path.isfile(path)]


def bytes_of(files: Sequence[FileFacts]) -> int:
    """Of all of them."""
    return sum(f["bytes"] for f in files)
