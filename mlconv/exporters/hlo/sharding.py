"""How tensors are cut over a mesh of devices: parameters, constants and results, from rules by name; as OpSharding,
which GSPMD reads, or as attributes of Shardy.

A rule gives a mesh axis, several with `+` between them, or `-`, for each axis of the tensors whose names match; axes of
the mesh that a tensor does not use hold copies of it.  Device i of the mesh is device i of XLA, the last axis of the
mesh being the fastest.  Source: xla/xla_data.proto, OpSharding; shardy/dialect/sdy/ir/attrs.td.
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
            named = [a for part in axes for a in _parts(part)]
            if any(a not in self.mesh for a in named) or len(named) != len({*named}):
                raise ConversionError(
                    Code.UsageError,
                    f"the rule {pattern}={','.join(axes)} does not fit the mesh {', '.join(self.mesh) or '(none)'}",
                )

    def axes_of(self, name: str, type_: TensorType) -> list[list[str]] | None:
        """The mesh axes that each axis of a tensor is cut by; None when no rule matches.  Raises ConversionError
        UsageError for a rule that does not fit its shape.
        """
        found = next((rule for rule in self.rules if fnmatch.fnmatchcase(name, rule[0])), None)
        if found is None:
            return None
        self._used.add(found[0])
        pattern, axes = found
        shape, named = type_.static_shape(), [_parts(part) for part in axes]
        counts = self._counts(named)
        if len(axes) != len(shape) or any(n % c for n, c in zip(shape, counts, strict=False)):
            raise ConversionError(
                Code.UsageError, f"the rule {pattern}={','.join(axes)} cuts {name} ({type_}) into {counts}"
            )
        return named

    def _counts(self, named: list[list[str]]) -> list[int]:
        return [math.prod(self.mesh[a] for a in part) for part in named]

    def of(self, name: str, type_: TensorType) -> OpSharding | None:
        """The OpSharding of a tensor; None when no rule matches.  Raises what `axes_of` does."""
        named = self.axes_of(name, type_)
        return None if named is None else self._tiled([a for part in named for a in part], self._counts(named))

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

    def shardy_of(self, name: str, type_: TensorType) -> str:
        """What stands in `#sdy.sharding<...>` for a tensor; empty when no rule matches."""
        named = self.axes_of(name, type_)
        if named is None:
            return ""
        cut = ", ".join("{" + ", ".join(quoted(a) for a in part) + "}" for part in named)
        return f"<@mesh, [{cut}]>"

    @property
    def shardy_mesh(self) -> str:
        """The mesh as an op."""
        return f"sdy.mesh @mesh = <[{', '.join(f'{quoted(name)}={size}' for name, size in self.mesh.items())}]>"

    def check_used(self) -> None:
        """Raises ConversionError UsageError for a rule that matched nothing."""
        idle = [pattern for pattern, _ in self.rules if pattern not in self._used]
        if idle:
            raise ConversionError(Code.UsageError, f"no input, output or weight has a name like {', '.join(idle)}")


def _parts(text: str) -> list[str]:
    """The mesh axes of a part of a rule."""
    return [] if text == "-" else text.split("+")


def quoted(text: str) -> str:
    """A string attribute of MLIR: what is not plain ASCII as the hexadecimal of its bytes."""
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in (34, 92) else f"\\{b:02X}" for b in text.encode()) + '"'
