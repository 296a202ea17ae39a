"""Names of nodes that TensorFlow allows.

Source: tensorflow/core/framework/node_def_util.cc, IsValidNodeName.
"""

from __future__ import annotations

import re

_OTHER = re.compile(r"[^A-Za-z0-9_.\\/>-]")
_NO_START = re.compile(r"^[^A-Za-z0-9.]+")
_CALLS = re.compile(r"(?:(?:Stateful)?PartitionedCall(?:_\d+)?/)+(?=(?:[^/]*/)+)")


def allowed(text: str) -> str:
    """A name like `text` that a node can have; its result's number, if it says one, is left out."""
    found = _NO_START.sub("", _OTHER.sub("_", re.sub(r":\d+$", "", text)))
    return re.sub(r"/{2,}", "/", found).rstrip("/") or "node"


def without_calls(name: str) -> str:
    """A path without the calls that a SavedModel begins with, as TFLiteConverter has it, where two parts are left."""
    match = _CALLS.match(name)
    return name[match.end() :] if match else name
