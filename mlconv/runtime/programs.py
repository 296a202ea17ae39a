"""Native code that workers run on samples."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias, TypeVar

from mlconv.ir.constants import Array
from mlconv.runtime.native import NativeModel, load_native
from mlconv.runtime.workers import Shared

R = TypeVar("R")
Run: TypeAlias = Callable[[Mapping[str, Array]], Mapping[str, Array]]
OBJECT = "model.o"
"""The name of the object in a shared folder; its files lie beside it."""
_KEPT = 2  # objects that a worker keeps


def run_on_samples(
    shared: Sequence[Shared],
    work: Callable[[Iterable[tuple[Run, Mapping[str, Array]]]], R],
    items: Sequence[tuple[int, Mapping[str, Array]]],
) -> R:
    """What `work` makes of samples, each with the object that is to run it.  items: numbers of objects, and samples."""
    return work((_loaded(shared[number]).run, sample) for number, sample in items)


@lru_cache(maxsize=_KEPT)
def _loaded(shared: Shared) -> NativeModel:
    with shared.folder() as folder:
        return load_native(os.path.join(folder, OBJECT))
