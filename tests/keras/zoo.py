"""Writes the models of all rows, with random weights, and what Keras answers for random inputs.

python -m tests.keras.zoo FOLDER
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from tests.keras import models, operations, preparation, sequences  # noqa: F401  they declare rows
from tests.keras.models import APPLICATIONS
from tests.keras.rows import NOT_IN_H5, ROWS
from tests.keras.sequences import KEPT


def randomize(model: Any, rng: np.random.Generator) -> None:
    """Weights and moving averages that none of them are zeros; kernels such that numbers keep their size."""
    for weight in model.weights:
        if "seed" in weight.path or not weight.dtype.startswith("float"):
            continue
        shape = tuple(weight.shape)
        fan = float(np.prod(shape[:-1])) if len(shape) > 1 and "depthwise" not in weight.path else 4.0
        value = rng.normal(0.1 if len(shape) < 2 else 0.0, 1.2 / np.sqrt(max(fan, 1.0)), shape)
        if "variance" in weight.path:
            value = np.abs(value) + 1.0
        if "gamma" in weight.path or "scale" in weight.path:
            value = rng.uniform(0.5, 1.0, shape)
        weight.assign(value.astype(weight.dtype))
    for layer in model._flatten_layers():
        if hasattr(layer, "finalize_state"):
            layer.finalize_state()


def drawn(tensor: Any, rng: np.random.Generator) -> Any:
    shape = [(3 if i == 0 else 6) if n is None else n for i, n in enumerate(tensor.shape)]
    if tensor.dtype == "bool":
        return rng.random(shape) < 0.7
    if "int" in tensor.dtype:
        return rng.integers(0, 250 if tensor.dtype == "uint8" else 5, shape).astype(tensor.dtype)
    return (
        rng.normal(0.2, 1.0, shape).astype(tensor.dtype) if len(shape) != 2 else rng.uniform(-2, 3.9, shape).astype("f")
    )


def write(name: str, keras: Any, folder: Path) -> None:
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    model = ROWS[name](keras)
    randomize(model, rng)
    names = [tensor._keras_history[0].name for tensor in model.inputs]
    arrays = dict(zip(names, (drawn(tensor, rng) for tensor in model.inputs), strict=True))
    if name.startswith("mask_rows"):  # one begins with what does not count, one has nothing else
        for tokens in arrays.values():
            if tokens.dtype == np.int32:
                tokens[1, :2], tokens[2] = 0, 0
    as_dict = isinstance(getattr(model, "_inputs_struct", None), dict)
    given = arrays if as_dict else list(arrays.values())
    if name == KEPT:
        arrays["x"][0, 1] = arrays["x"][1] = 0
        model(given[0], training=False)
    run = model
    if name.endswith("_of_bytes"):  # which layers in front take as they are outside of graphs
        import tensorflow as tf

        run = tf.function(model)
    found = run(given if len(arrays) > 1 or as_dict else given[0], training=False)
    if not isinstance(found, dict):
        listed = found if isinstance(found, (list, tuple)) else [found]
        found = {f"output_{i}": y for i, y in enumerate(listed)}
    model.save(folder / f"{name}.keras")
    if not name.startswith(NOT_IN_H5) and name not in APPLICATIONS:
        model.save(folder / f"{name}.h5")
    outputs = {f"out_{k}": np.asarray(found[k]) for k in sorted(found)}
    np.savez(folder / f"{name}.npz", **{f"in_{k}": v for k, v in arrays.items()}, **outputs)


def main(folder: str, *names: str) -> None:
    import keras

    listed = [(name, v.__name__) for name, v in vars(keras.layers).items() if isinstance(v, type)]
    kinds = [kind for name, kind in listed if issubclass(getattr(keras.layers, name), keras.layers.Layer)]
    functions = [name for name, v in vars(keras.activations).items() if callable(v)]
    (Path(folder) / "kinds.json").write_text(json.dumps([sorted({*kinds}), sorted(functions)]), encoding="utf-8")
    for name in names:
        write(name, keras, Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
