"""`mlconv convert --quantize int8` beside ai-edge-quantizer: processor time, memory and bytes of whole processes.

    python benchmarks/quantize.py [--peers PYTHON] [--samples N] [--rounds N] [--models A,B] [--json FILE]

mlconv reads an ONNX file and calibrates it with N samples.  The peer is given the float TFLite file that mlconv makes
of it, which it need not convert any more, and the same samples.  Rounds are interleaved; the least processor time (user
and system, of all threads) and the largest memory of a process count.  `--peers` names the interpreter of an
environment with ai-edge-quantizer.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

SIDE = 224
MAKE = "import models, pathlib, sys; getattr(models, sys.argv[1])(pathlib.Path(sys.argv[2]))"
PEER = """
import sys
import numpy as np
from ai_edge_quantizer import quantizer, recipe
from ai_edge_litert.interpreter import Interpreter

model, data, out = sys.argv[1:]
samples = next(iter(np.load(data).values()))
((key, ports),) = Interpreter(model).get_signature_list().items()
made = quantizer.Quantizer(model)
made.load_quantization_recipe(recipe.static_wi8_ai8())
found = made.calibrate({key: [{ports["inputs"][0]: sample[None]} for sample in samples]})
open(out, "wb").write(bytes(made.quantize(found).quantized_model))
"""


class Ran(NamedTuple):
    seconds: float
    megabytes: float


def run(command: Sequence[str]) -> Ran:
    """A process.  Ends this one where that fails."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE",)}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command[:4]))} ends with {process.returncode}")
    return Ran(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def row(name: str, folder: pathlib.Path, samples: int, rounds: int, peers: str | None) -> dict[str, dict[str, float]]:
    """Seconds, megabytes and bytes by tool."""
    source = folder / f"{name}.onnx"
    # a process of its own: one that is started counts the memory of the one that starts it
    subprocess.run([sys.executable, "-c", MAKE, name, str(source)], check=True, cwd=pathlib.Path(__file__).parent)
    images = np.random.default_rng(0).normal(size=(samples, 3, SIDE, SIDE)).astype(np.float32)
    np.savez(folder / "ours.npz", image=images)
    np.savez(folder / "peer.npz", image=images.transpose(0, 2, 3, 1))
    convert = [sys.executable, "-m", "mlconv", "convert", str(source), "--to", "tflite", "-o"]
    plain = folder / f"{name}.tflite"
    run([*convert, str(plain), "--layout", "image=nhwc"])
    made = {"mlconv": folder / "ours.tflite", "ai-edge-quantizer": folder / "peer.tflite"}
    commands = {
        "mlconv": [*convert, str(made["mlconv"]), "--quantize", "int8", "--calibration", str(folder / "ours.npz")]
    }
    if peers:
        commands["ai-edge-quantizer"] = [
            peers, "-c", PEER, str(plain), str(folder / "peer.npz"), str(made["ai-edge-quantizer"])
        ]  # fmt: skip
    found: dict[str, list[Ran]] = {tool: [] for tool in commands}
    for _ in range(rounds):
        for tool, command in commands.items():
            found[tool].append(run(command))
    return {
        tool: {
            "seconds": round(min(r.seconds for r in ran), 2),
            "megabytes": round(max(r.megabytes for r in ran)),
            "bytes": made[tool].stat().st_size,
        }
        for tool, ran in found.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", help="interpreter of an environment with ai-edge-quantizer")
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--models", default="mobilenet_v2,resnet50", help="of benchmarks/models.py")
    parser.add_argument("--json", help="also write the rows to this file")
    args = parser.parse_args()
    rows = {}
    for name in args.models.split(","):
        with tempfile.TemporaryDirectory() as folder:
            found = rows[name] = row(name, pathlib.Path(folder), args.samples, args.rounds, args.peers)
        for tool, cells in found.items():
            print(f"{name:14}{tool:20}{cells['seconds']:8.2f} s{cells['megabytes']:8.0f} MB{cells['bytes']:12,} bytes")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
