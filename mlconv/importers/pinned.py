"""Sizes of inputs that the user gives, beside those that the file declares."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.hints import did_you_mean
from mlconv.ir.dims import Size


def check_pinned(name: str, given: Sequence[Size | str | None], declared: Sequence[Size | str | None] | None) -> None:
    """The rank is the declared one, and so is each size that both state as a number.  Raises ConversionError
    ShapeMismatch.

    A network that was traced for one size computes something else, or nothing, at another.  None, -1, names and symbols
    state no number.
    """
    if declared is None:
        return
    if len(given) != len(declared):
        listed = [str(d) if d is not None and d != -1 else "?" for d in declared]
        raise ConversionError(
            Code.ShapeMismatch,
            f"--shape gives input '{name}' rank {len(given)}, the model declares [{', '.join(listed)}]",
        )
    for axis, (new, old) in enumerate(zip(given, declared, strict=True)):
        if isinstance(new, int) and isinstance(old, int) and new >= 0 and old >= 0 and new != old:
            why = f"--shape gives input '{name}' the size {new} on axis {axis}, where the model declares {old}"
            raise ConversionError(
                Code.ShapeMismatch, why, help=f"leave it {old}, or export the model with a dynamic axis {axis}"
            )


def no_input(name: str, inputs: Sequence[str]) -> ConversionError:
    """A shape is given to what is none of the inputs."""
    why = f"--shape names '{name}', which is not an input; the inputs are {', '.join(inputs)}"
    return ConversionError(Code.NameNotFound, why, help=did_you_mean(name, inputs))
