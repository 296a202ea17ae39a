"""What a file says besides its graph: signatures, metadata, versions."""

from __future__ import annotations

from typing import TypedDict


class SignatureFacts(TypedDict):
    """A way to call a model.  inputs, outputs: their names."""

    key: str
    inputs: list[str]
    outputs: list[str]


class About(TypedDict):
    """signatures: all that a file has, where it names them.  metadata: what else it says, by name: texts and numbers,
    or objects of them.
    """

    signatures: list[SignatureFacts]
    metadata: dict[str, object]
