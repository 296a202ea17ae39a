"""Workers: what they return, how they end, and what is told when one is lost."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.runtime.jobs import workers_of
from mlconv.runtime.processes import EndedError, Processes, Session
from mlconv.runtime.workers import Done, Pending, Shared, Workers

ROOT = Path(__file__).parent.parent.parent


def content(shared: Sequence[Shared], name: str, times: int) -> str:
    with shared[0].folder() as folder:
        return Path(folder, name).read_text(encoding="utf-8") * times


def refuse(shared: Sequence[Shared], message: str) -> None:
    raise ConversionError(Code.ShapeMismatch, message, help="look")


def fail(shared: Sequence[Shared]) -> None:
    raise ValueError("of three")


def end(shared: Sequence[Shared], status: int) -> None:
    if status < 0:
        os.kill(os.getpid(), -status)
    os._exit(status)


def count(kept: dict[str, int], by: int) -> int:
    """What a session keeps."""
    kept["n"] = kept.get("n", 0) + by
    return kept["n"]


def abort(kept: dict[str, int], words: str) -> None:
    os.write(2, words.encode())
    os.abort()


def wait(shared: Sequence[Shared], seconds: float) -> int:
    sys.stdout.write("which is not for answers")
    time.sleep(seconds)
    return os.getpid()


def are_gone(pids: Sequence[int]) -> bool:
    """Within some seconds."""
    for _ in range(100):
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.05)
    return False


@pytest.fixture(scope="module", params=["processes", "dask"])
def workers(request: pytest.FixtureRequest) -> Iterator[Workers]:
    if request.param == "processes":
        found = workers_of("2")
        assert isinstance(found, Processes)
        with found:
            yield found
        assert are_gone(found.pids)
        return
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    with distributed.LocalCluster(n_workers=2, processes=True, threads_per_worker=1, dashboard_address=":0") as cluster:
        asked = workers_of(f"dask:{cluster.scheduler_address}")
        assert asked is not None and asked.count == 2
        with asked:
            yield asked


@pytest.mark.share(4)
def test_shared_files(workers: Workers, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("ab", encoding="utf-8")
    shared = workers.share(str(tmp_path))
    results = workers.in_order(workers.submit(content, [shared], "a.txt", i) for i in range(9))
    assert list(results) == ["ab" * i for i in range(9)]


def test_all_take_part(workers: Workers) -> None:
    found = list(workers.in_order(workers.submit(wait, [], 0.3) for _ in range(4)))
    assert len(set(found)) == 2 and os.getpid() not in found


def test_errors_keep_their_codes(workers: Workers) -> None:
    with pytest.raises(ConversionError) as error:
        workers.submit(refuse, [], "3 and 4").result()
    assert error.value.code is Code.ShapeMismatch and error.value.diagnostic.help == "look"
    with pytest.raises((RuntimeError, ValueError), match="of three"):
        workers.submit(fail, []).result()
    assert workers.submit(wait, [], 0).result()


def test_few_are_under_way() -> None:
    """Two for each worker, however many there are."""
    asked: list[int] = []

    def pending() -> Iterator[Pending[int]]:
        for i in range(20):
            asked.append(i)
            yield Done(i)

    with Processes(2) as processes:
        for i, result in enumerate(processes.in_order(pending())):
            assert result == i and len(asked) <= i + 4
    assert len(asked) == 20 and processes.pids == []


@pytest.mark.parametrize(("status", "text"), [(7, "its exit status is 7"), (-9, "ended by SIGKILL")])
def test_a_lost_worker_is_told(status: int, text: str) -> None:
    with Processes(2) as processes:
        pids = [processes.submit(wait, [], 0).result()]
        with pytest.raises(ConversionError, match=text) as error:
            processes.submit(end, [], status).result()
        pids += processes.pids
    assert error.value.code is Code.WorkerLost and are_gone(pids)


def test_a_lost_worker_of_a_cluster_is_told() -> None:
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    import dask

    settings = {"distributed.scheduler.allowed-failures": 0, "logging.distributed": "critical"}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(n_workers=1, processes=True, threads_per_worker=1, dashboard_address=":0") as cluster,
    ):
        asked = workers_of(f"dask:{cluster.scheduler_address}")
        assert asked is not None
        with asked, pytest.raises(ConversionError) as error:
            asked.submit(end, [], 3).result()
    assert error.value.code is Code.WorkerLost


@pytest.mark.parametrize("error", [KeyboardInterrupt, ConversionError(Code.UsageError, "no")])
def test_an_exception_ends_workers_at_once(error: BaseException) -> None:
    started = time.monotonic()
    pids: list[int] = []
    with pytest.raises((KeyboardInterrupt, ConversionError)), Processes(2) as processes:
        waiting = [processes.submit(wait, [], 60) for _ in range(5)]
        while len(processes.pids) < 2:
            time.sleep(0.01)
        pids += processes.pids
        assert waiting
        raise error
    assert time.monotonic() - started < 20 and are_gone(pids)


def test_none_outlives_its_parent() -> None:
    """Whatever ends that."""
    code = """
import sys
from mlconv.runtime.processes import EndedError, Processes, Session
from tests.runtime.test_workers import wait
processes = Processes(2)
for pending in [processes.submit(wait, [], 0.2) for _ in range(4)]: pending.result()
print(*processes.pids, flush=True)
sys.stdin.read()
"""
    parent = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with parent:
        assert parent.stdout is not None
        pids = [int(word) for word in parent.stdout.readline().split()]
        assert len(pids) == 2 and not any(pid == parent.pid for pid in pids)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    assert are_gone(pids)


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5", "99999", "dask:nowhere", "dask:a:b"])
def test_what_is_no_number_of_jobs(text: str) -> None:
    with pytest.raises(ConversionError) as error:
        workers_of(text)
    assert error.value.code is Code.UsageError


def test_one_job_is_this_process() -> None:
    assert workers_of("") is None and workers_of("1") is None


def test_a_cluster_that_is_not_there() -> None:
    with pytest.raises(ConversionError) as error:
        workers_of("dask:127.0.0.1:1")
    assert error.value.code is Code.WorkerLost


@pytest.mark.parametrize(("talks", "told"), [(False, "nobody answers within 0.3 seconds"), (True, "hangs up")])
def test_who_is_no_scheduler(talks: bool, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody takes the call, and says nothing."""
    pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    monkeypatch.setattr("mlconv.runtime.dask_cluster._TIMEOUT_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as other:
        if talks:
            other.submit(lambda: server.accept()[0].close())
        with pytest.raises(ConversionError, match=told) as error:
            workers_of(f"dask:127.0.0.1:{server.getsockname()[1]}")
    assert error.value.code is Code.WorkerLost


def test_the_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ConversionError) as error:
        workers_of("dask:127.0.0.1:1")
    assert error.value.code is Code.PackageMissing and "mlconv[dask]" in error.value.diagnostic.help


def test_workers_of_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    monkeypatch.setattr("mlconv.__version__", "0.0.9")
    with (
        distributed.LocalCluster(n_workers=1, processes=True, threads_per_worker=1, dashboard_address=":0") as cluster,
        pytest.raises(ConversionError, match=r"this is 0\.0\.9") as error,
    ):
        workers_of(f"dask:{cluster.scheduler_address}")
    assert error.value.code is Code.WorkerLost


def test_a_cluster_without_workers() -> None:
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    with (
        distributed.LocalCluster(n_workers=0, processes=True, threads_per_worker=1, dashboard_address=":0") as cluster,
        pytest.raises(ConversionError, match="no workers") as error,
    ):
        workers_of(f"dask:{cluster.scheduler_address}")
    assert error.value.code is Code.WorkerLost


def test_sessions() -> None:
    """They keep what functions leave, tell how they end, start anew, and go with their object."""
    session = Session()
    assert [session.call(count, 2), session.call(count, 3)] == [2, 5]
    with pytest.raises(ConversionError, match="wide"):
        session.call(refuse, "wide")  # type: ignore[arg-type]
    said = b"F1126 11:49:50.821120   25481 some.cc:269] Check failed: a == b (0 vs. 1) \n*** stack: ***\n @ main\n"
    with pytest.raises(EndedError, match=r"ended by SIGABRT, Check failed: a == b \(0 vs\. 1\)$"):
        session.call(abort, said.decode())
    assert session.call(count, 1) == 1
    pid = session.call(wait, 0)  # type: ignore[arg-type]
    del session
    assert are_gone([pid])
