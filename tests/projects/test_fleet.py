"""Two hundred conversions, here and on workers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mlconv.driver.projects.building import BUILT, FRESH, build
from tests.projects.test_building import write_net
from tests.support.folders import contents

COUNT = 200


@contextmanager
def jobs_of(kind: str) -> Iterator[str]:
    if kind != "dask":
        yield kind
        return
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    with distributed.LocalCluster(n_workers=2, processes=True, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield f"dask:{cluster.scheduler_address}"


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_fleet_is_the_same_wherever_it_is_built(tmp_path: Path) -> None:
    tables = []
    (tmp_path / "models").mkdir()
    for number in range(COUNT):
        write_net(tmp_path / "models" / f"m{number}.onnx", 1.0 + number)
        target = ("tflite", "native", "onnx", "hlo")[number % 4]
        tables.append(f'[conversions.m{number}]\nmodel = "models/m{number}.onnx"\nto = "{target}"\n')
        tables.append(f'output = "build/m{number}.{target}"\nbounds.ops = 20\n')
    (tmp_path / "mlconv.toml").write_text("".join(tables))
    found = {}
    for kind in ("1", "2", "dask"):
        with jobs_of(kind) as jobs:
            report = build(tmp_path, jobs=jobs)
        assert [one.state for one in report.conversions] == [BUILT] * COUNT, report.diagnostics
        again = build(tmp_path, jobs="2")
        assert again.count(FRESH) == COUNT
        found[kind] = contents(tmp_path)
        for folder in ("build", ".mlconv"):
            shutil.rmtree(tmp_path / folder)
    assert found["1"] == found["2"] == found["dask"]
    assert all(json.loads(data) for name, data in found["1"].items() if name.startswith(".mlconv"))
