"""A function of kernel ops, with the core ops that are left between them: what generated code should compute.

Code generators share nothing with this, so that a difference between both is theirs, and one that is here already is of
a pass before them.  Most routines, foreign code and sizes that data decide are not interpreted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.kernel import ops
from mlconv.dialects.kernel.attributes import Attention, ConvChain, Depthwise, Gemm, RowReduce, Step, known
from mlconv.dialects.kernel.routines import Scan, UpdateSlice, parameters
from mlconv.dialects.kernel.winograd import IntegerWinograd, Winograd
from mlconv.interp import kernel_products as products
from mlconv.interp.kernel_programs import run_step
from mlconv.ir.constants import Array
from mlconv.ir.core import Block, Op, Value, Yield
from mlconv.ir.dims import Dim, substitute
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef


def run_kernels(function: Function, inputs: Mapping[str, Array], sizes: Mapping[str, int]) -> dict[Value, Array]:
    """All values of a function.  inputs: as it takes them.  sizes: of its symbols.  Raises ConversionError
    VerificationImpossible for what is not interpreted.
    """
    run = _Run({value: np.ascontiguousarray(inputs[value.name]) for value in function.inputs}, sizes)
    with np.errstate(all="ignore"):
        run.block(function.block)
    return run.values


class _Run(NamedTuple):
    """values: all that are known, of their shapes."""

    values: dict[Value, Array]
    sizes: Mapping[str, int]

    def block(self, block: Block) -> list[Array]:
        for op in block.ops:
            if isinstance(op, Yield):
                return [self.values[v] for v in op.inputs]
            self.values.update(zip(op.results, self.op(op), strict=True))
        raise ConversionError(Code.IrInvalid, "a block does not end in mlconv.yield")

    def op(self, op: Op) -> Sequence[Array]:
        given = [self.values[v] for v in op.operands if v is not None]
        if isinstance(op, ops.AliasOp):
            return [given[0].ravel().view(op.y.tensor.dtype.numpy).reshape(self.shape(op.y))]
        if isinstance(op, ops.IfOp):
            return self.block((op.then if given[0].all() else op.orelse).block)
        if isinstance(op, ops.WhileOp):
            return self.loop(op, given)
        if isinstance(op, ops.KernelOp) and len(op.results) == 1:
            out = np.zeros(self.shape(op.results[0]), op.results[0].tensor.dtype.numpy)
            if _write(self.known(op.problem), [x.ravel() for x in given], out.reshape(-1)):
                return [out]
        if isinstance(op, OpDef) and not isinstance(op, ops.KernelOp) and not op.regions:
            made = op.evaluate(*given)
            return [np.asarray(a) for a in (made if isinstance(made, (tuple, list)) else (made,))]
        raise ConversionError(Code.VerificationImpossible, f"{_name(op)} is not interpreted", location=op.location)

    def loop(self, op: ops.WhileOp, carried: Sequence[Array]) -> Sequence[Array]:
        test, body = op.cond.block, op.body.block
        while True:
            self.values.update(zip(test.arguments, carried, strict=True))
            if not self.block(test)[0].all():
                return carried
            self.values.update(zip(body.arguments, carried, strict=True))
            carried = self.block(body)

    def shape(self, value: Value) -> tuple[int, ...]:
        return known(tuple(substitute(n, self.sizes) for n in value.tensor.shape or ()))

    def known(self, part: object) -> object:
        """A problem with numbers for its sizes."""
        if isinstance(part, Dim):
            return substitute(part, self.sizes)
        if not isinstance(part, tuple):
            return part
        made = tuple(self.known(item) for item in part)
        make = getattr(part, "_make", tuple)
        return make(made)


def _name(op: Op) -> str:
    problem = getattr(op, "problem", None)
    return f"{op.name} {problem.name}" if isinstance(problem, ops.Routine) else op.name


def _write(problem: object, given: Sequence[Array], out: Array) -> bool:
    """Write what a kernel computes into a flat buffer; not what is not interpreted."""
    match problem:
        case Gemm():
            products.gemm(problem, given, out)
        case Depthwise():
            products.depthwise(problem, given, out)
        case Winograd():
            products.winograd(problem, given, out)
        case IntegerWinograd():
            # the epilogue's operands are numbered as those of the op: the third one is the direct weights
            products.gemm(problem.direct, [given[0], given[2], *given[2:]], out)
        case ConvChain():
            products.conv_chain(problem, given, out)
        case RowReduce():
            products.row_reduce(problem, given, out)
        case Attention():
            products.attention(problem, given, out)
        case ops.Routine():
            return _routine(problem, given, out)
        case Step():
            run_step(problem, given, out)
        case (*parts,):
            return all(_write(part, given, out) for part in parts)
        case _:
            return False
    return True


def _routine(problem: ops.Routine, given: Sequence[Array], out: Array) -> bool:
    match parameters(problem.name, problem.params):
        case Scan() as scan:
            out[:] = _scanned(scan, given[0]).ravel()
        case UpdateSlice() as update:
            out[:] = _updated(update, *given).ravel()
        case _:
            return False
    return True


def _scanned(scan: Scan, x: Array) -> Array:
    x = x.reshape(known((scan.outer, scan.n, scan.inner))).astype(scan.wide.numpy)
    x = x[:, ::-1] if scan.reverse else x
    neutral = np.full_like(x[:, :1], 0 if scan.opcode == "add" else 1)
    shifted = np.concatenate([neutral, x], axis=1)[:, : x.shape[1]]
    total = (np.cumsum if scan.opcode == "add" else np.cumprod)(shifted if scan.exclusive else x, axis=1)
    return np.asarray(total[:, ::-1] if scan.reverse else total).astype(scan.dtype.numpy)


def _updated(update: UpdateSlice, data: Array, piece: Array, begin: Array) -> Array:
    """The piece is moved so that it fits."""
    whole, sizes = data.reshape(known(update.shape)).copy(), known(update.piece)
    room = [n - m for n, m in zip(whole.shape, sizes, strict=True)]
    first = [max(0, min(int(at), most)) for at, most in zip(begin, room, strict=True)]
    whole[tuple(slice(at, at + m) for at, m in zip(first, sizes, strict=True))] = piece.reshape(sizes)
    return whole
