"""What other programs read is frozen: reports, model interfaces, C headers.  `--update` writes what there is now; keys
may be added, a change of those that there are breaks whoever reads them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.ir.dims import Dim
from tests.support.cli import call
from tests.support.wrong_passes import one_channel, wrong_pass

SCHEMAS = Path(__file__).parent / "schemas"
FREE = frozenset({"metadata", "ops", "parts", "ranges", "timings", "pass_timings", "pass_statistics"})
"""Tables whose keys are names of something."""
MODELS = {"digits_cnn": "image=1..8,1,8,8", "digits_rnn": "image=2,8,8"}
KINDS = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
OBJECTS = {np.dtype: "dtype", Dim: "size"}


def schema(value: Any, free: bool = False) -> Any:
    """The shape of JSON: keys, item of lists, names of types."""
    if hasattr(value, "_asdict"):
        return schema(value._asdict())
    if isinstance(value, dict):
        inner = {key: schema(item, key in FREE) for key, item in value.items()}
        return {"*": joined(list(inner.values()))} if free else inner
    if isinstance(value, (list, tuple)):
        return [joined([schema(item) for item in value])]
    return KINDS.get(type(value)) or next(name for kind, name in OBJECTS.items() if isinstance(value, kind))


def joined(found: list[Any]) -> Any:
    """One shape for several: alternatives of types stand behind one another."""
    if found and all(isinstance(item, dict) for item in found):
        keys = dict.fromkeys(key for item in found for key in item)
        return {key: joined([item[key] for item in found if key in item]) for key in keys}
    if found and all(isinstance(item, list) for item in found):
        return [joined([part for item in found for part in item if part != "nothing"])]
    texts = [item if isinstance(item, str) else json.dumps(item) for item in found]
    return "|".join(sorted({part for text in texts for part in text.split("|")})) or "nothing"


def declarations(header: str) -> list[str]:
    """Macros and declarations of a C header, texts left out."""
    lines = [re.sub(r'"[^"]*"', '""', line).strip() for line in header.splitlines()]
    wanted = ("#define", "typedef", "static", "int ", "size_t ", "void ", "const ")
    return sorted({re.sub(r"\{.*", "", line).strip() for line in lines if line.startswith(wanted)})


def made(models: Path, folder: Path) -> dict[str, Any]:
    """Every datum of every model, by its name."""
    found: dict[str, list[Any]] = {}

    def add(name: str, value: Any) -> None:
        found.setdefault(name, []).append(schema(value))

    for model, shape in MODELS.items():
        path, shapes = models / f"{model}.onnx", ["--shape", shape] if shape else []
        add("inspect.json", json.loads(call("inspect", path, "--json").stdout))
        add("check.json", json.loads(call("check", path, "--to", "tflite,native", "--json").stdout))
        for target, suffix in (("tflite", "tflite"), ("hlo", "hlo.pb"), ("native", "o")):
            artifact = folder / f"{model}.{suffix}"
            fixed = shapes if target == "hlo" or model == "digits_rnn" else []
            ran = call("convert", path, "--to", target, "-o", artifact, "--json", "--io-json", "--verify", *fixed)
            assert ran.exit_code == 0, ran.output
            add("convert.json", json.loads(ran.stdout))
            beside = artifact.with_suffix(".io.json") if target == "native" else Path(f"{artifact}.io.json")
            add(f"{target}.io.json", json.loads(beside.read_text()))
        add("hlo.json", json.loads((folder / f"{model}.hlo.pb.json").read_text()))
        verified = call(
            "verify", path, folder / f"{model}.tflite", "--per-layer", "--json", *shapes[: 2 * (model == "digits_rnn")]
        )
        assert verified.exit_code == 0, verified.output
        add("verify.json", json.loads(verified.stdout))
        for other in (folder / f"{model}.tflite", models / "digits_rnn.onnx"):
            add("diff.json", json.loads(call("diff", path, other, "--json").stdout))
        simple = call("simplify", path, "-o", folder / "simple.onnx", "--json")
        add("simplify.json", json.loads(simple.stdout))
        native = mlconv.load_native(folder / f"{model}.o")
        add("NativeModel.json", {"facts": native.facts, "inputs": native.inputs, "outputs": native.outputs})
        found.setdefault("header.json", []).append(declarations((folder / f"{model}.h").read_text()))
    for change in (None, one_channel("/Conv_3", 0.01)):
        with pytest.MonkeyPatch.context() as patch:
            if change is not None:
                wrong_pass(patch, "layout", change, times=100)
            arguments = ("--to", "tflite", "-o", folder / "small.mlir", "--json")
            add("bisect.json", json.loads(call("bisect", models / "digits_cnn.onnx", *arguments).stdout))
    header = sorted(
        {
            re.sub(r"digits_\w+?_(?=[a-z])", "m_", re.sub(r"DIGITS_[A-Z]+?_", "M_", line))
            for lines in found.pop("header.json")
            for line in lines
        }
    )
    return {**{name: joined(values) for name, values in found.items()}, "header.json": header}


def test_what_others_read_is_frozen(models: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    found = made(models, tmp_path)
    texts = {name: json.dumps(value, indent=1, sort_keys=True) + "\n" for name, value in found.items()}
    if request.config.getoption("--update"):
        SCHEMAS.mkdir(exist_ok=True)
        for name, text in texts.items():
            (SCHEMAS / name).write_text(text, encoding="utf-8")
        return
    assert {path.name for path in SCHEMAS.iterdir()} == texts.keys()
    for name, text in texts.items():
        assert text == (SCHEMAS / name).read_text(encoding="utf-8"), f"{name}: others read this"


def test_a_renamed_key_is_seen() -> None:
    old, new = {"inputs": [{"name": "x"}], "ops": {"A": 1}}, {"inputs": [{"label": "x"}], "ops": {"B": 1}}
    assert schema(old) != schema(new) and schema(old)["ops"] == schema(new)["ops"] == {"*": "integer"}
