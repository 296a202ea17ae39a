"""Random bits of a state are those that XLA gives, and so is the next state, on every target that has the types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from jax import export, lax

import mlconv
from mlconv.codegen.program.compile import host_cpu
from mlconv.diagnostics import ConversionError
from tests.support.cli import call

ALGORITHMS = {
    "default": lax.RandomAlgorithm.RNG_DEFAULT,
    "philox": lax.RandomAlgorithm.RNG_PHILOX,
    "threefry": lax.RandomAlgorithm.RNG_THREE_FRY,
}
SHAPES = [(), (1,), (7,), (3, 5), (5, 3, 4), (2, 9)]
WORDS = [(1, 2), (0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFE), (0x123456789ABCDEF0, 0xFEDCBA9876543210)]


def drawn(algorithm: str, dtype: str) -> Any:
    def bits(state: Any) -> Any:
        made, out = state, {}
        for i, shape in enumerate(SHAPES):
            made, out[f"bits{i}"] = lax.rng_bit_generator(made, shape, dtype, algorithm=ALGORITHMS[algorithm])
        return {"state": made, **out}

    return jax.jit(bits), (jax.ShapeDtypeStruct((2,), "uint64"),)


@pytest.mark.share(8)
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_bits(algorithm: str, dtype: str, tmp_path: Path) -> None:
    """States at whose end counters overflow, too."""
    with jax.enable_x64(True):
        run, specs = drawn(algorithm, dtype)
        (tmp_path / "bits.jax").write_bytes(export.export(run)(*specs).serialize())
        states = [np.asarray(words, np.uint64) for words in WORDS]
        expected = [{k: np.asarray(v) for k, v in run(state).items()} for state in states]
    module = mlconv.load(tmp_path / "bits.jax")
    shapes = mlconv.convert(tmp_path / "bits.jax", "native", tmp_path / "bits.o", cpu=host_cpu())
    native = mlconv.load_native(shapes.output)
    (name,) = module.main.input_names
    for state, wanted in zip(states, expected, strict=True):
        for found in (module.run({name: state}), native.run({name: state})):
            for key, bits in wanted.items():
                np.testing.assert_array_equal(found[key], bits)


def test_states_of_three_elements(tmp_path: Path) -> None:
    """Philox with both halves of its counter: jax does not write it, XLA takes it."""
    text = (
        "func.func @main(%s: tensor<3xui64>) -> (tensor<3xui64>, tensor<3x3xui32>) {\n"
        "  %a, %b = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, "
        "tensor<3x3xui32>)\n  return %a, %b : tensor<3xui64>, tensor<3x3xui32>\n}\n"
    )
    (tmp_path / "m.mlir").write_text(text)
    (name,) = mlconv.load(tmp_path / "m.mlir").main.input_names
    state = np.asarray([5, 0xFFFFFFFFFFFFFFFF, 9], np.uint64)
    np.savez(tmp_path / "state.npz", **{name: state})
    ran = call(
        "convert", tmp_path / "m.mlir", "--to", "native", "--verify", "--verify-with", "source",
        "--data", tmp_path / "state.npz",
    )  # fmt: skip
    assert ran.exit_code == 0, ran.output


def test_other_states_are_refused(tmp_path: Path) -> None:
    text = (
        "func.func @main(%s: tensor<4xui64>) -> tensor<2xui32> {\n"
        "  %a, %b = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<4xui64>) -> (tensor<4xui64>, "
        "tensor<2xui32>)\n  return %b : tensor<2xui32>\n}\n"
    )
    (tmp_path / "m.mlir").write_text(text)
    with pytest.raises(ConversionError, match="not uint64 of 2 or 3 elements"):
        mlconv.convert(tmp_path / "m.mlir", "tflite", tmp_path / "m.tflite")


def test_keys_of_jax(tmp_path: Path) -> None:
    """`rbg` keys are four words of 32 bits; normal and uniform numbers are made of the bits."""
    key = jax.random.key_data(jax.random.key(7, impl="rbg"))

    def numbers(data: Any) -> Any:
        made = jax.random.wrap_key_data(data, impl="rbg")
        return {"normal": jax.random.normal(made, (5, 3)), "uniform": jax.random.uniform(made, (4,))}

    run = jax.jit(numbers)
    spec = jax.ShapeDtypeStruct(key.shape, key.dtype)
    (tmp_path / "numbers.jax").write_bytes(export.export(run)(spec).serialize())
    ran = call("convert", tmp_path / "numbers.jax", "--to", "tflite", "--verify", "--verify-with", "source")
    assert ran.exit_code == 0, ran.output
    module = mlconv.load(tmp_path / "numbers.jax")
    found = module.run({module.main.input_names[0]: np.asarray(key)})
    for name, array in run(key).items():
        np.testing.assert_allclose(found[name], np.asarray(array), rtol=1e-6)
