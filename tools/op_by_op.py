"""Ops over integers of quantized models on all that computes them, one by one, on the same stored integers: the
reference interpreter, LiteRT with its default kernels, native code of each instruction set that this machine has, and
ONNX Runtime.

    python tools/op_by_op.py --corpus FOLDER [--schemes int8,int16x8] [--names A,B] [--json FILE]

Models that are quantized are taken as they are, others as `--quantize` makes them.  A unit is what becomes one op over
integers: from one rounding back to the stored integers that are read, or to floats that others read, too.  All units of
a model are one model whose inputs are what they read: nothing that one of them gets wrong reaches another.  They read
what the model's recorded inputs make of them, and then any integers.

Held: units without floats are equal in all but ONNX Runtime; where rounding twice or a kernel's own fixed point is
allowed (transposed convolutions, linear resampling, LeakyReLU, products of two activations, floats in between), one
step on 5 % of the integers; GELU, for which LiteRT asks the machine's C library for erfc, may be a step off on 0.5 %.
Rows of ONNX Runtime are held to one step on 0.5 %, or on 5 % there.  Those
that are known not to hold are listed with the reason, and do not fail (docs/decisions/0025).
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from op_by_op_known import reason

import mlconv
from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.driver.context import context_of
from mlconv.driver.conversion import Conversion, convert
from mlconv.driver.options import Options
from mlconv.driver.pipeline import run
from mlconv.driver.result import Result
from mlconv.interp import run_function
from mlconv.ir.constants import make_const
from mlconv.ir.core import Op, Value, Yield, clone_op
from mlconv.ir.module import Function, Module, clone_module
from mlconv.ir.quant import QuantType, storage_range
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.passes.pipeline import parse_pipeline
from mlconv.provenance.locations import NameLocation
from mlconv.runtime.onnx_runtime import run_session

Array = np.ndarray[Any, Any]
FREE = (core.QuantConvTranspose, core.ConvTranspose, core.LeakyRelu)
MOST_ELEMENTS = 1 << 24  # of all that the units of a model read
RANDOM_RUNS = 2


@dataclass
class Unit:
    """root: the op whose integers are compared.  ops: of the unit, in order.  reads: values from outside.  given: what
    these held in a run.
    """

    root: Op
    ops: list[Op]
    reads: list[Value]
    given: list[Array] = field(default_factory=list)

    @property
    def title(self) -> str:
        names = [op.name.removeprefix("core.") for op in self.ops if not isinstance(op, core.Constant)]
        return "+".join(n for n in names if n not in ("quantize", "dequantize")) or names[-1]


def typed(path: pathlib.Path, settings: Mapping[str, Any]) -> Module:
    """A model of core ops between quantized tensors, as all targets get it.  Raises ConversionError."""
    context = context_of(())
    target = context.target("tflite")
    options = Options().with_settings(dict(settings), context)
    conversion = Conversion(options, target, Result("", "tflite"), context, None, None)
    module = conversion.imported(path).module
    # a model that is quantized is lowered first of all: what is stored in small constants are numbers behind `fold`
    left_out = ("quant-lower",) if options.quantize else ("quant-lower", "fold", "fold-batch-norm")
    passes = [p for p in parse_pipeline(conversion.parts.common) if p.name not in left_out]
    run(module, ",".join(map(str, passes)), conversion.watch, context)
    return module


def quant_of(value: Value) -> QuantType | None:
    return value.type.quant if isinstance(value.type, TensorType) else None


def is_constant(value: Value) -> bool:
    op = value.producer
    if op is None or op.regions or not op.operands:
        return isinstance(op, core.Constant)
    return all(v is None or is_constant(v) for v in op.operands)


def unit_of(root: Op) -> Unit | None:
    """What an op whose results are stored integers computes them from."""
    if not isinstance(root, OpDef) or root.regions or isinstance(root, core.Constant) or not root.results:
        return None
    if quant_of(root.results[0]) is None or all(is_constant(v) for v in root.inputs):
        return None
    ops: dict[Op, None] = {}
    reads: dict[Value, None] = {}

    def take(op: Op) -> None:
        if op in ops:
            return
        for value in op.inputs:
            maker = value.producer
            if is_constant(value) or (maker is not None and _is_inside(value, op, maker)):
                assert maker is not None
                take(maker)
            else:
                reads.setdefault(value)
        ops.setdefault(op)

    take(root)
    return Unit(root, list(ops), list(reads)) if reads else None


def _is_inside(value: Value, user: Op, maker: Op) -> bool:
    """A float that is read once, or that is stored integers."""
    if quant_of(value) is not None or maker.regions or maker.block is not user.block or not isinstance(maker, OpDef):
        return False
    if not value.tensor.dtype.is_float:
        return False
    return isinstance(maker, core.Dequantize) or (bool(maker.operands) and len(value.users) == 1)


def recorded(module: Module, inputs: Mapping[str, Array]) -> list[Unit]:
    """The units of a model, with what they read in a run; alike ones once."""
    found: dict[Op, Unit | None] = {}
    seen: dict[Value, Array] = {}

    def keep(op: Op, values: Sequence[Array | None], results: Sequence[Array]) -> Sequence[Array]:
        seen.update(zip(op.results, results, strict=True))
        seen.update((v, a) for v, a in zip(op.operands, values, strict=True) if v is not None and a is not None)
        if op not in found:
            unit = found[op] = unit_of(op)
            if unit is not None:
                unit.given = [np.array(seen[v]) for v in unit.reads]
        return results

    run_function(module.main, inputs, change=keep)
    alike = {_key(unit): unit for unit in found.values() if unit is not None}
    return list(alike.values())


def _key(unit: Unit) -> str:
    """Units that compute the same of inputs of the same types."""
    parts = [f"{v.type}" for v in unit.reads]
    number: dict[Value, str] = {v: f"in{i}" for i, v in enumerate(unit.reads)}
    for op in unit.ops:
        shown = {k: (id(v) if k == "value" else str(v)) for k, v in op.attributes.items()}
        parts.append(f"{op.name} {[number.get(v) for v in op.operands if v is not None]} {shown}")
        number.update((v, f"v{len(number)}_{i}") for i, v in enumerate(op.results))
    return "\n".join(parts)


def joined(units: Sequence[Unit]) -> Module:
    """A model of all units; inputs a.b: what unit a reads b-th; outputs u.a."""
    given = [(i, k, v, a) for i, u in enumerate(units) for k, (v, a) in enumerate(zip(u.reads, u.given, strict=True))]
    given = [one for one in given if not _is_index(one[2])]
    types = [_static(v, a) for _, _, v, a in given]
    names = [f"a{i}_{k}" for i, k, _, _ in given]
    function = Function.create("main", types, names, NameLocation("units"))
    values = iter(function.inputs)
    outputs = []
    for unit in units:
        mapping = {}
        for value, array in zip(unit.reads, unit.given, strict=True):
            mapping[value] = _known(function, array) if _is_index(value) else next(values)
        for op in unit.ops:
            function.block.insert(clone_op(op, mapping))
        outputs.append(mapping[unit.root.results[0]])
    function.block.insert(Yield(outputs, function.location))
    function.output_names = [f"u{i}" for i in range(len(units))]
    return Module([function])


def _is_index(value: Value) -> bool:
    """Sizes, positions and masks: they are as they were."""
    return quant_of(value) is None and not value.tensor.dtype.is_float


def _known(function: Function, array: Array) -> Value:
    constant = core.Constant(value=make_const(array))
    constant.location = function.location
    return function.block.insert(constant) or constant.y


def _static(value: Value, array: Array) -> TensorType:
    assert isinstance(value.type, TensorType)
    return TensorType(value.type.element, array.shape)


def random_like(unit: Unit, rng: np.random.Generator) -> list[Array]:
    """Integers of all of a storage type; floats as they were, in another order."""
    found = []
    for value, array in zip(unit.reads, unit.given, strict=True):
        quant = quant_of(value)
        if quant is None or array.dtype.kind not in "iu":
            found.append(rng.permutation(array.reshape(-1)).reshape(array.shape) if array.dtype.kind == "f" else array)
            continue
        low, high = max(quant.qmin, storage_range(quant.storage)[0]), quant.qmax
        found.append(rng.integers(low, high + 1, array.shape).astype(array.dtype))
    return found


@dataclass
class Counts:
    """elements: compared.  off: of these, not equal.  most: steps."""

    elements: int = 0
    off: int = 0
    most: int = 0

    def add(self, want: Array, got: Array) -> None:
        if got.shape != want.shape or got.dtype != want.dtype:
            self.most, self.off = 1 << 30, self.off + want.size
        else:
            steps = np.abs(got.astype(np.int64) - want)
            self.most = max(self.most, int(steps.max(initial=0)))
            self.off += int(np.count_nonzero(steps))
        self.elements += want.size


def lowered(module: Module, to: str) -> Module:
    """With ops over integers, as a target has them: what the interpreter runs."""
    context = context_of(())
    target = context.target(to)
    copy = clone_module(module)
    ops = f"{{{target.quantized_ops}}}" if target.quantized_ops else ""
    run(copy, f"quant-lower{ops}", Conversion(Options(), target, Result("", to), context, None, None).watch, context)
    return copy


def has_floats(value: Value) -> bool:
    """Anything that a value is computed of is a float."""
    if quant_of(value) is None and isinstance(value.type, TensorType) and value.type.dtype.is_float:
        return not is_constant(value)
    op = value.producer
    return op is not None and any(has_floats(v) for v in op.inputs if not is_constant(v))


def is_free(value: Value) -> bool:
    """One of the ops, on the way to a value, whose kernels may be a step off."""
    op = value.producer
    if op is None:
        return False
    of_two = isinstance(op, (core.QuantMatMul, core.MatMul)) and not is_constant(op.inputs[1])
    if of_two or isinstance(op, FREE) or "resample" in op.name or "resize" in op.name or _is_leaky(op):
        return True
    return any(is_free(v) for v in op.inputs)


def _is_leaky(op: Op) -> bool:
    return "leaky" in str(op.attributes.get("function", op.attributes.get("kind", ""))).lower()


def sides(module: Module, folder: pathlib.Path) -> Iterator[tuple[str, Any]]:
    """What runs the units, by name."""
    context = context_of(())
    kinds: list[tuple[str, str, dict[str, Any]]] = [("tflite", "tflite", {})]
    kinds += [(f"native {cpu}", "native", {"cpu": cpu}) for cpu in host_cpus()]
    kinds.append(("onnx", "onnx", {}))
    for name, to, settings in kinds:
        target = context.target(to)
        path = folder / f"{name.replace(' ', '_')}{target.suffix}"
        try:
            convert(clone_module(module), to, path, **settings)  # type: ignore[arg-type]
            runner = OnnxRuntime(path) if to == "onnx" else target.runner(str(path))
        except ConversionError as error:
            yield name, error
            continue
        yield name, runner


class OnnxRuntime:
    """A session as everybody opens it."""

    def __init__(self, path: pathlib.Path) -> None:
        import onnxruntime

        self.session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])

    def run(self, function: Function, inputs: Mapping[str, Array]) -> dict[str, Array]:
        return run_session(self.session, inputs)


@dataclass
class Row:
    """A unit on one side."""

    model: str
    scheme: str
    unit: str
    side: str
    floats: bool
    free: bool
    counts: Counts
    wide: bool = False

    @property
    def known(self) -> str:
        """Why ONNX Runtime gives other integers than all others; empty where it should give the same."""
        share = self.counts.off / max(self.counts.elements, 1) if self.counts.most <= 1 else 1.0
        return reason(self.unit.split("+"), self.wide, share) if self.side == "onnx" else ""

    @property
    def allowed(self) -> float:
        if self.floats or self.free:
            return 0.05
        return 0.005 if self.side == "onnx" or (self.side, self.unit) == ("tflite", "gelu") else 0.0

    @property
    def holds(self) -> bool:
        few = 2 if self.allowed else 0  # of results of few elements
        return self.counts.most <= 1 and self.counts.off <= max(few, self.allowed * self.counts.elements)


@dataclass(frozen=True)
class Case:
    """A model, as it is or as a scheme makes it."""

    model: str
    scheme: str
    path: pathlib.Path
    settings: Mapping[str, Any]
    inputs: Mapping[str, Array]


def check(case: Case) -> list[Row]:
    """All units of a model.  Raises ConversionError."""
    units = units_of(case)
    if not units:
        return []
    whole = joined(units)
    feeds = [dict(zip(whole.main.input_names, arrays, strict=True)) for arrays in drawn(units)]
    meaning = {to: lowered(whole, to) for to in ("tflite", "native")}
    wanted = {to: [run_function(m.main, feed) for feed in feeds] for to, m in meaning.items()}
    rows = _rows(case, units, "interpreter", meaning["tflite"])
    for want, got in zip(wanted["tflite"], wanted["native"], strict=True):
        _compare(rows, want, got)
    with tempfile.TemporaryDirectory() as folder:
        for side, runner in sides(whole, pathlib.Path(folder)):
            own = _rows(case, units, side, meaning["tflite"])
            rows += own
            if isinstance(runner, ConversionError):
                sys.stdout.write(f"  {case.model} {case.scheme} {side}: {str(runner)[:600]}\n")
                for row in own:
                    row.counts = Counts(1, 1, 1 << 30)
                continue
            for feed, want in zip(feeds, wanted["tflite"], strict=True):
                _compare(own, want, runner.run(whole.main, feed))
    return rows


def units_of(case: Case) -> list[Unit]:
    """So many that what they read fits into memory."""
    module = typed(case.path, case.settings)
    given = {v.name: case.inputs.get(v.name, np.zeros(_sizes(v), v.tensor.dtype.numpy)) for v in module.main.inputs}
    units, total = [], 0
    for unit in recorded(module, given):
        total += sum(a.size for a in unit.given)
        if total <= MOST_ELEMENTS:
            units.append(unit)
    return units


def drawn(units: Sequence[Unit]) -> Iterator[list[Array]]:
    """What all units read, in several runs: first what they read in the model."""
    rng = np.random.default_rng(0)
    for k in range(RANDOM_RUNS + 1):
        arrays = [random_like(u, rng) if k else u.given for u in units]
        pairs = ((v, a) for u, held in zip(units, arrays, strict=True) for v, a in zip(u.reads, held, strict=True))
        yield [a for v, a in pairs if not _is_index(v)]


def _sizes(value: Value) -> list[int]:
    """Of a variable, which the corpus lists no input for."""
    return [d if isinstance(d, int) else 1 for d in value.tensor.shape or ()]


def _rows(case: Case, units: Sequence[Unit], side: str, meaning: Module) -> list[Row]:
    pairs = zip(units, meaning.main.outputs, strict=True)
    named = (
        (case.model, case.scheme, u.title, side, has_floats(v), is_free(v), Counts(), is_wide(u)) for u, v in pairs
    )
    return [Row(*given) for given in named]


def is_wide(unit: Unit) -> bool:
    """16 bits are read or made."""
    quants = map(quant_of, (*unit.root.results, *unit.reads))
    return any(quant is not None and quant.storage.bits == 16 for quant in quants)


def _compare(rows: Sequence[Row], want: Mapping[str, Array], got: Mapping[str, Array]) -> None:
    for i, row in enumerate(rows):
        row.counts.add(want[f"u{i}"], np.asarray(got[f"u{i}"]))


def input_names(model: Mapping[str, Any], path: pathlib.Path) -> list[str]:
    """As mlconv calls the inputs that the corpus lists; TFLite's tensors have other names than signatures say."""
    names = [str(i["name"]) for i in model["inputs"]]
    if model["format"] != "tflite":
        return names
    known = mlconv.load(path, signature=model.get("signature")).module.main.input_names
    ends = [next((k for k in known if _end(n) in (k, _end(k)) or _end(n).endswith(f"_{k}")), "") for n in names]
    return ends if sorted(ends) == sorted(known) else known


def _end(name: str) -> str:
    return name.partition(":")[0].rpartition("/")[2]


def samples(model: Mapping[str, Any], root: pathlib.Path) -> list[dict[str, Array]]:
    """The recorded inputs of a model of the corpus."""
    golden = np.load(root / model["golden"])
    names = input_names(model, root / model["path"])
    return [{n: golden[f"c{case}_in{k}"] for k, n in enumerate(names)} for case in range(model["golden_cases"])]


def settings_of(model: Mapping[str, Any], inputs: Mapping[str, Array]) -> dict[str, Any]:
    given = model.get("convert_args") or {}
    shapes = {n: a.shape for i, (n, a) in zip(model["inputs"], inputs.items(), strict=True) if i.get("dynamic_dims")}
    cuts = {k: tuple(given[k]) for k in ("inputs", "outputs") if given.get(k)}
    return {**cuts, "shapes": {**given.get("input_shapes", {}), **shapes}, "signature": model.get("signature")}


def cases(model: Mapping[str, Any], root: pathlib.Path, schemes: Sequence[str]) -> Iterator[Case]:
    """A model as it is, and as schemes make it."""
    given = samples(model, root)
    settings = settings_of(model, given[0])
    alike = [g for g in given if all(g[k].shape == a.shape for k, a in given[0].items())]
    for scheme in ("", *schemes):
        extra = {"quantize": scheme, "calibration": alike} if scheme else {}
        yield Case(model["name"], scheme, root / model["path"], {**settings, **extra}, given[0])


def tell(case: Case, found: Sequence[Row], seconds: float) -> None:
    wrong = [row for row in found if not row.holds]
    count = len(found) // max(1, len({row.side for row in found}))
    title = f"{case.model} {case.scheme or '-'}: {count} units, {len(wrong)} rows of {len(found)} do not hold"
    sys.stdout.write(f"{title} ({seconds:.0f} s)\n")
    for row in wrong:
        c, kind = row.counts, "floats" if row.floats else "free" if row.free else "integers"
        why = f": known, {row.known}" if row.known else ""
        sys.stdout.write(f"    {row.side}: {row.unit} ({kind}) {c.off} of {c.elements}, by {c.most}{why}\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--schemes", default="int8,int16x8")
    parser.add_argument("--names", default="")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    if not (args.corpus / "manifest.json").exists():
        sys.stdout.write(f"SKIPPED: {args.corpus} is no corpus\n")
        return 0
    schemes, names = [*filter(None, args.schemes.split(","))], args.names.split(",")
    rows: list[Row] = []
    for model in json.loads((args.corpus / "manifest.json").read_text())["models"]:
        if not model.get("golden") or (args.names and model["name"] not in names):
            continue
        try:
            for case in cases(model, args.corpus, schemes):
                started = time.time()
                found = check(case)
                rows += found
                tell(case, found, time.time() - started)
                if found and not case.scheme:
                    break  # it is quantized
        except ConversionError as error:
            sys.stdout.write(f"refused {model['name']}: {error}\n".split("\n")[0][:300] + "\n")
    if args.json:
        args.json.write_text(json.dumps([{**vars(r), "counts": vars(r.counts), "holds": r.holds} for r in rows]))
    held, known = sum(row.holds for row in rows), sum(bool(row.known) and not row.holds for row in rows)
    sys.stdout.write(f"{held} of {len(rows)} rows hold, {known} are known not to, {len(rows) - held - known} fail\n")
    return 0 if rows and held + known == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
