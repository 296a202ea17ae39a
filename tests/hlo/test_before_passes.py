"""Modules that XLA's passes have been over, which it does not take as they are."""

from __future__ import annotations

import os
import pathlib
import signal
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxlib._hlo import hlo_module_from_text

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.hlo.before_passes import before_passes
from mlconv.runtime.xla import Xla

LAID = """HloModule laid, is_scheduled=true

%inner (a: f32[2,6]) -> s32[4,3] {
  %a = f32[2,6]{0,1} parameter(0)
  ROOT %laid = s32[4,3]{1,0} bitcast(%a)
}

ENTRY %main (x: f32[2,6]) -> s32[4,3] {
  %x = f32[2,6]{1,0} parameter(0)
  %moved = f32[2,6]{0,1} copy(%x)
  ROOT %y = s32[4,3]{1,0} fusion(%moved), kind=kLoop, calls=%inner
}
"""
"""A bitcast sees elements as they lie in memory, columns first, and as another type."""


def check(path: pathlib.Path, x: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> None:
    """XLA in its own process, and what is read."""
    model = mlconv.load(path)
    (name,) = model.main.input_names
    for run in (Xla(str(path)).run(model.main, {name: x}), model.run({name: x})):
        (got,) = run.values()
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_bitcasts_see_layouts(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m.hlo.pb"
    path.write_bytes(hlo_module_from_text(LAID).as_serialized_hlo_module_proto())
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    check(path, x, x.T.reshape(4, 3).view(np.int32))


def test_optimized_modules(tmp_path: pathlib.Path) -> None:
    def f(x: Any) -> Any:
        parts = [jnp.tanh(x[:, i : i + 2] * jax.nn.sigmoid(x[:, i + 2 : i + 4])) for i in range(4)]
        return jnp.pad(sum(parts), ((1, 0), (0, 1))) @ jnp.ones((3, 2))

    x = np.random.default_rng(0).standard_normal((5, 8)).astype(np.float32)
    compiled = jax.jit(f).lower(x).compile()
    data = compiled.runtime_executable().hlo_modules()[0].as_serialized_hlo_module_proto()
    assert before_passes(data) != data
    path = tmp_path / "m.hlo.pb"
    path.write_bytes(data)
    check(path, x, np.asarray(f(x)))


def test_an_end_of_xla_is_an_error(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m.hlo.pb"
    path.write_bytes(hlo_module_from_text(LAID).as_serialized_hlo_module_proto())
    main, x = mlconv.load(path).main, np.ones((2, 6), np.float32)
    xla, given = Xla(str(path)), {main.input_names[0]: x}
    xla.run(main, given)
    os.kill(xla.session.call(process), signal.SIGABRT)
    with pytest.raises(ConversionError, match=r"XLA ended over .*m\.hlo\.pb: it was ended by SIGABRT") as caught:
        xla.run(main, given)
    assert caught.value.code is Code.VerificationFailed
    assert len(xla.run(main, given)) == 1


def process(kept: dict[str, Any]) -> int:
    return os.getpid()
