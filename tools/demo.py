"""The demo: converts the trained models of testdata/models to every target that exists and checks each against its
framework's outputs.
"""

from __future__ import annotations

import pathlib
import sys
import time
from typing import Any

import numpy as np

import mlconv
from mlconv.runtime.litert import run_tflite
from mlconv.runtime.onnx_runtime import run_session, session_of
from mlconv.runtime.xla_program import run_hlo

ROOT = pathlib.Path(__file__).parent.parent
MODELS = ROOT / "testdata" / "models"
OUT = ROOT / "demo-out"
LIMIT = 1e-4
RUNTIMES = {"tflite": "LiteRT", "hlo": "XLA", "onnx": "ONNX Runtime", "native": "native code"}
SUFFIXES = {"tflite": ".tflite", "hlo": ".hlo.pb", "onnx": ".onnx", "native": ".o"}


def image_of(path: pathlib.Path, golden: dict[str, np.ndarray]) -> np.ndarray:
    """The ten test images, channels first where the model takes them so."""
    image = golden["image"]
    return image.transpose(0, 3, 1, 2) if path.name == "digits_cnn.onnx" else image


def run(target: str, output: pathlib.Path, name: str, image: np.ndarray) -> np.ndarray:
    """The artifact's scores on the target's runtime."""
    if target == "native":
        (scores,) = mlconv.load_native(output).run({name: image}).values()
        return scores
    if target == "hlo":
        return run_hlo(str(output), [image])[0]
    if target == "onnx":
        (scores,) = run_session(session_of(str(output)), {name: image}).values()
        return scores
    (scores,) = run_tflite(str(output), {name: image}, "serving_default").values()
    return scores


def main() -> int:
    OUT.mkdir(exist_ok=True)
    worst = dict.fromkeys(RUNTIMES, 0.0)
    refused: list[tuple[str, str]] = []
    print(
        f"{'model':<28}{'target':<8}{'size':>9}{'ops':>5}{'transposes':>12}{'time':>9}"
        f"{'largest error':>16}{'classes equal':>15}"
    )
    for path in sorted([*MODELS.glob("*.onnx"), *MODELS.glob("*.pb"), *MODELS.glob("*_saved_model")]):
        with np.load(MODELS / f"{path.stem.removesuffix('_saved_model')}.npz") as z:
            golden = dict(z)
        image = image_of(path, golden)
        for target in RUNTIMES:
            output = OUT / f"{path.stem}_{path.suffix.lstrip('.') or 'folder'}{SUFFIXES[target]}"
            # the others have static shapes
            pinned: dict[str, Any] = {} if target == "tflite" else {"shapes": {"image": image.shape}}
            started = time.perf_counter()
            try:
                result = mlconv.convert(path, to=target, output=output, **pinned)
            except mlconv.ConversionError as error:
                print(f"{path.name:<28}{target:<8} refused: {error}")
                refused.append((path.name, target))
                continue
            seconds = time.perf_counter() - started
            scores = run(target, output, result.inputs[0]["name"], image)
            error = float(np.max(np.abs(scores - golden["scores"])))
            equal = int(np.sum(np.argmax(scores, -1) == np.argmax(golden["scores"], -1)))
            worst[target] = max(worst[target], error)
            columns = (
                f"{path.name:<28}{target:<8}{result.size_bytes:>9}{sum(result.ops.values()):>5}{result.transposes:>12}"
            )
            print(f"{columns}{seconds * 1e3:>7.0f}ms{error:>16.2e}{f'{equal}/{len(scores)}':>15}")
    for target, error in worst.items():
        verdict = "agrees with TensorFlow's outputs within" if error < LIMIT else "FAILED, off by"
        print(f"{RUNTIMES[target]} {verdict} {error:.1e}")
    return 0 if max(worst.values()) < LIMIT and not refused else 1


if __name__ == "__main__":
    sys.exit(main())
