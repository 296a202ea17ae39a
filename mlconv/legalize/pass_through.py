"""Under which name and with which options ops go through to TFLite unconverted: custom ops, and TensorFlow ops for the
Select (Flex) delegate.
"""

from __future__ import annotations

from mlconv.ir.core import Op
from mlconv.legalize.source import Keep

NODE_DEF = "node_def"  # attribute in which the importer leaves the serialized NodeDef


def keep_rule(allow_custom: bool, allow_select: bool) -> Keep | None:
    """What `--allow-custom-ops` and `--allow-select-ops` allow; None when neither is given."""

    def keep(op: Op) -> tuple[str, bytes] | None:
        if op.regions:
            return None
        if op.name.startswith("tfl."):  # a custom operator of a file has its name and its options already
            options = op.attributes.get("custom_options")
            return (op.attributes["custom_code"], options) if allow_custom and isinstance(options, bytes) else None
        kind = op.name.rpartition(".")[2]
        node_def = op.attributes.get(NODE_DEF)
        if allow_select and isinstance(node_def, bytes):
            return "Flex" + kind, select_options(kind, node_def)
        if allow_custom:
            return kind, flexbuffer(
                {k: v for k, v in op.attributes.items() if k not in (NODE_DEF, "opset_version") and _is_plain(v)}
            )
        return None

    return keep if allow_custom or allow_select else None


def _is_plain(value: object) -> bool:
    if isinstance(value, (tuple, list)):
        return all(isinstance(v, (bool, int, float, str)) for v in value)
    return isinstance(value, (bool, int, float, str))


def flexbuffer(value: dict[str, object]) -> bytes:
    """A FlexBuffer map, as TFLite's custom options are (flatbuffers.dev, FlexBuffers)."""
    from flatbuffers import flexbuffers

    return bytes(flexbuffers.Dumps(value))


class _RawString:
    """What the builder asks of a string: its bytes.  A serialized message is stored as a string there, though it is no
    text.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data

    def encode(self, encoding: str) -> bytes:
        return self.data


def select_options(kind: str, node_def: bytes) -> bytes:
    """Options of a Flex op: a vector of two strings, the op's name and its NodeDef
    (tensorflow/lite/delegates/flex/kernel.cc).
    """
    from flatbuffers import flexbuffers

    builder = flexbuffers.Builder()
    with builder.Vector():
        builder.String(kind)
        builder.String(_RawString(node_def))
    return bytes(builder.Finish())
