"""Every core op through HLO and back: exported, imported, and run on the reference interpreter."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.context import BUILT_IN
from mlconv.formats.protos import hlo_pb
from mlconv.interp import run_function
from mlconv.provenance.locations import frames
from tests.support.core_rows import DYNAMIC, RANDOM, ROWS, Row, build
from tests.support.xla import to_hlo


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_round_trip(row: Row, tmp_path: pathlib.Path) -> None:
    made: list = []
    m = build(row, made)
    if isinstance(made[0], (*DYNAMIC, *RANDOM)):
        pytest.skip("no numbers to compare")
    path = tmp_path / ("m.mlir" if row is ROWS[0] else "m.hlo.pb")  # how a file begins outdoes its name
    path.write_bytes(to_hlo(m))
    assert BUILT_IN.format_of(str(path)).name == "hlo"
    back = mlconv.load(path)
    assert back.main.input_names == m.main.input_names
    with np.errstate(all="ignore"):
        expected = run_function(m.main, {f"in{i}": a for i, a in enumerate(row.inputs)})
        got = back.run({f"in{i}": a for i, a in enumerate(row.inputs)})
    for name, array in expected.items():
        kind = np.complex128 if array.dtype.kind == "c" else np.float64
        assert got[name].dtype == array.dtype
        np.testing.assert_allclose(got[name].astype(kind), array.astype(kind), rtol=1e-5, atol=1e-5)


def broken(change: str, tmp_path: pathlib.Path) -> str:
    row = next(r for r in ROWS if r.name == "softmax" or r.name == "Softmax")
    proto = hlo_pb().HloModuleProto.FromString(to_hlo(build(row, [])))
    entry = proto.computations[-1]
    if change == "operand":
        entry.instructions[-1].operand_ids[0] = 9999
    elif change == "opcode":
        next(i for i in entry.instructions if i.opcode == "exponential").opcode = "frobnicate"
    elif change == "shape":
        next(i for i in entry.instructions if i.opcode == "exponential").shape.dimensions[0] += 1
    elif change == "literal":
        next(i for i in entry.instructions if i.opcode == "constant").literal.f32s.append(1.0)
    elif change == "cycle":
        call = next(i for i in entry.instructions if i.opcode == "exponential")
        call.opcode = "call"
        call.called_computation_ids.append(entry.id)
    path = tmp_path / "broken.hlo.pb"
    path.write_bytes(proto.SerializeToString(deterministic=True))
    return str(path)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("operand", Code.InputNotProduced),
        ("opcode", Code.OpUnsupported),
        ("shape", Code.ShapeMismatch),
        ("literal", Code.ConstantInvalid),
        ("cycle", Code.NestedTooDeeply),
    ],
)
def test_broken_files_are_refused_with_a_reason(change: str, code: Code, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConversionError) as error:
        mlconv.load(broken(change, tmp_path))
    assert error.value.code is code


@pytest.mark.parametrize(
    ("sizes", "code"),
    [
        ((0, 1 << 31), Code.AttributeInvalid),
        ((1 << 34, 1 << 34), Code.VariantUnsupported),
        ((-1, 1), Code.AttributeInvalid),
    ],
)
def test_windows_are_looked_at_before_they_are_walked(
    sizes: tuple[int, int], code: Code, tmp_path: pathlib.Path
) -> None:
    row = next(r for r in ROWS if r.name == "softmax" or r.name == "Softmax")
    proto = hlo_pb().HloModuleProto.FromString(to_hlo(build(row, [])))
    reduction = next(i for c in proto.computations for i in c.instructions if i.opcode == "reduce")
    reduction.opcode = "reduce-window"
    for size in sizes:
        reduction.window.dimensions.add(size=size, stride=1)
    path = tmp_path / "m.hlo.pb"
    path.write_bytes(proto.SerializeToString(deterministic=True))
    with pytest.raises(ConversionError) as error:
        mlconv.load(path)
    assert error.value.code is code


@pytest.mark.parametrize(
    ("opcode", "numbers", "field", "extra"),
    [
        ("gather", "gather_dimension_numbers", "offset_dims", ()),
        ("gather", "gather_dimension_numbers", "offset_dims", (2, 3)),
        ("gather", "gather_dimension_numbers", "collapsed_slice_dims", (7,)),
        ("gather", "", "gather_slice_sizes", (1,)),
        ("scatter", "scatter_dimension_numbers", "update_window_dims", ()),
        ("scatter", "scatter_dimension_numbers", "inserted_window_dims", (0, 1, 2)),
    ],
)
def test_axes_of_gather_and_scatter_fit_one_another(
    opcode: str, numbers: str, field: str, extra: tuple[int, ...], tmp_path: pathlib.Path
) -> None:
    import jax
    import jax.numpy as jnp

    def f(x: jax.Array, i: jax.Array) -> jax.Array:
        return x[i] if opcode == "gather" else x.at[i].add(1.0)

    lowered = jax.jit(f).lower(jnp.ones((4, 5, 6)), jnp.zeros((3,), jnp.int32)).compiler_ir("hlo").as_hlo_module()
    proto = hlo_pb().HloModuleProto.FromString(lowered.as_serialized_hlo_module_proto())
    op = next(i for c in proto.computations for i in c.instructions if i.opcode == opcode)
    listed = getattr(getattr(op, numbers) if numbers else op, field)
    del listed[:]
    listed.extend(extra)
    path = tmp_path / "m.hlo.pb"
    path.write_bytes(proto.SerializeToString(deterministic=True))
    with pytest.raises(ConversionError) as error:
        mlconv.load(path)
    assert error.value.code in (Code.WrongArity, Code.AttributeInvalid, Code.ShapeMismatch)


def test_frames_come_back(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m.hlo.pb"
    proto = hlo_pb().HloModuleProto.FromString(to_hlo(build(ROWS[0], [])))
    for i in proto.computations[-1].instructions:
        i.metadata.source_file, i.metadata.source_line = "model.py", 7
    path.write_bytes(proto.SerializeToString(deterministic=True))
    op = next(op for op in mlconv.load(path).main.block.ops if op.name.startswith("core."))
    assert [(f.file, f.line) for f in frames(op.location)] == [("model.py", 7)]


def test_columns_of_jax_count_from_0(tmp_path: pathlib.Path) -> None:
    """A line of this file, lowered by jax: the column is that of `jnp`, counted from 1; in what is exported it counts
    from 0 again.
    """
    import jax
    import jax.numpy as jnp

    def f(x: jax.Array) -> jax.Array:
        return jnp.sin(x)

    lowered = jax.jit(f).lower(jnp.ones(3))
    path, again = tmp_path / "m.hlo.pb", tmp_path / "again.hlo.pb"
    path.write_bytes(lowered.compiler_ir("hlo").as_serialized_hlo_module_proto())
    module = mlconv.load(path)
    (place,) = {frames(op.location)[0] for op in module.main.block.ops if op.name == "core.sin"}
    line = pathlib.Path(__file__).read_text().splitlines()[place.line - 1]
    assert line[place.column - 1 :] == "jnp.sin(x)" and place.function.endswith("f")
    mlconv.convert(path, "hlo", again)
    index = hlo_pb().HloModuleProto.FromString(again.read_bytes()).stack_frame_index
    assert place.column - 1 in {p.column for p in index.file_locations if p.line == place.line}


def test_inlined_ops_without_frames_take_those_of_the_call(tmp_path: pathlib.Path) -> None:
    """What compilers put into a called computation often has no frames of its own."""
    import jax
    import jax.numpy as jnp

    @jax.jit
    def inner(x: jax.Array) -> jax.Array:
        return jnp.sin(x)

    def f(x: jax.Array) -> jax.Array:
        return inner(x) * 2

    proto = hlo_pb().HloModuleProto.FromString(
        jax.jit(f).lower(jnp.ones(3)).compiler_ir("hlo").as_serialized_hlo_module_proto()
    )
    sine = next(i for c in proto.computations for i in c.instructions if i.opcode == "sine")
    sine.metadata.Clear()
    (tmp_path / "m.hlo.pb").write_bytes(proto.SerializeToString())
    (place,) = {
        frames(op.location)[0] for op in mlconv.load(tmp_path / "m.hlo.pb").main.block.ops if op.name == "core.sin"
    }
    assert "inner(x) * 2" in pathlib.Path(__file__).read_text().splitlines()[place.line - 1]


def test_calls_that_double_are_bounded(tmp_path: pathlib.Path) -> None:
    """Forty computations, each of which calls the one before twice, stand for 2**40 instructions."""
    import jax
    import jax.numpy as jnp

    proto = hlo_pb().HloModuleProto.FromString(
        jax.jit(jnp.sin).lower(jnp.ones(3)).compiler_ir("hlo").as_serialized_hlo_module_proto()
    )
    (entry,) = proto.computations
    for level in range(40):
        again = proto.computations.add()
        again.CopyFrom(entry)
        again.id, again.name = 1000 + level, f"level{level}"
        root = next(i for i in again.instructions if i.id == again.root_id)
        root.opcode = "call"
        root.called_computation_ids[:] = [proto.computations[level].id]
        other = again.instructions.add()
        other.CopyFrom(root)
        other.id += 500
    proto.entry_computation_id = again.id
    (tmp_path / "m.hlo.pb").write_bytes(proto.SerializeToString())
    with pytest.raises(ConversionError, match="once calls are inlined"):
        mlconv.load(tmp_path / "m.hlo.pb")
