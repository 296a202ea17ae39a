"""Rewrites of core that make a graph smaller or more regular, by theme."""

from mlconv.rewrite.pattern_files import PatternFiles

PATTERNS = PatternFiles(
    "mlconv.passes",
    {
        "patterns.movement": "",
        "patterns.algebra": "",
        "patterns.conditions": "and equal greater greater_equal less less_equal logical_not maximum minimum not_equal "
        "or select",
        "patterns.activations": "",
        "patterns.control": "if while",
        "patterns.grids": "gather_nd",
        "patterns.heads": "split",
        "patterns.integers": "conv matmul",
        "patterns.normalization": "add clamp",
        "patterns.parts": "concat gather imag real slice",
        "patterns.picks": "broadcast_to expand_dims gather gather_elements gather_nd nonzero reshape scatter_elements "
        "split squeeze tile transpose",
        "patterns.products": "add mul one_hot transpose",
        "patterns.reductions": "",
        "patterns.round_trips": "reshape",
        "patterns.rows": "concat scatter_nd",
        "patterns.scaled_sizes": "cast",
        "patterns.repeated_parts": "",
        "patterns.shared_matrices": "matmul",
        "patterns.slices": "",
        "patterns.spreads": "concat reshape",
        "patterns.looked_up_numbers": "div mul",
        "patterns.computed_integers": "cast",
        "patterns.stored_numbers": "div mul reshape",
        "patterns.widened": "abs ceil clamp equal floor greater greater_equal is_finite is_inf is_nan less less_equal "
        "maximum minimum neg not_equal round sign",
        "block_writes": "scatter_nd",
    },
)
