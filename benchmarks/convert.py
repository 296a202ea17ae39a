"""Cold whole-process conversions to TFLite: seconds and peak memory, beside the converters that are installed, in one
run.

    python benchmarks/convert.py [--runs 5] [--large] [--scale]

Peers: onnx2tf where it is on the path; TFLiteConverter of the installed tensorflow (on a SavedModel made from the ONNX
model is not possible, so it is timed on the TensorFlow form of the same network, testdata's CNN).  --large: an ONNX
model with 4 GB of external data.  --scale: chains of 10k, 30k and 100k ops.  Each command runs pinned to one core where
the system can do that; the median of the runs is printed, with the smallest and the largest.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import models

ROOT = pathlib.Path(__file__).parent.parent
MLCONV = [sys.executable, "-m", "mlconv", "convert"]
TFLITE_CONVERTER = """
import sys, tensorflow as tf
open(sys.argv[2], "wb").write(tf.lite.TFLiteConverter.from_saved_model(sys.argv[1]).convert())
"""


def once(command: list[str], folder: str) -> tuple[float, float]:
    """Seconds and peak megabytes of one process."""
    pin = {"preexec_fn": lambda: os.sched_setaffinity(0, {0})} if hasattr(os, "sched_setaffinity") else {}
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **pin)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"{' '.join(command)} failed")
    return seconds, usage.ru_maxrss / 1024


def measure(label: str, command: list[str], runs: int, folder: str) -> float:
    results = [once(command, folder) for _ in range(runs + 1)][1:]
    seconds = [s for s, _ in results]
    middle = statistics.median(seconds)
    print(
        f"{label:<44}{middle:>8.2f} s  ({min(seconds):.2f} .. {max(seconds):.2f}){max(m for _, m in results):>9.0f} MB",
        flush=True,
    )
    return middle


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("--peers", action="store_true", help="also time TFLiteConverter and onnx2tf")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        base = pathlib.Path(folder)
        for make in (models.mobilenet_v2, models.resnet50):
            path = make(base / f"{make.__name__}.onnx")
            size = path.stat().st_size / 1e6
            ours = measure(
                f"mlconv {path.stem} ({size:.0f} MB)", [*MLCONV, str(path), "--to", "tflite"], args.runs, folder
            )
            if args.peers and shutil.which("onnx2tf"):
                copy = base / "copy.onnx"  # onnx2tf changes its input
                shutil.copy(path, copy)
                theirs = measure(
                    f"onnx2tf {path.stem}",
                    ["onnx2tf", "-i", str(copy), "-o", f"{folder}/onnx2tf"],
                    min(args.runs, 2),
                    folder,
                )
                print(f"{'':<44}ratio {theirs / ours:.1f}")
        if args.peers:
            saved = str(ROOT / "testdata" / "models" / "digits_cnn_saved_model")
            frozen = str(ROOT / "testdata" / "models" / "digits_cnn.pb")
            ours = measure(
                "mlconv digits_cnn.pb",
                [*MLCONV, frozen, "--to", "tflite", "-o", f"{folder}/a.tflite"],
                args.runs,
                folder,
            )
            theirs = measure(
                "TFLiteConverter digits_cnn",
                [sys.executable, "-c", TFLITE_CONVERTER, saved, f"{folder}/b.tflite"],
                min(args.runs, 2),
                folder,
            )
            print(f"{'':<44}ratio {theirs / ours:.1f}")
        for length in (10_000, 30_000, 100_000) if args.scale else ():
            path = models.chain(base / f"chain{length}.onnx", length)
            seconds = measure(f"mlconv chain of {length} ops", [*MLCONV, str(path), "--to", "tflite"], 1, folder)
            print(f"{'':<44}{seconds / length * 1e6:.0f} us an op")
        if args.large:
            path = models.wide_mlp(base / "mlp.onnx", 4.0)
            measure("mlconv MLP with 4 GB of external data", [*MLCONV, str(path), "--to", "tflite"], 1, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
