"""Whole-process conversions by two checkouts, one after the other: processor time and peak memory, and their ratios.

    python benchmarks/checkouts.py OLD NEW [--runs 15] [--length 100000] [--to tflite]

Models: MobileNetV2, ResNet-50, a chain of ops.  The median of the runs is printed for each.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


def make(maker: str, path: pathlib.Path) -> None:
    """Write a model, in a process of its own: a child's peak memory counts what its parent has when it begins."""
    script = f"import pathlib, models; path = pathlib.Path({str(path)!r}); {maker}"
    subprocess.run([sys.executable, "-c", script], cwd=HERE, check=True)


def once(checkout: str, model: pathlib.Path, target: str, folder: str) -> tuple[float, float]:
    """Seconds of processor time, and peak megabytes, of one process."""
    command = [sys.executable, "-m", "mlconv", "convert", str(model), "--to", target, "-o", f"{folder}/out"]
    process = subprocess.Popen(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": checkout}, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"{checkout}: {' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--length", type=int, default=100_000)
    parser.add_argument("--to", default="tflite")
    args = parser.parse_args()
    sides = [os.path.abspath(side) for side in (args.old, args.new)]
    for side in sides:
        if not pathlib.Path(side, "mlconv", "__init__.py").is_file():
            parser.error(f"{side} is no checkout of mlconv")
    with tempfile.TemporaryDirectory() as folder:
        base = pathlib.Path(folder)
        makers = ["models.mobilenet_v2(path)", "models.resnet50(path)"]
        makers += [f"models.chain(path, {args.length})"] if args.length else []
        for maker in makers:
            model = base / f"{maker.partition('(')[0].removeprefix('models.')}.onnx"
            make(maker, model)
            runs = [[once(side, model, args.to, folder) for side in sides] for _ in range(args.runs + 1)][1:]
            old, new = ([statistics.median(run[i][k] for run in runs) for k in (0, 1)] for i in (0, 1))
            print(
                f"{model.stem:<16}{old[0]:8.2f} s {new[0]:8.2f} s  x{new[0] / old[0]:.3f}"
                f"{old[1]:8.0f} MB {new[1]:6.0f} MB  x{new[1] / old[1]:.3f}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
