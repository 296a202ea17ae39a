"""Pipelines: a list of passes with a text form that round-trips, and the runner with its instruments."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.module import Module
from mlconv.ir.objects import class_at
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.table import PASSES

if TYPE_CHECKING:
    from mlconv.ir.text import Keep

_OPTION = r'[^",{}]*(?:"(?:[^"\\]|\\.)*")?'
_ITEM = re.compile(rf"\s*([a-z][a-z0-9-]*)\s*(?:\{{({_OPTION}(?:,{_OPTION})*)\}})?\s*(?:,|$)")


def parse_pipeline(text: str, known: Mapping[str, str] = PASSES) -> list[Pass]:
    """`layout{target=nhwc},fold` as passes.  known: passes by name, as `module:class`.  Raises ConversionError
    TextNotUnderstood on unknown passes, options and values.
    """
    passes: list[Pass] = []
    at = 0
    while at < len(text.rstrip()):
        match = _ITEM.match(text, at)
        if not match:
            raise ConversionError(Code.TextNotUnderstood, f"pipeline not understood at {text[at:]!r}")
        passes.append(make_pass(match.group(1), match.group(2) or "", known))
        at = match.end()
    return passes


def pass_names(text: str) -> list[str]:
    """Names in pipeline syntax, whether there are such passes or not."""
    return [match.group(1) for match in _ITEM.finditer(text)]


def pass_class(place: str) -> type[Pass]:
    """The class at `module:class`.  Raises ConversionError PluginUnusable when there is none."""
    return class_at(place, Pass)


def list_passes(known: Mapping[str, str] = PASSES) -> str:
    """A line for each pass: its name, what it does, and its options with their defaults."""
    lines = []
    for name, place in known.items():
        cls = pass_class(place)
        options = ", ".join(f"{f.name.replace('_', '-')}={_plain(f.default)}" for f in fields(cls))
        about = re.split(r"(?<=\.)\s", (cls.__doc__ or "").strip(), maxsplit=1)[0]
        lines.append(f"{name:<22}  {about}" + (f"  [{options}]" if options else ""))
    return "\n".join(lines)


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def make_pass(name: str, options: str = "", passes: Mapping[str, str] = PASSES) -> Pass:
    if name not in passes:
        raise ConversionError(
            Code.TextNotUnderstood, f"no pass is called {name!r}; there are {', '.join(sorted(passes))}"
        )
    cls = pass_class(passes[name])
    known = {f.name.replace("_", "-"): f for f in fields(cls)}
    values: dict[str, Any] = {}
    for part in filter(None, (p.strip() for p in re.findall(_OPTION, options))):
        key, _, value = part.partition("=")
        if key not in known:
            raise ConversionError(
                Code.TextNotUnderstood, f"pass {name} has no option {key!r}; it has {', '.join(known) or 'none'}"
            )
        values[known[key].name] = _parse_value(value, known[key].default, f"{name}{{{key}}}")
    return cls(**values)


def _parse_value(text: str, default: Any, what: str) -> Any:
    if isinstance(default, bool):
        if text not in ("true", "false"):
            raise ConversionError(Code.TextNotUnderstood, f"{what} is true or false, not {text!r}")
        return text == "true"
    if isinstance(default, int):
        if not re.fullmatch(r"-?\d+", text):
            raise ConversionError(Code.TextNotUnderstood, f"{what} is an integer, not {text!r}")
        return int(text)
    if not text.startswith('"'):
        return text
    try:
        return json.loads(text)
    except ValueError as error:
        raise ConversionError(Code.TextNotUnderstood, f"{what} is not understood: {text}") from error


def pipeline_text(passes: Sequence[Pass]) -> str:
    return ",".join(map(str, passes))


class PassFailure(NamedTuple):
    """Attached to an exception that is no ConversionError (an error of mlconv) as `pass_failure`: where it happened and
    the IR before.  remaining: passes from there on.  plugins: names and versions of those that took part.
    """

    name: str
    remaining: str
    text: str
    plugins: tuple[str, ...] = ()


OnPass = Callable[[Module, Pass], None]
OnTime = Callable[[str, float, int], None]


@dataclass(eq=False, repr=False)
class Instruments:
    """What is watched while pipelines run; several runs with the same instruments are parts of one pipeline.

    emit: receives printed IR.  dump: receives a file's name and its text after each pass.  keep: of large constants in
    it.  print_after: pattern on pass
    names.  original: makes the module that the pipeline was given again, for reproduction.  seen: is shown the module
    after each pass.  told: of each pass, its name, seconds, and how often it changed something.  done: passes that have
    run.  plugins: names and versions of those that take part.
    """

    verify_each: bool = False
    print_after: str = ""
    dump: Callable[[str, str], None] | None = None
    keep: Keep | None = None
    emit: Callable[[str], None] | None = None
    original: Callable[[], Module] | None = None
    seen: OnPass | None = None
    told: OnTime | None = None
    plugins: tuple[str, ...] = ()
    context: PassContext = field(default_factory=PassContext)
    timings: dict[str, float] = field(default_factory=dict)
    done: list[Pass] = field(default_factory=list)


def run_pipeline(module: Module, passes: Sequence[Pass], instruments: Instruments | None = None) -> None:
    """Run passes in order.  Raises ConversionError IrInvalid when `verify_each` finds a pass that left the IR
    invalid.
    """
    watch = instruments or Instruments()
    for i, item in enumerate(passes):
        started, counts = time.perf_counter(), watch.context.statistics.applied
        before = sum(counts.values())
        with _kept_for_reproduction(passes[i:], watch):
            item.run(module, watch.context)
            seconds = time.perf_counter() - started
            watch.timings[item.name] = watch.timings.get(item.name, 0.0) + seconds
            if watch.told is not None:
                watch.told(item.name, seconds, sum(counts.values()) - before)
            if watch.verify_each:
                from mlconv.ir.verifier import verify

                verify(module, after=item.name)
        module.passes.append(item.name)
        if watch.print_after and re.search(watch.print_after, item.name) and watch.emit is not None:
            watch.emit(f"// after {item}\n{_text(module, elide=True)}")
        if watch.dump is not None:
            watch.dump(dump_name(len(watch.done), item), _text(module, keep=watch.keep))
        if watch.seen is not None:
            watch.seen(module, item)
        watch.done.append(item)


def dump_name(number: int, item: Pass) -> str:
    """Name of the file with the IR after a pass."""
    return f"{number:02d}-{item.name}.mlir"


@contextmanager
def _kept_for_reproduction(left: Sequence[Pass], watch: Instruments) -> Iterator[None]:
    """If the first of the passes that are left fails, run those before it again on what the pipeline was given, and
    attach the IR that they leave to the exception.
    """
    failed = True
    try:
        yield
        failed = False
    finally:
        error = sys.exc_info()[1]
        if failed and error is not None and not isinstance(error, ConversionError) and watch.original is not None:
            with suppress(ConversionError, OSError):  # a file that is no longer what it was
                error.pass_failure = _failure(left, watch, watch.original())  # type: ignore[attr-defined]


def _failure(left: Sequence[Pass], watch: Instruments, module: Module) -> PassFailure:
    given = watch.context
    context = PassContext(rules=given.rules, dialects=given.dialects, kernels=given.kernels)
    for item in watch.done:
        item.run(module, context)
        module.passes.append(item.name)
    return PassFailure(left[0].name, pipeline_text(left), _text(module, elide=True), watch.plugins)


def _text(module: Module, elide: bool = False, keep: Keep | None = None) -> str:
    from mlconv.ir.printer import print_module

    return print_module(module, elide=elide, keep=keep)
