"""A small roofline of this machine, measured with generated code: arithmetic peak of one core, and bandwidth of reading
by the size of what is read.

Source: Williams, Waterman, Patterson 2009, "Roofline".
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from typing import NamedTuple

from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.llvm.types import FLOAT, Value, index, pointer
from mlconv.codegen.machines.cpus import Cpu
from mlconv.ir.dtypes import DType

_SIZES = (1 << 14, 1 << 18, 1 << 22, 1 << 26)  # bytes: about L1, L2, L3, memory
_STEPS, _CHAINS, _BEST_OF = 4096, 12, 5
_NEIGHBOURS = 8  # vectors that one item of reading reads


class Roofline(NamedTuple):
    """flops: per second, of one core.  bandwidth: (bytes of the working set, bytes per second), rising in size."""

    flops: float
    bandwidth: tuple[tuple[int, float], ...]

    def seconds(self, flops: int, moved: int) -> float:
        """The least time of some work."""
        speed = next((b for size, b in self.bandwidth if moved <= size), self.bandwidth[-1][1])
        return max(flops / self.flops, moved / speed)


def roofline_text(cpu: Cpu) -> str:
    """`peak`, whose item is _STEPS rounds of chained fused multiply-adds, and `read0`.. for each size."""
    declarations: dict[str, str] = {}
    vector, a = FLOAT.of_lanes(cpu.lanes(DType.F32)), pointer("%a")
    peak = Builder("peak", [a], declarations, cpu)
    x = peak.load(vector, a, vector.align)

    def chains(_: Value, values: Carried) -> Carried:
        return [peak.call(vector, f"llvm.fma.{vector.name}", [v, x, x]) for v in values]

    def item(_: Value) -> None:
        for value in peak.loop(0, _STEPS, 1, [x] * _CHAINS, chains):
            peak.store(value, a, vector.align, volatile=True)

    peak.work_items(item)
    reads = [_reader(f"read{i}", cpu, size, declarations) for i, size in enumerate(_SIZES)]
    texts = [b.text().replace("define internal", "define") for b in (peak, *reads)]
    return "\n".join([*declarations.values(), *texts, f"attributes #0 = {{ {cpu.attributes} }}"])


def _reader(name: str, cpu: Cpu, size: int, declarations: dict[str, str]) -> Builder:
    """Reads its data over and over; an item is some neighbouring vectors."""
    a, out = pointer("%a"), pointer("%out")
    b = Builder(name, [a, out], declarations, cpu)
    vector = FLOAT.of_lanes(cpu.lanes(DType.F32))
    lanes, align = vector.lanes, vector.align

    def line(i: Value) -> None:
        start = b.offset(
            a, FLOAT, b.and_(i, index(size // (_NEIGHBOURS * lanes * FLOAT.size) - 1)), _NEIGHBOURS * lanes
        )
        values = [b.load(vector, b.moved(start, FLOAT, k * lanes), align) for k in range(_NEIGHBOURS)]
        while len(values) > 1:
            values = [b.fadd(p, q) for p, q in zip(values[::2], values[1::2], strict=True)]
        b.store(values[0], out, align)

    b.work_items(line)
    return b


def measure(cpu: Cpu) -> Roofline:
    """Measure for about a quarter of a second: the best of several rounds."""
    import numpy as np
    from llvmlite import binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    engine = llvm.create_mcjit_compiler(
        llvm.parse_assembly(roofline_text(cpu)), llvm.Target.from_default_triple().create_target_machine(opt=2)
    )
    engine.finalize_object()
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    peak = ctypes.CFUNCTYPE(None, pointer, number, number)(engine.get_function_address("peak"))
    data, out = np.zeros(_SIZES[-1] // FLOAT.size, np.float32), np.zeros(64, np.float32)
    where, target = data.ctypes.data, out.ctypes.data

    def best(call: Callable[..., None], *arguments: int) -> float:
        times = []
        for _ in range(_BEST_OF):
            started = time.perf_counter()
            call(*arguments)
            times.append(time.perf_counter() - started)
        return min(times)

    items = 64
    flops = 2 * cpu.lanes(DType.F32) * _CHAINS * _STEPS * items / best(peak, target, 0, items)
    bandwidth = []
    for i, size in enumerate(_SIZES):
        read = ctypes.CFUNCTYPE(None, pointer, pointer, number, number)(engine.get_function_address(f"read{i}"))
        lines = _SIZES[-1] // (_NEIGHBOURS * cpu.lanes(DType.F32) * FLOAT.size)
        bandwidth.append((size, _SIZES[-1] / best(read, where, target, 0, lines)))
    return Roofline(flops, tuple(bandwidth))
