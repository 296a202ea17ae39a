"""What a conversion did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from mlconv.diagnostics import ConversionError, Diagnostic
from mlconv.diagnostics.notebook import table
from mlconv.diagnostics.text import printable
from mlconv.driver.types import PortFacts
from mlconv.exporters.target import ElsewhereFacts, FileSizes

if TYPE_CHECKING:
    from mlconv.quantize.report import Report


class VerifiedFacts(TypedDict):
    """An output beside the reference.  relative: the largest difference over the largest value."""

    output: str
    max_abs: float
    relative: float
    ok: bool


@dataclass(eq=False, repr=False, slots=True)
class Result:
    """What a conversion did.  size_bytes: of the artifact; sizes: of its parts, where the target says them; times in
    seconds by stage, and by pass.  computed_elsewhere: ops that functions of other libraries compute.  unverified:
    of them, those that the reference has no other meaning for, where the artifact was verified.
    """

    output: str
    target: str
    size_bytes: int = 0
    sizes: FileSizes = field(default_factory=FileSizes)
    source: dict[str, Any] = field(default_factory=dict)
    inputs: list[PortFacts] = field(default_factory=list)
    outputs: list[PortFacts] = field(default_factory=list)
    ops: dict[str, int] = field(default_factory=dict)
    transposes: int = 0
    timings: dict[str, float] = field(default_factory=dict)
    pass_timings: dict[str, float] = field(default_factory=dict)
    pass_statistics: dict[str, int] = field(default_factory=dict)
    plugins: list[dict[str, str]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    verification: list[VerifiedFacts] = field(default_factory=list)
    computed_elsewhere: list[ElsewhereFacts] = field(default_factory=list)
    unverified: list[str] = field(default_factory=list)
    quantization: Report | None = None

    def __repr__(self) -> str:
        shown = ", ".join(f"{value} {name}".strip() for name, value in self._shown())
        return f"<Result {printable(self.output)}: {shown}>"

    def _repr_html_(self) -> str:
        named = [(f"{side} {p['name']}", _port(p)) for side, ports in self._ports() for p in ports]
        rows = [(name or "target", value) for name, value in self._shown()]
        times = [(f"{stage}, s", f"{seconds:.3f}") for stage, seconds in self.timings.items()]
        return table(self.output, [*rows, *named, *times])

    def _ports(self) -> list[tuple[str, list[PortFacts]]]:
        return [("input", self.inputs), ("output", self.outputs)]

    def _shown(self) -> list[tuple[str, object]]:
        """What is said of it, by name."""
        shown: list[tuple[str, object]] = [
            ("", self.target),
            ("bytes", self.size_bytes),
            ("ops", sum(self.ops.values())),
        ]
        shown += [("transposes", self.transposes)] if self.transposes else []
        shown += [("", self.quantization.scheme)] if self.quantization is not None else []
        shown += [("", "verified")] if self.verification else []
        problems = len(self.diagnostics)
        return shown + ([("notes", problems)] if problems else [])


def _port(facts: PortFacts) -> str:
    """The type of an input or output."""
    shape = facts["shape"]
    return f"{facts['dtype']}{'' if shape is None else list(shape)}"


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Failed:
    """A conversion that ended with an error.  result: what it did until then.  write_page: writes a page that says what
    was in the way; it takes the path and the purpose of the file.
    """

    error: ConversionError
    result: Result
    write_page: Callable[[str, str], None]


OnFailed = Callable[[Failed], None]
