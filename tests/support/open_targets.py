"""Models whose sizes are known at run time, on every target."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ai_edge_litert.interpreter import Interpreter

import mlconv
from mlconv.ir.constants import Array
from mlconv.runtime.litert import run_tflite
from tests.support.native import OWN
from tests.support.xla import xla_here

Run: TypeAlias = Callable[[dict[str, Array]], Mapping[str, Array]]
Ranges: TypeAlias = Mapping[str, Sequence[Any]]


def tflite(path: Path, ranges: Ranges) -> Run:
    artifact = path.with_suffix(".tflite")
    mlconv.convert(path, to="tflite", output=artifact)
    interpreter = Interpreter(str(artifact))
    return lambda feed: run_tflite(str(artifact), feed, "serving_default", interpreter)


def native(path: Path, ranges: Ranges) -> Run:
    artifact = path.with_suffix(".o")
    mlconv.convert(path, to="native", output=artifact, cpu=OWN)
    loaded = mlconv.load_native(artifact)
    return lambda feed: loaded.run(feed)


def hlo(path: Path, ranges: Ranges) -> Run:
    artifact = path.with_suffix(".hlo.pb")
    mlconv.convert(path, to="hlo", output=artifact, shapes=dict(ranges))
    main, module = mlconv.load(path, shapes=dict(ranges)).main, xla_here(artifact)
    return lambda feed: module.run(main, feed)


TARGETS = [tflite, native, hlo]
