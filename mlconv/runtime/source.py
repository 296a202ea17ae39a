"""Models in the runtime of their source: ONNX Runtime, LiteRT, XLA, or TensorFlow in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.keras.process import to_saved_model
from mlconv.ir.constants import Array
from mlconv.ir.module import Function, Module
from mlconv.runtime.arrays import read_npz
from mlconv.runtime.litert import LiteRt
from mlconv.runtime.onnx_runtime import opened, outputs_of, refusals, taken, words_of
from mlconv.runtime.xla import Xla

TIMEOUT_S = 1800
Call = tuple[Function, Mapping[str, Array]]
"""A function of a module, and arrays by the names of its inputs."""

# Reads a job: kind, path, tags, and for each run its signature, names and the files of its arrays.  Writes the outputs
# of each run.
_TENSORFLOW = """
import json, os, sys
import numpy as np
import tensorflow as tf
job = json.load(open(sys.argv[1]))
runs = job["runs"]
fed = [{n: np.load(f) for n, f in zip(run["inputs"], run["files"])} for run in runs]
def by_signature():  # of objects that TensorFlow 2 cannot make anew
    results = []
    with tf.Graph().as_default() as graph, tf.compat.v1.Session(graph=graph) as session:
        known = tf.compat.v1.saved_model.load(session, job["tags"] or ["serve"], job["path"]).signature_def
        for run, arrays in zip(runs, fed):
            ports = known[run["signature"]]
            taken = {ports.inputs[n].name: a for n, a in arrays.items()}
            results.append(session.run({n: ports.outputs[n].name for n in run["outputs"]}, taken))
    return results
def loaded():
    try:
        return tf.saved_model.load(job["path"], tags=job["tags"])
    except (AttributeError, ValueError, TypeError):
        return None
model = loaded() if job["kind"] == "saved_model" or job.get("saved") else None
if job["kind"] == "saved_model" and model is None:
    results = by_signature()
elif job["kind"] == "saved_model":
    results = []
    for run, arrays in zip(runs, fed):
        found = model.signatures[run["signature"]](**{n: tf.constant(a) for n, a in arrays.items()})
        results.append({n: y.numpy() for n, y in found.items()})
elif job.get("saved") and model is None:
    results = by_signature()
    with open(os.path.join(job["folder"], "names.json"), "w") as file:
        json.dump([], file)
    np.savez(os.path.join(job["folder"], "inside.npz"))
elif job["kind"] == "inside":
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
    if job["saved"]:
        found = model.signatures[runs[0]["signature"]]
        frozen = convert_variables_to_constants_v2(found, lower_control_flow=False)
        graph_def, wanted = frozen.graph.as_graph_def(), dict(zip(sorted(found.structured_outputs), frozen.outputs))
        wanted = {n: wanted[n].name for n in runs[0]["outputs"]}
        taken = {t.name.rpartition(":")[0]: t.name for t in frozen.inputs}
    else:
        graph_def = tf.compat.v1.GraphDef()
        data = open(job["path"], "rb").read()
        if job["text"]:
            from google.protobuf import text_format
            text_format.Merge(data, graph_def)
        else:
            graph_def.ParseFromString(data)
        wanted = {n: n if ":" in n else n + ":0" for n in runs[0]["outputs"]}
        taken = {n: n if ":" in n else n + ":0" for n in runs[0]["inputs"]}
    config = tf.compat.v1.ConfigProto()
    config.graph_options.optimizer_options.opt_level = -1
    config.graph_options.rewrite_options.disable_meta_optimizer = True  # which leaves out what nobody reads
    with tf.Graph().as_default() as graph, tf.compat.v1.Session(graph=graph, config=config) as session:
        tf.import_graph_def(graph_def, name="")
        ops = graph.get_operations()
        loops = any(op.type in ("Enter", "RefEnter", "Switch", "RefSwitch") for op in ops)
        plain = [t.name for op in ops if op.type not in ("Const", "Placeholder") for t in op.outputs
                 if t.dtype.is_floating or t.dtype.is_integer or t.dtype.is_bool or t.dtype.is_complex]
        names = sorted({*wanted.values(), *(() if loops else plain)})
        arrays = dict(zip(names, session.run(names, {taken[n]: a for n, a in fed[0].items()})))
    with open(os.path.join(job["folder"], "names.json"), "w") as file:
        json.dump(names, file)
    np.savez(os.path.join(job["folder"], "inside.npz"), **{f"y{i}": arrays[n] for i, n in enumerate(names)})
    results = [{n: arrays[t] for n, t in wanted.items()}]
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
        for run, arrays in zip(runs, fed):
            found = session.run([tensor(n) for n in run["outputs"]], {tensor(n): a for n, a in arrays.items()})
            results.append(dict(zip(run["outputs"], found)))
for k, (run, result) in enumerate(zip(runs, results)):
    np.savez(os.path.join(job["folder"], f"out{k}.npz"), **{f"y{i}": result[n] for i, n in enumerate(run["outputs"])})
"""


def source_runs(
    module: Module, calls: Sequence[Call], cut: bool, tags: Sequence[str] = (), folder: str = ""
) -> list[dict[str, Array]]:
    """The outputs of consecutive calls, in the runtime of the file that the module was read from.

    cut: the function is a part of the model, by names that the user gave.  tags: of a SavedModel's meta graph.  folder:
    a SavedModel that stands for the file; Keras makes one of a file of its own.
    Raises ConversionError VerificationImpossible when there is no such runtime here, or it cannot run the model.
    """
    kind, path = str(module.source.get("format", "")), str(module.source.get("path", ""))
    if not path or not os.path.exists(path):
        raise _no_file()
    if kind.startswith("onnx"):
        return _onnxruntime(path, calls, cut)
    if kind == "tflite":
        return _litert(path, calls, cut)
    if kind in ("hlo", "stablehlo"):
        return _xla(path, calls)
    made = to_saved_model(path, ()) if kind == "keras" and not folder else None
    folder = folder or (path if made is None else made.name)
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
        "text": path.endswith(_TEXTS),
        "tags": list(tags) or None,
    }
    return _tensorflow(job, calls)


def graph_values(module: Module, call: Call, tags: Sequence[str] = ()) -> tuple[dict[str, Array], dict[str, Array]]:
    """The outputs of a call of a SavedModel or a graph in TensorFlow, and what all nodes give, by the names of tensors,
    of functions that were called inlined; of a graph with the control flow of TensorFlow 1 outputs alone.  Raises
    ConversionError VerificationImpossible.
    """
    path = str(module.source.get("path", ""))
    if not os.path.exists(path):
        raise _no_file()
    job = {
        "kind": "inside",
        "saved": os.path.isdir(path),
        "path": path,
        "text": path.endswith(_TEXTS),
        "tags": list(tags) or None,
    }
    inside: dict[str, Array] = {}
    return _tensorflow(job, [call], inside)[0], inside


def _no_file() -> ConversionError:
    return ConversionError(
        Code.VerificationImpossible,
        "there is no source file to run",
        help="verify with the reference interpreter: --verify-with reference",
    )


_TEXTS = (".pbtxt", ".textproto", ".prototxt")
_REFERENCE = "verify with the reference interpreter: --verify-with reference"


def _xla(path: str, calls: Sequence[Call]) -> list[dict[str, Array]]:
    try:
        module = Xla(path)
        return [module.run(function, arrays) for function, arrays in calls]
    except ConversionError as error:
        raise _impossible(error) from error


def _litert(path: str, calls: Sequence[Call], cut: bool) -> list[dict[str, Array]]:
    """Consecutive calls of one interpreter, so that variables keep what a call leaves."""
    if cut:
        raise ConversionError(
            Code.VerificationImpossible,
            "LiteRT runs whole signatures: a part of one cannot be verified with it",
            help=_REFERENCE,
        )
    try:
        file = LiteRt(path)
        return [file.run(function, arrays) for function, arrays in calls]
    except ConversionError as error:
        raise _impossible(error) from error


def _impossible(error: ConversionError) -> ConversionError:
    """What stands for an error of the runtime of the source."""
    if error.code is not Code.VerificationFailed:
        return error
    return ConversionError(Code.VerificationImpossible, str(error.diagnostic.message), help=_REFERENCE)


def _onnxruntime(path: str, calls: Sequence[Call], cut: bool) -> list[dict[str, Array]]:
    if cut:
        raise ConversionError(
            Code.VerificationImpossible,
            "ONNX Runtime runs whole models: a part of one cannot be verified with it",
            help=_REFERENCE,
        )
    try:
        import onnxruntime  # noqa: F401
    except ImportError as e:
        raise ConversionError(
            Code.VerificationImpossible,
            "ONNX Runtime is not installed",
            help=f"pip install onnxruntime, or {_REFERENCE}",
        ) from e
    try:
        session = opened(path)
        return [
            outputs_of(
                session,
                path,
                function.output_names,
                {port.name: run[port.name] for port in taken(session, run) if port.name in run},
            )
            for function, run in calls
        ]
    except refusals() as e:
        raise ConversionError(
            Code.VerificationImpossible,
            f"ONNX Runtime cannot run {path}: {words_of(e)}",
            help=_REFERENCE,
        ) from e


def _tensorflow(
    job: Mapping[str, object], calls: Sequence[Call], inside: dict[str, Array] | None = None
) -> list[dict[str, Array]]:
    """Consecutive calls in one process, so that variables keep what a call leaves.  inside: takes what nodes give, by
    name, where the job asks for that.
    """
    with tempfile.TemporaryDirectory(prefix="mlconv-tf-") as folder:
        runs = []
        for k, (function, arrays) in enumerate(calls):
            inputs = function.input_names
            files = [os.path.join(folder, f"in{k}_{i}.npy") for i in range(len(inputs))]
            for name, file in zip(inputs, files, strict=True):
                np.save(file, arrays[name])
            names = {"inputs": inputs, "outputs": function.output_names}
            runs.append({"signature": function.signature, "files": files, **names})
        with open(os.path.join(folder, "job.json"), "w", encoding="utf-8") as f:
            json.dump({**job, "runs": runs, "folder": folder}, f)
        _run_child(os.path.join(folder, "job.json"))
        if inside is not None:
            with open(os.path.join(folder, "names.json"), encoding="utf-8") as f:
                names_inside = json.load(f)
            values = read_npz(os.path.join(folder, "inside.npz"))
            inside.update({name: values[f"y{i}"] for i, name in enumerate(names_inside)})
        results = [read_npz(os.path.join(folder, f"out{k}.npz")) for k in range(len(runs))]
    pairs = zip(calls, results, strict=True)
    return [{n: result[f"y{i}"] for i, n in enumerate(function.output_names)} for (function, _), result in pairs]


def _run_child(job: str) -> None:
    """Raises ConversionError VerificationImpossible with TensorFlow's last words."""
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
