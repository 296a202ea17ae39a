"""Workers: processes that call functions on files which they are given once.

`Workers` is what commands see (`jobs.py` makes them); there are processes of this machine (`processes.py`) and those of
a dask cluster (`dask_cluster.py`).  Functions and arguments go by pickle: functions are found by their names, in
modules that workers have too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, NamedTuple, Protocol, TypeVar

from mlconv.diagnostics import Code, ConversionError, Diagnostic

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
_PER_WORKER = 2  # tasks under way for each worker: one that it works on, one that waits for it


class Pending(Protocol[R_co]):
    """A result that is under way."""

    def result(self) -> R_co:
        """Wait for it.  Raises ConversionError: what the function raised, WorkerLost."""


class Done(NamedTuple):
    """A result that is there."""

    value: Any

    def result(self) -> Any:
        return self.value


class Shared(Protocol):
    """Files that functions on workers find in a folder.  Equal ones have the same files; they are keys of caches."""

    def folder(self) -> AbstractContextManager[str]:
        """The folder, which may be gone afterwards."""

    def __hash__(self) -> int: ...


class Refused(NamedTuple):
    """A function raised a ConversionError with these diagnostics."""

    diagnostics: tuple[Diagnostic, ...]

    @staticmethod
    def of(error: ConversionError) -> Refused:
        return Refused(error.diagnostics or (error.diagnostic,))

    def error(self) -> ConversionError:
        return ConversionError.of(list(self.diagnostics))


class Workers(ABC):
    """A context: all workers have ended when it is left, at once where that is by an exception.  count: how many tasks
    are worked on at a time.
    """

    count: int

    @abstractmethod
    def share(self, folder: str) -> Any:
        """The files of a folder, for workers: what `submit` takes, and functions see as `Shared`.  The folder stays
        until what was submitted is done.
        """

    @abstractmethod
    def submit(self, function: Callable[..., R], shared: Sequence[Any], *args: Any) -> Pending[R]:
        """Call function(shared, *args) on a worker."""

    @abstractmethod
    def close(self, at_once: bool) -> None:
        """End all workers.  at_once: without waiting for what is under way."""

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close(at_once=kind is not None)

    def in_order(self, pending: Iterable[Pending[R]]) -> Iterator[R]:
        """Results in the order in which they are submitted.  pending: submits them as it is gone through, a few for
        each worker ahead of what was asked for.
        """
        waiting: deque[Pending[R]] = deque()
        for item in pending:
            waiting.append(item)
            if len(waiting) >= _PER_WORKER * self.count:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def lost(what: str) -> ConversionError:
    return ConversionError(
        Code.WorkerLost,
        what,
        help="run with --jobs 1 to see whether the work itself fails, or give workers more memory",
    )
