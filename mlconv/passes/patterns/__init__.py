"""Rewrites of core that make a graph smaller or more regular, by theme."""

from mlconv.passes.patterns import (
    activations,
    algebra,
    conditions,
    control,
    heads,
    integers,
    movement,
    normalization,
    parts,
    picks,
    reductions,
    rows,
    scaled_sizes,
    shared_matrices,
    slices,
    stored_numbers,
)

ALL = (
    *movement.PATTERNS,
    *algebra.PATTERNS,
    *conditions.PATTERNS,
    *activations.PATTERNS,
    *control.PATTERNS,
    *heads.PATTERNS,
    *integers.PATTERNS,
    *normalization.PATTERNS,
    *parts.PATTERNS,
    *picks.PATTERNS,
    *reductions.PATTERNS,
    *rows.PATTERNS,
    *scaled_sizes.PATTERNS,
    *shared_matrices.PATTERNS,
    *slices.PATTERNS,
    *stored_numbers.PATTERNS,
)
