"""A slice of each hunt of tools/fuzz.py and of the zoo, with a fixed seed: `make fuzz`, `make fuzz-numerics` and `make
zoo` run all of them.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent
SHARED = ROOT.parent / "shared"
# Small networks of some kinds: a recurrent one, Keras, scikit-learn.
NETWORKS = "kl_prep_tabular,sk_pca_km,sp_bilstm"


def run(*command: object) -> str:
    done = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return done.stdout


@pytest.fixture
def generators() -> pathlib.Path:
    path = SHARED / "fuzz"
    if not path.is_dir():
        pytest.skip("the generators are not here")
    return path


def test_mutated_files(generators: pathlib.Path, corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    told = run(
        "tools/fuzz.py",
        "mutate",
        "--fuzz",
        generators,
        "--corpus",
        corpus,
        "--out",
        tmp_path,
        "--seed",
        20,
        "--cases",
        80,
        "--minutes",
        20,
    )
    assert "80 cases from 0" in told


@pytest.mark.parametrize(("generator", "cases"), [("gen_ops", 10), ("gen_graphs", 3), ("gen_tf", 4)])
def test_random_models(generator: str, cases: int, generators: pathlib.Path, tmp_path: pathlib.Path) -> None:
    limits = ("--seed", 20, "--cases", cases, "--minutes", 20, "--generators", generator, "--no-structures")
    assert f"{cases} cases from 0" in run("tools/fuzz.py", "numerics", "--fuzz", generators, "--out", tmp_path, *limits)


@pytest.mark.long
def test_handmade_structures(generators: pathlib.Path, tmp_path: pathlib.Path) -> None:
    run("tools/fuzz.py", "numerics", "--fuzz", generators, "--out", tmp_path, "--seed", 20, "--cases", 0)


@pytest.mark.long
def test_networks() -> None:
    script = SHARED / "conformance" / "check_zoo.py"
    if not script.is_file() or not (SHARED / "zoo").is_dir():
        pytest.skip("the networks are not here")
    for name in NETWORKS.split(","):
        told = run(
            script,
            "--root",
            SHARED / "zoo",
            "--names",
            name,
            "--only-wrong",
            "--jobs",
            2,
            "--mlconv",
            f"{sys.executable} -m mlconv",
        )
        assert "FAIL 0" in told, told
