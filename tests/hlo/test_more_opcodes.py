"""Opcodes that jax writes and that the exporter does not, against what jax computes."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import mlconv
from mlconv.diagnostics import ConversionError
from mlconv.formats.protos import hlo_pb
from mlconv.runtime.xla_program import run_hlo

RNG = np.random.default_rng(9)


def f32(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def lowered(f: Callable[..., Any], *arrays: np.ndarray) -> Any:
    """jax's module, before any optimization."""
    with jax.enable_x64(True):
        return hlo_pb().HloModuleProto.FromString(
            jax.jit(f).lower(*arrays).compiler_ir("hlo").as_serialized_hlo_module_proto()
        )


def check(
    proto: Any, arrays: tuple[np.ndarray, ...], opcode: str, folder: pathlib.Path, tolerance: float = 1e-5
) -> None:
    """The interpreter, and HLO and TFLite of what was read, against XLA on what was written."""
    assert opcode in {i.opcode for c in proto.computations for i in c.instructions}
    path = folder / "m.hlo.pb"
    path.write_bytes(proto.SerializeToString())
    expected = run_hlo(str(path), list(arrays))
    got = mlconv.load(path).run({f"arg{i}": a for i, a in enumerate(arrays)})
    for want, have in zip(expected, got.values(), strict=True):
        assert want.dtype == have.dtype
        np.testing.assert_allclose(have, want, rtol=tolerance, atol=tolerance)
    mlconv.convert(path, "hlo", folder / "again.hlo.pb", verify=True)


@pytest.mark.parametrize("layout", [("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW")])
def test_groups_of_the_batch(layout: tuple[str, str, str], tmp_path: pathlib.Path) -> None:
    x, w = (f32(6, 5, 5, 4), f32(3, 3, 4, 9)) if layout[0] == "NHWC" else (f32(6, 4, 5, 5), f32(9, 4, 3, 3))

    def f(x: Any, w: Any) -> Any:
        return lax.conv_general_dilated(x, w, (2, 1), "SAME", dimension_numbers=layout, batch_group_count=3)

    check(lowered(f, x, w), (x, w), "convolution", tmp_path, 1e-4)


@pytest.mark.share(4)
@pytest.mark.parametrize("kind", ["max", "min"])
@pytest.mark.parametrize(
    ("window", "strides", "padding"),
    [((2, 3), (2, 2), "VALID"), ((3, 3), (1, 2), "SAME"), ((2, 2), (3, 3), [(1, 0), (1, 1)])],
)
def test_select_and_scatter(
    kind: str, window: tuple[int, int], strides: tuple[int, int], padding: Any, tmp_path: pathlib.Path
) -> None:
    x = f32(2, 7, 8, 3)
    pads = padding if isinstance(padding, str) else [(0, 0), *padding, (0, 0)]
    combine, start = (lax.max, -np.inf) if kind == "max" else (lax.min, np.inf)

    def pooled(x: Any) -> Any:
        return lax.reduce_window(x, np.float32(start), combine, (1, *window, 1), (1, *strides, 1), pads)

    given = f32(*jax.eval_shape(pooled, x).shape)

    def f(x: Any, g: Any) -> Any:
        return jax.vjp(pooled, x)[1](g)[0]

    check(lowered(f, x, given), (x, given), "select-and-scatter", tmp_path)


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.uint32, np.int16])
@pytest.mark.parametrize("op", [lax.population_count, lax.clz])
def test_bits(op: Any, dtype: Any, tmp_path: pathlib.Path) -> None:
    kind = np.iinfo(dtype)
    x = np.array([0, 1, 2, 5, kind.max, kind.min, kind.max // 3], dtype)
    check(lowered(op, x), (x,), "popcnt" if op is lax.population_count else "count-leading-zeros", tmp_path)


@pytest.mark.parametrize("op", [lax.shift_left, lax.shift_right_arithmetic, lax.shift_right_logical])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_shifts_by_too_much(op: Any, dtype: Any, tmp_path: pathlib.Path) -> None:
    """Negative amounts are large ones."""
    x = np.repeat(np.asarray([5, -7, np.iinfo(dtype).min], dtype), 5)
    amounts = np.tile(np.asarray([1, np.iinfo(dtype).bits, -1, 0, np.iinfo(dtype).min], dtype), 3)
    opcode = op.__name__.replace("_", "-")
    check(lowered(op, x, amounts), (x, amounts), opcode, tmp_path)


@pytest.mark.parametrize("op", [lax.div, lax.rem])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_by_zero(op: Any, dtype: Any, tmp_path: pathlib.Path) -> None:
    """Kernels of TFLite refuse to divide by 0, also where nobody reads the quotient."""
    x, y = np.asarray([7, -7, 0, 5, np.iinfo(dtype).min], dtype), np.asarray([0, 0, 0, -2, -1], dtype)
    opcode = {lax.div: "divide", lax.rem: "remainder"}[op]
    check(lowered(op, x, y), (x, y), opcode, tmp_path)


def test_halves_away_from_zero(tmp_path: pathlib.Path) -> None:
    x = np.asarray([0.5, -0.5, 1.5, 0.49999997, -0.49999997, 8388609.0, -2.5, 3.2], np.float32)
    proto = lowered(lambda v: lax.round(v, lax.RoundingMethod.AWAY_FROM_ZERO), x)
    check(proto, (x,), "round-nearest-afz", tmp_path, 0)


def test_truths_in_order(tmp_path: pathlib.Path) -> None:
    x = f32(4, 9) > 0
    check(lowered(lambda v: lax.sort(v, dimension=1), x), (x,), "sort", tmp_path)


def test_windows_over_several_tensors(tmp_path: pathlib.Path) -> None:
    """The largest of a window, and where it stands."""

    def largest(a: Any, b: Any) -> Any:
        wins = a[0] >= b[0]
        return jnp.where(wins, a[0], b[0]), jnp.where(wins, a[1], b[1])

    def windowed(v: Any) -> Any:
        places = lax.broadcasted_iota(jnp.int32, v.shape, 1)
        starts = (np.float32(-np.inf), np.int32(-1))
        return lax.reduce_window((v, places), starts, largest, (1, 3), (1, 2), ((0, 0), (1, 1)))

    x = f32(4, 9)
    check(lowered(windowed, x), (x,), "reduce-window", tmp_path)


def test_reduced_precision(tmp_path: pathlib.Path) -> None:
    x = f32(40) * 100
    for bits in ((8, 7), (5, 10), (8, 23)):
        check(lowered(lambda x, bits=bits: lax.reduce_precision(x, *bits), x), (x,), "reduce-precision", tmp_path)
    path = tmp_path / "odd.hlo.pb"
    path.write_bytes(lowered(lambda x: lax.reduce_precision(x, 4, 3), x).SerializeToString())
    with pytest.raises(ConversionError, match=r"MLC0302: .*a precision of 4 exponent and 3 mantissa bits"):
        mlconv.load(path)


@pytest.mark.parametrize("training", [True, False])
def test_batch_normalization(training: bool, tmp_path: pathlib.Path) -> None:
    """jax has no function for these opcodes: an addition's instruction is rewritten."""
    x, vectors = f32(2, 5, 3), (f32(3), f32(3), f32(3), np.abs(f32(3)))
    proto = lowered(lambda x, *vs: x + sum(vs), x, *vectors)
    entry = proto.computations[-1]
    parameters = [i for i in entry.instructions if i.opcode == "parameter"]
    root = next(i for i in entry.instructions if i.id == entry.root_id)
    del entry.instructions[:]
    norm = hlo_pb().HloInstructionProto(name="norm", id=9000, epsilon=1e-3, feature_index=2)
    norm.opcode = "batch-norm-training" if training else "batch-norm-inference"
    norm.operand_ids.extend(p.id for p in (parameters[:3] if training else parameters))
    norm.shape.CopyFrom(parameters[0].shape)
    entry.instructions.extend([*parameters, norm])
    if training:
        norm.shape.Clear()
        norm.shape.element_type = 13
        for p in (parameters[0], parameters[1], parameters[2]):
            norm.shape.tuple_shapes.add().CopyFrom(p.shape)
        entry.instructions[-1].shape.CopyFrom(norm.shape)
    entry.root_id = 9000
    assert root is not None
    path = tmp_path / "m.hlo.pb"
    path.write_bytes(proto.SerializeToString())
    got = list(mlconv.load(path).run({f"arg{i}": a for i, a in enumerate((x, *vectors))}).values())
    mean, variance = (x.mean((0, 1)), x.var((0, 1))) if training else (vectors[2], vectors[3])
    want = (x - mean) / np.sqrt(variance + 1e-3) * vectors[0] + vectors[1]
    for a, b in zip(got, (want, mean, variance) if training else (want,), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def test_calls_of_foreign_code_are_refused_and_annotations_pass(tmp_path: pathlib.Path) -> None:
    x = f32(3)
    proto = lowered(lambda x: jnp.sin(x), x)
    sine = next(i for i in proto.computations[-1].instructions if i.opcode == "sine")
    path = tmp_path / "m.hlo.pb"
    for target in ("Sharding", "my_kernel"):
        sine.opcode, sine.custom_call_target = "custom-call", target
        path.write_bytes(proto.SerializeToString())
        if target == "Sharding":
            np.testing.assert_array_equal(next(iter(mlconv.load(path).run({"arg0": x}).values())), x)
        else:
            with pytest.raises(ConversionError, match=r"MLC0302: .*the call of 'my_kernel'"):
                mlconv.load(path)


def test_random_numbers(tmp_path: pathlib.Path) -> None:
    """Only their range and moments can be compared."""
    a, b = np.float32(2), np.float32(5)
    proto = lowered(lambda a, b: jnp.broadcast_to(a + b, (4000,)), a, b)
    entry = proto.computations[-1]
    parameters = [i for i in entry.instructions if i.opcode == "parameter"]
    shape = next(i for i in entry.instructions if i.id == entry.root_id).shape
    for kind, mean, deviation in ((1, 3.5, 3 / 12**0.5), (2, 2.0, 5.0)):
        draw = hlo_pb().HloInstructionProto(name="draw", id=9000, opcode="rng", distribution=kind)
        draw.operand_ids.extend(p.id for p in parameters)
        draw.shape.CopyFrom(shape)
        shape = draw.shape
        del entry.instructions[:]
        entry.instructions.extend([*parameters, draw])
        entry.root_id = 9000
        path = tmp_path / "m.hlo.pb"
        path.write_bytes(proto.SerializeToString())
        (y,) = mlconv.load(path).run({"arg0": a, "arg1": b}).values()
        assert abs(float(y.mean()) - mean) < 0.4 and abs(float(y.std()) / deviation - 1) < 0.1 and y.shape == (4000,)
        assert kind == 2 or (y.min() >= 2 and y.max() < 5)


def test_factors_and_triangular_systems(tmp_path: pathlib.Path) -> None:
    """As jax writes them for other machines than CPUs, where it calls LAPACK."""
    a = f32(2, 4, 4)
    a = a @ a.transpose(0, 2, 1) + 4 * np.eye(4, dtype=np.float32)

    def proto(f: Callable[..., Any], *arrays: np.ndarray) -> Any:
        module = jax.jit(f).trace(*arrays).lower(lowering_platforms=("tpu",)).compiler_ir("hlo")
        return hlo_pb().HloModuleProto.FromString(module.as_serialized_hlo_module_proto())

    check(proto(lax.linalg.cholesky, a), (a,), "cholesky", tmp_path)
    for flags in ({"left_side": True, "lower": True}, {"transpose_a": True}, {"lower": True, "unit_diagonal": True}):
        b = f32(2, 4, 3) if flags.get("left_side") else f32(2, 3, 4)

        def solve(a: Any, b: Any, flags: Any = flags) -> Any:
            return lax.linalg.triangular_solve(a, b, **flags)

        check(proto(solve, a, b), (a, b), "triangular-solve", tmp_path, 1e-3)
