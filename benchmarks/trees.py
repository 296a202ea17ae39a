"""Ensembles of trees on one thread: native objects against ONNX Runtime, lleaves and tl2cgen.

    python benchmarks/trees.py [--models lightgbm,xgboost,forest] [--rounds 15] [--json FILE] [--mlconv PYTHON]

LightGBM, 500 trees of 63 leaves with categories and missing values; XGBoost, 1000 trees of depth 6; a random forest
of 200 trees without limits.  Each is trained here on random rows, written as ONNX, and compared with its own
predictions first.  One row at a time, another one in each call, and 1000 rows at once.  Figures are microseconds of
processor time of a call from Python, the least of interleaved rounds, and bytes of the TFLite file over those of the
ONNX file.  Needs lightgbm, xgboost, scikit-learn, onnxmltools and skl2onnx; a peer that is not installed is left out.
lleaves works with llvmlite up to 0.44 alone: `--mlconv` names the interpreter of another environment, which converts.
"""

from __future__ import annotations

import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

FEATURES, CATEGORICAL, ROWS, MANY = 40, 4, 10_000, 1000
CALLS_OF_ONE = 200  # in a turn
Predict = Callable[[np.ndarray], Any]


class Trained(NamedTuple):
    """onnx: the exported model.  expected: predictions of `rows` by the library that trained it.  booster: a file that
    peers read, or the model itself.
    """

    onnx: bytes
    rows: np.ndarray
    expected: np.ndarray
    booster: Any


def data(missing: bool, categorical: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    x = rng.standard_normal((ROWS, FEATURES)).astype(np.float32)
    if categorical:
        x[:, :CATEGORICAL] = rng.integers(0, 12, (ROWS, CATEGORICAL))
    y = np.sin(x[:, 5] * x[:, 6]) + np.abs(x[:, 7]) * (x[:, 0] % 3) + x[:, 8:20].sum(1) + rng.normal(0, 0.3, ROWS)
    if missing:
        x[:, CATEGORICAL:][rng.random((ROWS, FEATURES - CATEGORICAL)) < 0.05] = np.nan
    return x, y.astype(np.float32)


def lightgbm(folder: pathlib.Path) -> Trained:
    import lightgbm as lgb
    from onnxmltools import convert_lightgbm
    from onnxmltools.convert.common.data_types import FloatTensorType

    x, y = data(missing=True, categorical=True)
    given = {"num_leaves": 63, "verbose": -1, "num_threads": 2, "min_data_in_leaf": 5, "learning_rate": 0.05}
    booster = lgb.train(given, lgb.Dataset(x, y, categorical_feature=list(range(CATEGORICAL))), 500)
    path = folder / "lightgbm.txt"
    booster.save_model(path)
    exported = convert_lightgbm(booster, initial_types=[("x", FloatTensorType([None, FEATURES]))], zipmap=False)
    return Trained(exported.SerializeToString(), x[:MANY], booster.predict(x[:MANY]), path)


def xgboost(folder: pathlib.Path) -> Trained:
    import xgboost as xgb
    from onnxmltools import convert_xgboost
    from onnxmltools.convert.common.data_types import FloatTensorType

    x, y = data(missing=True, categorical=False)
    model = xgb.XGBRegressor(n_estimators=1000, max_depth=6, learning_rate=0.05, n_jobs=2).fit(x, y)
    path = folder / "xgboost.json"
    model.save_model(path)
    exported = convert_xgboost(model, initial_types=[("x", FloatTensorType([None, FEATURES]))])
    return Trained(exported.SerializeToString(), x[:MANY], model.predict(x[:MANY]), path)


def forest(folder: pathlib.Path) -> Trained:
    from skl2onnx import to_onnx
    from sklearn.ensemble import RandomForestRegressor

    x, y = data(missing=False, categorical=False)
    model = RandomForestRegressor(200, n_jobs=2, random_state=1).fit(x, y)
    return Trained(to_onnx(model, x[:1]).SerializeToString(), x[:MANY], model.predict(x[:MANY]), model)


MODELS = {"lightgbm": lightgbm, "xgboost": xgboost, "forest": forest}


def ours(model: Trained, path: pathlib.Path) -> Predict:
    from mlconv import load_native

    target = path.with_suffix(".o")
    native = load_native(target, 1)
    ((name, _, _),) = native.inputs
    return lambda x: next(iter(native.run({name: x}).values()))


def onnxruntime(model: Trained, path: pathlib.Path) -> Predict:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(model.onnx, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda x: session.run(None, {name: x})[0]


def lleaves(model: Trained, path: pathlib.Path) -> Predict | None:
    """Reads LightGBM's text format alone."""
    if not str(model.booster).endswith(".txt"):
        return None
    import lleaves as peer

    compiled = peer.Model(model_file=str(model.booster))
    compiled.compile(cache=str(path.with_suffix(".lleaves.o")))
    return lambda x: compiled.predict(x, n_jobs=1)


def tl2cgen(model: Trained, path: pathlib.Path) -> Predict:
    import tl2cgen as peer
    import treelite

    name = str(model.booster)
    if name.endswith(".txt"):
        read = treelite.frontend.load_lightgbm_model(name)
    elif name.endswith(".json"):
        read = treelite.frontend.load_xgboost_model(name)
    else:
        read = treelite.sklearn.import_model(model.booster)
    library = path.with_suffix(".tl2cgen.so")
    peer.export_lib(read, toolchain="gcc", libpath=str(library), params={"parallel_comp": 16}, verbose=False)
    predictor = peer.Predictor(str(library), nthread=1)
    return lambda x: predictor.predict(peer.DMatrix(x))


PEERS = (ours, onnxruntime, lleaves, tl2cgen)


def convert(path: pathlib.Path, to: str, suffix: str, python: str) -> pathlib.Path:
    target = path.with_suffix(suffix)
    command = [python, "-m", "mlconv", "convert", str(path), "--to", to, "-o", str(target)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return target


def agree(name: str, made: Any, expected: np.ndarray) -> None:
    error = np.abs(np.asarray(made, np.float64).ravel() - expected).max()
    if not error <= 1e-4 * np.abs(expected).max():
        raise SystemExit(f"{name} differs by {error} from the library that trained the model")


def runs_of(model: Trained, path: pathlib.Path, peers: list[str]) -> Iterator[tuple[str, Predict, float]]:
    """Each runtime that is installed, and the seconds that it took to build."""
    for peer in PEERS:
        if peer.__name__ not in ["ours", *peers]:
            continue
        begin = time.perf_counter()
        try:
            predict = peer(model, path)
        except ImportError:
            continue
        if predict is None:
            continue
        seconds = time.perf_counter() - begin
        agree(peer.__name__, predict(model.rows), model.expected)
        yield peer.__name__, predict, seconds


def turn(predict: Predict, batches: list[np.ndarray]) -> float:
    """Microseconds of processor time of a call."""
    begin = time.process_time()
    for rows in batches:
        predict(rows)
    return 1e6 * (time.process_time() - begin) / len(batches)


def measure(runs: dict[str, Predict], rows: np.ndarray, rounds: int) -> dict[str, list[float]]:
    """Microseconds of one row, and of all rows, by runtime."""
    single = itertools.cycle([rows[i : i + 1] for i in range(len(rows))])
    least = {name: [float("inf")] * 2 for name in runs}
    for _ in range(rounds):
        batches = list(itertools.islice(single, CALLS_OF_ONE))
        for name, predict in runs.items():
            found = turn(predict, batches), turn(predict, [rows] * 2)
            least[name] = [min(a, b) for a, b in zip(least[name], found, strict=True)]
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--peers", default="onnxruntime,lleaves,tl2cgen")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--mlconv", default=sys.executable, help="interpreter of the environment that has mlconv")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in args.models.split(","):
            model = MODELS[name](pathlib.Path(folder))
            path = pathlib.Path(folder) / f"{name}.onnx"
            path.write_bytes(model.onnx)
            begin = time.perf_counter()
            convert(path, "native", ".o", args.mlconv)
            seconds = time.perf_counter() - begin
            made = list(runs_of(model, path, args.peers.split(",")))
            times = measure({peer: predict for peer, predict, _ in made}, model.rows, args.rounds)
            ratio = convert(path, "tflite", ".tflite", args.mlconv).stat().st_size / len(model.onnx)
            built = {peer: s for peer, _, s in made} | {"ours": seconds}
            results[name] = {"times": times, "build": built, "tflite": ratio}
            print(f"{name}: TFLite / ONNX bytes {ratio:.2f}")
            for peer, _, seconds in made:
                one, many = times[peer]
                print(
                    f"  {peer:12} 1 row {one:9.1f} us   {MANY} rows {many:10.1f} us   built in {seconds:.1f} s",
                    flush=True,
                )
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
