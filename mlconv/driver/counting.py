"""How many ops a module has, and how large its constants are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mlconv.formats.files import bytes_of
from mlconv.ir.constants import Const, Mapped
from mlconv.ir.core import Op
from mlconv.ir.module import Module

if TYPE_CHECKING:
    from mlconv.driver.pipeline import OnProgress

_CONSTANTS = frozenset({"Constant", "Const", "constant", "parameter"})


class Counted(NamedTuple):
    """ops: of each kind, those left out that hold data.  parameters, parameter_bytes: of all constants."""

    ops: Counter[str]
    parameters: int
    parameter_bytes: int


def counted(module: Module) -> Counted:
    """A constant that several functions share counts once."""
    ops: Counter[str] = Counter()
    found: dict[object, Const] = {}
    for op in module.walk():
        if works(op):
            ops[op.name] += 1
        for constant in constants_of(op):
            found[place_of(constant)] = constant
    constants = found.values()
    return Counted(ops, sum(c.size for c in constants), sum(c.nbytes for c in constants))


def works(op: Op) -> bool:
    """The op is one of the model: it holds no data, and ends no block."""
    return not op.name.startswith("mlconv.") and op.name.rpartition(".")[2] not in _CONSTANTS


def constants_of(op: Op) -> Iterator[Const]:
    """All constants that an op holds."""
    for value in op.attributes.values():
        if isinstance(value, Const):
            yield value
        elif isinstance(value, tuple):
            yield from (v for v in value if isinstance(v, Const))


def place_of(constant: Const) -> object:
    """Equal for constants that are one range of a file, or one object."""
    if isinstance(constant, Mapped):
        return id(constant.file), constant.offset, constant.nbytes, constant.dtype
    return id(constant)


def follow_writing(on_stage: OnProgress, module: Module, folder: str) -> None:
    """Let the progress of a stage be that of what is written into a folder, which is mostly a module's constants."""
    on_stage.follow(lambda: bytes_of(folder), counted(module).parameter_bytes)
