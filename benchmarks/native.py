"""Inference of one sample on one thread: native objects against ONNX Runtime, LiteRT (XNNPACK) and OpenVINO, float32.

    python benchmarks/native.py [--models mobilenet_v2,minilm] [--rounds 30] [--cpu NAME] [--json FILE]

All run in one process, in turn, on the same inputs; a peer that is not installed is left out.  Figures are
milliseconds: the median and the least of the rounds.  Outputs are compared with ONNX Runtime's first.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import models
import networks
import numpy as np
import onnx

MODELS = {
    "mobilenet_v2": models.mobilenet_v2,
    "resnet50": models.resnet50,
    "efficientnet_b0": networks.efficientnet_b0,
    "minilm": networks.minilm,
    "unet": networks.unet,
}
Run = Callable[[], np.ndarray]


def ours(path: pathlib.Path, inputs: dict[str, Any], cpu: str) -> tuple[Run, str]:
    """The object of a model, made by the command line in a process of its own."""
    from mlconv import load_native

    target = path.with_suffix(".o")
    command = [
        sys.executable,
        "-m",
        "mlconv",
        "convert",
        str(path),
        "--to",
        "native",
        "-o",
        str(target),
        *(["--cpu", cpu] if cpu else []),
    ]
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - begin
    model = load_native(target)
    return lambda: next(iter(model.run(inputs).values())), f"compiled in {seconds:.2f} s"


def onnxruntime(path: pathlib.Path, inputs: dict[str, Any]) -> Run:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, inputs)[0]


def litert(path: pathlib.Path, inputs: dict[str, Any]) -> Run:
    from ai_edge_litert.interpreter import Interpreter

    target = path.with_suffix(".tflite")
    subprocess.run(
        [sys.executable, "-m", "mlconv", "convert", str(path), "--to", "tflite", "-o", str(target)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    interpreter = Interpreter(str(target), num_threads=1)
    interpreter.allocate_tensors()
    (value,) = inputs.values()
    detail, out = interpreter.get_input_details()[0], interpreter.get_output_details()[0]["index"]
    value = value.astype(detail["dtype"])

    def run() -> np.ndarray:
        interpreter.set_tensor(detail["index"], value)
        interpreter.invoke()
        return interpreter.get_tensor(out)

    return run


def openvino(path: pathlib.Path, inputs: dict[str, Any]) -> Run:
    import openvino as ov

    settings = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}
    request = ov.Core().compile_model(str(path), "CPU", settings).create_infer_request()
    return lambda: next(iter(request.infer(inputs).values()))


def feeds(path: pathlib.Path) -> dict[str, Any]:
    (info,) = onnx.load(path, load_external_data=False).graph.input
    shape, rng = [d.dim_value for d in info.type.tensor_type.shape.dim], np.random.default_rng(0)
    whole = info.type.tensor_type.elem_type == onnx.TensorProto.INT64
    return {info.name: rng.integers(0, 4096, shape) if whole else rng.standard_normal(shape, np.float32)}


def measure(runs: dict[str, Run], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each, interleaved."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        for _ in range(3):
            run()
    for _ in range(rounds):
        for name, run in runs.items():
            begin = time.perf_counter()
            run()
            times[name].append(1e3 * (time.perf_counter() - begin))
    return times


def compare(name: str, folder: pathlib.Path, rounds: int, cpu: str) -> dict[str, Any]:
    path = MODELS[name](folder / f"{name}.onnx")
    inputs = feeds(path)
    run, note = ours(path, inputs, cpu)
    runs: dict[str, Run] = {"mlconv": run}
    for peer in (onnxruntime, litert, openvino):
        try:
            runs[peer.__name__] = peer(path, inputs)
        except ImportError:
            continue
    golden = runs["onnxruntime"]() if "onnxruntime" in runs else run()
    error = float(np.abs(run() - golden).max() / np.abs(golden).max())
    times = measure(runs, rounds)
    facts = {n: {"median": statistics.median(t), "least": min(t)} for n, t in times.items()}
    return {"model": name, "note": note, "error": error, "ms": facts}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--cpu", default="", help="instruction set of our objects")
    parser.add_argument("--pin", type=int, default=-1, help="core to run on")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    if args.pin >= 0:
        os.sched_setaffinity(0, {args.pin})
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name in args.models.split(","):
            result = compare(name, pathlib.Path(folder), args.rounds, args.cpu)
            results.append(result)
            base = result["ms"]["mlconv"]
            print(f"{name}: {result['note']}, largest error {result['error']:.1e} of the largest output")
            for peer, t in result["ms"].items():
                ratios = "  ".join(f"{t[kind] / base[kind]:5.2f}x" for kind in ("median", "least"))
                print(f"  {peer:12} median {t['median']:7.2f}  least {t['least']:7.2f}   {ratios}")
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
