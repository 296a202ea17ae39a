"""What register tiles cost on an instruction set: as `make tune-defaults` measured it, else by hand."""

from __future__ import annotations

from mlconv.codegen.kernels.costs import NARROW_LOAD, ColumnCosts, GemmCosts, TileCosts
from mlconv.codegen.kernels.measured_tiles import MEASURED
from mlconv.codegen.machines.cpus import Cpu


def tile_costs(cpu: Cpu) -> TileCosts:
    """Of products of float32.  Sets share those of the one that they only add other instructions to."""
    return MEASURED.get(cpu.name) or MEASURED.get(cpu.base) or by_hand(cpu)


def by_hand(cpu: Cpu) -> TileCosts:
    """Of types and sets that nothing was measured for."""
    wide = cpu.registers >= 32
    columns = 8 if wide else 4
    each = NARROW_LOAD if wide and cpu.bits == 128 else 0.0
    return TileCosts(GemmCosts(0.6, 2.0, 8.0, 4 if wide else 1, each), ColumnCosts(0, columns, columns))
