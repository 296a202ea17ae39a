"""Models in the runtime of their source: ONNX Runtime, or TensorFlow in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.module import Function, Module
from mlconv.runtime.arrays import read_npz
from mlconv.runtime.xla import run_hlo

TIMEOUT_S = 1800
Runs = Sequence[Mapping[str, Array]]

# Reads a job (kind, path, signature, tags, inputs, outputs) and the arrays of each run; writes the outputs of each run.
_TENSORFLOW = """
import json, os, sys
import numpy as np
import tensorflow as tf
job = json.load(open(sys.argv[1]))
runs = [[np.load(f) for f in run] for run in job["runs"]]
if job["kind"] == "saved_model":
    model = tf.saved_model.load(job["path"], tags=job["tags"])
    function = model.signatures[job["signature"]]
    call = lambda arrays: function(**{n: tf.constant(a) for n, a in zip(job["inputs"], arrays)})
    results = [{n: y.numpy() for n, y in call(run).items()} for run in runs]
else:
    graph_def = tf.compat.v1.GraphDef()
    data = open(job["path"], "rb").read()
    if job["text"]:
        from google.protobuf import text_format
        text_format.Merge(data, graph_def)
    else:
        graph_def.ParseFromString(data)
    tensor = lambda n: n if ":" in n else n + ":0"
    with tf.Graph().as_default() as graph, tf.compat.v1.Session(graph=graph) as session:
        tf.import_graph_def(graph_def, name="")
        results = []
        for run in runs:
            fed = {tensor(n): a for n, a in zip(job["inputs"], run)}
            results.append(dict(zip(job["outputs"], session.run([tensor(n) for n in job["outputs"]], fed))))
for k, result in enumerate(results):
    np.savez(os.path.join(job["folder"], f"out{k}.npz"), **{f"y{i}": result[n] for i, n in enumerate(job["outputs"])})
"""


def source_runs(
    module: Module, function: Function, runs: Runs, cut: bool, tags: Sequence[str] = ()
) -> list[dict[str, Array]]:
    """The outputs of consecutive runs of a function, in the runtime of the file that the module was read from.

    cut: the function is a part of the model, by names that the user gave.  tags: of a SavedModel's meta graph.
    Raises ConversionError MLC0702 when there is no such runtime here, or it cannot run the model.
    """
    kind, path = str(module.source.get("format", "")), str(module.source.get("path", ""))
    if not path or not os.path.exists(path):
        raise ConversionError(
            Code.VerificationImpossible,
            "there is no source file to run",
            help="verify with the reference interpreter: --verify-with reference",
        )
    if kind.startswith("onnx"):
        return _onnxruntime(path, function, runs, cut)
    if kind == "hlo":
        return [
            dict(zip(function.output_names, run_hlo(path, [run[n] for n in function.input_names]), strict=True))
            for run in runs
        ]
    folder = getattr(module.resources[0], "name", path) if module.resources else path
    saved = os.path.isdir(folder)
    if saved and cut:
        raise ConversionError(
            Code.VerificationImpossible,
            "TensorFlow runs whole signatures: a part of a SavedModel cannot be verified with it",
            help=_REFERENCE,
        )
    job = {
        "kind": "saved_model" if saved else "graphdef",
        "path": folder,
        "text": kind.endswith("_text"),
        "tags": list(tags) or None,
    }
    return _tensorflow(job, function, runs)


_REFERENCE = "verify with the reference interpreter: --verify-with reference"


def _onnxruntime(path: str, function: Function, runs: Runs, cut: bool) -> list[dict[str, Array]]:
    if cut:
        raise ConversionError(
            Code.VerificationImpossible,
            "ONNX Runtime runs whole models: a part of one cannot be verified with it",
            help=_REFERENCE,
        )
    try:
        import onnxruntime as ort
    except ImportError as e:
        raise ConversionError(
            Code.VerificationImpossible,
            "ONNX Runtime is not installed",
            help=f"pip install onnxruntime, or {_REFERENCE}",
        ) from e
    errors: Any = ort.capi.onnxruntime_pybind11_state
    settings = ort.SessionOptions()
    settings.log_severity_level = 4
    try:
        session = ort.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
        names = [i.name for i in session.get_inputs()]
        return [
            dict(
                zip(
                    function.output_names,
                    session.run(function.output_names, {n: run[n] for n in names if n in run}),
                    strict=True,
                )
            )
            for run in runs
        ]
    except (
        errors.Fail,
        errors.InvalidArgument,
        errors.InvalidGraph,
        errors.NotImplemented,
        errors.RuntimeException,
        RuntimeError,
        ValueError,
        TypeError,
    ) as e:
        raise ConversionError(
            Code.VerificationImpossible,
            f"ONNX Runtime cannot run {path}: {' '.join(str(e).split())[:300]}",
            help=_REFERENCE,
        ) from e


def _tensorflow(job: dict[str, Any], function: Function, runs: Runs) -> list[dict[str, Array]]:
    """Consecutive runs in one process, so that variables keep what a run leaves."""
    inputs, outputs = function.input_names, function.output_names
    with tempfile.TemporaryDirectory(prefix="mlconv-tf-") as folder:
        files = []
        for k, run in enumerate(runs):
            files.append([os.path.join(folder, f"in{k}_{i}.npy") for i in range(len(inputs))])
            for name, file in zip(inputs, files[-1], strict=True):
                np.save(file, run[name])
        job = {
            **job,
            "signature": function.signature,
            "inputs": inputs,
            "outputs": outputs,
            "runs": files,
            "folder": folder,
        }
        with open(os.path.join(folder, "job.json"), "w", encoding="utf-8") as f:
            json.dump(job, f)
        _run_child(os.path.join(folder, "job.json"))
        results = [read_npz(os.path.join(folder, f"out{k}.npz")) for k in range(len(runs))]
    return [{name: result[f"y{i}"] for i, name in enumerate(outputs)} for result in results]


def _run_child(job: str) -> None:
    """Raises ConversionError MLC0702 with TensorFlow's last words."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _TENSORFLOW, job],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as e:
        raise ConversionError(
            Code.VerificationImpossible, f"TensorFlow did not run the model within {TIMEOUT_S} s"
        ) from e
    if done.returncode:
        said = [line for line in done.stderr.strip().splitlines() if line.strip()] or ["no message"]
        missing = "No module named 'tensorflow'" in said[-1]
        why = "TensorFlow is not installed" if missing else f"TensorFlow cannot run the model: {said[-1]}"
        raise ConversionError(Code.VerificationImpossible, why, notes=tuple(said[-4:-1]), help=_REFERENCE)
