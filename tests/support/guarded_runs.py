"""Runs a native object in a process of its own, every buffer of which touches a page that may not be touched: behind it
in one call, before it in the next.

    python -m tests.support.guarded_runs OBJECT SIZES [SHORT]

SIZES: a JSON list of sizes of the dimensions.  SHORT: so many bytes of the first input are missing.  Prints how many
calls gave results and how many were refused; SIGSEGV ends it where a call leaves a buffer.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import sys
from typing import Any

import numpy as np

from mlconv.ir.dims import substitute
from mlconv.runtime.native import NativeModel, load_native
from tests.support.guarded import room

NEVER = ctypes.c_size_t(-1).value
MOST = 1 << 26  # bytes of a workspace


def _room(size: int, at_end: bool, alignment: int, fill: int) -> Any:
    place = room(size, at_end, alignment)
    place[:] = fill
    return place


def call(model: NativeModel, sizes: dict[str, int], at_end: bool, short: int) -> int:
    """The result of the entry, which must be an error where the workspace tells that sizes do not fit."""
    dims = (ctypes.c_int64 * max(1, len(model.dimensions)))(*(sizes[d] for d in model.dimensions))
    need = model._need(ctypes.addressof(dims))
    told = sizes if need != NEVER else dict.fromkeys(sizes, 0)
    random, kept, tables = np.random.default_rng(1), [], []
    for side in (model.inputs, model.outputs):
        held = []
        for _, dtype, shape in side:
            count = int(np.prod([substitute(d, told) for d in shape], dtype=np.int64))
            place = _room(max(0, count * dtype.itemsize - short), at_end, dtype.itemsize, 0xFF)
            if side is model.inputs:
                values = random.standard_normal(count) if dtype.kind == "f" else random.integers(0, 5, count)
                place[:] = values.astype(dtype).view(np.uint8)[: place.size]
            short = 0
            held.append(place)
        if side is model.inputs and model._weights is not None:
            held.append(_room(model._weights.nbytes, at_end, model.interface.alignment, 0))
            held[-1][:] = model._weights
        tables.append((ctypes.c_void_p * (len(held) + 1))(*(p.ctypes.data for p in held)))
        kept += held
    need = 0 if need == NEVER else need
    if need > MOST:
        return 0
    workspace = _room(need, at_end, model.interface.alignment, 0xFF)
    ins, outs = map(ctypes.addressof, tables)
    return model._call(ins, outs, ctypes.addressof(dims), workspace.ctypes.data, need, model._parallel)


def main(path: str, all_sizes: str, short: str = "0") -> None:
    made = refused = 0
    for threads in (1, 2):
        model = load_native(path, threads=threads)
        for sizes, at_end in itertools.product(json.loads(all_sizes), (True, False)):
            code = call(model, sizes, at_end, int(short))
            if code not in (0, model.interface.errors["dimensions"]):
                raise SystemExit(f"{sizes}: error {code}")
            made, refused = made + (code == 0), refused + (code != 0)
    sys.stdout.write(f"{made} {refused}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
