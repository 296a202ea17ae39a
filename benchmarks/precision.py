"""Precision chosen by time against single schemes, in native code of this machine.

    python benchmarks/precision.py [--models mobilenet_v2,minilm,unet] [--drop 0.1] [--rounds 60]

`mlconv quantize --to native --scheme auto --max-drop DROP --metric fidelity` on random samples; then every single
scheme as it is written.  All run in one process, in turn.  Figures are the least milliseconds of processor time, and
how much worse than the float model outputs are; a scheme that is worse than DROP does not count.
"""

from __future__ import annotations

import argparse
import pathlib
import tempfile
import time
from typing import Any

import native
import numpy as np

import mlconv

SCHEMES = ("int8", "dynamic-range", "int4", "int8-weights", "bfloat16", "float")
_SAMPLES = 8


def worse(outputs: list[np.ndarray], wanted: list[np.ndarray]) -> float:
    """The root of the squared error over the squares of the float model's numbers, as 1 - fidelity."""
    error = sum(float(((y - t).astype(np.float64) ** 2).sum()) for y, t in zip(outputs, wanted, strict=True))
    return float(np.sqrt(error / sum(float((t.astype(np.float64) ** 2).sum()) for t in wanted)))


def compare(name: str, folder: pathlib.Path, drop: float, rounds: int) -> None:
    path = native.MODELS[name](folder / f"{name}.onnx")
    samples = [native.feeds(path, seed) for seed in range(_SAMPLES)]
    data = folder / f"{name}.npz"
    np.savez(data, **{key: np.concatenate([s[key] for s in samples]) for key in samples[0]})
    models: dict[str, Any] = {}
    begin = time.perf_counter()
    limits = {"evaluation": str(data), "metric": "fidelity", "max_drop": drop}
    found = mlconv.quantize(path, "native", folder / "auto.o", scheme="auto", calibration=str(data), **limits)
    seconds = time.perf_counter() - begin
    for scheme in ("auto", *SCHEMES):
        if scheme != "auto":
            mlconv.quantize(path, "native", folder / f"{scheme}.o", scheme=scheme, calibration=str(data))
        models[scheme] = mlconv.load_native(folder / f"{scheme}.o")
    outputs = {key: [next(iter(m.run(s).values())) for s in samples] for key, m in models.items()}
    times = native.measure({key: lambda m=m: m.run(samples[0]) for key, m in models.items()}, rounds)
    least = {key: min(t) for key, t in times.items()}
    lost = {key: worse(y, outputs["float"]) for key, y in outputs.items()}
    best = min((key for key in SCHEMES if lost[key] <= drop), key=least.__getitem__)
    speed = found.quantization.speed
    print(f"{name}, {drop}: {speed.chosen} in {seconds:.0f} s, {least['auto'] / least[best]:.3f} of {best}, the best")
    for key in models:
        print(f"  {key:14} {least[key]:7.2f} ms, worse by {lost[key]:.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default="mobilenet_v2,minilm,unet")
    parser.add_argument("--drop", type=float, default=0.1)
    parser.add_argument("--rounds", type=int, default=60)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in args.models.split(","):
            compare(name, pathlib.Path(folder), args.drop, args.rounds)


if __name__ == "__main__":
    main()
