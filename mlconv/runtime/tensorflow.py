"""SavedModels and frozen graphs on TensorFlow, in a process of its own that stays for all runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.module import Function
from mlconv.runtime.processes import EndedError, Kept, Session

R = TypeVar("R")
NamesOf = Callable[[Sequence[str], Sequence[str]], tuple[list[str], list[str]]]
"""Names of a frozen graph's nodes by those of inputs and outputs."""


class TensorflowRunner:
    """A file that is run by signature, or by the names of its nodes; variables keep what a run leaves, until `reset`.

    kind: `saved_model` or `graphdef`.  names_of: of a frozen graph's nodes.
    """

    name = "TensorFlow"

    def __init__(self, path: str, kind: str, names_of: NamesOf | None = None) -> None:
        self.path, self.kind, self.names_of = path, kind, names_of
        self.session = Session()
        self.reset()

    def reset(self) -> None:
        """Variables take their initial values again.  Raises ConversionError VerificationImpossible,
        VerificationFailed.
        """
        self._call(_load, os.path.abspath(self.path), self.kind)

    def run(self, function: Function, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Outputs by name.  Raises ConversionError VerificationFailed."""
        taken, given = function.input_names, function.output_names
        signature = function.signature
        names = (taken, given)
        if self.names_of is not None:
            names, signature = self.names_of(taken, given), ""
        fed = {own: np.asarray(inputs[name]) for name, own in zip(taken, names[0], strict=True)}
        return dict(zip(given, self._call(_run, signature, fed, names[1]), strict=True))

    def _call(self, function: Callable[..., R], *args: object) -> R:
        try:
            return self.session.call(function, *args)
        except EndedError as error:
            raise ConversionError(Code.VerificationFailed, f"TensorFlow ended over the file: {error}") from error


def _load(kept: Kept, path: str, kind: str) -> None:
    try:
        from mlconv.runtime import tensorflow_session
    except ImportError as e:
        why, help_ = "TensorFlow is not installed", "pip install tensorflow, or leave --verify out"
        raise ConversionError(Code.VerificationImpossible, why, help=help_) from e
    tensorflow_session.load(kept, path, kind)


def _run(kept: Kept, signature: str, inputs: Mapping[str, Array], outputs: Sequence[str]) -> tuple[Array, ...]:
    from mlconv.runtime import tensorflow_session

    return tensorflow_session.run(kept, signature, inputs, outputs)
