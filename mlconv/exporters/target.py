"""What a target is: one object that says how core ops become its ops, and how those are written and run.

The module of a target is light: it is loaded to show its options; what works is loaded when it is called.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypedDict

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.traits import Transposing, has_trait

if TYPE_CHECKING:
    from mlconv.exporters.memory import MemoryUse
    from mlconv.formats.run_files import RunFiles
    from mlconv.ir.core import Op
    from mlconv.ir.module import Module
    from mlconv.runtime.verify import Runner


def setting(
    default: Any,
    help_: str,
    *,
    flag: str = "",
    metavar: str = "",
    choices: tuple[str, ...] = (),
    parse: Callable[[str], Any] | None = None,
    many: bool = False,
    is_path: bool = False,
    lowers: bool = False,
) -> Any:
    """A field of a target's options, with what the command line and the documentation say of it.

    flag: its name on the command line, where that is another.  parse: the value of a text; raises ValueError.  many:
    the option may be repeated, its value is a tuple.  lowers: it changes how core ops become the target's.
    """
    shown = {
        "help": help_,
        "flag": flag,
        "metavar": metavar,
        "choices": choices,
        "parse": parse,
        "many": many,
        "is_path": is_path,
        "lowers": lowers,
    }
    return field(default=default, metadata=shown)


IN_FLOAT32 = "compute float64 in float32."
"""What `--reduce-float64` does, of targets that have float64."""


def flag_of(option: Field[object]) -> str:
    """The name of an option on the command line, without dashes."""
    return option.metadata.get("flag") or option.name.replace("_", "-")


def value_of(option: Field[object], given: Any) -> Any:
    """The value of an option that was given as text, or as a TOML file has it: by its parser, or of its default's type.
    Raises ValueError.
    """
    if isinstance(option.default, bool):
        if given not in (True, False, "true", "false"):
            raise ValueError(f"{flag_of(option)} is true or false")
        return given in (True, "true")
    if isinstance(given, list) and option.metadata["many"]:
        return tuple(item for one in given for item in value_of(option, one))
    if isinstance(given, (bool, list, dict)) or (isinstance(option.default, str) and not isinstance(given, str)):
        raise ValueError(f"{given!r} is no value of {flag_of(option)}")
    parse: Callable[[str], Any] = option.metadata["parse"] or type(option.default)
    parsed = parse(str(given))
    return (parsed,) if option.metadata["many"] else parsed


@dataclass(frozen=True)
class TargetOptions:
    """Base of the options of targets.  Fields are made by `setting`."""

    def __post_init__(self) -> None:
        for option in fields(self):
            choices = option.metadata.get("choices")
            value = getattr(self, option.name)
            if choices and value not in choices:
                raise ConversionError(Code.UsageError, f"{option.name} is {value!r}, expected {' or '.join(choices)}")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> TargetOptions:
        """The options of those given values that are its fields."""
        return cls(**{f.name: given[f.name] for f in fields(cls) if f.name in given})

    def changed(self) -> dict[str, Any]:
        """The values that are not at their defaults."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {f.name: values[f.name] for f in fields(self) if f.default is MISSING or values[f.name] != f.default}


class Kept(NamedTuple):
    """Source ops that core has no meaning for and that the target takes as they are: as custom ops, or as TensorFlow's
    own.
    """

    custom: bool = False
    select: bool = False


class MachineRow(NamedTuple):
    """A row of a target's table of machines.  needs: features that a machine must have.  used_for: what code for it
    does with them.  here: whether this machine has them.
    """

    arch: str
    name: str
    needs: str
    used_for: str
    here: bool


@dataclass(eq=False, repr=False)
class FileSizes:
    """What the bytes of an artifact are.  model_weights: bytes of the constants that its weights are made of."""

    model_weights: int = 0
    parts: dict[str, int] = field(default_factory=dict)


class ElsewhereFacts(TypedDict):
    """A `ComputedElsewhere` as plain data."""

    op: str
    node: str
    line: str
    function: str
    libraries: list[str]
    declared: bool


class ComputedElsewhere(NamedTuple):
    """An op that a function of another library computes.  line: of the model's source, or empty.  declared: by the
    user, so that nothing but the function knows what it does.
    """

    op: str
    node: str
    line: str
    function: str
    libraries: tuple[str, ...]
    declared: bool

    def facts(self) -> ElsewhereFacts:
        return {
            "op": self.op,
            "node": self.node,
            "line": self.line,
            "function": self.function,
            "libraries": [*self.libraries],
            "declared": self.declared,
        }


@dataclass(frozen=True, eq=False, repr=False)
class WriteRequest:
    """What a target knows of the run besides the module and its options.

    path: of the artifact.  interface: names, types and shapes of inputs and outputs, as `.io.json` has them.
    prepared: what `Target.prepare` returned.  files: of the run.  kernels: kinds of plug-ins, by the names of their
    ops.  sizes: where a target says what the bytes of its artifact are.  computed: where it says which ops functions of
    other libraries compute.  on_stage: is told what the target does.  on_fraction: takes what tells how far that is; it
    is called by another thread.
    """

    path: str
    interface: dict[str, Any]
    prepared: Any = None
    files: RunFiles | None = None
    kernels: Mapping[str, str] = field(default_factory=dict)
    sizes: FileSizes = field(default_factory=FileSizes)
    computed: list[ComputedElsewhere] = field(default_factory=list)
    on_stage: Callable[[str], None] | None = None
    on_fraction: Callable[[Callable[[], float]], None] | None = None

    def tell(self, stage: str, fraction: Callable[[], float] | None = None) -> None:
        """What takes time besides writing.  fraction: how much of it is done."""
        if self.on_stage is not None:
            self.on_stage(stage)
        if self.on_fraction is not None and fraction is not None:
            self.on_fraction(fraction)


class Target(ABC):
    """name: on the command line.  label: in help texts.  suffix: of artifacts.  prefix: of its ops.  options: a frozen
    dataclass.

    takes_any_layout: no layout is assigned for it.  channels_first: its images are NCHW.  splits_groups: groups of
    channels are normalized with their axes apart, for images with channels last.  left_weights: a product whose left
    operand is constant costs no more than one whose right one is.  windows_anywhere: it pools, and moves blocks of
    pixels to channels, along any axes.  keeps_loops: loops are not written out where that is more ops.
    keeps_variables: it has variables; else they become inputs and outputs.  names_once: no output may be called as an
    input is.
    quantizes_trained: it has quantized tensors for what was trained with fake quantization.
    computes_quantized: it has kernels over quantized tensors;
    quantized_ops: for which besides sums of products, sums and means, as options of `quant-lower`.
    keeps_stored_weights: constants that are stored in fewer bits stay so, and become numbers when a model is loaded.
    multiplies_stored_weights: those that products of floats read stay so.
    dynamic: it has products that quantize each row of what they read when they run.  dynamic_blocks: products whose
    weights have scales in blocks do.  block_bits: of weights that may have such, at most.  instead: schemes of
    quantization that it has nothing for, with what to take instead.  has_bounds: sizes with a range are bounded by it.
    one_file: an artifact is one file, which can go to standard output.  folder: it is a folder; what one
    may hold that is written over.  op_bytes: what its files take for an op, besides constants, on the average of
    networks; constant_growth: how many bytes a byte of constants takes.  schedules: the pass of its pipeline that
    orders ops for least memory, where it has one.  tells_floats: its ops tell whether they compute with floats; else
    that is seen of core ops.  widens_float16: what one op makes and the next one takes is float32, where it is float16
    in the model.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    suffix: ClassVar[str]
    prefix: ClassVar[str]
    options: ClassVar[type[TargetOptions]] = TargetOptions
    takes_any_layout: ClassVar[bool] = False
    channels_first: ClassVar[bool] = False
    splits_groups: ClassVar[bool] = False
    left_weights: ClassVar[bool] = False
    windows_anywhere: ClassVar[bool] = False
    keeps_loops: ClassVar[bool] = False
    keeps_variables: ClassVar[bool] = False
    names_once: ClassVar[bool] = False
    computes_quantized: ClassVar[bool] = False
    quantizes_trained: ClassVar[bool] = False
    quantized_ops: ClassVar[str] = ""
    keeps_stored_weights: ClassVar[bool] = False
    multiplies_stored_weights: ClassVar[bool] = False
    dynamic: ClassVar[bool] = True
    dynamic_blocks: ClassVar[bool] = False
    block_bits: ClassVar[int] = 8
    instead: ClassVar[Mapping[str, str]] = {}
    has_bounds: ClassVar[bool] = False
    one_file: ClassVar[bool] = False
    folder: ClassVar[frozenset[str]] = frozenset()
    tells_floats: ClassVar[bool] = False
    widens_float16: ClassVar[bool] = False
    op_bytes: ClassVar[int] = 150
    constant_growth: ClassVar[int] = 1
    schedules: ClassVar[str] = ""

    @abstractmethod
    def pipeline(self, options: Any) -> str:
        """The passes from core ops to the target's, in pipeline syntax."""

    @abstractmethod
    def write(self, module: Module, options: Any, request: WriteRequest) -> int:
        """Write a module of the target's ops; returns the artifact's size in bytes.  Raises ConversionError."""

    @property
    def stored_weights(self) -> str:
        """What folding leaves as it is stored, as options of that pass."""
        kept = "stored=true" if self.keeps_stored_weights else ""
        return "stored=true,products=true" if self.multiplies_stored_weights else kept

    def reduced(self, passes: str, asked: bool) -> str:
        """The passes of a target that has float64, behind what makes it float32 where that was asked for."""
        kept = f"{{{self.stored_weights}}}" if self.stored_weights else ""
        return f"reduce-float64,canonicalize,fold{kept},{passes}" if asked else passes

    def kept(self, options: Any) -> Kept:
        """What goes through unconverted."""
        return Kept()

    def claim(self, options: Any, files: RunFiles | None) -> None:
        """Note files of the options that the run reads or writes.  Raises ConversionError OutputNotWritable."""
        return None

    def prepare(self, module: Module, options: Any, verified: bool) -> Any:
        """Look at the module of core ops before it is lowered; the result is handed to `write`.  Raises ConversionError
        for what cannot be done, before work is done for it.
        """
        return None

    def beside(self, artifact: Path, options: Any, io_json: bool) -> list[str]:
        """Names of the files that are written beside an artifact, but for that of variables, which the model
        decides.
        """
        return [artifact.name + ".io.json"] if io_json else []

    def writes_interface(self) -> bool:
        """The artifact has its model interface without being asked for it."""
        return False

    def symmetric(self, options: Any) -> bool:
        """Integers of activations stand for numbers around 0: their zero point is 0."""
        return False

    def memory(self, module: Module, kernels: Mapping[str, str]) -> MemoryUse | None:
        """Where the values of the first function of a module of its ops are while it runs; none where that is not
        known.  kernels: kinds of plug-ins, by the names of their ops.
        """
        return None

    def coarser(self, options: Any) -> str:
        """Passes on core ops that lose numbers, where options ask for that: artifacts are held to what these leave."""
        return ""

    def integers(self) -> str:
        """Passes on core ops behind which those between quantized tensors round as its artifacts do, where its pipeline
        leaves them as they are: artifacts are held to what these leave.
        """
        return ""

    def runner(self, path: str) -> Runner | None:
        """An artifact that can be run; None for a target that has no runtime here."""
        return None

    def is_transpose(self, op: Op) -> bool:
        """One of its ops moves axes; reports count them."""
        return has_trait(op, Transposing)

    def computes_floats(self, op: Op) -> bool:
        """One of its ops does, and is no border of integers."""
        return False

    def status(self) -> str:
        """What this machine can do with it, in a line; for `doctor`."""
        return "writes"

    def machines(self) -> list[MachineRow]:
        """The machines that it makes code for; for `doctor`."""
        return []
