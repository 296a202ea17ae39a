"""The I/O contract of an artifact: what a program must feed and gets back, as data, the same for every target.

`MODEL.io.json`: {"version": 1, "target", "artifact", "signatures": [{"name", "inputs", "outputs"}], "ranges": {symbol: [low, high]}}; each input and output
has name, dtype, shape (a symbolic dimension is its expression), and quantization {"scales", "zero_points", "axis"} or null.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from mlconv.exporters.atomic import replacing
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from mlconv.ir.types import TensorType


def contract_path(artifact: str) -> str:
    """`model.tflite` to `model.io.json`."""
    folder, name = os.path.split(artifact)
    return os.path.join(folder, name.split(".")[0] + ".io.json")


def contract_of(module: Module, target: str, artifact: str) -> dict[str, Any]:
    """The contract of a module, in the source's names and order."""
    signatures = []
    for f in module.functions:
        inputs = [_facts(v.name, v) for v in f.inputs]
        outputs = [_facts(n, v) for n, v in zip(f.output_names, f.outputs, strict=True)]
        signatures.append({"name": f.signature, "inputs": inputs, "outputs": outputs})
    ranges = {k: list(v) for f in module.functions for k, v in f.attributes.get("ranges", {}).items()}
    return {"version": 1, "ranges": ranges, "target": target, "artifact": os.path.basename(artifact), "signatures": signatures}


def _facts(name: str, value: Value) -> dict[str, Any]:
    t = value.type
    if not isinstance(t, TensorType):
        return {"name": name, "dtype": str(t), "shape": None, "quantization": None}
    shape = None if t.shape is None else [d if isinstance(d, int) else str(d) for d in t.shape]
    q = t.quant
    quantization = None if q is None else {"scales": list(q.scales), "zero_points": list(q.zero_points), "axis": q.axis}
    return {"name": name, "dtype": t.dtype.display, "shape": shape, "quantization": quantization}


def write_contract(contract: dict[str, Any], path: str) -> None:
    """Write the contract; the file appears when it is whole.  Raises ConversionError MLC0007."""
    with replacing(Path(path)) as out:
        out.write((json.dumps(contract, indent=1, ensure_ascii=False) + "\n").encode())
