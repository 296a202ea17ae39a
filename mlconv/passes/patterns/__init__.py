"""Rewrites of core that make a graph smaller or more regular, by theme."""

from mlconv.passes.patterns import activations, algebra, control, movement, normalization

ALL = (*movement.PATTERNS, *algebra.PATTERNS, *activations.PATTERNS, *control.PATTERNS, *normalization.PATTERNS)
