"""What runs models tells of itself: stages by name, and how far they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar, runtime_checkable

from mlconv.codegen.progress import Compiling
from mlconv.driver.pipeline import OnProgress, OnStage

T = TypeVar("T")
COMPILE = "compile kernels"


@runtime_checkable
class OnTimed(Protocol):
    """An `OnStage` that draws by itself, and can be told not to."""

    def still(self, name: str) -> None:
        """A stage that measures time begins: nothing is to be drawn meanwhile."""


class Telling:
    """on_stage: is told; nobody is without it.  It has no state of its own."""

    def __init__(self, on_stage: OnStage | None = None) -> None:
        self._on_stage = on_stage
        self._progress = on_stage if isinstance(on_stage, OnProgress) else None
        self._timed = on_stage if isinstance(on_stage, OnTimed) else None

    def stage(self, name: str) -> None:
        if self._on_stage is not None:
            self._on_stage(name)

    def still(self, name: str) -> None:
        """A stage that measures time: what is shown of it does not move."""
        if self._timed is not None:
            self._timed.still(name)
        else:
            self.stage(name)

    def count(self, done: int, total: int) -> None:
        """How much of the stage is done; of one thing nothing is told."""
        if self._progress is not None and total > 1:
            self._progress.advance(done, total)

    def compiles(self) -> Compiling:
        """The stage of native code; what compiles is to tell the result how far it is."""
        progress = Compiling()
        self.stage(COMPILE)
        if self._progress is not None:
            self._progress.watch(progress.fraction)
        return progress

    def each(self, name: str, items: Sequence[T]) -> Iterator[T]:
        """Items of a stage, one by one."""
        self.stage(name)
        for done, item in enumerate(items):
            self.count(done, len(items))
            yield item


QUIET = Telling()
"""Nobody is told."""
