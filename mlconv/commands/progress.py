"""The running stage on a terminal, and how far it is."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from mlconv.commands.stdio import say
from mlconv.diagnostics.text import amount

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

SHOW_AFTER_S = 1.0
_LOOK_EACH_S = 0.1
_PLAIN, _COUNT, _BYTES, _SHARE = "plain", "count", "bytes", "share"
_SHARES = 1000  # of a whole
_NAMES = 20  # characters of a stage, in front of what came of it


class Lines:
    """An `OnStage` that says of each stage how long it took, once it is over.  clock: seconds.  passes: of each pass of
    the stage, too.
    """

    def __init__(self, clock: Callable[[], float], passes: bool = False) -> None:
        self._clock, self._since, self._name, self._came = clock, clock(), "", ""
        self._passes = passes

    def __call__(self, name: str) -> None:
        self.stop()
        self._name = name

    def stop(self) -> None:
        now = self._clock()
        if self._name:
            say(f"{now - self._since:9.3f} s  {self._name:<{_NAMES}}  {self._came}".rstrip(), err=True)
        self._since, self._name, self._came = now, "", ""

    def came(self, text: str) -> None:
        """What came of the stage."""
        self._came = text

    def passed(self, name: str, seconds: float, changes: int) -> None:
        """A pass of the stage is over.  changes: how often it changed something, where it counts that."""
        if self._passes:
            many = amount(changes, "change") if changes else ""
            say(f"{seconds * 1e3:9.2f} ms   {name:<{_NAMES}} {many}".rstrip(), err=True)


class Stages:
    """An `OnStage` that is told of progress, too.  clock: seconds; what takes less than one is not shown.

    What is followed is looked at by a thread of its own, as are stages that nobody tells more of.
    """

    def __init__(self, clock: Callable[[], float], watched: bool = False) -> None:
        """watched: by a thread, until `stop`."""
        self._clock, self._started = clock, clock()
        self._name = ""
        self._shown: Progress | None = None
        self._task: TaskID | None = None
        self._form_shown = (_PLAIN, False)
        self._measure: Callable[[], int] | None = None
        self._form, self._total = _BYTES, 0
        self._is_still = False
        self._lock, self._over = threading.RLock(), threading.Event()
        if watched:
            threading.Thread(target=self._watch, name="progress", daemon=True).start()

    def __call__(self, name: str) -> None:
        with self._lock:
            if self._is_still:
                self._end()
            self._name, self._measure, self._is_still = name, None, False
            self._show(_PLAIN, 0, 0)

    def still(self, name: str) -> None:
        """A stage that measures time: it is drawn where it says how far it is, and by nothing that runs beside it."""
        with self._lock:
            self._name, self._measure, self._is_still = name, None, True
            self._end()
            self._show(_PLAIN, 0, 0)

    def advance(self, done: int, total: int) -> None:
        """total: 0 where nobody knows."""
        with self._lock:
            self._show(_COUNT, done, total)

    def follow(self, measure: Callable[[], int], total: int) -> None:
        """measure: bytes that are there, of a total."""
        with self._lock:
            self._measure, self._form, self._total = measure, _BYTES, total

    def watch(self, fraction: Callable[[], float]) -> None:
        """fraction: of the whole that is done."""
        with self._lock:
            self._measure, self._form, self._total = lambda: int(fraction() * _SHARES), _SHARE, _SHARES

    def stop(self) -> None:
        self._over.set()
        with self._lock:
            self._end()

    def _watch(self) -> None:
        while not self._over.wait(_LOOK_EACH_S):
            with self._lock:
                if not self._over.is_set():
                    self._look()

    def _look(self) -> None:
        """What the thread does."""
        if self._is_still:
            return
        if self._measure is not None:
            self._show(self._form, min(self._measure(), self._total), self._total)
        elif self._shown is None and self._name:
            self._show(_PLAIN, 0, 0)

    def _show(self, form: str, done: int, total: int) -> None:
        if self._clock() - self._started <= SHOW_AFTER_S:
            return
        of = f"of {total}" if total else ""
        if self._shown is None or self._task is None or (form, bool(total)) != self._form_shown:
            self._begin(form, total, of)
        assert self._shown is not None and self._task is not None
        before = self._shown.tasks[0].completed
        if done < before or self._shown.tasks[0].description != self._name:  # another count begins
            self._shown.reset(self._task)
        self._shown.update(self._task, description=self._name, completed=done, total=total or None, of=of)
        if self._is_still:
            self._shown.refresh()

    def _begin(self, form: str, total: int, of: str) -> None:
        """form: with a count, with bytes, with percents alone, or with none.  total: of how much in all, 0 where nobody
        knows; else there are a bar, percents and the time that is left.
        """
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            ProgressColumn,
            SpinnerColumn,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self._end()
        known = bool(total)
        columns: list[ProgressColumn] = [SpinnerColumn(), TextColumn("{task.description}")]
        if known:
            columns += [BarColumn(), TaskProgressColumn()]
        if form == _COUNT:
            columns += [TextColumn("{task.completed:g} {task.fields[of]}")]
        elif form == _BYTES:
            columns += [DownloadColumn()]
        columns += [TimeRemainingColumn()] if known else [] if self._is_still else [TimeElapsedColumn()]
        console = Console(stderr=True)
        self._shown = Progress(*columns, console=console, transient=True, auto_refresh=not self._is_still)
        self._task, self._form_shown = self._shown.add_task(self._name, total=total or None, of=of), (form, known)
        self._shown.start()

    def _end(self) -> None:
        if self._shown is not None:
            self._shown.stop()
            self._shown = None
