"""Rewrites of core that make a graph smaller or more regular, by theme."""

from mlconv.passes.patterns import activations, algebra, control, integers, movement, normalization, rows, scaled_sizes

ALL = (
    *movement.PATTERNS,
    *algebra.PATTERNS,
    *activations.PATTERNS,
    *control.PATTERNS,
    *integers.PATTERNS,
    *normalization.PATTERNS,
    *rows.PATTERNS,
    *scaled_sizes.PATTERNS,
)
