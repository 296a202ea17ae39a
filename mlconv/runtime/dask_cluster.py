"""Workers of a dask cluster, which have mlconv installed.  Source: dask.distributed, `Client`."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.runtime.workers import Pending, Refused, Workers, lost

R = TypeVar("R")
_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class Files:
    """Contents of files by name, on a machine that may be another.  key: tells them from others."""

    key: str
    contents: Mapping[str, bytes] = field(compare=False, repr=False)

    @contextlib.contextmanager
    def folder(self) -> Iterator[str]:
        with tempfile.TemporaryDirectory(prefix="mlconv-") as folder:
            for name, content in self.contents.items():
                with open(os.path.join(folder, name), "wb") as out:
                    out.write(content)
            yield folder


class _Sent(NamedTuple):
    """What a worker finds under a key.  future: of the contents."""

    key: str
    future: Any


def _call(function: Callable[..., Any], keys: Sequence[str], contents: Sequence[Mapping[str, bytes]], args: Any) -> Any:
    """On a worker."""
    try:
        return function([Files(*pair) for pair in zip(keys, contents, strict=True)], *args)
    except ConversionError as error:
        return Refused.of(error)


class Cluster(Workers):
    """address: of the scheduler, as `HOST:PORT` or `tcp://HOST:PORT`."""

    def __init__(self, address: str) -> None:
        try:
            self._distributed = import_module("distributed")
        except ImportError as error:
            raise ConversionError(
                Code.PackageMissing,
                "workers of a cluster are asked by dask.distributed, which is not installed",
                help="pip install 'mlconv[dask]'",
            ) from error
        self._address = address if "://" in address else f"tcp://{address}"
        _check_reachable(self._address)
        self._errors: tuple[type[BaseException], ...] = (
            self._distributed.scheduler.KilledWorker,
            self._distributed.CancelledError,
            self._distributed.comm.CommClosedError,
        )
        try:
            self._client = self._distributed.Client(self._address, timeout=_TIMEOUT_S, set_as_default=False)
            self.count = sum(self._client.nthreads().values())
        except (*self._errors, OSError, ValueError) as error:
            raise _unreachable(self._address, str(error)) from error
        try:
            self._check_workers()
        except ConversionError:
            self._client.close()
            raise

    def _check_workers(self) -> None:
        """There are some, and they have this version of mlconv.  Raises ConversionError WorkerLost."""
        if not self.count:
            raise lost(f"the dask cluster at {self._address} has no workers")
        try:
            found = self._asked(lambda: self._client.run(_version))
        except ImportError as error:
            raise lost(f"a worker of the dask cluster at {self._address} has no mlconv: {error}") from error
        others = sorted(version for version in found.values() if version != _version())
        if others:
            raise lost(f"a worker of the dask cluster at {self._address} has mlconv {others[0]}, this is {_version()}")

    def share(self, folder: str) -> _Sent:
        contents = {}
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                contents[name] = file.read()
        (future,) = self._asked(lambda: self._client.scatter([contents], hash=False))
        return _Sent(uuid.uuid4().hex, future)

    def submit(self, function: Callable[..., R], shared: Sequence[Any], *args: Any) -> Pending[R]:
        keys, futures = [sent.key for sent in shared], [sent.future for sent in shared]
        return _Waited(self._asked(lambda: self._client.submit(_call, function, keys, futures, args, pure=False)), self)

    def _asked(self, ask: Callable[[], Any]) -> Any:
        """Raises ConversionError WorkerLost."""
        try:
            return ask()
        except self._errors as error:
            raise lost(f"a worker of the dask cluster at {self._address} was lost: {error}") from error

    def close(self, at_once: bool) -> None:
        """The cluster goes on; what this client asked of it is forgotten."""
        self._client.close()


class _Waited:
    """A result that the cluster works on."""

    def __init__(self, future: Any, cluster: Cluster) -> None:
        self._future, self._cluster = future, cluster

    def result(self) -> Any:
        found = self._cluster._asked(self._future.result)
        self._future.release()
        if isinstance(found, Refused):
            raise found.error()
        return found


def _version() -> str:
    """Here, or on a worker."""
    version: str = import_module("mlconv").__version__
    return version


def _check_reachable(address: str) -> None:
    """Somebody listens, and greets as a scheduler does, whoever comes: the client would wait without end.  With tls
    that comes later.  Raises ConversionError UsageError, WorkerLost.  Source: distributed, comm/core.py, handshakes.
    """
    scheme, _, place = address.partition("://")
    if scheme not in ("tcp", "tls"):
        return
    host, _, port = place.rpartition(":")
    if not host or not port.isdecimal() or not port.isascii() or int(port) >= 1 << 16:
        raise ConversionError(Code.UsageError, f"{place!r} is no address of a dask scheduler: expected HOST:PORT")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _TIMEOUT_S) as there:
            greets = scheme == "tls" or bool(there.recv(1))
    except TimeoutError as error:
        raise _unreachable(address, f"nobody answers within {_TIMEOUT_S:g} seconds") from error
    except OSError as error:
        raise _unreachable(address, error.strerror or str(error)) from error
    if not greets:
        raise _unreachable(address, "who listens there hangs up")


def _unreachable(address: str, why: str) -> ConversionError:
    return ConversionError(
        Code.WorkerLost,
        f"the dask cluster at {address} cannot be reached: {why}",
        help="give the address that dask scheduler prints",
    )
