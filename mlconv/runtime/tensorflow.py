"""SavedModels and frozen graphs on TensorFlow, in a process of its own that stays for all runs.

Requests and answers are lines of JSON; arrays go through files.  numpy has no names for bfloat16 and float8: such
arrays are stored as their bits, with the name of their type.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TypedDict

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function

NamesOf = Callable[[Sequence[str], Sequence[str]], tuple[list[str], list[str]]]
"""Names of a frozen graph's nodes by those of inputs and outputs."""
_MARK = "mlconv-answer "

# Answers each line of its input: {"load": path, "kind": ...}, or {"run": ...} with files of arrays.
_SERVER = """
import json, os, sys
import numpy as np
import tensorflow as tf
def load(job):
    if job["kind"] == "saved_model":
        return tf.saved_model.load(job["load"])
    proto = tf.compat.v1.GraphDef()
    with open(job["load"], "rb") as f:
        proto.ParseFromString(f.read())
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(proto, name="")
    return tf.compat.v1.Session(graph=graph)
def array(entry):
    x = np.load(entry["file"])
    wanted = tf.as_dtype(entry["dtype"])
    return x if wanted == tf.string or x.dtype == wanted.as_numpy_dtype else x.view(wanted.as_numpy_dtype)
def run(model, job):
    given = {n: array(entry) for n, entry in job["inputs"].items()}
    if job["signature"]:
        fed = {n: tf.constant(x) for n, x in given.items()}
        found = model.signatures[job["signature"]](**fed)
        results = [found[n].numpy() for n in job["outputs"]]
    else:
        results = model.run([n + ":0" for n in job["outputs"]], {n + ":0": x for n, x in given.items()})
    answer = []
    for i, y in enumerate(results):
        y = np.asarray(y)
        y = y.astype("S") if y.dtype == object else y
        name = "string" if y.dtype.kind == "S" else y.dtype.name
        plain = y if y.dtype.kind in "biufcS" else y.view("u%d" % y.dtype.itemsize)
        path = os.path.join(job["folder"], "out%d.npy" % i)
        np.save(path, plain)
        answer.append({"file": path, "dtype": name})
    return answer
model = None
for line in sys.stdin:
    job = json.loads(line)
    try:
        if "load" in job:
            model, answer = load(job), {}
        else:
            answer = {"outputs": run(model, job)}
    except Exception as error:
        answer = {"error": " ".join(str(error).split())[:600]}
    sys.stdout.write("mlconv-answer " + json.dumps(answer) + "\\n")
    sys.stdout.flush()
"""


class _Answer(TypedDict, total=False):
    """outputs: files of arrays with the names of their element types."""

    outputs: list[dict[str, str]]
    error: str


class TensorflowRunner:
    """A file that is run by signature, or by the names of its nodes; variables keep what a run leaves, until `reset`.

    kind: `saved_model` or `graphdef`.  names_of: of a frozen graph's nodes.
    """

    name = "TensorFlow"

    def __init__(self, path: str, kind: str, names_of: NamesOf | None = None) -> None:
        self.path, self.kind, self.names_of = path, kind, names_of
        self.folder = tempfile.TemporaryDirectory(prefix="mlconv-tf-")
        self.errors = os.path.join(self.folder.name, "stderr")
        with open(self.errors, "w", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", _SERVER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        weakref.finalize(self, _stop, self.process, self.folder)
        self.reset()

    def reset(self) -> None:
        """Variables take their initial values again.  Raises ConversionError VerificationImpossible,
        VerificationFailed.
        """
        self._ask({"load": os.path.abspath(self.path), "kind": self.kind}, "refuses")

    def run(self, function: Function, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Outputs by name.  Raises ConversionError VerificationFailed."""
        taken, given = function.input_names, function.output_names
        signature = function.signature
        names = (taken, given)
        if self.names_of is not None:
            names, signature = self.names_of(taken, given), ""
        fed = {
            own: self._saved(f"in{i}", np.asarray(inputs[name]))
            for i, (name, own) in enumerate(zip(taken, names[0], strict=True))
        }
        job = {"signature": signature, "inputs": fed, "outputs": names[1], "folder": self.folder.name}
        found = self._ask(job, "cannot run").get("outputs", [])
        return {name: _loaded(entry) for name, entry in zip(given, found, strict=True)}

    def _saved(self, name: str, x: Array) -> dict[str, str]:
        path = os.path.join(self.folder.name, f"{name}.npy")
        text = x.astype("S") if x.dtype == object else x
        is_plain = text.dtype.kind in "biufcS"
        np.save(path, text if is_plain else text.view(f"u{x.dtype.itemsize}"))
        return {"file": path, "dtype": "string" if text.dtype.kind == "S" else x.dtype.name}

    def _ask(self, job: Mapping[str, object], what: str) -> _Answer:
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None and stdout is not None
        try:
            stdin.write(json.dumps(job) + "\n")
            stdin.flush()
            line = next((text for text in stdout if text.startswith(_MARK)), "")
        except BrokenPipeError:
            line = ""
        if not line:
            raise self._ended()
        answer: _Answer = json.loads(line.removeprefix(_MARK))
        if "error" in answer:
            raise ConversionError(Code.VerificationFailed, f"TensorFlow {what} the file: {answer['error']}")
        return answer

    def _ended(self) -> ConversionError:
        """The error for a process that is gone, with its last words."""
        with open(self.errors, encoding="utf-8", errors="replace") as errors:
            said = [line for line in errors if line.strip()] or ["no message"]
        if "No module named 'tensorflow'" in said[-1]:
            why, help_ = "TensorFlow is not installed", "pip install tensorflow, or leave --verify out"
            return ConversionError(Code.VerificationImpossible, why, help=help_)
        return ConversionError(Code.VerificationFailed, f"TensorFlow ended over the file: {said[-1].strip()[:300]}")


def _loaded(entry: Mapping[str, str]) -> Array:
    x: Array = np.load(entry["file"])
    if entry["dtype"] == "string":
        return x.astype(object)
    known = {d.display: d for d in DType}
    wanted = known.get(entry["dtype"])
    return x if wanted is None or x.dtype == wanted.numpy else x.view(wanted.numpy)


def _stop(process: subprocess.Popen[str], folder: tempfile.TemporaryDirectory[str]) -> None:
    """End the process, which may be gone already, and remove its files."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    folder.cleanup()
