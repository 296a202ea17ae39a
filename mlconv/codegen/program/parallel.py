"""Kernel calls whose work items may be shared: through the caller's `parallel_for`, or serial without one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlconv.codegen.llvm.function import CodeFunction
from mlconv.codegen.llvm.sizes import estimate
from mlconv.codegen.llvm.types import BEGIN, END, I64, NULL, POINTER, VOID, Value, index, pointer
from mlconv.ir.dims import Size

_WORTH_NS = 5_000.0  # handing work to a second thread costs about a microsecond
_GRAIN_NS = 2_000.0
_PARALLEL, _ITEMS = pointer("%parallel"), Value(I64, "%items")


def worth_sharing(items: Size, nanoseconds: float) -> bool:
    """Whether a kernel is long enough.  nanoseconds: of one item."""
    return items != 1 and estimate(items) * nanoseconds >= _WORTH_NS


def launcher(kernel: str, pointers: int, items: Size, nanoseconds: float, group: str) -> str:
    """`launch_KERNEL(parallel, items, pointers...)` and the task that it hands out, whose arguments live on the
    launcher's stack until all is done.
    """
    operands = [pointer(f"%a{i}") for i in range(pointers)]
    grain = max(1, min(estimate(items), math.ceil(_GRAIN_NS / nanoseconds)))
    return f"{_launch(kernel, operands, grain, group).text()}\n{_task(kernel, pointers, group).text()}"


def _launch(kernel: str, operands: Sequence[Value], grain: int, group: str) -> CodeFunction:
    """Serial without a `parallel_for`, or with a single item."""
    code = CodeFunction(VOID, f"launch_{kernel}", [_PARALLEL, _ITEMS, *operands], {}, group)
    frame = code.room(POINTER, len(operands))
    alone, few = code.icmp("eq", _PARALLEL, NULL), code.icmp("slt", _ITEMS, index(2))
    code.branch(code.or_(alone, few), "serial", "shared")
    code.label("serial")
    code.invoke(VOID, kernel, [*operands, index(0), _ITEMS])
    code.ret()
    code.label("shared")
    for i, operand in enumerate(operands):
        code.store(operand, code.gep(POINTER, frame, index(i)), 0)
    context = code.load(POINTER, _PARALLEL, 0)
    run = code.load(POINTER, code.gep(POINTER, _PARALLEL, index(1)), 0)
    code.invoke(VOID, run, [context, _ITEMS, index(grain), pointer(f"@task_{kernel}"), frame])
    code.ret()
    return code


def _task(kernel: str, pointers: int, group: str) -> CodeFunction:
    """Items %begin to %end, with the operands that lie in the frame."""
    frame = pointer("%frame")
    code = CodeFunction(VOID, f"task_{kernel}", [frame, BEGIN, END], {}, group)
    operands = [code.load(POINTER, code.gep(POINTER, frame, index(i)), 0) for i in range(pointers)]
    code.invoke(VOID, kernel, [*operands, BEGIN, END])
    code.ret()
    return code
