"""Threads of native code in this process."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Protocol

import numpy as np

from mlconv.ir.constants import Array

_PREFIX = "mlconv"


class Engine(Protocol):
    """What is asked of LLVM's execution engine, which has no types."""

    def add_module(self, module: object) -> None: ...
    def finalize_object(self) -> None: ...
    def get_function_address(self, name: str) -> int: ...


class Trace:
    """When each thread of a pool worked, for one call at a time."""

    def __init__(self, threads: int) -> None:
        from mlconv.codegen.program.pool import EVENT, EVENTS

        self.rows = np.zeros((threads, EVENTS + 1, EVENT // 8), np.int64)

    def clear(self) -> None:
        self.rows[:, 0, 0] = 0

    def spans(self) -> list[Array]:
        """For each thread, when it began to work and when it ended, in nanoseconds of the monotonic clock."""
        found = []
        for rows in self.rows:
            events = rows[1 : rows[0, 0] + 1].reshape(-1, 2, 2)
            found.append(events[..., 0] * 1_000_000_000 + events[..., 1])
        return found


def pool_of(engine: Engine, threads: int, trace: Trace | None = None) -> tuple[int, Callable[[int], None]]:
    """The address of an `mlc_parallel` with that many threads, and what ends them."""
    from llvmlite import binding as llvm

    from mlconv.codegen.machines.targets import target_named
    from mlconv.codegen.program.pool import TRACE, pool_text

    declarations: dict[str, str] = {}
    lines = pool_text(_PREFIX, target_named(""), declarations, trace is not None)
    engine.add_module(llvm.parse_assembly("\n".join([*declarations.values(), *lines, "attributes #0 = { nounwind }"])))
    engine.finalize_object()
    create = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int)(engine.get_function_address(f"{_PREFIX}_pool_create"))
    end = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(engine.get_function_address(f"{_PREFIX}_pool_destroy"))

    def destroy(pool: int) -> None:
        end(pool)
        engine.finalize_object()  # keeps the code alive until here

    pool: int = create(threads)
    if trace is not None and pool:
        ctypes.c_void_p.from_address(pool + TRACE).value = trace.rows.ctypes.data
    return pool, destroy
