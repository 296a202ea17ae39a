"""Rewrites of core that make a graph smaller or more regular, by theme."""

from mlconv.passes.patterns import (
    activations,
    algebra,
    conditions,
    control,
    integers,
    movement,
    normalization,
    parts,
    picks,
    rows,
    scaled_sizes,
    slices,
)

ALL = (
    *movement.PATTERNS,
    *algebra.PATTERNS,
    *conditions.PATTERNS,
    *activations.PATTERNS,
    *control.PATTERNS,
    *integers.PATTERNS,
    *normalization.PATTERNS,
    *parts.PATTERNS,
    *picks.PATTERNS,
    *rows.PATTERNS,
    *scaled_sizes.PATTERNS,
    *slices.PATTERNS,
)
