"""The running stage on a terminal, and how far it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mlconv.commands.stdio import say

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

SHOW_AFTER_S = 1.0


class Lines:
    """An `OnStage` that says of each stage how long it took, once it is over.  clock: seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._since, self._name = clock, clock(), ""

    def __call__(self, name: str) -> None:
        self.stop()
        self._name = name

    def stop(self) -> None:
        now = self._clock()
        if self._name:
            say(f"{now - self._since:9.3f} s  {self._name}", err=True)
        self._since, self._name = now, ""


class Stages:
    """An `OnStage` that is told of progress, too.  clock: seconds; what takes less than one is not shown."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._started = clock, clock()
        self._name = ""
        self._shown: Progress | None = None
        self._task: TaskID | None = None
        self._is_counted = False

    def __call__(self, name: str) -> None:
        self._name = name
        self._show(0, 0)

    def advance(self, done: int, total: int) -> None:
        """total: 0 where nobody knows."""
        self._show(done, total)

    def _show(self, done: int, total: int) -> None:
        if self._clock() - self._started <= SHOW_AFTER_S:
            return
        if self._shown is None or self._task is None or self._is_counted != bool(done or total):
            self._begin(counted=bool(done or total))
        assert self._shown is not None and self._task is not None
        before = self._shown.tasks[0].completed
        if done < before:  # another count begins
            self._shown.reset(self._task)
        of = f"of {total}" if total else ""
        self._shown.update(self._task, description=self._name, completed=done, total=total or None, of=of)

    def _begin(self, counted: bool) -> None:
        """counted: with a bar, a count and the time that is left."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

        self.stop()
        columns = [SpinnerColumn(), TextColumn("{task.description}")]
        if counted:
            columns += [BarColumn(), TextColumn("{task.completed:g} {task.fields[of]}"), TimeRemainingColumn()]
        self._shown = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task, self._is_counted = self._shown.add_task(self._name, total=None, of=""), counted
        self._shown.start()

    def stop(self) -> None:
        if self._shown is not None:
            self._shown.stop()
            self._shown = None
