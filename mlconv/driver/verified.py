"""Whether an artifact gives what it should: what a reference gives, or answers that the caller has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.answers import answers_of, check_given, differences, given
from mlconv.driver.options import Options
from mlconv.driver.result import VerifiedFacts
from mlconv.ir.module import Module
from mlconv.runtime.compare import Tolerance
from mlconv.runtime.measures import limits_of
from mlconv.runtime.ports import ports_of
from mlconv.runtime.verify import Golden, Request, Runner, failures, held_to, is_of_integers, verify_artifact


@dataclass(frozen=True)
class Verified:
    """rows: of each output.  problem: in words; empty where there is none."""

    rows: Sequence[VerifiedFacts]
    problem: str


def verified(
    runner: Runner, bounded: bool, reference: Module, optimized: Module, request: Request, options: Options
) -> Verified:
    """bounded: sizes of the artifact have bounds.  reference, optimized: as `verify_artifact` takes them.  Raises
    ConversionError as that does, and for answers that do not fit.
    """
    if options.expect:
        return _held(runner, reference, optimized, request, options)
    tolerance = Tolerance(options.rtol, options.atol)
    errors = verify_artifact(runner, bounded, reference, optimized, request, tolerance)
    listed = failures(errors)
    by_reference = options.verify_with == "reference" and not is_of_integers(reference)
    other = "the reference interpreter" if by_reference else "the source's runtime"
    rows = [VerifiedFacts(output=e.name, max_abs=e.max_abs, relative=e.relative, ok=e.ok) for e in errors]
    return Verified(rows, f"{runner.name} and {other} disagree: {listed}" if listed else "")


def _held(runner: Runner, reference: Module, optimized: Module, request: Request, options: Options) -> Verified:
    check_given(options.data, options.expect)
    if len(reference.functions) > 1:
        raise ConversionError(
            Code.UsageError,
            f"--expect has answers of one signature, and {len(reference.functions)} are converted",
            help="name one with --signature",
        )
    main = reference.main
    inputs, outputs = ports_of(main)
    calls = given(options.data, inputs, inputs, options)
    answers = answers_of(options.expect, outputs, len(calls), options)
    limits = limits_of(options.rtol, options.atol, options.min_snr)
    measures = held_to(runner, reference, optimized, Golden(calls, answers, limits, request.numbers))
    rows = [VerifiedFacts(output=m.name, max_abs=m.max_abs, relative=m.max_relative, ok=m.verdict.ok) for m in measures]
    listed = differences(measures)
    return Verified(rows, f"{runner.name} does not give the answers of {options.expect}: {listed}" if listed else "")
