"""HDF5 files: where datasets lie, and attributes that are text.

The oldest form of the format, which libraries write unless they are told otherwise, and Keras does.  Nothing is copied
but names and texts; every number is checked against the file before it is used; links elsewhere are not followed.
Source: HDF5 File Format Specification Version 3.0, sections II.A (superblock), III.A (B-trees, version 1), III.B
(symbol tables), III.D (local heap), III.E (global heap), IV.A (object headers, version 1), IV.A.2 (messages).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias, Union

MAGIC: Final = b"\x89HDF\r\n\x1a\n"
UNDEFINED: Final = (1 << 64) - 1
MAX_DEPTH: Final = 64
MAX_RANK: Final = 32
Text: TypeAlias = Union[str, list[str]]


class OtherFormError(ValueError):
    """The file, or a part of it, is of a form that is not read here."""


class DamagedError(ValueError):
    """The file contradicts itself, or ends too early."""


class Dataset(NamedTuple):
    """dtype: as numpy writes it; empty for another one.  shape: None for a dataset without a dataspace.  offset: of the
    data in the file; None where nothing was written, or where it is no plain array: `plain`.
    """

    dtype: str
    shape: tuple[int, ...] | None
    offset: int | None
    nbytes: int
    plain: bool


class Type(NamedTuple):
    """name: as numpy writes it; `S` for text of `size` bytes, `vlen` for text of any length; empty for others."""

    name: str
    size: int


class Contents(NamedTuple):
    """groups: their attributes that are text, by path, the root's by an empty one.  datasets: by path."""

    groups: dict[str, dict[str, Text]]
    datasets: dict[str, Dataset]


def read_hdf5(data: memoryview) -> Contents:
    """All groups and datasets of a file.  Raises OtherFormError, DamagedError."""
    return _Reader(data).contents()


class _Message(NamedTuple):
    kind: int
    flags: int
    begin: int
    end: int


_SPACE, _TYPE, _EXTERNAL, _LAYOUT, _FILTERS, _ATTRIBUTE, _MORE, _TABLE = 0x1, 0x3, 0x7, 0x8, 0xB, 0xC, 0x10, 0x11
_NEWER: Final = (0x2, 0x6, 0x15)  # link info, link, attribute info: groups and attributes of the newer form
_SHARED: Final = 2
_BIASES: Final = {2: (5, 15), 4: (8, 127), 8: (11, 1023)}  # IEEE 754: bits of the exponent, its bias


class _Reader:
    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.heaps: dict[int, dict[int, tuple[int, int]]] = {}
        self.nodes: set[int] = set()  # addresses of B-tree nodes, each of which has one parent
        self.steps = 0

    def contents(self) -> Contents:
        found = Contents({}, {})
        left = [("", self.root(), 0)]
        seen: set[int] = set()
        while left:
            path, address, depth = left.pop()
            if address in seen or depth > MAX_DEPTH:
                raise OtherFormError("an object has several names, or groups are nested too deeply")
            seen.add(address)
            messages = list(self.messages(address))
            table = next((m for m in messages if m.kind == _TABLE), None)
            if table is None:
                found.datasets[path] = self.dataset(messages)
                continue
            found.groups[path] = dict(self.attributes(messages))
            entries = sorted(self.entries(*self.unpack("<QQ", table.begin)), reverse=True)
            left += [(f"{path}/{name}" if path else name, at, depth + 1) for name, at in entries]
        return found

    def step(self) -> None:
        """Something was read that takes 8 bytes or more.  Raises DamagedError for more of them than the file has room
        for, as in one whose parts lie over one another.
        """
        self.steps += 1
        if self.steps > len(self.data) // 8:
            raise DamagedError("its parts lie over one another")

    # Bytes

    def unpack(self, form: str, at: int) -> tuple[int, ...]:
        size = struct.calcsize(form)
        if not 0 <= at <= len(self.data) - size:
            raise DamagedError(f"{size} bytes at {at} lie outside of the {len(self.data)} of the file")
        return struct.unpack_from(form, self.data, at)

    def marked(self, at: int, mark: bytes) -> None:
        if bytes(self.data[at : at + len(mark)]) != mark or at < 0:
            raise DamagedError(f"there is no {mark.decode()} at {at}")

    def name(self, begin: int, limit: int) -> str:
        """Text up to its end, which lies within a limit."""
        size = 64
        while size < limit and b"\0" not in bytes(self.data[begin : begin + size]):
            size *= 8
        return self.text(begin, min(size, limit))

    def text(self, begin: int, size: int) -> str:
        if not 0 <= begin <= begin + size <= len(self.data):
            raise DamagedError(f"{size} bytes at {begin} lie outside of the {len(self.data)} of the file")
        return bytes(self.data[begin : begin + size]).split(b"\0", 1)[0].decode("utf-8", "replace")

    # Structure

    def root(self) -> int:
        """The address of the root group's header."""
        if bytes(self.data[:8]) != MAGIC:
            raise DamagedError("it does not begin as an HDF5 file")
        version, offsets, lengths = (self.unpack("<B", at)[0] for at in (8, 13, 14))
        if version > 1 or (offsets, lengths) != (8, 8):
            raise OtherFormError(f"a superblock of version {version}")
        at = 24 + 4 * version
        base, _, end, _ = self.unpack("<QQQQ", at)
        if base:
            raise OtherFormError("addresses that begin elsewhere")
        if end > len(self.data):
            raise DamagedError(f"it has {len(self.data)} bytes, and says that it has {end}")
        return self.unpack("<QQ", at + 32)[1]

    def messages(self, address: int) -> Iterator[_Message]:
        """The messages of an object's header."""
        if bytes(self.data[address : address + 4]) == b"OHDR":
            raise OtherFormError("a header of version 2")
        version, _, count, _, size = self.unpack("<BBHII", address)
        if version != 1:
            raise DamagedError(f"a header of version {version} at {address}")
        blocks = [(address + 16, size)]
        for begin, length in blocks:
            at, end = begin, begin + length
            if end > len(self.data) or len(blocks) > 1 + count:
                raise DamagedError(f"the header at {address} is longer than the file")
            while at + 8 <= end and count > 0:
                kind, nbytes, flags = self.unpack("<HHB", at)
                if at + 8 + nbytes > end:
                    raise DamagedError(f"a message at {at} is longer than its header")
                count -= 1
                self.step()
                if kind == _MORE:
                    offset, more = self.unpack("<QQ", at + 8)
                    blocks.append((offset, more))
                elif kind in _NEWER:
                    raise OtherFormError("groups or attributes of the newer form")
                else:
                    yield _Message(kind, flags, at + 8, at + 8 + nbytes)
                at += 8 + nbytes

    def entries(self, tree: int, heap: int) -> Iterator[tuple[str, int]]:
        """Names and addresses of the objects of a group."""
        self.marked(heap, b"HEAP")
        size, _, names = self.unpack("<QQQ", heap + 8)
        left = [tree]
        while left:
            node = left.pop()
            if node in self.nodes:
                raise DamagedError(f"a node at {node} that two groups have")
            self.nodes.add(node)
            if bytes(self.data[node : node + 4]) == b"SNOD":
                yield from self.symbols(node, names, size)
                continue
            self.marked(node, b"TREE")
            kind, _, used = self.unpack("<BBH", node + 4)
            self.step()
            if kind:
                raise DamagedError(f"the node at {node} is none of groups")
            left += [self.unpack("<Q", node + 32 + 16 * i)[0] for i in range(used)]

    def symbols(self, node: int, names: int, size: int) -> Iterator[tuple[str, int]]:
        """The entries of a node of a symbol table; soft links are left out."""
        (count,) = self.unpack("<H", node + 6)
        for i in range(count):
            offset, address, cached = self.unpack("<QQI", node + 8 + 40 * i)
            self.step()
            if offset >= size:
                raise DamagedError(f"a name at {offset} of {size} bytes of names")
            if cached != 2:
                yield self.name(names + offset, size - offset), address

    # Objects

    def dataset(self, messages: list[_Message]) -> Dataset:
        kinds = {m.kind: m for m in messages}
        if not {_SPACE, _TYPE, _LAYOUT} <= set(kinds):
            raise OtherFormError("an object that is no group and no dataset")
        shape = self.shape(kinds[_SPACE].begin)
        shared = (kinds[_SPACE].flags | kinds[_TYPE].flags | kinds[_LAYOUT].flags) & _SHARED
        element = Type("", 0) if shared else self.type(kinds[_TYPE].begin)
        version, layout = self.unpack("<BB", kinds[_LAYOUT].begin)
        plain = version == 3 and layout == 1 and not {_EXTERNAL, _FILTERS, _ATTRIBUTE} & set(kinds)
        if not plain:
            return Dataset(element.name, shape, None, 0, False)
        address, nbytes = self.unpack("<QQ", kinds[_LAYOUT].begin + 2)
        return Dataset(element.name, shape, None if address == UNDEFINED else address, nbytes, True)

    def shape(self, at: int) -> tuple[int, ...] | None:
        """A dataspace; None for one of nothing."""
        version, rank, _, kind = self.unpack("<BBBB", at)
        if version not in (1, 2) or rank > MAX_RANK:
            raise OtherFormError(f"a dataspace of version {version} and rank {rank}")
        if version == 2 and kind == 2:
            return None
        return self.unpack(f"<{rank}Q", at + (8 if version == 1 else 4))

    def type(self, at: int) -> Type:
        """An element type: integers, floats and text in the order of bytes that most machines have."""
        first, bits, more, _, size = self.unpack("<BBBBI", at)
        kind = first & 15
        if kind == 3:
            return Type("S", size)
        if kind == 9:
            return Type("vlen" if bits & 15 == 1 else "", size)
        if kind not in (0, 1) or size not in (1, 2, 4, 8) or bits & 1:
            return Type("", size)
        offset, precision = self.unpack("<HH", at + 8)
        if offset or precision != 8 * size:
            return Type("", size)
        if kind == 0:
            return Type(f"{'|' if size == 1 else '<'}{'i' if bits & 8 else 'u'}{size}", size)
        exponent, bias = self.unpack("<xBxxI", at + 12)
        plain = _BIASES.get(size) == (exponent, bias) and not bits & 64 and more == 8 * size - 1
        return Type(f"<f{size}" if plain else "", size)

    def attributes(self, messages: list[_Message]) -> Iterator[tuple[str, Text]]:
        """Names and values of those that are text, alone or in a list."""
        for m in messages:
            if m.kind != _ATTRIBUTE:
                continue
            version, flags, name, kind, space = self.unpack("<BBHHH", m.begin)
            if version not in (1, 2, 3) or (version > 1 and flags & 3):
                raise OtherFormError(f"an attribute of version {version}")
            pad = 8 if version == 1 else 1
            begin = m.begin + (9 if version == 3 else 8)
            sizes = [-(-n // pad) * pad for n in (name, kind, space)]
            type_at, space_at = begin + sizes[0], begin + sizes[0] + sizes[1]
            values = self.texts(self.type(type_at), self.shape(space_at), space_at + sizes[2], m.end)
            if values is not None:
                yield self.text(begin, name), values

    def texts(self, element: Type, shape: tuple[int, ...] | None, at: int, end: int) -> Text | None:
        """One text or a list of them; None for values of other types."""
        width = 16 if element.name == "vlen" else element.size
        if element.name not in ("S", "vlen") or shape is None or len(shape) > 1 or not width:
            return None
        count = shape[0] if shape else 1
        if at + count * width > end:
            raise DamagedError(f"an attribute at {at} is longer than its message")
        fixed = element.name == "S"
        found = [self.text(at + i * width, width) if fixed else self.global_text(at + i * width) for i in range(count)]
        return found if shape else found[0]

    def global_text(self, at: int) -> str:
        """Text of any length, which lies in a heap."""
        size, address, index = self.unpack("<IQI", at)
        if not size:
            return ""
        if address not in self.heaps:
            self.heaps[address] = dict(self.heap(address))
        begin, held = self.heaps[address].get(index, (0, -1))
        if size > held:
            raise DamagedError(f"a text of {size} bytes, of which the heap at {address} has {max(held, 0)}")
        return self.text(begin, size)

    def heap(self, address: int) -> Iterator[tuple[int, tuple[int, int]]]:
        """Objects of a heap: number, where they begin and how long they are."""
        self.marked(address, b"GCOL")
        (size,) = self.unpack("<Q", address + 8)
        at, end = address + 16, address + size
        while at + 16 <= min(end, len(self.data)):
            index, _, _, nbytes = self.unpack("<HHIQ", at)
            self.step()
            if not index:
                return
            yield index, (at + 16, nbytes)
            at += 16 + -(-nbytes // 8) * 8
