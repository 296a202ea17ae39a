"""What prepares features: scaling, missing values, norms, thresholds, columns put together."""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.ml.scores import rows_of
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.rewrite import constant_array

RULES = OnnxRules()


@RULES.rule("Scaler", domain="ai.onnx.ml")
def scaler(n: Node) -> Value:
    """(x - offset) * scale, one of each or one for each feature."""
    x = n.cast(n.x(), DType.F32)
    columns = x.tensor.shape[-1] if x.tensor.shape else None
    y = x
    for name, cls in (("offset", core.Sub), ("scale", core.Mul)):
        numbers = np.asarray(n.floats(name, ()), np.float32)
        if numbers.size > 1 and isinstance(columns, int) and columns != numbers.size:
            raise ConversionError(Code.ShapeMismatch, f"Scaler has {numbers.size} of {name} for {columns} features")
        y = n.y(cls(y, n.constant(numbers if numbers.size > 1 else numbers.reshape(())))) if numbers.size else y
    return y


@RULES.rule("Imputer", domain="ai.onnx.ml")
def imputer(n: Node) -> Value:
    """Replaces one value (NaN as well) by the imputed value, one of all or one for each feature."""
    x = n.x()
    dtype = x.tensor.dtype
    floats = dtype.is_float
    kind = "float" if floats else "int64"
    given = n.floats("imputed_value_floats", ()) if floats else n.ints("imputed_value_int64s", ())
    if not given:
        raise ConversionError(Code.AttributeInvalid, f"Imputer has no imputed_value_{kind}s for {x.type}")
    replaced = n.f("replaced_value_float", 0.0) if floats else n.i("replaced_value_int64", 0)
    stored = np.asarray(given, np.float32 if floats else np.int64).astype(dtype.numpy)
    columns = x.tensor.shape[-1] if x.tensor.shape else None
    if stored.size > 1 and isinstance(columns, int) and columns != stored.size:
        stored = stored[:1]  # as ONNX Runtime does
    values = n.constant(stored if stored.size > 1 else stored.reshape(()))
    missing = n.y(core.IsNan(x)) if floats and np.isnan(replaced) else n.equal(x, replaced)
    return n.where(missing, values, x)


@RULES.rule("Normalizer", domain="ai.onnx.ml")
def normalizer(n: Node) -> Value:
    """Rows divided by their norm; rows of zeros stay."""
    norm = n.s("norm", "MAX")
    x = n.cast(n.x(), DType.F32)
    rank = n.rank(x, "the input of Normalizer")
    if rank not in (1, 2):
        raise ConversionError(Code.ShapeMismatch, f"Normalizer takes rows of features, not {x.type}")
    axes = (rank - 1,)
    if norm == "L2":
        square = n.mul(x, x)
        total = n.sum(square, axes, keepdims=True)
        size = n.sqrt(total)
    elif norm == "L1":
        size = n.sum(n.y(core.Abs(x)), axes, keepdims=True)
    elif norm == "MAX":
        size = n.max(x, axes, keepdims=True)
    else:
        raise ConversionError(Code.AttributeInvalid, f"norm of Normalizer is {norm!r}, it is MAX, L1 or L2")
    return n.where(n.equal(size, 0.0), x, n.div(x, size))


@RULES.rule("Binarizer", domain="ai.onnx.ml")
def binarizer(n: Node) -> Value:
    x = n.x()
    threshold = n.f("threshold", 0.0)
    if x.tensor.dtype.is_float:
        return n.cast(n.less(threshold, x), x.tensor.dtype)
    return n.cast(n.less(threshold, n.cast(x, DType.F64)), x.tensor.dtype)


@RULES.rule("FeatureVectorizer", domain="ai.onnx.ml")
def feature_vectorizer(n: Node) -> Value:
    """Columns of several inputs side by side, each cut or filled up with zeros to its number in `inputdimensions`."""
    xs = n.xs()
    widths = n.ints("inputdimensions", ())
    if len(widths) != len(xs):
        raise ConversionError(
            Code.AttributeInvalid, f"FeatureVectorizer has {len(xs)} inputs and {len(widths)} inputdimensions"
        )
    parts = []
    for x, width in zip(xs, widths, strict=True):
        rows = n.cast(rows_of(n, x), DType.F32)
        have = n.dim(rows, 1)
        if not isinstance(have, int):
            raise n.refuse("an input whose number of features is known at run time only")
        parts.append(n.slice_axis(rows, 1, 0, width) if have > width else n.pad(rows, [(0, 0), (0, width - have)]))
    return n.concat(parts, 1)


@RULES.rule("ArrayFeatureExtractor", domain="ai.onnx.ml")
def array_feature_extractor(n: Node) -> Value:
    """Columns by their numbers; a vector is one row."""
    x = n.x(0)
    x = n.expand_dims(x, 0) if n.rank(x) == 1 else x
    indices = constant_array(n.x(1))
    where = n.constant(indices.reshape(-1).astype(np.int64)) if indices is not None else n.reshape(n.x(1), [-1])
    return n.gather(x, where, n.rank(x) - 1)
