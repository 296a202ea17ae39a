"""What register tiles of float32 cost, by instruction set.  Written by `tools/tune_defaults.py`
from its log, tools/tune_defaults.log; a test holds it to that.
"""

from mlconv.codegen.kernels.costs import ColumnCosts, GemmCosts, TileCosts

MEASURED = {
    "x86-64": TileCosts(GemmCosts(0.6, 2.0, 8.0, 1, 0.0), ColumnCosts(9, 8, 7, 1)),
    "x86-64-v3": TileCosts(GemmCosts(0.8, 4.0, 8.0, 3, 0.0), ColumnCosts(9, 4, 4, 2)),
}
