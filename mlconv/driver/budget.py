"""What an artifact may be: its size in bytes and its time, for each target, estimated without making it.

Size: the constants that the target's ops hold, as it stores them, and what its files take beside for each op
(`Target.op_bytes`); within 15 % of the file for models of some 100 KB and more.

Time: the least that one core could take, by the roofline: for each kernel that native code has for the model, the
larger of its arithmetic over the peak of the machine and of the bytes that it reads and writes over the bandwidth.
Products of bytes count a quarter of those of float32, of 16 bits a half.  On machines without matrix tiles it is a
bound from below: a model that exceeds its budget by this cannot keep it, whatever the runtime; one that keeps it may
still be slower, which `mlconv bench` measures.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from mlconv.codegen.kernels.kind import KINDS
from mlconv.codegen.program.roofline import Roofline
from mlconv.codegen.program.work import work
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.kernel import KernelOp
from mlconv.driver.counting import counted
from mlconv.exporters.target import Target
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.types import TensorType

_BOTTOM = 1 << 14  # bytes of the smallest working set of a roofline
_FLOAT = DType.F32.itemsize


class Estimate(NamedTuple):
    """bytes: of the artifact.  seconds: the least that a call takes; None where nobody asks, or where sizes are known
    at run time only.
    """

    bytes: int
    seconds: float | None = None


@dataclass(frozen=True)
class Budget:
    """sizes, times: in bytes and seconds by target or profile; that of all others under an empty name.  machine: what
    times are counted for; None for this one.
    """

    sizes: Mapping[str, int] = field(default_factory=dict)
    times: Mapping[str, float] = field(default_factory=dict)
    machine: Roofline | None = None

    @property
    def is_asked(self) -> bool:
        return bool(self.sizes or self.times)

    def most(self, name: str, target: str) -> tuple[int | None, float | None]:
        """Bytes and seconds that an artifact may have.  name: of a target, or of a profile for one."""
        size, time = (
            next((given[key] for key in (name, target, "") if key in given), None) for given in (self.sizes, self.times)
        )
        return (None if size is None else int(size)), time

    def check_names(self, names: Collection[str]) -> None:
        """Raises ConversionError UsageError for a budget of a target that is not checked."""
        for key in (*self.sizes, *self.times):
            if key and key not in names:
                raise ConversionError(
                    Code.UsageError, f"a budget is given for {key}, which is not checked", help=f"add --to {key}"
                )

    def problems(self, name: str, target: str, estimate: Estimate) -> list[ConversionError]:
        """What exceeds it."""
        size, time = self.most(name, target)
        found = []
        if size is not None and estimate.bytes > size:
            found.append(
                ConversionError(
                    Code.BudgetExceeded,
                    f"{name}: the artifact takes about {estimate.bytes} bytes, and may take {size}",
                    help="store weights in fewer bits with --quantize, or raise --max-size",
                )
            )
        if time is not None and estimate.seconds is not None and estimate.seconds > time:
            found.append(
                ConversionError(
                    Code.BudgetExceeded,
                    f"{name}: a call takes at least {estimate.seconds * 1e3:.4g} ms, and may take {time * 1e3:.4g}",
                    help="compute in fewer bits with --quantize, make inputs smaller with --shape, or raise --max-time",
                )
            )
        return found


def machine(given: tuple[float, float] | None) -> Roofline:
    """given: multiplications and additions, and bytes, per second of one core; those of this machine without, which
    takes a quarter of a second to measure.
    """
    if given is not None:
        return Roofline(given[0], ((_BOTTOM, given[1]),))
    from mlconv.codegen.machines.targets import candidates, target_named
    from mlconv.codegen.program.compile import host_cpu
    from mlconv.codegen.program.roofline import measure

    return measure(candidates(target_named(""), host_cpu(), "")[-1])


def size_of(module: Module, target: Target) -> int:
    """Bytes of the artifact that a module of the target's ops becomes."""
    found = counted(module)
    return found.parameter_bytes * target.constant_growth + sum(found.ops.values()) * target.op_bytes


def seconds_of(kernels: Module, roofline: Roofline) -> float:
    """The least time of a call.  kernels: of the model, with the kernels that native code has."""
    total = 0.0
    for op in kernels.walk():
        if isinstance(op, KernelOp) and op.name in KINDS:
            flops, moved = work(op)
            total += roofline.seconds(flops * _widest(op) // _FLOAT, moved)
    return total


def _widest(op: KernelOp) -> int:
    """Bytes of an element of the factors of a product, at most those of a float32."""
    sizes = [v.type.dtype.itemsize for v in op.inputs[:2] if isinstance(v.type, TensorType)]
    return min(max(sizes, default=_FLOAT), _FLOAT)


def are_sizes_open(module: Module) -> bool:
    """Sizes of inputs are known at run time only."""
    return any(not v.type.is_static for v in module.main.inputs if isinstance(v.type, TensorType))
