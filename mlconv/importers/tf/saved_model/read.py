"""`saved_model.pb`: the meta graph of a tag set, its signatures, and the debug information beside it.

Source: tensorflow/core/protobuf/saved_model.proto, meta_graph.proto.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.hints import did_you_mean
from mlconv.formats import wire
from mlconv.formats.files import open_regular, read_text
from mlconv.formats.protos import tf_pb
from mlconv.formats.saved_model_folder import holds_saved_model
from mlconv.importers.tf.reader import GraphFile
from mlconv.ir.constants import SourceFile

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import GraphDebugInfo, MetaGraphDef, SavedModel, SignatureDef


DEFAULT_TAGS = ("serve",)
DEFAULT_SIGNATURE = "serving_default"
INIT_SIGNATURES = frozenset({"__saved_model_init_op", "__saved_model_train_op"})


@dataclass(frozen=True, slots=True)
class MetaGraph:
    """One meta graph.  file: for decoding attributes; debug: GraphDebugInfo or None."""

    folder: str
    file: GraphFile
    proto: MetaGraphDef
    debug: GraphDebugInfo | None

    @property
    def variables_prefix(self) -> str:
        return os.path.join(self.folder, "variables", "variables")


def read_saved_model(folder: str, tags: Sequence[str] | None) -> MetaGraph:
    """Read the meta graph with the given tags (`serve` by default, or the only one that there is).

    Raises ConversionError: InputNotReadable not there, FileDamaged damaged, NameNotFound no such tag set.
    """
    path = os.path.join(folder, "saved_model.pb")
    text_path = os.path.join(folder, "saved_model.pbtxt")
    if not holds_saved_model(folder):
        raise ConversionError(
            Code.InputNotReadable, f"{folder} is a directory without saved_model.pb: it is no SavedModel"
        )
    file = SourceFile(path)
    message = tf_pb("protobuf.saved_model_pb2").SavedModel()
    if os.path.exists(path):
        reduced = _parse_binary(path, file, message)
    else:
        reduced = _parse_text(text_path, message)
    chosen = _choose(folder, list(message.meta_graphs), tags)
    return MetaGraph(folder, GraphFile(chosen.graph_def, reduced, file), chosen, _debug_info(folder))


def _parse_binary(path: str, file: SourceFile, message: SavedModel) -> wire.Reduced:
    from google.protobuf.message import DecodeError

    if os.path.getsize(path) == 0:
        raise ConversionError(Code.FileDamaged, f"{path} is empty")
    try:
        reduced = wire.reduce(file.map(), wire.TENSORFLOW, "SavedModel")
        message.ParseFromString(reduced.proto)
    except DecodeError as e:
        raise ConversionError(
            Code.FileDamaged, f"cannot parse {path}: it is damaged, truncated or invalid ({e})"
        ) from e
    except ConversionError as e:
        raise ConversionError(e.code, f"cannot parse {path}: {e.diagnostic.message}", help=e.diagnostic.help) from e
    return reduced


def _parse_text(path: str, message: SavedModel) -> wire.Reduced:
    from google.protobuf import text_format

    try:
        text_format.Parse(read_text(path), message)
    except OSError as e:
        raise ConversionError(Code.InputNotReadable, f"{path}: {e.strerror}") from e
    except (text_format.ParseError, UnicodeDecodeError) as e:
        raise ConversionError(Code.FileDamaged, f"cannot parse {path}: {e}") from e
    return wire.Reduced(b"", ())


def _choose(folder: str, graphs: list[MetaGraphDef], tags: Sequence[str] | None) -> MetaGraphDef:
    if not graphs:
        raise ConversionError(Code.FileDamaged, f"{folder}/saved_model.pb holds no meta graph: it is empty or damaged")
    wanted = set(tags or DEFAULT_TAGS)
    for graph in graphs:
        if set(graph.meta_info_def.tags) == wanted:
            return graph
    if tags is None and len(graphs) == 1:
        return graphs[0]
    known = "; ".join(",".join(g.meta_info_def.tags) or "(none)" for g in graphs)
    raise ConversionError(
        Code.NameNotFound,
        f"{folder} has no meta graph with the tags {','.join(sorted(wanted))}; it has: {known}",
        help="choose one with --tag-set",
    )


def _debug_info(folder: str) -> GraphDebugInfo | None:
    """`debug/saved_model_debug_info.pb`, where it is readable; a damaged one costs locations, not the conversion."""
    from google.protobuf.message import DecodeError

    path = os.path.join(folder, "debug", "saved_model_debug_info.pb")
    if not os.path.exists(path):
        return None
    message: GraphDebugInfo = tf_pb("framework.graph_debug_info_pb2").GraphDebugInfo()
    try:
        with open_regular(path) as f:
            message.ParseFromString(f.read())
    except (DecodeError, OSError):
        return None
    return message


def choose_signatures(meta: MetaGraph, name: str | None) -> dict[str, SignatureDef]:
    """SignatureDefs by key: those named (separated by commas), else `serving_default`, else the only one; all with `*`.

    Raises ConversionError NameNotFound naming what there is.
    """
    known = {k: s for k, s in sorted(meta.proto.signature_def.items()) if k not in INIT_SIGNATURES}
    if name == "*":
        return known
    if name is not None:
        keys = name.split(",")
        missing = [k for k in keys if k not in known]
        if missing:
            listed = ", ".join(known) or "none"
            raise ConversionError(
                Code.NameNotFound,
                f"{meta.folder} has no signature {missing[0]!r}; it has: {listed}",
                help=did_you_mean(missing[0], known),
            )
        return {k: known[k] for k in keys}
    if DEFAULT_SIGNATURE in known:
        return {DEFAULT_SIGNATURE: known[DEFAULT_SIGNATURE]}
    if len(known) == 1:
        return known
    if not known:
        raise ConversionError(
            Code.NoOutputs,
            f"{meta.folder} has no signatures",
            help="save it with signatures=..., or name nodes with --inputs and --outputs",
        )
    raise ConversionError(
        Code.NameNotFound,
        f"{meta.folder} has several signatures: {', '.join(known)}",
        help="choose with --signature NAME, or --signature '*' for all",
    )
