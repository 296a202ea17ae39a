"""What the bytes of an object are, and how many an object that is optimized for size may have."""

from __future__ import annotations

from collections.abc import Sequence

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

LIMIT = 1.15  # bytes of an object that is optimized for size, by those of the model's weights


def file_sizes(image: bytes, target: Target, cpus: Sequence[Cpu], plan: MemoryPlan, block: Block) -> FileSizes:
    """image: the object without its weights.  `rest`: the choice of an instruction set, tables of the format, lines."""
    winograd = sum(c.nbytes for c in {_operand(op) for op in walk(block) if op.name == "kernel.winograd"} if c)
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
    """Bytes of what constants are made of, as the model has it, each once."""
    seen: set[Const] = set()
    leaves: set[Const] = set()
    todo = list(constants)
    while todo:
        constant = todo.pop()
        if isinstance(constant, Derived):
            todo += [] if constant in seen else constant.inputs
            seen.add(constant)
        else:
            leaves.add(constant.reshape((constant.size,)))
    return sum(c.nbytes for c in leaves)


def is_small(sizes: FileSizes) -> bool:
    """Whether an object of these parts is near the size of the model's weights."""
    return sum(sizes.parts.values()) <= LIMIT * sizes.model_weights
