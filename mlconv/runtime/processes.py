"""Workers that are processes of this machine, and sessions: processes that keep what they were asked for.

They are started anew, not forked, and import nothing of the program that asks for them.  A worker ends when its input
does, so that none outlives its parent, whatever ends that.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pickle
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import IO, Any, NamedTuple, TypeAlias, TypeVar

from mlconv.diagnostics import ConversionError
from mlconv.runtime.blas import load_without_threads
from mlconv.runtime.workers import Pending, Refused, Workers, lost

R = TypeVar("R")
Kept: TypeAlias = dict[str, Any]
"""What functions of a session find and leave, by name."""
_START = "import sys; sys.path[:] = {path!r}; from mlconv.runtime.processes import main; main()"
_LENGTH = 8  # bytes in front of each message, the lowest first
_MOST_WORDS = 300
_PATIENCE_S = 5.0  # for a worker that has been told to end
_FAILURES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    pickle.PickleError,
)


@dataclass(frozen=True)
class Folder:
    """A folder of this machine.  number: tells it from others that had its name."""

    path: str
    number: int

    @contextlib.contextmanager
    def folder(self) -> Iterator[str]:
        yield self.path


class EndedError(Exception):
    """A process is gone before it answered.  Its text says how it ended."""


class Failed(NamedTuple):
    """A function raised what it should not have.  text: with its traceback."""

    text: str


def send(out: IO[bytes], message: bytes) -> None:
    out.write(len(message).to_bytes(_LENGTH, "little"))
    out.write(message)
    out.flush()


def receive(source: IO[bytes]) -> bytes | None:
    """The next message; None at the end."""
    head = source.read(_LENGTH)
    if len(head) < _LENGTH:
        return None
    size = int.from_bytes(head, "little")
    message = source.read(size)
    return message if len(message) == size else None


def main() -> None:
    """What a worker does: it answers messages until there are no more.  What functions print goes to standard error."""
    load_without_threads()
    with os.fdopen(os.dup(0), "rb") as source, os.fdopen(os.dup(1), "wb") as out:
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(2, 1)
        kept: Kept = {}
        with contextlib.suppress(BrokenPipeError):  # nobody waits for the answer
            while (message := receive(source)) is not None:
                send(out, pickle.dumps(_answer(message, kept), pickle.HIGHEST_PROTOCOL))


def _answer(message: bytes, kept: Kept) -> object:
    import traceback

    try:
        function, shared, args = pickle.loads(message)
        return function(kept if shared is None else shared, *args)
    except ConversionError as error:
        return Refused.of(error)
    except _FAILURES as error:
        return Failed("".join(traceback.format_exception(error)))


class _Worker:
    """One process, asked from one thread at a time.  errors: a file for what it says; else that goes to the parent's
    standard error.
    """

    def __init__(self, errors: IO[bytes] | None = None) -> None:
        path = [os.path.abspath(place) for place in sys.path]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START.format(path=path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,  # an interrupt is for the parent, which ends its workers
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def call(self, message: bytes) -> Any:
        """Raises EndedError, and what the function raised: ConversionError."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            send(self._process.stdin, message)
            reply = receive(self._process.stdout)
        except (OSError, ValueError):  # closed by the other end, or by `kill`
            reply = None
        if reply is None:
            raise EndedError(self._ending())
        answer = pickle.loads(reply)
        if isinstance(answer, Refused):
            raise answer.error()
        if isinstance(answer, Failed):
            raise RuntimeError(f"a worker failed:\n{answer.text}")
        return answer

    def _ending(self) -> str:
        try:
            status = self._process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            return "it does not answer"
        if status < 0:
            names = {int(s): s.name for s in signal.Signals}
            return f"it was ended by {names.get(-status, f'signal {-status}')}"
        return f"its exit status is {status}"

    def end(self) -> None:
        """It has nothing to do: it ends by itself."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._process.stdin.close()
            self._process.wait(_PATIENCE_S)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


class Processes(Workers):
    """They are started when there is work."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._all: list[_Worker] = []
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="mlconv-worker")
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._is_closed = False

    @property
    def pids(self) -> list[int]:
        """Of those that were started."""
        return [worker.pid for worker in self._all]

    def share(self, folder: str) -> Folder:
        return Folder(folder, next(self._numbers))

    def submit(self, function: Callable[..., R], shared: Sequence[Any], *args: Any) -> Pending[R]:
        return _Waited(self._threads.submit(self._call, function, list(shared), args))

    def _call(self, function: Callable[..., Any], shared: list[Any], args: tuple[Any, ...]) -> Any:
        message = pickle.dumps((function, shared, args), pickle.HIGHEST_PROTOCOL)
        worker = self._taken()
        try:
            return worker.call(message)
        except EndedError as error:
            raise lost(f"a worker ended before its work was done: {error}") from error
        finally:
            self._idle.put(worker)

    def _taken(self) -> _Worker:
        """There are as many threads as workers: one is idle, or not yet started."""
        with contextlib.suppress(queue.Empty):
            return self._idle.get_nowait()
        with self._lock:
            if self._is_closed:
                raise lost("workers are ending")
            self._all.append(_Worker())
            return self._all[-1]

    def close(self, at_once: bool) -> None:
        with self._lock:
            self._is_closed = True
        if at_once:
            for worker in self._all:
                worker.kill()
        try:
            self._threads.shutdown(wait=True, cancel_futures=True)
            for worker in self._all if not at_once else ():
                worker.end()
        finally:
            for worker in self._all:
                worker.kill()
                worker.close()


class _Waited:
    """A result of a thread that waits for a worker."""

    def __init__(self, future: Future[Any]) -> None:
        self._future = future

    def result(self) -> Any:
        try:
            return self._future.result()
        except CancelledError as error:
            raise lost("workers are ending") from error


class Session:
    """A process of its own for what may end the process that it runs in, or cannot be loaded twice: functions that are
    called there share a dict, in which they leave what the next ones need.

    It starts with the first call, and ends with its object, at the latest with this process.
    """

    def __init__(self) -> None:
        self._worker: _Worker | None = None
        self._errors: IO[bytes] | None = None

    def call(self, function: Callable[..., R], *args: object) -> R:
        """function(kept, *args).  Raises ConversionError: what the function raises; EndedError, with how the process
        ended and what it said last: the next call starts a new one, which has kept nothing.
        """
        message = pickle.dumps((function, None, args), pickle.HIGHEST_PROTOCOL)
        if self._worker is None:
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it goes with the process
            self._worker = _Worker(self._errors)
            self._stop = weakref.finalize(self, _stop, self._worker, self._errors)
        try:
            answer: R = self._worker.call(message)
        except EndedError as error:
            assert self._errors is not None
            said = _last_words(self._errors)
            self.close()
            raise EndedError(f"{error}, {said}" if said else str(error)) from error
        return answer

    def close(self) -> None:
        """End the process, if there is one."""
        if self._worker is not None:
            self._stop()
            self._worker = None


def _stop(worker: _Worker, errors: IO[bytes]) -> None:
    worker.kill()
    worker.close()
    errors.close()


def _last_words(errors: IO[bytes]) -> str:
    """What a process said last: the message of a failed check of C++ where there is one, without its place."""
    errors.seek(0)
    lines = [line.strip() for line in errors.read().decode("utf-8", "replace").splitlines() if line.strip()]
    checks = [found[1] for line in lines if (found := re.match(r"F[0-9]{4} [0-9:.]+ +[0-9]+ [^ ]+\] (.*)", line))]
    return (checks or lines or [""])[-1][:_MOST_WORDS]
