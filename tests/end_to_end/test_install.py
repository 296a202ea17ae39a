"""Distributions, installed into empty environments: wheels and source archives, with TensorFlow and without; an
editable install for type checkers; the image.  None needs a network.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import mlconv
from mlconv.formats.protos import TENSORFLOW_FILES
from tests.support.venvs import Environment, with_packages

ROOT = Path(__file__).parent.parent.parent
TENSORFLOW = ("tensorflow", "keras")
OFFLINE = {
    "PIP_NO_DEPS": "1",
    "PIP_NO_INDEX": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_BUILD_ISOLATION": "0",  # as pip reads it: no isolation
    "PIP_ROOT_USER_ACTION": "ignore",
}
"""What would be loaded is there."""
SCRIPT = """
import numpy as np
import mlconv

result = mlconv.convert("a.onnx", "tflite", "b.tflite", verify=True, weights="file")
reveal_type(result.size_bytes)
with mlconv.load("a.onnx") as model:
    reveal_type(model)
    reveal_type(model.run({"x": np.zeros(3)})["y"])
options: mlconv.ConvertOptions = {"shapes": {"x": (1, "N")}}
mlconv.convert("a.onnx", "native", **options)
mlconv.convert("a.onnx", quantise="int8")
mlconv.convert("a.onnx", shapes=3)
"""


@pytest.fixture(scope="module")
def dists(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By name and kind: `mlconv.whl`, `mlconv_core.gz` and so on."""
    folder = tmp_path_factory.mktemp("dists")
    subprocess.run(
        [sys.executable, str(ROOT / "tools" / "build_dists.py"), str(folder)], check=True, capture_output=True
    )
    return {f"{path.name.partition('-')[0]}{path.suffix}": path for path in folder.iterdir()}


@pytest.fixture(scope="module")
def core(dists: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with `mlconv-core` and without TensorFlow."""
    environment = Environment(tmp_path_factory.mktemp("core"), TENSORFLOW)
    environment.install(dists["mlconv_core.whl"])
    return environment


def required(wheel: Path) -> set[str]:
    """What a wheel depends on, extras left out."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        lines = re.findall(r"^Requires-Dist: ([\w-]+)(.*)$", archive.read(name).decode(), re.M)
    return {name for name, rest in lines if "extra ==" not in rest}


@pytest.mark.long
def test_the_two_are_one_source(dists: dict[str, Path]) -> None:
    assert set(dists) == {"mlconv.whl", "mlconv.gz", "mlconv_core.whl", "mlconv_core.gz"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.match(r"[\w-]+", text)[0] for text in project["dependencies"]}  # type: ignore[index]
    assert required(dists["mlconv.whl"]) == names and "tensorflow" in names
    assert required(dists["mlconv_core.whl"]) == names - {"tensorflow"}
    files = []
    for wheel in (dists["mlconv.whl"], dists["mlconv_core.whl"]):
        with zipfile.ZipFile(wheel) as archive:
            files.append({i.filename: i.CRC for i in archive.infolist() if i.filename.startswith("mlconv/")})
    assert files[0] == files[1]
    here = {str(p.relative_to(ROOT)) for p in (ROOT / "mlconv").rglob("*") if p.is_file() and p.suffix != ".pyc"}
    assert here == set(files[0])


@pytest.mark.share(4)
@pytest.mark.parametrize(
    "name",
    [
        "mlconv_core.whl",
        "mlconv.whl",
        pytest.param("mlconv_core.gz", marks=pytest.mark.long),
        pytest.param("mlconv.gz", marks=pytest.mark.long),
    ],
)
def test_each_is_installed_and_converts(
    name: str, dists: dict[str, Path], models: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    is_core = "core" in name
    environment = request.getfixturevalue("core") if name == "mlconv_core.whl" else None
    if environment is None:
        environment = Environment(tmp_path, TENSORFLOW if is_core else ())
        environment.install(dists[name])
    assert environment.run("mlconv", "--version").stdout == f"mlconv, version {mlconv.__version__}\n"
    there = environment.run("python", "-c", "import importlib.util as u; print(u.find_spec('tensorflow') is not None)")
    assert there.stdout == f"{not is_core}\n"
    where = environment.run("python", "-c", "import mlconv; print(mlconv.__file__)", cwd=tmp_path).stdout
    assert where.startswith(str(environment.site))
    ran = environment.run(
        "mlconv", "convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "m.tflite"
    )
    assert ran.returncode == 0, ran.stderr
    mlconv.convert(models / "digits_cnn.onnx", "tflite", tmp_path / "here.tflite")
    assert (tmp_path / "m.tflite").read_bytes() == (tmp_path / "here.tflite").read_bytes()
    packages = json.loads(environment.run("mlconv", "doctor", "--json").stdout)["packages"]
    assert [p["version"] is None for p in packages if p["name"] == "tensorflow"] == [is_core]


def test_all_formats_and_targets_without_tensorflow(core: Environment, models: Path, tmp_path: Path) -> None:
    """With the bytes that they have where it is installed."""
    made = {"tflite": "tflite", "onnx": "onnx", "hlo": "pb", "stablehlo": "mlir", "graphdef": "pb", "native": "o"}
    fixed = {"shapes": {"image": (1, 1, 8, 8)}}
    program = f"""
import mlconv, sys
from pathlib import Path
models, out = Path({str(models)!r}), Path({str(tmp_path)!r})
for target, suffix in {made!r}.items():
    mlconv.convert(models / "digits_cnn.onnx", target, out / f"{{target}}.{{suffix}}", **{fixed!r})
mlconv.convert(models / "digits_cnn.onnx", "savedmodel", out / "saved", **{fixed!r})
for name in ("tflite.tflite", "hlo.pb", "stablehlo.mlir", "graphdef.pb", "saved"):
    mlconv.convert(out / name, "onnx", out / f"{{name}}.again.onnx")
for name in ("digits_rnn.pb", "digits_cnn_saved_model"):
    mlconv.convert(models / name, "tflite", out / f"{{name}}.tflite")
assert "tensorflow" not in sys.modules
"""
    ran = core.run("python", "-c", program)
    assert ran.returncode == 0, ran.stderr
    (tmp_path / "here").mkdir()  # the same names: those of functions of native code are the file's
    for target, suffix in made.items():
        path = tmp_path / "here" / f"{target}.{suffix}"
        mlconv.convert(models / "digits_cnn.onnx", target, path, **fixed)  # type: ignore[arg-type]
        assert path.read_bytes() == (tmp_path / f"{target}.{suffix}").read_bytes(), target
    mlconv.convert(models / "digits_rnn.pb", "tflite", tmp_path / "here.tflite")
    assert (tmp_path / "here.tflite").read_bytes() == (tmp_path / "digits_rnn.pb.tflite").read_bytes()


def test_what_needs_tensorflow_says_so_in_one_line(core: Environment, models: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "m.keras", "w") as archive:
        archive.writestr("config.json", json.dumps({"class_name": "Own", "module": "own", "config": {}}))
        archive.writestr("metadata.json", json.dumps({"keras_version": "3.0.0"}))
    ran = core.run("mlconv", "convert", "m.keras", "--to", "tflite", cwd=tmp_path)
    assert ran.returncode == 1
    assert "error[MLC0008]: m.keras is a Keras file, and Keras is not installed\n" in ran.stderr
    assert "  = help: pip install tensorflow\n" in ran.stderr
    line = (
        "convert",
        models / "digits_cnn.pb",
        "--to",
        "graphdef",
        "-o",
        "o.pb",
        "--verify",
        "--verify-with",
        "source",
    )
    ran = core.run("mlconv", *line, cwd=tmp_path)
    assert (
        ran.returncode == 3 and "TensorFlow is not installed" in ran.stderr and "pip install tensorflow" in ran.stderr
    )


def test_definitions_of_messages_are_those_of_tensorflow(tmp_path: Path) -> None:
    path = tmp_path / "messages.binpb"
    subprocess.run([sys.executable, str(ROOT / "tools" / "gen_tensorflow_messages.py"), str(path)], check=True)
    assert path.read_bytes() == (ROOT / "mlconv" / "formats" / "tensorflow_messages.binpb").read_bytes()
    named = re.findall(r'tf_pb\("([\w.]+)"\)', "".join(p.read_text() for p in (ROOT / "mlconv").rglob("*.py")))
    assert {f"tensorflow.core.{name}" for name in named} <= set(TENSORFLOW_FILES.values())


@pytest.mark.long
def test_an_editable_install_has_types(tmp_path: Path) -> None:
    """A type checker follows it to the source, and sees keywords and results."""
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    shutil.copytree(ROOT / "mlconv", source / "mlconv", ignore=shutil.ignore_patterns("__pycache__"))
    environment = Environment(tmp_path)
    environment.install("-e", source)
    (tmp_path / "script.py").write_text(SCRIPT)
    mypy = ["--strict", "--no-error-summary", "--python-executable", str(environment.bin / "python")]
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", *mypy, "--cache-dir", str(tmp_path / "cache"), "script.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line.partition(" ")[2] for line in ran.stdout.splitlines()]
    assert [line for line in lines if "Revealed" in line] == [
        'note: Revealed type is "int"',
        'note: Revealed type is "mlconv.importers.loaded.LoadedModel"',
        'note: Revealed type is "numpy.ndarray[tuple[Any, ...], numpy.dtype[Any]]"',
    ], ran.stdout
    errors = [line for line in lines if line.startswith("error")]
    assert len(errors) == 2 and 'did you mean "quantize"?' in errors[0] and '"shapes" to "convert"' in errors[1], (
        ran.stdout
    )


@pytest.mark.long
def test_the_commands_of_the_document(tmp_path: Path) -> None:
    """docs/install.md, one block after the other."""
    text = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)
    assert len(blocks) == 2
    source = tmp_path / "source"
    source.mkdir()
    for part in ("mlconv", "tools"):
        shutil.copytree(ROOT / part, source / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("pyproject.toml", "README.md", "LICENSE", "constraints.txt"):
        shutil.copy(ROOT / part, source / part)
    for number, block in enumerate(blocks):
        (tmp_path / str(number)).mkdir()
        environment = Environment(tmp_path / str(number))
        pip = environment.bin / "pip"
        pip.write_text(f'#!/bin/sh\nexec {environment.bin / "python"} -m pip "$@"\n')
        pip.chmod(0o755)
        env = {"PATH": f"{environment.bin}:/usr/bin:/bin", "HOME": str(tmp_path), **OFFLINE}
        done = subprocess.run(["sh", "-ec", block], cwd=source, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"mlconv {mlconv.__version__}" in done.stdout or f"version {mlconv.__version__}" in done.stdout


def docker_lines() -> list[tuple[str, str]]:
    """Instructions of the Dockerfile with their arguments."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(encoding="utf-8"), flags=re.M).replace("\\\n", " ")
    return [(name, rest) for name, rest in re.findall(r"^([A-Z]+) (.*)$", text, re.M)]


def test_the_image_runs_as_nobody_in_particular() -> None:
    lines = docker_lines()
    last = [i for i, (name, _) in enumerate(lines) if name == "FROM"][-1]
    assert dict(lines[last:])["USER"] == "10001:10001" and "RUN" not in dict(lines[last:])
    assert dict(lines[last:])["ENTRYPOINT"] == '["mlconv"]'


@pytest.mark.long
def test_the_lines_of_the_image_run(models: Path, tmp_path: Path) -> None:
    """COPY and RUN, below a folder, offline: what would be loaded is there."""
    source, prefix = tmp_path / "source", tmp_path / "prefix"
    source.mkdir()
    env = {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "PREFIX": str(prefix),
        "VARIANT": "mlconv_core",
        **OFFLINE,
    }
    packages = with_packages(tmp_path / "dependencies", TENSORFLOW)
    for name, rest in docker_lines():
        if name == "COPY" and "--from" not in rest:
            *files, _ = rest.split()
            for file in files:
                (source / file).parent.mkdir(parents=True, exist_ok=True)
                copy = shutil.copytree if (ROOT / file).is_dir() else shutil.copy
                copy(ROOT / file, source / file)
        elif name == "RUN":
            done = subprocess.run(["sh", "-ec", rest], cwd=source, env=env, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (rest, done.stderr)
            for site in prefix.glob("opt/mlconv/lib/python*/site-packages"):
                (site / "dependencies.pth").write_text(f"{packages}\n")
                for old in (*site.glob("setuptools*"), *site.glob("_distutils_hack")):  # later versions add none
                    shutil.rmtree(old)
    program = prefix / "opt" / "mlconv" / "bin" / "mlconv"
    line = [
        str(program),
        "convert",
        str(models / "digits_cnn.onnx"),
        "--to",
        "tflite",
        "-o",
        str(tmp_path / "m.tflite"),
    ]
    done = subprocess.run(line, env={**env, **{k: v for k, v in os.environ.items() if k == "TMPDIR"}}, check=False)
    assert done.returncode == 0 and (tmp_path / "m.tflite").stat().st_size > 1000
