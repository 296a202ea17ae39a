"""Kernel calls whose work items may be shared: through the caller's `parallel_for`, or serial without one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlconv.codegen.llvm.function import CodeFunction
from mlconv.codegen.llvm.types import BEGIN, END, I64, NULL, POINTER, VOID, Value, index, pointer
from mlconv.ir.dims import Size
from mlconv.ir.estimates import estimate

_WORTH_NS = 2_500.0  # handing work to a second thread that is awake costs half a microsecond
_GRAIN_NS = 2_000.0
_GROUP = "#0"  # attributes of what all machines run
_PARALLEL, _ITEMS, _GRAIN, _KERNEL = (
    pointer("%parallel"),
    Value(I64, "%items"),
    Value(I64, "%grain"),
    pointer("%kernel"),
)


def worth_sharing(items: Size, nanoseconds: float) -> bool:
    """Whether a kernel is long enough.  nanoseconds: of one item."""
    return items != 1 and estimate(items) * nanoseconds >= _WORTH_NS


def grain_of(items: Size, nanoseconds: float) -> int:
    """Items that a thread does at a time, at least.  nanoseconds: of one."""
    return max(1, min(estimate(items), math.ceil(_GRAIN_NS / nanoseconds)))


def launcher(pointers: int, declarations: dict[str, str]) -> str:
    """The name of `launch_N(parallel, items, grain, kernel, pointers...)`, for kernels of N pointers.  Its text, and
    that of the task that it hands out, whose arguments live on the launcher's stack until all is done, go to the
    declarations: an object has one of each, which any machine runs.
    """
    name = f"launch_{pointers}"
    if name not in declarations:
        operands = [pointer(f"%a{i}") for i in range(pointers)]
        declarations[name] = f"{_launch(name, operands).text()}\n{_task(pointers).text()}"
    return name


def _launch(name: str, operands: Sequence[Value]) -> CodeFunction:
    """Serial without a `parallel_for`, or with a single item."""
    code = CodeFunction(VOID, name, [_PARALLEL, _ITEMS, _GRAIN, _KERNEL, *operands], {}, _GROUP)
    frame = code.room(POINTER, 1 + len(operands))
    alone, few = code.icmp("eq", _PARALLEL, NULL), code.icmp("slt", _ITEMS, index(2))
    code.branch(code.or_(alone, few), "serial", "shared")
    code.label("serial")
    code.invoke(VOID, _KERNEL, [*operands, index(0), _ITEMS])
    code.ret()
    code.label("shared")
    for i, operand in enumerate((_KERNEL, *operands)):
        code.store(operand, code.gep(POINTER, frame, index(i)), 0)
    context = code.load(POINTER, _PARALLEL, 0)
    run = code.load(POINTER, code.gep(POINTER, _PARALLEL, index(1)), 0)
    code.invoke(VOID, run, [context, _ITEMS, _GRAIN, pointer(f"@task_{len(operands)}"), frame])
    code.ret()
    return code


def _task(pointers: int) -> CodeFunction:
    """Items %begin to %end, of the kernel and with the operands that lie in the frame."""
    frame = pointer("%frame")
    code = CodeFunction(VOID, f"task_{pointers}", [frame, BEGIN, END], {}, _GROUP)
    kernel, *operands = (code.load(POINTER, code.gep(POINTER, frame, index(i)), 0) for i in range(1 + pointers))
    code.invoke(VOID, kernel, [*operands, BEGIN, END])
    code.ret()
    return code
