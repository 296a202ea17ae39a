"""Write docs/tensorflow-ops.md: which of TensorFlow's stateless numeric ops convert, and why the others do not.

Run with tensorflow importable, from the root of the repository:  python -m tools.tf_op_coverage

An op counts that TensorFlow's registry says all of this of:
- public (`tf.raw_ops` has it), not deprecated (a graph of this version may hold it), and with a kernel for CPUs, so
  that there are numbers to compare with;
- stateless, and a function of tensors: tensors go in and come out, none of them a string, a resource, a variant, a
  reference or of a quantized element type (a table of their own), and no function is an attribute;
- not of training: its name says neither Grad nor Backprop, and it is none of TRAINING;
- not of the runtime: none of RUNTIME, which move values between devices, look at them, or are the parts of control flow
  of TensorFlow 1, which the importer raises to branches and loops.

It converts if a rule knows it and a case with it gives TensorFlow's numbers: a graph of tests/tf/goldens.npz.xz, or one
that tests/tf/op_rows or tests/tf/tensorflow_rows.py write.  REASONS says why others do not.
"""

from __future__ import annotations

import io
import lzma
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import graph_pb2, op_def_pb2, types_pb2
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.framework import kernels

import mlconv
from mlconv.diagnostics import ConversionError
from tools.tf_op_reasons import QUANTIZED as QUANTIZED_REASON
from tools.tf_op_reasons import QUANTIZED_REASONS, REASONS

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "docs" / "tensorflow-ops.md"
OPAQUE = {types_pb2.DT_STRING, types_pb2.DT_RESOURCE, types_pb2.DT_VARIANT}
QUANTIZED = {types_pb2.DT_QINT8, types_pb2.DT_QUINT8, types_pb2.DT_QINT16, types_pb2.DT_QUINT16, types_pb2.DT_QINT32}
TRAINING = """CTCLoss SdcaOptimizer SdcaOptimizerV2 KMC2ChainInitialization KmeansPlusPlusInitialization
    ComputeAccidentalHits StatelessSampleDistortedBoundingBox"""
RUNTIME = """Switch Merge Enter Exit NextIteration LoopCond RefSwitch RefMerge Copy CopyHost CopyOp DebugIdentity
    DebugNanCount DebugNumericSummary DebugNumericSummaryV2 CheckPinned Batch Unbatch PyFuncStateless
    CustomAggregator"""


def registered() -> op_def_pb2.OpList:
    return op_def_pb2.OpList.FromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))


def of_types(op: op_def_pb2.OpDef, types: set[int]) -> bool:
    """An operand or result has no other element types than these."""
    attributes = {a.name: a for a in op.attr}
    for arg in (*op.input_arg, *op.output_arg):
        allowed = attributes.get(arg.type_attr)
        choices = {arg.type} if arg.type else set(allowed.allowed_values.list.type) if allowed is not None else set()
        if choices and choices <= types:
            return True
    return False


def counted() -> tuple[list[str], list[str]]:
    """Names of the ops that count, and of those over quantized elements."""
    on_cpu = {k.op for k in kernels.get_all_registered_kernels().kernel if k.device_type == "CPU"}
    plain: list[str] = []
    quantized: list[str] = []
    for op in registered().op:
        args = (*op.input_arg, *op.output_arg)
        if (
            op.is_stateful
            or op.HasField("deprecation")
            or op.name not in on_cpu
            or not hasattr(tf.raw_ops, op.name)
            or not op.input_arg
            or not op.output_arg
            or any(a.is_ref for a in args)
            or any(a.type in ("func", "list(func)") for a in op.attr)
            or of_types(op, OPAQUE)
            or re.search("Grad|Backprop", op.name)
            or op.name in f"{TRAINING} {RUNTIME}".split()
        ):
            continue
        quant = of_types(op, QUANTIZED) or op.name.startswith("Quantized")
        (quantized if quant else plain).append(op.name)
    return sorted(plain), sorted(quantized)


def golden_cases() -> Iterator[tuple[bytes, dict[str, Any], dict[str, Any]]]:
    """Graph, inputs and results of the stored cases."""
    stored = np.load(io.BytesIO(lzma.decompress((ROOT / "tests/tf/goldens.npz.xz").read_bytes())))
    for number in range(len(stored["names"])):
        keys = [k for k in stored.files if k.startswith(f"{number}/")]
        inputs = {f"x{k.split('/in')[1]}:0": stored[k] for k in keys if "/in" in k}
        yield (
            stored[f"{number}/graph"].tobytes(),
            inputs,
            {f"out{k.split('/out')[1]}:0": stored[k] for k in keys if "/out" in k},
        )


def written_cases(folder: Path) -> Iterator[tuple[bytes, dict[str, Any], dict[str, Any]]]:
    """Those of the programs that write graphs."""
    for i, program in enumerate((["-m", "tests.tf.op_rows"], ["tests/tf/tensorflow_rows.py"])):
        place = folder / str(i)
        place.mkdir()
        subprocess.run([sys.executable, *program, str(place)], check=True, cwd=ROOT, capture_output=True)
        for path in sorted(place.glob("*.npz")):
            stored = np.load(path)
            inputs = {f"x{k[2:]}:0": stored[k] for k in stored.files if k.startswith("in")}
            names = [str(n) for n in stored["names"]]
            graph = path.with_suffix(".pb").read_bytes()
            yield graph, inputs, {name: stored[f"out{j}"] for j, name in enumerate(names)}


def ops_of(graph: bytes) -> set[str]:
    proto = graph_pb2.GraphDef.FromString(graph)
    return {n.op for n in proto.node} | {n.op for f in proto.library.function for n in f.node_def}


def agrees(graph: bytes, inputs: dict[str, Any], wanted: dict[str, Any], path: Path) -> bool:
    """The interpreter gives the results, to 1e-3 of the largest number."""
    path.write_bytes(graph)
    try:
        module = mlconv.load(path, outputs=list(wanted))
        found = module.run({name: inputs[name] for name in module.main.input_names})
    except (ConversionError, KeyError):
        return False
    for name, y in wanted.items():
        got = np.asarray(found[name])
        if got.shape != y.shape or got.dtype != y.dtype:
            return False
        if y.dtype.kind in "fc":
            largest = float(np.abs(y[np.isfinite(y)]).max(initial=1.0))
            if not np.allclose(got, y, rtol=1e-3, atol=1e-3 * largest, equal_nan=True):
                return False
        elif not (got == y).all():
            return False
    return True


def converted() -> set[str]:
    """Ops in cases that agree, less those in cases that do not."""
    good: set[str] = set()
    bad: set[str] = set()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for graph, inputs, wanted in (*golden_cases(), *written_cases(folder)):
            (good if agrees(graph, inputs, wanted, folder / "graph.pb") else bad).update(ops_of(graph))
    return good - (bad - good)


def table(names: list[str], good: set[str], otherwise: str) -> list[str]:
    done = [n for n in names if n in good]
    share = 100 * len(done) / len(names)
    lines = [f"{len(done)} of {len(names)} convert ({share:.1f} %).", "", f"Converted: {', '.join(done)}.", ""]
    lines += ["| op | why not |", "| --- | --- |"]
    return [*lines, *(f"| {n} | {(REASONS | QUANTIZED_REASONS).get(n, otherwise)} |" for n in names if n not in good)]


def main() -> None:
    plain, quantized = counted()
    good = converted()
    lines = [
        "# TensorFlow's stateless numeric ops",
        "",
        f"Written by tools/tf_op_coverage.py, TensorFlow {tf.__version__}.",
    ]
    lines += [
        "What counts, and when an op converts, is said there.",
        "",
        "## Numbers",
        "",
        *table(plain, good, "no rule"),
    ]
    lines += ["", "## Quantized element types", "", *table(quantized, good, QUANTIZED_REASON)]
    OUTPUT.write_text("\n".join(lines) + "\n")
    print(lines[7], lines[lines.index("## Quantized element types") + 2])
    unknown = [n for n in REASONS | QUANTIZED_REASONS if n in good or n not in plain + quantized]
    if unknown:
        print("reasons that are not needed:", ", ".join(unknown))


if __name__ == "__main__":
    main()
