"""Functions of jax as SavedModels of jax2tf, with what TensorFlow gives; run as a program."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

WEIGHTS = np.random.default_rng(0).standard_normal((24, 40)).astype(np.float32)


class Case(NamedTuple):
    """make(): the function, of TensorFlow's modules.  shape: of its input; 0 is open."""

    name: str
    make: Callable[[], tuple[Any, dict[str, Any]]]
    shape: tuple[int, ...]


def _dense() -> tuple[Any, dict[str, Any]]:
    import jax

    return lambda x: jax.nn.gelu(x @ WEIGHTS), {}


def _open() -> tuple[Any, dict[str, Any]]:
    import jax.numpy as jnp

    def f(x: Any) -> Any:
        return jnp.concatenate([x @ WEIGHTS, jnp.ones((x.shape[0], 2)) * x.shape[0]], 1).reshape(x.shape[0] * 2, -1)

    return f, {"polymorphic_shapes": ["(b, 24)"]}


def _two_platforms() -> tuple[Any, dict[str, Any]]:
    import jax

    def f(x: Any) -> Any:
        return jax.lax.platform_dependent(x, cpu=lambda x: x + 1, tpu=lambda x: x - 1)

    return f, {"native_serialization_platforms": ("tpu", "cpu")}


def _loop() -> tuple[Any, dict[str, Any]]:
    import jax
    import jax.numpy as jnp

    def f(x: Any) -> Any:
        turned, states = jax.lax.scan(lambda s, row: (jnp.tanh(s * 0.5 + row), s), jnp.zeros(24), x)
        return jax.lax.cond(turned[0] > 0, lambda: states + turned, lambda: states - turned)

    return f, {}


CASES = (
    Case("dense", _dense, (3, 24)),
    Case("open", _open, (0, 24)),
    Case("two platforms", _two_platforms, (3, 24)),
    Case("loop", _loop, (5, 24)),
)


def _twice(called: Callable[[Any], Any], variable: Any) -> Callable[[Any], dict[str, Any]]:
    return lambda x: {"y": called(x), "z": called(x * variable)}


def main(folder: Path) -> None:
    """Write each function once beside a variable, and called twice."""
    import tensorflow as tf
    from jax.experimental import jax2tf

    for case in CASES:
        function, options = case.make()
        called = jax2tf.convert(function, **options)
        module = tf.Module()
        module.v = tf.Variable(0.5)
        shape = [n or None for n in case.shape]
        signature = [tf.TensorSpec(shape, tf.float32, name="x")]
        module.f = tf.function(_twice(called, module.v), input_signature=signature, autograph=False)
        path = folder / case.name
        tf.saved_model.save(module, str(path), signatures=module.f)
        x = np.random.default_rng(1).standard_normal([n or 3 for n in case.shape]).astype(np.float32)
        np.savez(folder / f"{case.name}.npz", x=x, **{k: v.numpy() for k, v in module.f(x).items()})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
