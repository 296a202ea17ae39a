"""The model interface of an artifact: what a program must feed and gets back, as data, the same for every target.

`ARTIFACT.io.json`, of a native object `MODEL.io.json`: {"version": 1, "target", "artifact", "signatures": [{"name",
"inputs", "outputs", "state"}], "ranges": {symbol: [low, high]}, "initial_state"}; each input and output has name,
dtype, shape (a symbolic dimension is its expression), and quantization {"scales", "zero_points", "axis"} or null.  An
input of floats that are rounded first has `grid`, the same with the dtype of the integers: other numbers are cut off.
state lists the variables that the model assigns: {"variable", "input", "output"}: what a run gives as `output` is what
the next one takes as `input`; both are null where the artifact keeps its variables itself.  initial_state names the
safetensors file with the first value of each variable; null where there is none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.text import Json
from mlconv.dialects import core
from mlconv.formats.atomic import replacing
from mlconv.ir.core import Value
from mlconv.ir.module import Function, Module
from mlconv.ir.quant import QuantType
from mlconv.ir.quant_rules import quant_of
from mlconv.ir.types import TensorType
from mlconv.passes.quantized.grids import grid_of


def interface_path(artifact: str) -> str:
    """`model.tflite` to `model.tflite.io.json`: each target has its own."""
    return f"{artifact}.io.json"


def interface_of(module: Module, target: str, artifact: str) -> dict[str, Json]:
    """The model interface of a module, in the source's names and order."""
    signatures: list[Json] = []
    for f in module.functions:
        inputs = [{**_facts(v.name, v), **_grid(f, v)} for v in f.inputs]
        outputs = [_facts(n, v) for n, v in zip(f.output_names, f.outputs, strict=True)]
        signatures.append({"name": f.signature, "inputs": inputs, "outputs": outputs, "state": state_facts(f)})
    ranges = {k: list(v) for f in module.functions for k, v in f.facts.where.ranges.items()}
    initial = os.path.basename(state_path(artifact)) if any(f.facts.state for f in module.functions) else None
    head: dict[str, Json] = {"version": 1, "ranges": ranges, "target": target, "artifact": os.path.basename(artifact)}
    return {**head, "signatures": signatures, "initial_state": initial}


def state_facts(function: Function) -> list[dict[str, str | None]]:
    """The variables of a function: where they come in and go out."""
    outside: list[dict[str, str | None]] = [row._asdict() for row in function.facts.state_rows]
    return outside + [{"variable": n, "input": None, "output": None} for n in function.facts.variables]


def state_path(artifact: str) -> str:
    """The file with the initial values of an artifact's variables."""
    return f"{artifact}.state.safetensors"


def write_initial_state(module: Module, artifact: str) -> None:
    """Write the initial values of explicit variables by name, if there are any.  Raises ConversionError
    TargetLacksType, OutputNotWritable.
    """
    initial = {name: slot.initial for f in module.functions for name, slot in f.facts.state.items()}
    if not initial:
        return
    from mlconv.exporters.hlo.weights import holds, write_weights

    for name, value in initial.items():
        if not holds(value.dtype):
            raise ConversionError(
                Code.TargetLacksType, f"variable {name!r} is {value.dtype.display}, which safetensors files do not hold"
            )
    write_weights(initial, Path(state_path(artifact)))


def _facts(name: str, value: Value) -> dict[str, Json]:
    t = value.type
    if not isinstance(t, TensorType):
        return {"name": name, "dtype": str(t), "shape": None, "quantization": None}
    shape = None if t.shape is None else [d if isinstance(d, int) else str(d) for d in t.shape]
    q = _quant(value)
    quantization = None if q is None else _numbers(q)
    return {"name": name, "dtype": t.dtype.display, "shape": shape, "quantization": quantization}


def _numbers(q: QuantType) -> dict[str, Json]:
    scales, zeros = q.scales.view().reshape(-1).tolist(), q.zero_array().reshape(-1).tolist()
    return {"scales": scales, "zero_points": zeros, "axis": q.axis}


def _grid(function: Function, value: Value) -> dict[str, Json]:
    grid = function.facts.grids.get(value.name) or grid_of(value)
    return {} if grid is None else {"grid": {"dtype": grid.storage.display, "quantization": _numbers(grid)}}


def _quant(value: Value) -> QuantType | None:
    """How a value is quantized, or what its plain integers were taken from."""
    producer = value.producer
    return quant_of(producer.x if isinstance(producer, core.StorageCast) else value)


def write_interface(interface: Mapping[str, Json], path: str) -> None:
    """Write the model interface; the file appears when it is whole.  Raises ConversionError OutputNotWritable."""
    with replacing(Path(path)) as out:
        # a name of a file that is not UTF-8 has lone surrogates, which JSON knows as escapes
        out.write((json.dumps(interface, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace"))
