"""How tensors are cut over a mesh of devices: OpSharding of parameters, constants and results, from rules by name.

A rule gives a mesh axis, or `-`, for each axis of the tensors whose names match; axes of the mesh that a tensor does
not use hold copies of it.  Device i of the mesh is device i of XLA, the last axis of the mesh being the fastest.
Source: xla/xla_data.proto, OpSharding.
"""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.protos import xla_data_pb
from mlconv.ir.types import TensorType

if TYPE_CHECKING:
    from mlconv.formats.hlo_messages import OpSharding


Rule = tuple[str, tuple[str, ...]]


class Sharding:
    """A mesh, axis by axis, and rules; the first rule that matches a name counts."""

    def __init__(self, mesh: Sequence[tuple[str, int]], rules: Sequence[Rule]) -> None:
        self.mesh, self.rules = dict(mesh), tuple(rules)
        self._used: set[str] = set()
        for pattern, axes in rules:
            unknown = [a for a in axes if a != "-" and a not in self.mesh]
            if unknown or len([a for a in axes if a != "-"]) != len({a for a in axes if a != "-"}):
                raise ConversionError(
                    Code.UsageError,
                    f"the rule {pattern}={','.join(axes)} does not fit the mesh {', '.join(self.mesh) or '(none)'}",
                )

    def of(self, name: str, type_: TensorType) -> OpSharding | None:
        """The OpSharding of a tensor; None when no rule matches.  Raises ConversionError UsageError for a rule that
        does not fit its shape.
        """
        found = next((rule for rule in self.rules if fnmatch.fnmatchcase(name, rule[0])), None)
        if found is None:
            return None
        self._used.add(found[0])
        pattern, axes = found
        shape = type_.static_shape()
        counts = [1 if a == "-" else self.mesh[a] for a in axes]
        if len(axes) != len(shape) or any(n % c for n, c in zip(shape, counts, strict=False)):
            raise ConversionError(
                Code.UsageError, f"the rule {pattern}={','.join(axes)} cuts {name} ({type_}) into {counts}"
            )
        return self._tiled([a for a in axes if a != "-"], counts)

    def _tiled(self, used: list[str], counts: list[int]) -> OpSharding:
        proto: OpSharding = xla_data_pb().OpSharding()
        if not used:
            return proto  # replicated
        names = list(self.mesh)
        rest = [a for a in names if a not in used]
        copies = math.prod(self.mesh[a] for a in rest)
        devices = np.arange(math.prod(self.mesh.values())).reshape(list(self.mesh.values()))
        proto.type = xla_data_pb().OpSharding.Type.Value("OTHER")
        proto.tile_assignment_dimensions.extend([*counts, copies] if copies > 1 else counts)
        proto.tile_assignment_devices.extend(
            int(d) for d in devices.transpose([names.index(a) for a in (*used, *rest)]).reshape(-1)
        )
        proto.replicate_on_last_tile_dim = copies > 1
        return proto

    def of_results(self, named: Sequence[tuple[str, TensorType]]) -> OpSharding | None:
        """The OpSharding of the tuple of outputs; None when no rule matches any."""
        parts = [self.of(name, type_) for name, type_ in named]
        if all(p is None for p in parts):
            return None
        proto: OpSharding = xla_data_pb().OpSharding()
        proto.type = xla_data_pb().OpSharding.Type.Value("TUPLE")
        for part in parts:
            proto.tuple_shardings.add().CopyFrom(part if part is not None else xla_data_pb().OpSharding())
        return proto

    @property
    def devices(self) -> int:
        """How many devices the mesh has."""
        return math.prod(self.mesh.values())

    def text_of(self, name: str, type_: TensorType) -> str:
        """The sharding of a tensor as HLO's text has it, which `mhlo.sharding` holds; empty when no rule matches."""
        proto = self.of(name, type_)
        if proto is None:
            return ""
        if not proto.tile_assignment_dimensions:
            return "{replicated}"
        sizes, devices = (
            ",".join(map(str, v)) for v in (proto.tile_assignment_dimensions, proto.tile_assignment_devices)
        )
        return f"{{devices=[{sizes}]{devices}{' last_tile_dim_replicate' if proto.replicate_on_last_tile_dim else ''}}}"

    def check_used(self) -> None:
        """Raises ConversionError UsageError for a rule that matched nothing."""
        idle = [pattern for pattern, _ in self.rules if pattern not in self._used]
        if idle:
            raise ConversionError(Code.UsageError, f"no input, output or weight has a name like {', '.join(idle)}")
