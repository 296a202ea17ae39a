"""Bessel functions, integrals of gamma and its kin."""

from __future__ import annotations

import numpy as np

from tests.tf.op_rows.row import EVERYWHERE, integers, numbers, raw

WIDE = np.append(numbers(40, low=-14, high=14), np.float32([0.0, 8.0, -8.0, 1e-3, 2.0, 5.0]))
POSITIVE = np.append(numbers(40, low=1e-3, high=16), np.float32([2.0, 5.0, 1e-5]))
ALL = ("BesselI0", "BesselI0e", "BesselI1", "BesselI1e", "BesselJ0", "BesselJ1")
RIGHT = ("BesselK0", "BesselK0e", "BesselK1", "BesselK1e", "BesselY0", "BesselY1")
EDGES = np.float32([0.0, 1.0, np.nan, -2.5])
UNIT = np.append(numbers(40, low=0, high=1), np.float32([0.0, 1.0, 1e-8, 0.999999]))
SPREAD = np.append(numbers(60, low=0, high=90), EDGES)
FAR = {"row": {"tolerance": 1e-4}}

ROWS = [
    *(raw(kind, WIDE, row={"targets": EVERYWHERE, "tolerance": 2e-5}) for kind in ALL),
    *(raw(kind, POSITIVE, row={"targets": EVERYWHERE, "tolerance": 2e-5}) for kind in RIGHT),
    *(raw(kind, EDGES, label="edges") for kind in ("BesselI0", "BesselI1e", "BesselK0", "BesselK1e", "BesselJ1")),
    *(raw(kind, WIDE.astype(np.float64), label="double") for kind in ALL),
    *(raw(kind, POSITIVE.astype(np.float64), label="double") for kind in RIGHT),
    raw("BesselI0e", WIDE.astype(np.float16), label="half"),
    raw("Ndtri", UNIT, row={"targets": EVERYWHERE}),
    raw("Erfinv", UNIT * 2 - 1, row={"targets": EVERYWHERE, "tolerance": 1e-4}),
    raw("Erfinv", (UNIT * 2 - 1).astype(np.float64), label="double"),
    raw("Dawsn", np.append(WIDE, EDGES), row={"targets": EVERYWHERE}),
    raw("Expint", SPREAD, row={"targets": EVERYWHERE}),
    raw("Expint", SPREAD.astype(np.float64), label="double"),
    raw("FresnelCos", np.append(WIDE, EDGES) / 3, row={"targets": EVERYWHERE, "tolerance": 1e-4}),
    raw("FresnelSin", np.append(WIDE, EDGES) / 3, row={"targets": EVERYWHERE, "tolerance": 1e-4}),
    raw("FresnelSin", np.append(WIDE, EDGES).astype(np.float64), label="double"),
    raw("Spence", SPREAD, row={"targets": EVERYWHERE}),
    raw("Zeta", numbers(30, low=1.05, high=9), numbers(30, low=0.2, high=12), row={"targets": EVERYWHERE}),
    raw("Zeta", np.float32([1, 0.5, 2, 3, 2, 2.5]), np.float32([2, 1, -1, -2, -1.5, -0.5]), label="edges"),
    raw(
        "Zeta",
        numbers(30, low=1.05, high=9, dtype=np.float64),
        numbers(30, low=0.2, high=12, dtype=np.float64),
        label="double",
    ),
    raw("Polygamma", np.float32([0, 1, 2, 3, 4, 1.5, -1]), numbers(7, low=0.5, high=8), **FAR),
    raw("NextAfter", numbers(20), numbers(20, low=-3, high=3)),
    raw("NextAfter", np.float64([0, 0, 1, -1, 2, np.nan]), np.float64([1, -1, 2, -2, 2, 0]), label="double"),
    *(
        raw("PopulationCount", integers(12, low=lo, high=100, dtype=t), label=np.dtype(t).name)
        for t, lo in ((np.int8, -100), (np.uint8, 0), (np.int16, -99), (np.int32, -99), (np.int64, -99), (np.uint64, 0))
    ),
]
