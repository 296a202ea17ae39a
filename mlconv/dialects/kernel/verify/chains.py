"""Several products in one kernel: what the first ones make stays in memory of the kernel's own."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects.kernel.attributes import (
    BFLOAT16,
    FLOAT32,
    Attention,
    ConvChain,
    Gemm,
    OutputIndexing,
    RowReduce,
    View,
    row_buffer,
)
from mlconv.dialects.kernel.functions import LOADS, holds_number
from mlconv.dialects.kernel.verify.products import (
    F32,
    check_by_channels,
    check_channels,
    check_epilogue,
    check_multiplied,
    check_written,
)
from mlconv.dialects.kernel.verify.site import MAX_STACK, Buffer, Site
from mlconv.dialects.kernel.verify.steps import check_stages
from mlconv.ir.shapes import static


def check_conv_chain(site: Site) -> None:
    """A chain: each stage but the first reads what the one before made."""
    chain: ConvChain = site.problem
    if len(chain.stages) < 2 or len(chain.numbers) != len(chain.stages) or len(chain.buffers) != len(chain.stages) - 1:
        raise site.wrong(f"{len(chain.stages)} stages have {len(chain.buffers)} buffers between them")
    for i, (stage, numbers) in enumerate(zip(chain.stages, chain.numbers, strict=True)):
        own = _operands(site, i, numbers)
        _check_types(site, i)
        if isinstance(stage, Gemm):
            check_multiplied(site, stage, own)
            site.demand(stage.weight_strides == (0, 0), f"the lines of stage {i} do not share its weights")
        else:
            check_by_channels(site, stage, own)
        _check_image(site, stage.indexing, i)
        hidden = (0,) if i else ()
        if i < len(chain.buffers):
            check_epilogue(site, stage.indexing, own, hidden, stage.types)
        else:
            check_written(site, stage.indexing, own, site.made[0], site.given, hidden, stage.types)
    _check_buffers(site, chain)


def _check_types(site: Site, i: int) -> None:
    """Stage i multiplies floats, or integers, of the type of what lies between all stages."""
    chain: ConvChain = site.problem
    types = chain.stages[i].types
    site.demand(types == FLOAT32 or types.sums.is_int, f"stage {i} is no product of float32 or of integers")
    reads = i == 0 or types.x is chain.between
    makes = i == len(chain.stages) - 1 or types.result is chain.between
    site.demand(reads and makes, f"stage {i} does not compute with {chain.between.display}")


def _operands(site: Site, i: int, numbers: Sequence[int]) -> list[Buffer]:
    """Those of stage i: -1 is what the stage before made, which is its x."""
    first, *others = numbers or (0,)
    if any(not 0 <= n < len(site.given) for n in others) or not (first == -1 if i else 0 <= first < len(site.given)):
        raise site.wrong(f"stage {i} reads operands {list(numbers)} of {len(site.given)}")
    return [site.given[n] if n >= 0 else Buffer(site.problem.between, None) for n in numbers]


def _check_image(site: Site, indexing: OutputIndexing, i: int) -> None:
    """One image of fixed size."""
    views = [indexing.x, indexing.out]
    numbers = static((*indexing.rows, *indexing.window_strides, *(n for v in views for n in (v.offset, *v.strides))))
    site.demand(numbers is not None and indexing.rows[0] == 1, f"stage {i} has rows {list(indexing.rows)}")
    site.demand(len(indexing.out.strides) == 4, f"stage {i} writes with strides {list(indexing.out.strides)}")
    check_channels(site, indexing)


def _check_buffers(site: Site, chain: ConvChain) -> None:
    """What lies between the stages is what one writes and the next reads, for row tiles of the chain's height."""
    for i, buffer in enumerate(chain.buffers):
        reader = chain.stages[i + 1]
        expected = row_buffer(chain.stages[i].indexing, reader.indexing, reader.run)
        if expected is None or buffer != expected._replace(held=buffer.held, fill=buffer.fill):
            raise site.wrong(f"the buffer behind stage {i} is not what stage {i + 1} reads")
        site.demand(holds_number(chain.between, buffer.fill), f"there is {buffer.fill} around what stage {i} makes")
    lines = chain.indexing.rows[1]
    fine = isinstance(lines, int) and 1 <= chain.height <= lines
    site.demand(fine and chain.of_height(chain.height) == chain, f"it does not hold what {chain.height} lines need")


def check_attention(site: Site) -> None:
    """Two products with stages between them."""
    attention: Attention = site.problem
    given, split = site.given, attention.split
    scores, values = attention.scores, attention.values
    if not 2 <= split < len(given):
        raise site.wrong(f"{split} of {len(given)} operands are those of the first product")
    floats = scores.types in (FLOAT32, BFLOAT16) and values.types._replace(result=F32) == scores.types
    site.demand(floats, "they are no products of float32, or of bfloat16")
    check_multiplied(site, scores, given[:split])
    check_epilogue(site, scores.indexing, given[:split])
    _check_block(site, attention)
    _check_stages(site, attention.stages, scores.indexing.channels, Buffer(values.types.x, None))
    second = (Buffer(values.types.x, None), *given[split:])
    site.demand(values.run == scores.indexing.channels and not values.indexing.window, "the products do not fit")
    check_multiplied(site, values, second)
    check_written(site, values.indexing, second, site.made[0], given, hidden=(0,), types=values.types)


def _check_block(site: Site, attention: Attention) -> None:
    """Both products have the same rows, which are done in blocks that the stack takes."""
    rows = static(attention.scores.indexing.rows)
    if rows is None or attention.values.indexing.rows != rows:
        raise site.wrong("the two products have different rows")
    size = 4 * attention.block * attention.scores.indexing.channels
    if not 1 <= attention.block <= rows[2] or size > MAX_STACK:
        raise site.wrong(f"it does {attention.block} of {rows[2]} rows at once, {size} bytes")


def _check_stages(site: Site, stages: RowReduce, width: int, made: Buffer) -> None:
    """They read and write one row of scores: elements that lie side by side."""
    outer, row = len(stages.rows), Buffer(F32, width)
    check_stages(site, stages, [Buffer(F32, None)], made)
    for step in stages.stages:
        site.demand(len(step.extents) > outer, "a stage goes over no row")
        for program, extents in ((step.body, step.extents), (step.after, step.kept)):
            for instr in program:
                if instr.opcode not in LOADS:
                    continue
                site.demand(instr.opcode == "load" and instr.value.offset == 0, "a stage does not read at its row")
                if instr.args[0] == 0:
                    site.check_view(View(0, instr.value.strides[outer:]), extents[outer:], row)
        site.demand(step.out.offset == 0, "a stage does not write at its row")
    last = stages.stages[-1]
    site.check_output(View(0, last.out.strides[outer:]), last.kept[outer:], row)
