"""Threads: the hook, launchers, the pool."""

from __future__ import annotations

import ctypes
import itertools
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from llvmlite import binding as llvm

from mlconv.codegen.machines.targets import target_named
from mlconv.codegen.program import pool as pools
from mlconv.codegen.program.parallel import grain_of, launcher, worth_sharing
from mlconv.codegen.program.pool import pool_text

TASK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
ITEMS, GRAIN_COST = 1000, 100.0
# Adds a[i] to out[i] for the work items asked for, so that one done twice or left out shows.
KERNEL = """
define internal void @k(ptr %a, ptr %out, i64 %begin, i64 %end) #0 {
entry:
  br label %head
head:
  %i = phi i64 [ %begin, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %body, label %leave
body:
  %p = getelementptr i32, ptr %a, i64 %i
  %q = getelementptr i32, ptr %out, i64 %i
  %x = load i32, ptr %p
  %y = load i32, ptr %q
  %z = add i32 %x, %y
  store i32 %z, ptr %q
  %next = add i64 %i, 1
  br label %head
leave:
  ret void
}
define void @go(ptr %parallel, ptr %a, ptr %out) #0 {
  call void @launch_2(ptr %parallel, i64 ITEMS, i64 GRAIN, ptr @k, ptr %a, ptr %out)
  ret void
}
"""


class Compiled:
    def __init__(self) -> None:
        declarations: dict[str, str] = {}
        pool = pool_text("t", target_named(""), declarations)
        assert launcher(2, declarations) == "launch_2"
        kernel = KERNEL.replace("ITEMS", str(ITEMS)).replace("GRAIN", str(grain_of(ITEMS, GRAIN_COST)))
        functions = [kernel, *pool]
        text = "\n".join([*declarations.values(), *functions, "attributes #0 = { nounwind }"])
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        module = llvm.parse_assembly(text)
        module.verify()
        self.engine = llvm.create_mcjit_compiler(module, llvm.Target.from_default_triple().create_target_machine(opt=2))
        self.engine.finalize_object()
        pointer = ctypes.c_void_p
        self.go = self.function("go", None, pointer, pointer, pointer)
        self.create = self.function("t_pool_create", pointer, ctypes.c_int)
        self.destroy = self.function("t_pool_destroy", None, pointer)

    def function(self, name: str, *signature: Any) -> Any:
        return ctypes.CFUNCTYPE(*signature)(self.engine.get_function_address(name))

    def add(self, pool: int | None, rounds: int) -> None:
        """Every work item is done once a call."""
        a, out = np.arange(ITEMS, dtype=np.int32), np.zeros(ITEMS, np.int32)
        for _ in range(rounds):
            self.go(pool, a.ctypes.data, out.ctypes.data)
        np.testing.assert_array_equal(out, a * rounds)


@pytest.fixture(scope="module")
def compiled() -> Iterator[Compiled]:
    yield Compiled()


def test_what_is_worth_sharing() -> None:
    assert worth_sharing(10, 1000.0) and worth_sharing(10, 300.0)
    assert not worth_sharing(1, 1e9) and not worth_sharing(100, 1.0) and not worth_sharing(10, 0.0)


def test_serial_without_a_hook(compiled: Compiled) -> None:
    compiled.add(None, 3)


def test_the_callers_hook(compiled: Compiled) -> None:
    """{context, run}: run gets the context, the number of work items, the grain, and a task that may be called for any
    ranges in any order.
    """
    seen: list[tuple[int, int, int]] = []

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, TASK, ctypes.c_void_p)
    def run(context: int, count: int, grain: int, task: Any, argument: int) -> None:
        seen.append((context, count, grain))
        for begin in reversed(range(0, count, 300)):
            task(argument, begin, min(begin + 300, count))

    hook = (ctypes.c_void_p * 2)(1234, ctypes.cast(run, ctypes.c_void_p).value)
    compiled.add(ctypes.addressof(hook), 2)
    assert seen == [(1234, ITEMS, 20)] * 2


@pytest.mark.parametrize("threads", [-1, 0, 1, 2, 5])
def test_pool(compiled: Compiled, threads: int) -> None:
    pool = compiled.create(threads)
    assert pool
    compiled.add(pool, 300)
    time.sleep(0.05)  # its threads are asleep now
    compiled.add(pool, 300)
    compiled.destroy(pool)


def test_workers_wait_for_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a call a worker spins for `SPIN_NS`, however long a pause of the processor is, and then sleeps."""
    monkeypatch.setattr(pools, "SPIN_NS", 50_000_000)
    patient = Compiled()
    pool = patient.create(2)
    patient.add(pool, 1)
    begin = time.process_time()
    time.sleep(0.3)
    assert 0.002 < time.process_time() - begin < 0.15
    patient.destroy(pool)


@pytest.mark.parametrize("count", [2, 10, 4001])
def test_shares(compiled: Compiled, count: int) -> None:
    """Every item is in one range, and every range inside of one thread's share."""
    threads = 4
    pool = compiled.create(threads)
    context, run = (ctypes.c_void_p * 2).from_address(pool)
    seen: list[tuple[int, int]] = []

    @TASK
    def task(_: int, begin: int, end: int) -> None:
        seen.append((begin, end))

    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, TASK, ctypes.c_void_p)(run)
    borders = [sum(len(range(t, count, threads)) for t in range(k)) for k in range(threads + 1)]
    for _ in range(20):
        seen.clear()
        call(context, count, 1, task, None)
        ranges = sorted(seen)
        assert [i for begin, end in ranges for i in range(begin, end)] == list(range(count))
        assert all(
            any(low <= begin < end <= high for low, high in itertools.pairwise(borders)) for begin, end in ranges
        )
    compiled.destroy(pool)


def test_two_callers_of_one_pool(compiled: Compiled) -> None:
    """The second one works alone meanwhile; nothing is lost or done twice."""
    pool = compiled.create(3)
    errors: list[BaseException] = []

    def work() -> None:
        try:
            compiled.add(pool, 500)
        except AssertionError as e:
            errors.append(e)

    callers = [threading.Thread(target=work) for _ in range(3)]
    for c in callers:
        c.start()
    for c in callers:
        c.join()
    compiled.destroy(pool)
    assert not errors


def test_pools_come_and_go(compiled: Compiled) -> None:
    for _ in range(50):
        pool = compiled.create(3)
        compiled.add(pool, 1)
        compiled.destroy(pool)
    compiled.destroy(None)
