"""What TFLite's runtime puts where, by its own planner (`legalize/to_tfl/arena.py`)."""

from __future__ import annotations

from mlconv.dialects.core import Constant
from mlconv.exporters.memory import Held, MemoryUse
from mlconv.ir.constants import Const
from mlconv.ir.core import Op
from mlconv.ir.module import Module
from mlconv.legalize.to_tfl.arena import placed, tensors_of
from mlconv.passes.schedule.blocks import scheduled_ops
from mlconv.provenance.locations import first_name, frames


def memory_use(module: Module) -> MemoryUse | None:
    """The arena of the first function; none where the runtime makes tensors when their sizes are known.  Sizes that
    inputs have at run time count 1, as in the file.
    """
    block = module.main.block
    ops = scheduled_ops(block)
    tensors = tensors_of(block, ops, main=True)
    offsets = None if tensors is None else placed(tensors)
    if tensors is None or offsets is None:
        return None
    held = []
    for tensor, offset in zip(tensors, offsets, strict=True):
        producer = tensor.value.producer if tensor.value is not None else None
        name = tensor.value.name if tensor.value is not None else "copy of an output"
        facts = _facts(producer) if producer is not None else ("", name, "")
        if tensor.size:
            held.append(Held(offset, tensor.size, tensor.first, min(tensor.last, len(ops)), *facts))
    constants: dict[Const, None] = dict.fromkeys(op.value for op in module.walk() if isinstance(op, Constant))
    held.sort(key=lambda h: (h.first, h.offset))
    arena = max((offset + t.size for t, offset in zip(tensors, offsets, strict=True)), default=0)
    return MemoryUse(arena, sum(c.nbytes for c in constants), held)


def _facts(op: Op) -> tuple[str, str, str]:
    found = frames(op.location)
    line = f"{found[0].file}:{found[0].line}" if found and found[0].line > 0 else ""
    return op.name, first_name(op.location), line
