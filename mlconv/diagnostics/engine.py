"""The diagnostic model, the error that becomes one, and the engine that collects them.

An error is raised where the fact is known, without context (`ConversionError(code, message)`); whoever drives the work
adds the location and the op and hands it to the engine.  Nothing stops at the first error unless the work cannot go on.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mlconv.diagnostics.codes import Code
from mlconv.provenance.locations import frames

if TYPE_CHECKING:
    from mlconv.provenance.locations import Location


class Severity(enum.Enum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.  `why` are reasons (one per candidate that declined), `notes` further facts, `help` one thing to
    do.
    """

    code: Code
    message: str
    severity: Severity = Severity.ERROR
    location: Location | None = None
    node: str = ""  # path of the source node
    op: str = ""  # op name with its operand types
    why: tuple[str, ...] = ()
    help: str = ""
    notes: tuple[str, ...] = ()
    model: str = ""  # path of the model, as it was given

    def data(self) -> dict[str, object]:
        """As plain data: of the fields of a JSON line (docs/diagnostics.md) those that need no other file.  file, line,
        column, function: the innermost frame as it was recorded, None where none was; callers: the others.
        """
        stack = [
            {"file": f.file, "line": f.line, "column": f.column or None, "function": f.function}
            for f in frames(self.location)
        ]
        first = stack[0] if stack else dict.fromkeys(("file", "line", "column", "function"))
        plain = {name: getattr(self, name) for name in ("message", "model", "node", "op", "help")}
        listed = {"why": list(self.why), "notes": list(self.notes), "callers": stack[1:]}
        return {"code": self.code.id, "severity": self.severity.value, **plain, **first, **listed}


class ConversionError(Exception):
    """A conversion cannot go on, or an op cannot be converted.  Carries a code; the location is attached by the driver
    of the work.

    operand: index of the operand that is at fault.  why: reasons of declined candidates.  help: one sentence that says
    what to do.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        operand: int | None = None,
        help: str = "",
        why: tuple[str, ...] = (),
        notes: tuple[str, ...] = (),
        location: Location | None = None,
    ) -> None:
        super().__init__(f"{code.id}: {message}")
        self.operand = operand
        self.diagnostic = Diagnostic(code, message, location=location, help=help, why=why, notes=notes)
        self.diagnostics: tuple[Diagnostic, ...] = ()  # all of a run, when the error ends one

    def __reduce__(self) -> tuple[type[ConversionError], tuple[Code, str], dict[str, object]]:
        """By pickle with its diagnostics, to other processes."""
        return ConversionError, (self.diagnostic.code, self.diagnostic.message), dict(self.__dict__)

    def __str__(self) -> str:
        """The problem with its fix; of several, how many more there are."""
        more = sum(d.severity is Severity.ERROR for d in self.diagnostics) - 1
        help_ = f"; {self.diagnostic.help}" if self.diagnostic.help else ""
        said = f"{self.diagnostic.code.id}: {self.diagnostic.message}{help_}"
        return said + (f" (and {more} more: see .diagnostics)" if more > 0 else "")

    def data(self) -> list[dict[str, object]]:
        """All problems as plain data: what there is to show, to log or to send."""
        return [d.data() for d in self.diagnostics or (self.diagnostic,)]

    @property
    def code(self) -> Code:
        return self.diagnostic.code

    def of_model(self, path: str) -> ConversionError:
        """The same error; its diagnostics name the model, where they name none yet."""
        self.diagnostic = _named(self.diagnostic, path)
        self.diagnostics = tuple(_named(d, path) for d in self.diagnostics)
        return self

    def with_context(self, location: Location | None, node: str, op: str) -> Diagnostic:
        """The diagnostic, with location, node and op filled in where they are still open."""
        d = self.diagnostic
        return replace(d, location=d.location or location, node=d.node or node, op=d.op or op)

    @staticmethod
    def of(diagnostics: list[Diagnostic]) -> ConversionError:
        """The error that ends a run: the first error leads, all are kept in `diagnostics`."""
        first = next(d for d in diagnostics if d.severity is Severity.ERROR)
        error = ConversionError(first.code, first.message)
        error.diagnostic = first
        error.diagnostics = tuple(diagnostics)
        return error


@dataclass(eq=False, repr=False, slots=True)
class DiagnosticEngine:
    """Collects diagnostics of one run, in order, each only once.

    model: path of the model that they are about.
    no_lines: note for errors at nodes that have no source line; whoever imports a model says here why, and how to get
    lines.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    no_lines: str = ""
    model: str = ""
    _seen: set[Diagnostic] = field(default_factory=set)

    def add(self, diagnostic: Diagnostic) -> None:
        diagnostic = _named(diagnostic, self.model)
        if diagnostic not in self._seen:
            self._seen.add(diagnostic)
            self.diagnostics.append(diagnostic)

    def error(self, error: ConversionError, location: Location | None = None, node: str = "", op: str = "") -> None:
        self.add(error.with_context(location, node, op))

    def warn(self, code: Code, message: str, location: Location | None = None, node: str = "") -> None:
        self.add(Diagnostic(code, message, Severity.WARNING, location, node))

    @contextmanager
    def helping(self, help: str) -> Iterator[None]:
        """Errors that are found inside have this help, where they have none of their own."""
        start = len(self.diagnostics)
        try:
            yield
        finally:
            for i, d in enumerate(self.diagnostics[start:], start):
                if d.severity is Severity.ERROR and not d.help:
                    self.diagnostics[i] = replace(d, help=help)

    @property
    def has_errors(self) -> bool:
        return any(d.severity is Severity.ERROR for d in self.diagnostics)

    def raise_errors(self) -> None:
        """Ends the run with all that was found, if there is an error among it."""
        if self.has_errors:
            raise ConversionError.of(self.explained())

    def explained(self) -> list[Diagnostic]:
        """All that was found; problems of nodes without a source line say why there is none."""
        if not self.no_lines:
            return self.diagnostics
        return [replace(d, notes=(*d.notes, self.no_lines)) if _is_unplaced(d) else d for d in self.diagnostics]


def _named(d: Diagnostic, model: str) -> Diagnostic:
    return d if d.model else replace(d, model=model)


@contextmanager
def naming(model: str) -> Iterator[None]:
    """Errors that leave the block name the model.  model: its path, empty for one without."""
    try:
        yield
    except ConversionError as error:
        raise (error.of_model(model) if model else error)  # noqa: B904  the same error


def _is_unplaced(d: Diagnostic) -> bool:
    """A problem of an op (its name has a dialect) whose source line is not known."""
    return "." in d.op.split(" ", 1)[0] and not frames(d.location)
