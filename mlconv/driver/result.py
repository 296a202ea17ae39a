"""What a conversion did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from mlconv.diagnostics import ConversionError, Diagnostic
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


@dataclass(slots=True)
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


@dataclass(frozen=True, slots=True)
class Failed:
    """A conversion that ended with an error.  result: what it did until then.  write_page: writes a page that says what
    was in the way; it takes the path and the purpose of the file.
    """

    error: ConversionError
    result: Result
    write_page: Callable[[str, str], None]


OnFailed = Callable[[Failed], None]
