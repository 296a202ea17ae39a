"""Kernel calls whose units of work may be shared: through the caller's `parallel_for`, or serial without one."""

from __future__ import annotations

import math

from mlconv.codegen.llvm.sizes import estimate
from mlconv.ir.dims import Size

_WORTH_NS = 5_000.0  # handing work to a second thread costs about a microsecond
_GRAIN_NS = 2_000.0


def worth_sharing(units: Size, cost: float) -> bool:
    """Whether a kernel is long enough.  cost: nanoseconds of one unit."""
    return units != 1 and estimate(units) * cost >= _WORTH_NS


def launcher(kernel: str, pointers: int, units: Size, cost: float, group: str) -> str:
    """`launch_KERNEL(parallel, units, pointers...)` and the task that it hands out, whose arguments live on the
    launcher's stack until all is done.
    """
    names = [f"%a{i}" for i in range(pointers)]
    arguments = ", ".join(f"ptr {n}" for n in names)
    grain = max(1, min(estimate(units), math.ceil(_GRAIN_NS / cost)))
    frame, again = [], []
    for i, n in enumerate(names):
        frame += [f"  %slot{i} = getelementptr ptr, ptr %frame, i64 {i}", f"  store ptr {n}, ptr %slot{i}"]
        again += [f"  %slot{i} = getelementptr ptr, ptr %frame, i64 {i}", f"  {n} = load ptr, ptr %slot{i}"]
    return "\n".join(
        [
            f"define internal void @launch_{kernel}(ptr %parallel, i64 %units, {arguments}) {group} {{",
            "entry:",
            f"  %frame = alloca [{pointers} x ptr]",
            "  %alone = icmp eq ptr %parallel, null",
            "  %few = icmp slt i64 %units, 2",
            "  %none = or i1 %alone, %few",
            "  br i1 %none, label %serial, label %shared",
            "serial:",
            f"  call void @{kernel}({arguments}, i64 0, i64 %units)",
            "  ret void",
            "shared:",
            *frame,
            "  %context = load ptr, ptr %parallel",
            "  %field = getelementptr ptr, ptr %parallel, i64 1",
            "  %run = load ptr, ptr %field",
            f"  call void %run(ptr %context, i64 %units, i64 {grain}, ptr @task_{kernel}, ptr %frame)",
            "  ret void",
            "}",
            f"define internal void @task_{kernel}(ptr %frame, i64 %begin, i64 %end) {group} {{",
            *again,
            f"  call void @{kernel}({arguments}, i64 %begin, i64 %end)",
            "  ret void",
            "}",
        ]
    )
