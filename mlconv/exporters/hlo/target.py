"""The targets `hlo` and `stablehlo`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.exporters.target import IN_FLOAT32, Target, TargetOptions, WriteRequest, setting

if TYPE_CHECKING:
    from mlconv.exporters.hlo.sharding import Sharding
    from mlconv.ir.module import Module
    from mlconv.runtime.verify import Runner

_MAX_DIGITS = 18


def parse_mesh(text: str) -> tuple[tuple[str, int], ...]:
    """`data=4,model=2`.  Raises ValueError."""
    axes = []
    for part in text.split(","):
        name, _, size = part.partition("=")
        if not name or not (size.isascii() and size.isdecimal() and len(size) <= _MAX_DIGITS):
            raise ValueError(f"{part!r} is not AXIS=N")
        axes.append((name, int(size)))
    return tuple(axes)


def parse_rule(text: str) -> tuple[str, tuple[str, ...]]:
    """`PATTERN=AXIS,-,AXIS`.  Raises ValueError."""
    pattern, sign, axes = text.rpartition("=")
    if not sign or not pattern:
        raise ValueError(f"{text!r} is not PATTERN=AXIS,...")
    return pattern, tuple(axes.split(",")) if axes else ()


@dataclass(frozen=True)
class XlaOptions(TargetOptions):
    """mesh: axes of a device mesh with their sizes.  shard_rules: patterns of names with a mesh axis (`-`: none; with
    `+` between several) for each axis of the tensor.
    """

    mesh: tuple[tuple[str, int], ...] = setting((), "axes of a device mesh.", metavar="AXIS=N,...", parse=parse_mesh)
    shard_rules: tuple[tuple[str, tuple[str, ...]], ...] = setting(
        (),
        "mesh axes of tensors. Repeatable.",
        flag="shard-rule",
        metavar="NAMES=AXIS,...",
        parse=parse_rule,
        many=True,
    )
    reduce_float64: bool = setting(False, IN_FLOAT32, lowers=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(size < 1 for _, size in self.mesh) or len({name for name, _ in self.mesh}) != len(self.mesh):
            raise ConversionError(Code.UsageError, f"mesh is {self.mesh}, expected distinct names with sizes from 1")

    def sharding_of(self, module: Module) -> Sharding:
        """How tensors are cut: as the options say, else as the source of the module does."""
        from mlconv.exporters.hlo.sharding import Sharding

        told = module.source.get("sharding")
        if self.mesh or self.shard_rules or not isinstance(told, dict):
            return Sharding(self.mesh, self.shard_rules)
        return Sharding(list(told["mesh"].items()), [(name, tuple(axes)) for name, axes in told["tensors"].items()])


@dataclass(frozen=True)
class StableHloOptions(XlaOptions):
    """partitioner: whose attributes say how tensors are cut."""

    partitioner: str = setting("shardy", "whose attributes say how tensors are cut.", choices=("shardy", "gspmd"))


@dataclass(frozen=True)
class HloOptions(XlaOptions):
    """weights: as literals of the module, or as parameters with their data in a safetensors file."""

    weights: str = setting(
        "inline", "weights as literals, or as parameters with a file beside it.", choices=("inline", "parameters")
    )


class _Xla(Target):
    """What runs on XLA."""

    label = "HLO"
    prefix = "hlo."
    takes_any_layout = True
    has_bounds = True

    def pipeline(self, options: XlaOptions) -> str:
        named = "data-sizes{shapes=false},refine-shapes,expand-resize,expand-transforms,size-conditions{filled=true}"
        return self.reduced(f"quant-to-arithmetic,expand-trees,{named},to-hlo", options.reduce_float64)

    def runner(self, path: str) -> Runner:
        from mlconv.runtime.xla import Xla

        return Xla(path)

    def status(self) -> str:
        return "writes, verifies with jaxlib's XLA" if find_spec("jaxlib") else "writes; jaxlib is not installed"


class Hlo(_Xla):
    """HloModuleProto files."""

    name = "hlo"
    suffix = ".hlo.pb"
    options: ClassVar[type[TargetOptions]] = HloOptions

    def write(self, module: Module, options: HloOptions, request: WriteRequest) -> int:
        from mlconv.exporters.hlo.export import export

        return export(module, request.path, options.weights == "parameters", options.sharding_of(module))

    def beside(self, artifact: Path, options: HloOptions, io_json: bool) -> list[str]:
        weights = [".safetensors"] if options.weights == "parameters" else []
        suffixes = [".json", *weights, *([".io.json"] if io_json else [])]
        return [artifact.name + suffix for suffix in suffixes]


class StableHlo(_Xla):
    """StableHLO as text."""

    name = "stablehlo"
    suffix = ".stablehlo.mlir"
    op_bytes = 250
    constant_growth = 2  # hexadecimal digits
    options: ClassVar[type[TargetOptions]] = StableHloOptions
    one_file = True

    def write(self, module: Module, options: StableHloOptions, request: WriteRequest) -> int:
        from mlconv.exporters.hlo.stablehlo import export_text

        sharding = options.sharding_of(module)
        return export_text(module, request.path, sharding, options.partitioner == "gspmd")


HLO, STABLEHLO = Hlo(), StableHlo()
