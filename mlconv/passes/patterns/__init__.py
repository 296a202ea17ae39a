"""Rewrites of core that make a graph smaller or more regular, by theme."""

from mlconv.passes.patterns import algebra, control, idioms, movement

ALL = (*movement.PATTERNS, *algebra.PATTERNS, *idioms.PATTERNS, *control.PATTERNS)
