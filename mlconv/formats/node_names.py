"""Names of nodes that TensorFlow allows.

Source: tensorflow/core/framework/node_def_util.cc, IsValidNodeName.
"""

from __future__ import annotations

import re

_OTHER = re.compile(r"[^A-Za-z0-9_.\\/>-]")
_NO_START = re.compile(r"^[^A-Za-z0-9.]+")


def allowed(text: str) -> str:
    """A name like `text` that a node can have; its result's number, if it says one, is left out."""
    found = _NO_START.sub("", _OTHER.sub("_", re.sub(r":\d+$", "", text)))
    return re.sub(r"/{2,}", "/", found).rstrip("/") or "node"
