"""Rebuilds a block under the layouts that the solver chose, inserting a transpose where a use wants another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlconv.dialects import core
from mlconv.ir import recipes
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Block, Op, Value, Yield
from mlconv.ir.quant import QuantType
from mlconv.ir.quant_rules import quant_of
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.passes.layout.permutation import Perm, between, identity
from mlconv.passes.layout.solver import Solver
from mlconv.rewrite import edit
from mlconv.rewrite.refine import sharpen


class Rebuild:
    """State of one walk: how each old value is stored now, and copies under other layouts."""

    def __init__(self, block: Block, solver: Solver) -> None:
        self.block, self.solver = block, solver
        self.now: dict[Value, tuple[Value, Perm]] = {}
        self.copies: dict[tuple[Value, Perm], Value] = {}
        self.builder: Builder | None = None
        self.inserted = 0

    def start(self, op: Op) -> None:
        """Emit before `op`, at its location, from now on."""
        if op.location is None:
            raise ValueError(f"{op.name} has no location")
        self.builder = Builder(self.block, op.location, before=op)

    def at(self) -> Builder:
        """Where ops are made."""
        if self.builder is None:
            raise ValueError("rebuild was not started")
        return self.builder

    def emit(self, op: Any) -> Any:
        return self.at().emit(op)

    def layout(self, v: Value) -> Perm:
        """How v is stored (once it was rebuilt), or is going to be."""
        return self.now[v][1] if v in self.now else self.solver.layout(v) if v.tensor.shape is not None else ()

    def stored(self, v: Value) -> Value:
        return self.now[v][0] if v in self.now else self.get(v, self.layout(v))

    def get(self, v: Value, layout: Perm) -> Value:
        """v under a layout; a transpose is made at most once for each."""
        value, own = self.now.get(v, (v, identity(v.tensor.rank or 0)))
        if own == layout:
            return value
        if isinstance(v.producer, core.Constant):
            quant = v.tensor.quant
            return self.constant(v, recipes.transpose(v.producer.value, layout), quant and quant.transposed(layout))
        copy = self.copies.get((v, layout))
        if copy is None:
            made = core.Transpose(value, perm=between(own, layout))
            if self.builder is not None and isinstance(self.builder.before, Yield) and value.producer is not None:
                edit.relocate(made, value.producer.location)  # the end of a block is no place in the user's source
            copy = self.copies[v, layout] = self.emit(made).y
            self.inserted += 1
        return copy

    def constant(self, v: Value, value: Any, element: QuantType | None = None) -> Value:
        """A constant op in place of v's, which stays for its other users."""
        made: Value = self.emit(core.Constant(value=value, element=element)).y
        edit.rename(made, v.name)
        return made

    def plain(self, values: Sequence[Value | None]) -> list[Value | None]:
        """Operands as the source has them."""
        return [None if v is None else self.get(v, identity(v.tensor.rank or 0)) for v in values]

    def aligned(self, v: Value, layout: Perm) -> Value:
        """An operand that broadcasts against values of `layout`: expanded to full rank first when it has a lower
        one.
        """
        rank = v.tensor.rank or 0
        if rank == len(layout):
            return self.get(v, layout)
        if rank == 0 or layout == identity(len(layout)) or all(d == 1 for d in v.tensor.shape or ()):
            return self.get(v, identity(rank))
        lead = len(layout) - rank
        if isinstance(v.producer, core.Constant):
            c, quant = v.producer.value, v.tensor.quant
            shape = (1,) * lead + c.shape
            element = quant and quant.reshaped(c.shape, shape).transposed(layout)
            return self.constant(v, recipes.transpose(c.reshape(shape), layout), element)
        full = self.emit(core.ExpandDims(self.get(v, identity(rank)), axes=tuple(range(lead)))).y
        self.inserted += 1
        return self.emit(core.Transpose(full, perm=layout)).y  # type: ignore[no-any-return]

    def permute_rows(self, v: Value, layout: Perm) -> Value:
        """An operand with one row for each axis, its rows in the order of `layout`."""
        if layout == identity(len(layout)):
            return self.get(v, identity(v.tensor.rank or 0))
        if isinstance(v.producer, core.Constant):
            return self.constant(v, make_const(v.producer.value.view()[list(layout)]))
        order = self.emit(core.Constant(value=make_const(list(layout)))).y
        return self.emit(core.Gather(self.get(v, identity(v.tensor.rank or 0)), order)).y  # type: ignore[no-any-return]

    def make(
        self, op: OpDef, operands: Sequence[Value | None], attributes: dict[str, Any], layouts: Sequence[Perm]
    ) -> None:
        """Emit op again with other operands and attributes; its results are stored under `layouts`."""
        unchanged = all(a is b for a, b in zip(op.operands, operands, strict=True)) and all(
            op.attributes[k] == v for k, v in attributes.items()
        )
        if unchanged:
            for v, layout in zip(op.results, layouts, strict=True):
                self.now[v] = (v, layout)
            return
        spec = type(op).spec
        named = {f.name: value for f, value in zip(spec.operands, operands, strict=False) if not f.variadic}
        for f in spec.operands:
            if f.variadic:
                named[f.name] = list(operands[f.index :])  # type: ignore[assignment]
        new = self.emit(type(op)(**named, **{**op.attributes, **attributes}))
        quants = [quant_of(v) for v in op.results]
        if any(quants):
            new.quantized(*(q and q.transposed(layout) for q, layout in zip(quants, layouts, strict=True)))
        for old, value, layout in zip(op.results, new.results, layouts, strict=True):
            edit.rename(value, old.name)
            shape = old.type.shape if isinstance(old.type, TensorType) else None
            if shape is not None and len(shape) == len(layout):
                sharpen(value, tuple(shape[i] for i in layout))
            self.bind(old, value, layout)

    def keep(self, op: Op) -> None:
        """Let op stand, with operands as the source has them; what it gives is moved where another layout is read."""
        for i, v in enumerate(op.operands):
            if v is not None and isinstance(v.type, TensorType) and v in self.now:
                edit.set_operand(op, i, self.get(v, identity(v.type.rank or 0)))

    def bind(self, old: Value, value: Value, layout: Perm) -> None:
        self.now[old] = (value, layout)
