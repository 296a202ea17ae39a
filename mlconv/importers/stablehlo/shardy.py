"""Attributes of Shardy in MLIR bytecode, as the text that they have elsewhere.

Source: shardy/dialect/sdy/ir/bytecode.td; attrs.td and printers.cc for their text.
"""

from __future__ import annotations

from mlconv.importers.stablehlo.cursor import Cursor
from mlconv.importers.stablehlo.encodings import Read, Tables, signed_list
from mlconv.importers.stablehlo.ir import Opaque, Symbol


def shardy_attribute(t: Tables, c: Cursor) -> Opaque:
    """An attribute; one that says nothing of meshes and shardings by its number alone."""
    code = c.varint()
    return Opaque(str(_READ[code](t, c)) if code in _READ else f"#sdy<{code}>")


def _text(t: Tables, c: Cursor) -> str:
    found = t.attribute(c.varint())
    if isinstance(found, Symbol):
        return f"@{found.name}"
    return found.text if isinstance(found, Opaque) else str(found)


def _texts(t: Tables, c: Cursor) -> str:
    return ", ".join(_text(t, c) for _ in range(c.count()))


def _mesh(t: Tables, c: Cursor) -> str:
    axes, devices = _texts(t, c), signed_list(c)
    return f"#sdy.mesh<[{axes}]{f', device_ids={list(devices)}' if devices else ''}>"


def _axis(t: Tables, c: Cursor) -> str:
    name = t.string(c.varint())
    index, is_part = c.flagged()
    part = t.attribute(index) if is_part else None
    return f'"{name}"{part.text if isinstance(part, Opaque) else ""}'


def _dimension(t: Tables, c: Cursor) -> str:
    axes, closed = _texts(t, c), c.byte()
    priority, has_priority = c.flagged()
    more = "" if closed else ", ?" if axes else "?"
    return f"{{{axes}{more}}}{f'p{priority}' if has_priority else ''}"


def _sharding(t: Tables, c: Cursor) -> str:
    mesh, dimensions, replicated = _text(t, c), _texts(t, c), _texts(t, c)
    return f"#sdy.sharding<{mesh}, [{dimensions}]{f', replicated={{{replicated}}}' if replicated else ''}>"


def _unreduced(t: Tables, c: Cursor) -> str:
    return f"{_sharding(t, c)[:-1]}, unreduced={{{_texts(t, c)}}}>"


_READ: dict[int, Read] = {
    1: lambda t, c: f'"{t.string(c.varint())}"={c.signed()}',
    2: _mesh,
    3: lambda t, c: f":({c.signed()}){c.signed()}",
    4: _axis,
    5: _dimension,
    6: _sharding,
    15: _unreduced,
    17: _unreduced,
}
