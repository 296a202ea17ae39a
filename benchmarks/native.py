"""Inference of one sample on one thread: native objects against ONNX Runtime, LiteRT (XNNPACK) and OpenVINO.

    python benchmarks/native.py [--models minilm,unet] [--precision int8|bf16] [--rounds 30] [--cpu NAME | --limit]

All run in one process, in turn, on the same inputs; a peer that is not installed is left out.  Figures are
milliseconds of processor time: the median and the least of the rounds.  Outputs are compared with ONNX
Runtime's first.  Precision int8: each peer runs the same quantized model in its own form, which mlconv wrote with
ranges of a few random samples: LiteRT a .tflite file, the others ONNX with uint8 activations and int8 weights.
Recurrent networks are quantized by ONNX Runtime's own tool besides, whose steps are DynamicQuantizeLSTM.
Precision bf16: our scheme `bfloat16`, and our float32; the peers run the float32 model, OpenVINO with its bf16 on.
With --limit all run as on a machine that ends at AVX2 with FMA (x86-64-v3): see `limited.py`.
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
from typing import Any, NamedTuple

import further
import limited
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
FURTHER = {
    "bert_base": further.bert_base,
    "wav2vec2": further.wav2vec2,
    "convnext_tiny": further.convnext_tiny,
    "swin_tiny": further.swin_tiny,
    "lstm_gru": further.lstm_gru,
    "bilstm": further.bilstm,
}
RECURRENT = ("lstm_gru", "bilstm")
Run = Callable[[], np.ndarray]
_SCHEMES = {"float32": "", "bf16": "bfloat16"}  # that need no samples


class Model(NamedTuple):
    """path: of the ONNX file.  scheme: options of mlconv.  precision: what is compared."""

    path: pathlib.Path
    scheme: list[str]
    precision: str

    def converted(self, to: str, suffix: str, *options: str) -> pathlib.Path:
        """By the command line, in a process of its own."""
        target = self.path.with_suffix(suffix)
        command = [sys.executable, "-m", "mlconv", "convert", str(self.path), "--to", to, "-o", str(target)]
        subprocess.run([*command, *self.scheme, *options], check=True, stdout=subprocess.DEVNULL)
        return target

    @property
    def as_onnx(self) -> pathlib.Path:
        return self.path if self.precision in _SCHEMES else self.converted("onnx", ".q.onnx")


def scheme_of(path: pathlib.Path, precision: str, inputs: dict[str, Any]) -> list[str]:
    if precision in _SCHEMES:
        return ["--quantize", _SCHEMES[precision]] if _SCHEMES[precision] else []
    samples = {
        name: np.concatenate([a, *(feeds(path, seed)[name] for seed in (1, 2, 3))]) for name, a in inputs.items()
    }
    calibration = path.with_suffix(".npz")
    np.savez(calibration, **samples)
    return ["--quantize", precision, "--calibration", str(calibration)]


def ours(model: Model, inputs: dict[str, Any], cpu: str, threads: int = 1) -> tuple[Run, str]:
    from mlconv import load_native

    begin = time.perf_counter()
    target = model.converted("native", ".o", *(["--cpu", cpu] if cpu else []))
    seconds = time.perf_counter() - begin
    native = load_native(target, threads)
    return lambda: next(iter(native.run(inputs).values())), f"compiled in {seconds:.2f} s"


def onnxruntime(model: Model, inputs: dict[str, Any], threads: int = 1) -> Run:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = ort.InferenceSession(str(model.as_onnx), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, inputs)[0]


def dynamic_lstm(model: Model, inputs: dict[str, Any], threads: int = 1) -> Run:
    """What ONNX Runtime's own tool makes of a recurrent network: DynamicQuantizeLSTM, and a GRU of floats."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    target = model.path.with_suffix(".dynamic.onnx")
    quantize_dynamic(model.path, target, weight_type=QuantType.QInt8, per_channel=True)
    return onnxruntime(Model(target, [], "float32"), inputs, threads)


def litert(model: Model, inputs: dict[str, Any], threads: int = 1) -> Run:
    from ai_edge_litert.interpreter import Interpreter

    plain = model._replace(scheme=[]) if model.precision in _SCHEMES else model
    interpreter = Interpreter(str(plain.converted("tflite", ".tflite")), num_threads=threads)
    interpreter.allocate_tensors()
    (value,) = inputs.values()
    detail, out = interpreter.get_input_details()[0], interpreter.get_output_details()[0]["index"]
    value = value.astype(detail["dtype"])

    def run() -> np.ndarray:
        interpreter.set_tensor(detail["index"], value)
        interpreter.invoke()
        return interpreter.get_tensor(out)

    return run


def openvino(model: Model, inputs: dict[str, Any], threads: int = 1) -> Run:
    import openvino as ov

    hint = "bf16" if model.precision == "bf16" else "f32"
    settings = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": hint}
    request = ov.Core().compile_model(str(model.as_onnx), "CPU", settings).create_infer_request()
    return lambda: next(iter(request.infer(inputs).values()))


def feeds(path: pathlib.Path, seed: int = 0) -> dict[str, Any]:
    (info,) = onnx.load(path, load_external_data=False).graph.input
    shape, rng = [d.dim_value for d in info.type.tensor_type.shape.dim], np.random.default_rng(seed)
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
            begin = time.process_time()
            run()
            times[name].append(1e3 * (time.process_time() - begin))
    return times


def compare(name: str, folder: pathlib.Path, precision: str, rounds: int, cpu: str) -> dict[str, Any]:
    path = {**MODELS, **FURTHER}[name](folder / f"{name}.onnx")
    inputs = feeds(path)
    model = Model(path, scheme_of(path, precision, inputs), precision)
    run, note = ours(model, inputs, cpu)
    runs: dict[str, Run] = {"mlconv": run}
    if precision == "bf16":
        runs["our float32"] = ours(model._replace(scheme=[]), inputs, cpu)[0]
    own = (dynamic_lstm,) if name in RECURRENT and precision not in _SCHEMES else ()
    for peer in (onnxruntime, *own, litert, openvino):
        try:
            runs[peer.__name__] = peer(model, inputs)
        except ImportError:
            continue
    golden = runs["onnxruntime"]() if "onnxruntime" in runs else run()
    error = float(np.abs(run() - golden).max() / np.abs(golden).max())
    times = measure(runs, rounds)
    facts = {n: {"median": statistics.median(t), "least": min(t)} for n, t in times.items()}
    return {"model": name, "note": note, "error": error, "ms": facts}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default=",".join(MODELS), help=f"of {', '.join((*MODELS, *FURTHER))}")
    parser.add_argument("--precision", choices=["float32", "bf16", "int8", "dynamic-range"], default="float32")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--cpu", default="", help="instruction set of our objects")
    parser.add_argument("--limit", action="store_true", help="all as where AVX2 is the newest instruction set")
    parser.add_argument("--pin", type=int, default=-1, help="core to run on")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    if args.limit:
        limited.again([a for a in sys.argv if a != "--limit"] + ["--cpu", "x86-64-v3"])
    if args.pin >= 0:
        os.sched_setaffinity(0, {args.pin})
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name in args.models.split(","):
            result = compare(name, pathlib.Path(folder), args.precision, args.rounds, args.cpu)
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
