"""SavedModels whose signature is a step of every optimizer, with TensorFlow's results of three steps; run as a program
it writes them, so that tests never import it.

Use: python optimizer_models.py FOLDER.  Makes FOLDER/{dense,sparse,unique,references}: SavedModels; and their .npz.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

RATES = {"lr": 0.1, "rho": 0.9, "momentum": 0.8, "epsilon": 1e-3, "beta1": 0.9, "beta2": 0.99, "alpha": 0.1} | {
    "beta1_power": 0.81,
    "beta2_power": 0.98,
    "l1": 0.02,
    "l2": 0.1,
    "l2_shrinkage": 0.05,
    "lr_power": -0.5,
}
# name -> slots, hyperparameters
DENSE: dict[str, tuple[str, str]] = {
    "GradientDescent": ("", "alpha"),
    "Momentum": ("accum", "lr momentum"),
    "KerasMomentum": ("accum", "lr momentum"),
    "Adam": ("m v", "beta1_power beta2_power lr beta1 beta2 epsilon"),
    "AdamWithAmsgrad": ("m v vhat", "beta1_power beta2_power lr beta1 beta2 epsilon"),
    "AdaMax": ("m v", "beta1_power lr beta1 beta2 epsilon"),
    "RMSProp": ("ms mom", "lr rho momentum epsilon"),
    "CenteredRMSProp": ("mg ms mom", "lr rho momentum epsilon"),
    "Adagrad": ("accum", "lr"),
    "AdagradV2": ("accum", "lr epsilon"),
    "Adadelta": ("accum accum_update", "lr rho epsilon"),
    "Ftrl": ("accum linear", "lr l1 l2 lr_power"),
    "FtrlV2": ("accum linear", "lr l1 l2 l2_shrinkage lr_power"),
}
SPARSE = [name for name in DENSE if name not in ("GradientDescent", "Adam", "AdamWithAmsgrad", "AdaMax")]
NESTEROV = ("Momentum", "KerasMomentum", "Adam")


def gradients() -> list[Any]:
    return [np.random.default_rng(i).standard_normal((4, 2)).astype(np.float32) for i in range(3)]


def steps(tf: Any, names: list[tuple[str, bool]], sparse: bool, unique: bool) -> tuple[Any, Any]:
    """A module of variables and slots, and the function that takes a step with every optimizer.  unique: gradients of
    the same row are summed before, as the optimizers of TensorFlow do.
    """
    form = "ResourceSparseApply" if sparse else "ResourceApply"
    rows = np.linspace(0.2, 2.0, 8, dtype=np.float32).reshape(4, 2)
    module = tf.Module()
    module.slots = [
        [
            tf.Variable(rows * 0.1 if slot == "mg" else rows + i)
            for i, slot in enumerate(["var", *DENSE[name][0].split()])
        ]
        for name, _ in names
    ]

    def step(grad: Any, indices: Any) -> dict[str, Any]:
        if unique:
            indices, places = tf.unique(indices)
            grad = tf.math.unsorted_segment_sum(grad, places, tf.shape(indices)[0])
        for (name, nesterov), values in zip(names, module.slots, strict=True):
            given = dict(zip(("var", *DENSE[name][0].split()), (v.handle for v in values), strict=True))
            given |= {k: RATES[k] for k in DENSE[name][1].split()}
            given["delta" if name == "GradientDescent" else "grad"] = grad
            given |= {"indices": indices} if sparse else {}
            given |= {"use_nesterov": True} if nesterov else {}
            getattr(tf.raw_ops, form + name)(**given)
        return {"all": tf.stack([v.read_value() for values in module.slots for v in values])}

    shapes = [tf.TensorSpec([4, 2], name="grad"), tf.TensorSpec([4], tf.int32, name="indices")]
    return module, tf.function(step, input_signature=shapes)


def write(tf: Any, folder: Path, name: str) -> None:
    """One of resource variables."""
    sparse = name != "dense"
    kinds = [(k, n) for k in (SPARSE if sparse else DENSE) for n in ((False, True) if k in NESTEROV else (False,))]
    module, step = steps(tf, kinds, sparse, name == "unique")
    path = folder / name
    tf.saved_model.save(module, str(path), signatures=step)
    stored: dict[str, Any] = {}
    for i, grad in enumerate(gradients()):
        indices = np.asarray([3 - i, 0, 3, 3 - i], np.int32)
        found = step(tf.constant(grad), tf.constant(indices))
        stored |= {f"grad{i}": grad, f"indices{i}": indices, f"all{i}": found["all"].numpy()}
    np.savez(path.with_suffix(".npz"), **stored)


def write_references(tf: Any, folder: Path) -> None:
    """Adam on TF1's variables, which are references."""
    path, v1 = folder / "references", tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        grad = v1.placeholder(tf.float32, [4, 2], name="grad")
        start = np.linspace(0.2, 2.0, 8, dtype=np.float32).reshape(4, 2)
        w = v1.get_variable("w", initializer=start, use_resource=False)
        step = v1.train.AdamOptimizer(0.1).apply_gradients([(grad, w)])
        with tf.control_dependencies([step]):
            after = tf.identity(w.read_value(), name="after")
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, str(path), {"grad": grad}, {"all": after})
        stored: dict[str, Any] = {}
        for i, values in enumerate(gradients()):
            stored |= {f"grad{i}": values, f"all{i}": session.run(after, {grad: values})}
    np.savez(path.with_suffix(".npz"), **stored)


if __name__ == "__main__":
    import tensorflow

    for kind in ("dense", "sparse", "unique"):
        write(tensorflow, Path(sys.argv[1]), kind)
    write_references(tensorflow, Path(sys.argv[1]))
