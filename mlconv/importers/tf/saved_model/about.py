"""Signatures, tags and versions of a SavedModel."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.importers.about import About, SignatureFacts
from mlconv.importers.tf.saved_model.read import INIT_SIGNATURES, read_saved_model


def about_saved_model(folder: str, tags: Sequence[str]) -> About:
    """Raises ConversionError for a folder that cannot be read."""
    proto = read_saved_model(folder, tags or None).proto
    info = proto.meta_info_def
    signatures: list[SignatureFacts] = [
        {"key": key, "inputs": sorted(definition.inputs), "outputs": sorted(definition.outputs)}
        for key, definition in sorted(proto.signature_def.items())
        if key not in INIT_SIGNATURES
    ]
    metadata: dict[str, object] = {"tags": list(info.tags)}
    for name in ("tensorflow_version", "tensorflow_git_version", "meta_graph_version"):
        value = str(getattr(info, name))
        if value:
            metadata[name] = value
    if info.stripped_default_attrs:
        metadata["stripped_default_attrs"] = True
    return {"signatures": signatures, "metadata": metadata}
