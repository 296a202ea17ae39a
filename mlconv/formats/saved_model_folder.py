"""Which folders are SavedModels."""

from __future__ import annotations

import os

MESSAGES = ("saved_model.pb", "saved_model.pbtxt")
"""What the file of the graph is called."""


def holds_saved_model(folder: str) -> bool:
    """The folder is a SavedModel."""
    return any(os.path.exists(os.path.join(folder, name)) for name in MESSAGES)
