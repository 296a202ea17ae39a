"""What the bytes of an object are, and how many an object that is optimized for size may have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.targets import Target
from mlconv.codegen.objects.objects import function_sizes
from mlconv.codegen.program.memory_plan import MemoryPlan
from mlconv.codegen.program.program import suffix_of
from mlconv.dialects.core import Constant
from mlconv.exporters.target import FileSizes
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, walk
from mlconv.ir.recipes import Derived

_FEW = 4
_TRANSFORMS = ("kernel.winograd", "kernel.integer_winograd")
LIMIT = 1.15  # bytes of an object that is optimized for size, by those of the model's weights


def file_sizes(image: bytes, target: Target, cpus: Sequence[Cpu], plan: MemoryPlan, block: Block) -> FileSizes:
    """image: the object without its weights.  `rest`: the choice of an instruction set, tables of the format, lines."""
    winograd = sum(c.nbytes for c in {_operand(op) for op in walk(block) if op.name in _TRANSFORMS} if c)
    code = _code(image, target, cpus)
    parts = {"weights": plan.weight_bytes - winograd, "weights transformed for Winograd's algorithm": winograd}
    parts |= {f"code {name}": size for name, size in code.items()}
    parts["rest"] = len(image) - sum(code.values())
    return FileSizes(_of_model([c for c, _ in plan.weights]), {k: v for k, v in parts.items() if v})


def _operand(op: object) -> Const | None:
    """Transformed weights."""
    maker = op.inputs[1].producer  # type: ignore[attr-defined]
    return maker.value if isinstance(maker, Constant) else None


def _code(image: bytes, target: Target, cpus: Sequence[Cpu]) -> dict[str, int]:
    """Bytes of the functions of each instruction set; of one alone, all that there is."""
    if len(cpus) == 1:
        return {cpus[0].name: len(image)}
    sizes = function_sizes(image, target)
    return {c.name: sum(n for name, n in sizes.items() if name.endswith(suffix_of(c))) for c in cpus}


def _of_model(constants: Sequence[Const]) -> int:
    """Bytes of what constants are made of, each once."""
    made: dict[Const, frozenset[Const]] = {}
    return sum(c.nbytes for c in frozenset().union(*(_origins(c, made) for c in constants)))


def _origins(constant: Const, made: dict[Const, frozenset[Const]]) -> frozenset[Const]:
    """The constants of the model that one is made of, where it is no smaller than they are; else itself, as weights
    that were quantized.
    """
    if not isinstance(constant, Derived):
        return frozenset((constant.reshape((constant.size,)),))
    if constant not in made:
        found = frozenset().union(*(_origins(c, made) for c in constant.inputs))
        made[constant] = found if sum(c.nbytes for c in found) <= constant.nbytes else frozenset((constant,))
    return made[constant]


class Form(NamedTuple):
    """Of an object: how many instruction sets, the least first, and how many sums a register tile has at most."""

    sets: int
    sums: int


def smaller(sizes: FileSizes, cpus: Sequence[Cpu], sums: int) -> Form | None:
    """The form to try next when an object of these parts is not near the size of the model's weights: without the last
    sets, then with less code for the least one.  None for one that is, or that has no smaller form.
    """
    limit = LIMIT * sizes.model_weights
    if sum(sizes.parts.values()) <= limit:
        return None
    if len(cpus) == 1:
        return {0: Form(1, _FEW), _FEW: Form(1, 1)}.get(sums)
    code = [sizes.parts.get(f"code {c.name}", 0) for c in cpus]
    each = sizes.parts["rest"] / len(cpus)  # roughly: relocations, symbols and lines
    room = limit - sum(n for name, n in sizes.parts.items() if name != "rest") + sum(code)
    fitting = [n for n in range(1, len(cpus)) if sum(code[:n]) + n * each <= room]
    return Form(max(fitting, default=1), 0)
