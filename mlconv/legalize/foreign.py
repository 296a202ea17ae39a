"""Ops of a source that C functions compute, as `--extern` declares them: `domain::Op=symbol`, or a TOML file.

    library = "libacme.so"

    [ops."com.acme::Scale"]
    symbol = "acme_scale"
    types = "float32[n, c], float32[c] -> float32[n, c]"
    scratch = "4*n*c"
    attributes = { alpha = 1.0 }

docs/foreign-kernels.md says what the keys mean.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.hints import did_you_mean
from mlconv.dialects import core
from mlconv.dialects.core.signature import Signature, parse_size
from mlconv.dialects.foreign_abi import MAX_LIST, NUMBERS, Passed
from mlconv.formats.files import open_regular
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.shapes import is_told
from mlconv.ir.types import TensorType
from mlconv.legalize.source import SourceNode
from mlconv.rewrite import Rules

_ONE = re.compile(r"([\w.:/-]+)=([A-Za-z_]\w*)")
_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYS = ("symbol", "types", "scratch", "attributes", "library")
# What importers add to a node's attributes.
_OWN = frozenset({"opset_version", "region_names", "node_def"})
_SHOW = 'state them in a TOML file: [ops."{0}"] symbol = "{1}", types = "float32[n, c] -> float32[n, c]"'


@dataclass(frozen=True, slots=True)
class Declaration:
    """name: of the op, as the user wrote it.  types, scratch, library: as `core.foreign` has them.  attributes: values
    of those that a node leaves out.  asked: the user named this op alone, so that the model must have it.
    """

    name: str
    symbol: str
    types: str = ""
    scratch: str = "0"
    attributes: Mapping[str, Passed] = field(default_factory=dict)
    library: str = ""
    asked: bool = False

    @property
    def key(self) -> str:
        """The op's name as source ops have it, without the dialect: `com.acme.Scale`."""
        domain, _, name = self.name.rpartition("::")
        return f"{domain}.{name}" if domain not in ("", "ai.onnx") else name


def declarations(texts: Iterable[str], library: str = "") -> list[Declaration]:
    """Those of values of `--extern`.  library: that of ops whose file names none.  Raises ConversionError
    ForeignDeclaration, InputNotReadable.
    """
    found: dict[str, Declaration] = {}
    for text in texts:
        for one in _file(text) if text.endswith(".toml") else [_one(text)]:
            if one.key in found:
                raise wrong(f"{one.name} is declared twice", "an op has one function")
            found[one.key] = replace(one, library=one.library or library)
    return list(found.values())


def files_of(texts: Iterable[str]) -> list[str]:
    """The files among values of `--extern`."""
    return [text for text in texts if text.endswith(".toml")]


def wrong(message: str, help_: str = "") -> ConversionError:
    return ConversionError(Code.ForeignDeclaration, message, help=help_)


def to_text(found: Iterable[Declaration]) -> str:
    """As an option of a pass has them."""
    return json.dumps([asdict(d) for d in found], sort_keys=True) if found else ""


def from_text(text: str) -> list[Declaration]:
    """Raises ConversionError ForeignDeclaration."""
    try:
        found = [Declaration(**fields) for fields in json.loads(text)] if text else []
        return [replace(d, attributes={k: passed(k, _plain(v)) for k, v in d.attributes.items()}) for d in found]
    except (ValueError, TypeError, AttributeError) as error:
        raise wrong(f"declarations of foreign functions are not understood: {error}") from error


def _plain(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _one(text: str) -> Declaration:
    match = _ONE.fullmatch(text)
    if match is None:
        raise wrong(
            f"{text!r} declares no foreign function",
            "write --extern DOMAIN::OP=SYMBOL, --extern OP=SYMBOL, or FILE.toml",
        )
    return Declaration(match.group(1), match.group(2), asked=True)


def _file(path: str) -> list[Declaration]:
    import tomllib

    try:
        with open_regular(path) as file:
            table = tomllib.load(file)
    except OSError as error:
        raise ConversionError(Code.InputNotReadable, f"cannot read {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise wrong(f"{path}: {error}") from error
    ops = table.pop("ops", {})
    shared = table.pop("library", "")
    if table or not isinstance(ops, dict) or not isinstance(shared, str):
        strange = next(iter(table), "ops")
        raise wrong(f"{path}: {strange!r} is not understood", 'a file has `library` and tables [ops."DOMAIN::OP"]')
    return [_entry(path, name, entry, shared) for name, entry in ops.items()]


def _entry(path: str, name: str, entry: object, shared: str) -> Declaration:
    where = f"{path}: {name}"
    if not isinstance(entry, dict):
        raise wrong(f"{where} is no table", 'write [ops."DOMAIN::OP"]')
    for key in entry:
        if key not in _KEYS:
            raise wrong(f"{where} has the key {key!r}", did_you_mean(key, _KEYS) or f"there are {', '.join(_KEYS)}")
    texts = {key: str(entry[key]) for key in _KEYS if key in entry and key != "attributes"}
    if not _SYMBOL.fullmatch(texts.get("symbol", "")):
        raise wrong(f"{where} has no `symbol` that is the name of a C function")
    signature = Signature.parse(texts["types"]) if "types" in texts else None
    scratch = parse_size(texts.get("scratch", "0"))
    if signature is None and not isinstance(scratch, int):
        raise wrong(f"{where}: {texts['scratch']!r} has names, and there are no `types` that say what they are")
    attributes = entry.get("attributes", {})
    if not isinstance(attributes, dict):
        raise wrong(f"{where}: attributes is no table")
    library = texts.get("library", shared)
    beside = os.path.join(os.path.dirname(path) or os.curdir, library)
    if library and (os.sep in library or os.path.exists(beside)):
        library = beside
    given = {k: passed(k, _plain(v)) for k, v in attributes.items()}
    return Declaration(name, texts["symbol"], texts.get("types", ""), texts.get("scratch", "0"), given, library)


def passed(name: str, value: object) -> Passed:
    """An attribute as C gets it.  Raises ConversionError AttributeInvalid for one that it cannot get."""
    if isinstance(value, DType):
        return NUMBERS.get(value, 0)
    if isinstance(value, (bool, int)) and -(1 << 63) <= value < 1 << 63:
        return int(value)
    if isinstance(value, float) or (isinstance(value, str) and "\0" not in value):
        return value
    if isinstance(value, tuple) and len(value) <= MAX_LIST:
        items = tuple(v for v in (passed(name, v) for v in value) if not isinstance(v, tuple))
        if len(items) == len(value) and len({type(v) for v in items}) <= 1:
            return items
        numbers = tuple(float(v) for v in items if not isinstance(v, str))
        if len(numbers) == len(value):
            return numbers
    raise ConversionError(
        Code.AttributeInvalid,
        f"the attribute {name!r} is {type(value).__name__}, and a C function gets numbers, texts and lists of them",
        help="give it as an input of the op",
    )


def foreign_rules(declared: Iterable[Declaration], module: Module) -> Rules:
    """A rule for each declared op.  Raises ConversionError ForeignDeclaration for one that was asked for, and that the
    module does not have.
    """
    names = {op.name.partition(".")[2] for op in module.walk()}
    rules = Rules()
    for one in declared:
        if one.asked and one.key not in names:
            raise wrong(f"the model has no op {one.name}", did_you_mean(one.key, sorted(names)))
        rules.add(one.key, partial(_foreign, declared=one))
    return rules


def _foreign(node: SourceNode, declared: Declaration) -> list[Value]:
    """A `core.foreign` in the place of a source op.  Raises ConversionError."""
    op = node.op
    if op.regions:
        raise ConversionError(
            Code.AttributeInvalid, f"{declared.name} has graphs among its attributes, which C has not"
        )
    missing = next((i for i, v in enumerate(op.operands) if v is None), None)
    if missing is not None:
        raise ConversionError(
            Code.VariantUnsupported, f"input {missing} of {declared.name} is absent, and a C function gets all of them"
        )
    given = {k: passed(k, v) for k, v in op.attributes.items() if k not in _OWN}
    arguments = tuple(sorted({**declared.attributes, **given}.items()))
    types = () if declared.types else tuple(_stated(op, i, declared) for i in range(len(op.results)))
    made = core.Foreign(
        op.inputs,
        source=declared.name,
        symbol=declared.symbol,
        arguments=arguments,
        types=types,
        signature=declared.types,
        scratch=declared.scratch,
        library=declared.library,
    )
    if len(made.results) < len(op.results):
        raise wrong(
            f"{declared.name} has {len(op.results)} outputs here, its declaration {declared.types!r} "
            f"has {len(made.results)}"
        )
    return list(node.rewriter.emit(made).results)[: len(op.results)]


def _stated(op: Op, i: int, declared: Declaration) -> TensorType:
    """The type of a result that the file states."""
    t = op.results[i].type
    if isinstance(t, TensorType) and t.dtype is not DType.UNKNOWN and is_told(t.shape):
        return t
    raise wrong(
        f"the model does not say the type and sizes of output {i} of {declared.name}: it has {t}",
        _SHOW.format(declared.name, declared.symbol),
    )
