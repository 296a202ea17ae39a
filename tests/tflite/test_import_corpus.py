"""TFLite files of other converters: in TFLite again and in native code, with the numbers of their goldens."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import DiagnosticEngine
from mlconv.importers.format import LoadRequest
from mlconv.importers.tflite_format import FORMAT
from tests.support.litert import run_litert
from tests.support.npz import npz
from tests.support.thinning import thinned

CORPUS = pathlib.Path(__file__).parents[3] / "shared" / "corpus"
REFUSED = {"audio_preprocessor_float": "operator custom", "litert_custom_sinh": "operator custom"}
pytestmark = pytest.mark.skipif(not (CORPUS / "manifest.json").exists(), reason="the corpus is not here")


def entries() -> list[dict[str, Any]]:
    if not (CORPUS / "manifest.json").exists():
        return []
    models = json.loads((CORPUS / "manifest.json").read_text(encoding="utf-8"))["models"]
    return [e for e in models if e["format"] == "tflite" and e["golden"]]


def _id(value: object) -> str:
    return value["name"] if isinstance(value, dict) else str(value)


def close(got: np.ndarray, want: np.ndarray, tolerance: float) -> None:
    """Integers are equal; floats are as far apart as a part of the output's magnitude."""
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    if want.dtype.kind in "iub":
        np.testing.assert_array_equal(got, want)
    else:
        np.testing.assert_allclose(got, want, rtol=0, atol=tolerance * float(np.abs(want).max(initial=0)))


@pytest.mark.share(6)
@pytest.mark.parametrize(("entry", "to"), thinned(3, entries(), ["tflite", "native"]), ids=_id)
def test_computes_what_the_file_does(entry: dict[str, Any], to: str, tmp_path: pathlib.Path) -> None:
    """Beside the file itself on LiteRT: goldens were made by kernels that some machines have not."""
    source = CORPUS / entry["path"]
    golden = npz(CORPUS / entry["golden"])
    output = tmp_path / ("m.tflite" if to == "tflite" else "m.o")
    mlconv.convert(source, to=to, output=output)
    for case in range(entry["golden_cases"]):
        inputs = [golden[f"c{case}_in{k}"] for k in range(len(entry["inputs"]))]
        if to == "tflite":
            got = run_litert(output.read_bytes(), inputs)
        else:
            model = mlconv.load_native(output)
            named = dict(zip([name for name, _, _ in model.inputs], inputs, strict=False))
            got = list(model.run(named).values())
        want = run_litert(source.read_bytes(), inputs)
        for a, b in zip(got, want, strict=False):
            close(a, b, 1e-6 if to == "tflite" else 5e-6)


@pytest.mark.parametrize("name", REFUSED)
def test_custom_operators_are_refused_or_kept(name: str, tmp_path: pathlib.Path) -> None:
    source = CORPUS / "models" / "tflite" / f"{name}.tflite"
    with pytest.raises(mlconv.ConversionError, match=REFUSED[name]):
        mlconv.convert(source, output=tmp_path / "m.tflite")
    mlconv.convert(source, output=tmp_path / "m.tflite", allow_custom_ops=True)
    kept, own = (FORMAT.load(str(p), LoadRequest(DiagnosticEngine())) for p in (tmp_path / "m.tflite", source))
    assert [op.name for op in kept.walk() if ".custom." in op.name] == [
        op.name for op in own.walk() if ".custom." in op.name
    ]
