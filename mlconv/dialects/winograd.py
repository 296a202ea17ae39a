"""Matrices of Winograd's minimal filtering F(4 x 4, 3 x 3) at the points 0, +-3/4, +-3/2 and infinity.

Y = A^T ((G w G^T) * (B^T x B)) A for a 6 x 6 piece x of the image and a 3 x 3 filter w.  With these points the error is
about twice that of direct summation, where the customary 1 and 2 give ten times (Barabasz et al. 2020, "Error analysis
and improving the accuracy of Winograd convolution").
"""

from __future__ import annotations

import math

P, Q = 0.75, 1.5
OUTPUT_TILE, INPUT_TILE = 4, 6
PLACES = INPUT_TILE * INPUT_TILE
SPREAD = 8  # a block is done so when no number is above 2^SPREAD times the largest one of any point's window
# and when every place of each filter has at least this part of the mean magnitude of its places, over the input
# channels
EVEN = 1 / 16
LIMIT = 60  # and when its largest number, and the largest weight, are between 2^-LIMIT and 2^LIMIT, or all are zero


def filter_matrix() -> list[list[float]]:
    """G: 6 x 3."""
    points = [0.0, P, -P, Q, -Q]
    rows = []
    for p in points:
        scale = math.prod(p - q for q in points if q != p)
        rows.append([1 / scale, p / scale, p * p / scale])
    return [*rows, [0.0, 0.0, 1.0]]


def filter_places() -> tuple[tuple[float, ...], ...]:
    """G as a map of a flattened 3 x 3 filter to its 36 places."""
    g = filter_matrix()
    return tuple(
        tuple(g[i][a] * g[j][b] for a in range(3) for b in range(3))
        for i in range(INPUT_TILE)
        for j in range(INPUT_TILE)
    )


# F(2 x 2, 3 x 3) at the points 0, 1, -1 and infinity, for integers: with the filter's matrix doubled all are whole.
SMALL_TILE, SMALL_INPUT = 2, 4
SMALL_PLACES = SMALL_INPUT * SMALL_INPUT
SMALL_SCALE = 2  # binary logarithm of what results are multiplied with
_DOUBLED = ((2, 0, 0), (1, 1, 1), (1, -1, 1), (0, 0, 2))
LARGEST = 4 * 9  # of a transformed element times a transformed weight, by the largest product of those that go in


def small_filter_places() -> tuple[tuple[float, ...], ...]:
    """2 G as a map of a flattened 3 x 3 filter to its 16 places."""
    return tuple(tuple(float(p[a] * q[b]) for a in range(3) for b in range(3)) for p in _DOUBLED for q in _DOUBLED)
