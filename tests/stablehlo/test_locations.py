"""Places of StableHLO: the user's line, in each form."""

from __future__ import annotations

import pathlib
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import export

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.provenance.locations import first_name, frames, node_names

HERE = str(pathlib.Path(__file__))


def helper(x: jax.Array) -> jax.Array:
    return jnp.sin(x) * 2.0  # the line of sine


def model(x: jax.Array) -> jax.Array:
    y = helper(x)
    return jax.jit(jnp.cos)(y)


def impossible(x: jax.Array) -> jax.Array:
    y = x @ x
    return jax.scipy.linalg.schur(y)[0]  # the line of schur


def line_of(mark: str) -> int:
    return 1 + next(
        i
        for i, text in enumerate(pathlib.Path(HERE).read_text().splitlines())
        if text.endswith(f"# the line of {mark}")
    )


def written(function: Any, form: str, tmp_path: pathlib.Path) -> pathlib.Path:
    """A function in one of the forms."""
    spec = jax.ShapeDtypeStruct((4, 4), "float32")
    path = tmp_path / "m.mlir"
    if form == "bytecode":
        path.write_bytes(export.export(jax.jit(function))(spec).mlir_module_serialized)
    elif form == "exported":
        path.write_bytes(export.export(jax.jit(function))(spec).serialize())
    elif form == "text":
        path.write_text(jax.jit(function).lower(spec).as_text(debug_info=True))
    else:
        module = jax.jit(function).lower(spec).compiler_ir("stablehlo")
        generic = {"print_generic_op_form": True, "enable_debug_info": True, "pretty_debug_info": False}
        path.write_text(module.operation.get_asm(**generic, use_local_scope=True))
    return path


FORMS = ["bytecode", "exported", "text", "inline"]


@pytest.mark.parametrize("form", FORMS)
def test_frames(form: str, tmp_path: pathlib.Path) -> None:
    ops = {op.name: op for op in mlconv.load(written(model, form, tmp_path)).main.block.ops}
    sine = frames(ops["core.sin"].location)
    assert (sine[0].file, sine[0].line, sine[0].function) == (HERE, line_of("sine"), "helper")
    assert sine[0].column == 12  # of `jnp`, from 1
    assert sine[1].function == "model"
    cosine = ops["core.cos"].location
    assert frames(cosine)[0].function == "model" and first_name(cosine).endswith("cos")


@pytest.mark.parametrize("form", FORMS)
def test_errors_name_the_line(form: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConversionError) as error:
        mlconv.load(written(impossible, form, tmp_path))
    assert error.value.code is Code.VariantUnsupported
    places = [frames(d.location)[0] for d in error.value.diagnostics]
    assert {(p.file, p.line) for p in places} == {(HERE, line_of("schur"))}


def test_places_that_are_parts_of_many(tmp_path: pathlib.Path) -> None:
    """Each is followed once, however often it is fused."""
    text = "".join(f"#loc{i} = loc(fused[#loc{i + 1}, #loc{i + 1}])\n" for i in range(60)) + '#loc60 = loc("a")\n'
    text += "module { func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    text += " %0 = stablehlo.abs %x : tensor<4xf32> loc(#loc0)\n return %0 : tensor<4xf32> } }\n"
    (tmp_path / "m.mlir").write_text(text)
    op = next(iter(mlconv.load(tmp_path / "m.mlir").module.main.block.ops))
    assert list(node_names(op.location)) == ["a"]
