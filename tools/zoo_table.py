"""Converts networks of real architectures to TFLite beside other converters, and writes a table of docs/coverage.md.

    python -m tools.zoo_table --zoo FOLDER [--names 'hf_*,tv_*'] [--onnx2tf PYTHON] [--out build/zoo]

Of each file: ops, of them TRANSPOSE, bytes and seconds of processor time of the whole process.  TFLiteConverter takes
SavedModels, with SELECT_TF_OPS where builtins are not enough; onnx2tf takes ONNX files and runs in the environment of
the interpreter that is given.  What a converter made once is kept in OUT/rows.json; `--again` forgets mlconv's.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from typing import Any

import numpy as np
import onnx

from tools.conformance import ROOT, write_page

TITLE = "Networks to TFLite"
SECONDS = 900
ATTENTION, WINDOW = 4, 2  # transposes that a block of attention and a partition in windows may cost
TENSORFLOW = """import sys, tensorflow as tf
source, made, flex = sys.argv[1:]
converter = tf.lite.TFLiteConverter.from_saved_model(source)
if flex == "flex":
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS]
open(made, "wb").write(converter.convert())
"""
Row = dict[str, Any]


def counted(path: pathlib.Path) -> Row:
    """Ops, transposes and bytes of a TFLite file; names of ops that only TensorFlow computes."""
    from ai_edge_litert import schema_py_generated as schema

    data = path.read_bytes()
    model = schema.ModelT.InitFromPackedBuf(data, 0)
    codes = [max(code.builtinCode, code.deprecatedBuiltinCode) for code in model.operatorCodes]
    kinds = [codes[op.opcodeIndex] for graph in model.subgraphs for op in graph.operators or []]
    foreign = sorted({c.customCode.decode() for c in model.operatorCodes if c.customCode})
    moved = kinds.count(schema.BuiltinOperator.TRANSPOSE)
    return {"ops": len(kinds), "transposes": moved, "bytes": len(data), "foreign": foreign}


def made(command: list[str], result: pathlib.Path) -> Row:
    """What a command writes, and the seconds that it takes; the last line of what it prints where it fails."""
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=quiet, cwd=result.parent)
    except subprocess.TimeoutExpired:
        return {"error": f"no end in {SECONDS} s"}
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = sorted(result.parent.glob(result.name))
    if done.returncode or not found:
        return {"error": " ".join((done.stderr or done.stdout).split())[-200:]}
    return {**counted(found[0]), "seconds": round(seconds, 2)}


def ours(source: pathlib.Path, options: list[str], folder: pathlib.Path) -> Row:
    out = folder / "ours.tflite"
    command = [sys.executable, "-m", "mlconv", "convert", str(source), "--to", "tflite", "-o", str(out)]
    return made([*command, *options], out)


def tensorflow(source: pathlib.Path, folder: pathlib.Path) -> Row:
    row: Row = {}
    for flex in ("", "flex"):
        out = folder / f"theirs{flex}.tflite"
        row = made([sys.executable, "-c", TENSORFLOW, str(source), str(out), flex], out)
        if "error" not in row:
            break
    return row


def onnx2tf(python: str, source: pathlib.Path, folder: pathlib.Path) -> Row:
    """On a copy: it writes its simplified graph over the file that it is given."""
    out = folder / "o"
    out.mkdir()
    source = pathlib.Path(shutil.copy(source, folder / source.name))
    images = np.random.default_rng(0).random((20, 128, 128, 3), np.float32)  # what it would fetch, to compare numbers
    np.save(out / "calibration_image_sample_data_20x128x128x3_float32.npy", images)
    return made([python, "-m", "onnx2tf", "-i", str(source), "-o", str(out), "-n"], out / "*_float32.tflite")


def bound(source: pathlib.Path) -> int | None:
    """How many transposes the ops of an ONNX file justify: one for each image outside and each channel shuffle, four
    for each block of attention, two for each partition in windows.  None for other formats.
    """
    if source.suffix != ".onnx":
        return None
    graph = onnx.load(str(source), load_external_data=False).graph
    makers = {name: node for node in graph.node for name in node.output}
    constants = {t.name for t in graph.initializer}
    attention = windows = shuffles = 0
    for node in graph.node:
        if node.op_type in ("MatMul", "Einsum") and not constants & set(node.input):
            attention += any(_is_softmax(makers, name) for name in node.input)
        attention += node.op_type in ("Attention", "MultiHeadAttention")
        if node.op_type == "Transpose":
            order = next((list(a.ints) for a in node.attribute if a.name == "perm"), [])
            windows += len(order) == 6
            shuffles += order == [0, 2, 1, 3, 4]
    images = any(node.op_type in ("Conv", "ConvTranspose", "MaxPool", "AveragePool", "Resize") for node in graph.node)
    ends = [v for v in (*graph.input, *graph.output) if len(v.type.tensor_type.shape.dim) in (3, 4, 5)]
    return ATTENTION * attention + WINDOW * windows + shuffles + (len(ends) if images else 0)


def _is_softmax(makers: dict[str, onnx.NodeProto], name: str, steps: int = 4) -> bool:
    """Softmax, with what may stand behind it in front of the values."""
    node = makers.get(name)
    if node is None or node.op_type == "Softmax" or not steps:
        return node is not None and node.op_type == "Softmax"
    passes = node.op_type in ("Dropout", "Where", "Cast", "Mul", "Reshape", "Transpose")
    return passes and any(_is_softmax(makers, n, steps - 1) for n in node.input)


def cell(row: Row | None, key: str) -> str:
    if row is None:
        return ""
    if "error" in row:
        return "refused" if key == "ops" else ""
    value = row[key]
    if key == "bytes":
        return f"{value:,}".replace(",", " ")
    return f"{value}{'*' if key == 'ops' and row['foreign'] else ''}"


def table(rows: dict[str, Row]) -> list[str]:
    peers = [("mlconv", "ours"), ("TFLiteConverter", "tensorflow"), ("onnx2tf", "onnx2tf")]
    keys = ("ops", "transposes", "bytes", "seconds")
    head = ["network", "source", "bound"] + [f"{name}: {key}" for name, _ in peers for key in keys]
    lines = [
        f"## {TITLE}",
        "",
        "Written by `make zoo`. Seconds are processor time of the whole process. bound: transposes that the ops of the",
        "source justify (one for each image outside and each channel shuffle, four for each block of attention, two",
        "for each partition in windows). `*`: with ops that only TensorFlow computes. refused: no file came of it,",
        "with default options.",
        "",
        "| " + " | ".join(head) + " |",
        "| --- | --- |" + " ---: |" * (len(head) - 2),
    ]
    for name, row in sorted(rows.items()):
        limit = "" if row["bound"] is None else str(row["bound"])
        cells = [name, row["source"], limit] + [cell(row.get(peer), key) for _, peer in peers for key in keys]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def networks(zoo: pathlib.Path, names: str) -> Iterable[tuple[str, pathlib.Path, str, list[str]]]:
    """Name, file, what made it, and the options that it needs."""
    for folder in sorted(zoo.iterdir()):
        if (folder / "meta.json").is_file() and any(fnmatch.fnmatch(folder.name, n) for n in names.split(",")):
            meta = json.loads((folder / "meta.json").read_text())
            options = []
            for key, value in (meta.get("opts") or {}).items():
                options.append(f"--{key.replace('_', '-')}")
                options += (
                    [] if value is True else [",".join(map(str, value)) if isinstance(value, list) else str(value)]
                )
            yield folder.name, folder / meta["file"], meta["src"], options


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zoo", type=pathlib.Path, required=True)
    parser.add_argument("--names", default="*")
    parser.add_argument("--onnx2tf", default="", help="a Python interpreter whose environment has onnx2tf")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "zoo")
    parser.add_argument("--again", action="store_true")
    args = parser.parse_args()
    if not args.zoo.is_dir():
        print(f"the networks are not here ({args.zoo}): nothing was run")
        return
    args.out.mkdir(parents=True, exist_ok=True)
    kept = args.out / "rows.json"
    rows: dict[str, Row] = json.loads(kept.read_text()) if kept.exists() else {}
    for name, source, kind, options in networks(args.zoo.resolve(), args.names):
        row = rows.setdefault(name, {})
        row |= {"source": kind, "bound": bound(source)}
        with tempfile.TemporaryDirectory() as t:
            folder = pathlib.Path(t)
            if args.again or "ours" not in row:
                row["ours"] = ours(source, options, folder)
            if source.is_dir() and "tensorflow" not in row:
                row["tensorflow"] = tensorflow(source, folder)
            if source.suffix == ".onnx" and args.onnx2tf and "onnx2tf" not in row:
                row["onnx2tf"] = onnx2tf(args.onnx2tf, source, folder)
        kept.write_text(json.dumps(rows, indent=1))
        print(name, {k: v for k, v in row.items() if isinstance(v, dict)}, flush=True)
    write_page(ROOT / "docs" / "coverage.md", {TITLE: table(rows)})


if __name__ == "__main__":
    main()
