"""What a source format is: one object that recognises files and reads them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar

from mlconv.dialects import DIALECTS
from mlconv.ir.dialect import Dialects

if TYPE_CHECKING:
    from mlconv.diagnostics import DiagnosticEngine
    from mlconv.importers.about import About
    from mlconv.importers.loaded import LoadedModel
    from mlconv.importers.summary import Summary


class Confidence(IntEnum):
    """How sure a format is that a file is one of its own."""

    NO = 0
    FALLBACK = 1  # nothing speaks against it
    LIKELY = 2  # by its name, or by how it begins
    CERTAIN = 3  # by a mark that no other format has


def _ignore(paths: Iterable[str]) -> None:
    """Nobody takes note of files."""


@dataclass(frozen=True, eq=False, repr=False)
class LoadRequest:
    """How a model is to be read.

    inputs, outputs: names that cut the graph.  shapes: of inputs.  signature, tags: of a SavedModel.  imports,
    unsafe_keras: of a Keras file.  linked_data: follow links of external data that lead out of the model's folder.
    keep_node_defs: ops keep the message that they were read from, for TensorFlow's delegate.  engine: takes problems
    that need not end the run.  dialects: of IR text.  opened: is told of each further file, before it is read.
    """

    engine: DiagnosticEngine
    dialects: Dialects = DIALECTS
    inputs: Sequence[str] = ()
    outputs: Sequence[str] = ()
    shapes: Mapping[str, Sequence[int | str]] = field(default_factory=dict)
    signature: str | None = None
    tags: Sequence[str] = ()
    imports: Sequence[str] = ()
    unsafe_keras: bool = False
    linked_data: bool = False
    keep_node_defs: bool = False
    opened: Callable[[Iterable[str]], None] = _ignore


CUT = frozenset({"inputs", "outputs", "shapes", "freeze"})


class SourceFormat(ABC):
    """name: in reports.  label: for people.  prefix: of its ops; other_prefixes: of those of other formats
    that its files may have.  legalization: the pass that makes core ops of them.
    takes: the options of reading that apply to it (fields of `LoadRequest`).  keeps_ops: its ops may go through
    unconverted.  needs: a package with the messages of its files.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    prefix: ClassVar[str]
    other_prefixes: ClassVar[tuple[str, ...]] = ()
    legalization: ClassVar[str]
    takes: ClassVar[frozenset[str]] = CUT
    keeps_ops: ClassVar[bool] = False
    needs: ClassVar[str] = ""

    @abstractmethod
    def recognises(self, head: bytes, path: str) -> Confidence:
        """head: the first 64 KB of the file; empty for a folder.  Raises ConversionError FormatUnknown for a file that
        only looks like one.
        """

    @abstractmethod
    def load(self, path: str, request: LoadRequest) -> LoadedModel:
        """Read a file into source ops.  Raises ConversionError MLC00xx and MLC01xx."""

    def summary(self, path: str, request: LoadRequest) -> Summary | None:
        """What a file says of itself, where that takes less than reading it; None of one that only `load` can judge."""
        return None

    def about(self, path: str, request: LoadRequest) -> About:
        """Signatures and metadata of a file that `load` reads; for formats that have none, nothing."""
        return {"signatures": [], "metadata": {}}

    def sections(self, path: str, files: Sequence[str]) -> dict[str, int]:
        """Bytes of the files of a model by what they are: weights, graph, names, debug, metadata; nothing for formats
        that have no such parts.  files: all of them.
        """
        return {}

    def dialects(self, path: str) -> Iterable[str]:
        """Dialects whose ops a file has, where it names them."""
        return ()

    def status(self) -> str:
        """What this machine can do with it, in a line; for `doctor`."""
        if self.needs and find_spec(self.needs) is None:
            return f"cannot read, for {self.needs} is not installed"
        return "reads"
