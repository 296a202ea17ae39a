"""The format of IR text, of any level."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.format import Confidence, LoadRequest, SourceFormat
from mlconv.importers.sniff import is_text, suffix_of

if TYPE_CHECKING:
    from mlconv.importers.loaded import LoadedModel
    from mlconv.ir.dialect import Dialects
    from mlconv.ir.module import Module

_DIALECT = re.compile(r'"([A-Za-z_]\w*)\.[\w.]+"\(')
_OWN = ("builtin", "mlconv", "core")
_VERSIONS = 1 << 16
_HEAD = re.compile(rb'(?:\s|//[^\n]*\n)*"builtin\.module"')


class IrText(SourceFormat):
    """IR as text.  Its ops may be those of any level; passes that it is past are not run again."""

    name = "mlir"
    label = "IR text"
    legalization = ""
    prefix = ""
    takes: ClassVar[frozenset[str]] = frozenset()

    def recognises(self, head: bytes, path: str) -> Confidence:
        if _HEAD.match(head):
            return Confidence.CERTAIN
        if not head or suffix_of(path) != ".mlir":
            return Confidence.NO
        return Confidence.CERTAIN if is_text(head) else Confidence.FALLBACK

    def dialects(self, path: str) -> Iterable[str]:
        from mlconv.formats.files import read_text

        try:
            return {name for name in _DIALECT.findall(read_text(path)) if name not in _OWN}
        except (OSError, UnicodeDecodeError):
            return ()  # said when it is read

    def load(self, path: str, request: LoadRequest) -> LoadedModel:
        from mlconv.formats.files import read_text
        from mlconv.importers.loaded import LoadedModel
        from mlconv.ir.parser import parse_with_files
        from mlconv.ir.verifier import verify

        try:
            text = read_text(path)
        except OSError as e:
            raise ConversionError(Code.InputNotReadable, f"{path}: {e.strerror}") from e
        except UnicodeDecodeError as e:
            raise ConversionError(Code.TextNotUtf8, f"{path} is not UTF-8 text: {e.reason} at byte {e.start}") from e
        module, files = parse_with_files(text, request.dialects, path)
        verify(module)
        _check_source_ops(module, request.dialects)
        return LoadedModel(module, files)


def _check_source_ops(module: Module, dialects: Dialects) -> None:
    """Attributes of source ops are what importers make of a file's.  Raises ConversionError AttributeInvalid."""
    from mlconv.ir.core import OpaqueOp

    for op in module.walk():
        if not isinstance(op, OpaqueOp):
            continue
        version = op.attributes.get("opset_version", 0)
        if not isinstance(version, int) or not 0 <= version < _VERSIONS:
            raise ConversionError(
                Code.AttributeInvalid, f"{op.describe()}: opset_version is {version!r}, not a version"
            )
        schema = dialects.schema(op.name, version)
        for problem in schema.wrong_kinds(op) if schema is not None else ():
            raise ConversionError(problem.code, problem.diagnostic.message, location=op.location)


FORMAT = IrText()
