"""Operators of ai.onnx.ml, with random parameters, against ONNX Runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.runtime.litert import run_tflite
from tests.support.ml_trees import grown, numbered

TYPES = {"f": TensorProto.FLOAT, "d": TensorProto.DOUBLE, "l": TensorProto.INT64, "i": TensorProto.INT32}
TRANSFORMS = ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"]
INPUT = ["rows", 6]


def run(
    folder: Path, op: str, xs: list[np.ndarray[Any, Any]], outputs: dict[str, int], version: int = 3, **given: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What ONNX Runtime and mlconv give for a model of one operator whose rows are not counted."""
    attributes = {k: v for k, v in given.items() if v is not None}
    names = [f"x{i}" for i in range(len(xs))]
    node = helper.make_node(op, names, list(outputs), domain="ai.onnx.ml", **attributes)
    inputs = [
        helper.make_tensor_value_info(
            n, TYPES.get(x.dtype.char, TensorProto.STRING), ["rows", *x.shape[1:]] if x.ndim > 1 else x.shape
        )
        for n, x in zip(names, xs, strict=True)
    ]
    results = [helper.make_tensor_value_info(n, t, None) for n, t in outputs.items()]
    graph = helper.make_graph([node], "g", inputs, results)
    proto = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", version)], ir_version=10
    )
    path = folder / "m.onnx"
    path.write_bytes(proto.SerializeToString())
    feeds = dict(zip(names, xs, strict=True))
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    want = dict(zip(outputs, session.run(None, feeds), strict=True))
    return want, mlconv.load(path).run(feeds)


def check(folder: Path, op: str, xs: list[Any], outputs: dict[str, int], version: int = 3, **given: Any) -> None:
    """Equal labels; scores within 1e-5."""
    want, got = run(folder, op, xs, outputs, version, **given)
    for name, expected in want.items():
        assert got[name].shape == expected.shape, name
        if expected.dtype.kind in "OUS":
            assert got[name].astype(str).tolist() == expected.astype(str).tolist()
        else:
            assert got[name].dtype == expected.dtype
            np.testing.assert_allclose(got[name], expected, rtol=1e-5, atol=1e-5)


def features(seed: int, rows: int = 7, columns: int = 6, dtype: Any = np.float32) -> np.ndarray[Any, Any]:
    drawn = np.random.default_rng(seed).normal(0, 2, (rows, columns))
    return drawn.astype(dtype)


def numbers(seed: int, count: int, scale: float = 1.0) -> list[float]:
    return np.random.default_rng(100 + seed).normal(0, scale, count).astype(np.float32).tolist()


SCORES = {"y": TensorProto.FLOAT}
BOTH = {"label": TensorProto.INT64, "scores": TensorProto.FLOAT}
NAMED = {"label": TensorProto.STRING, "scores": TensorProto.FLOAT}


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int32])
def test_scaler(dtype: Any, tmp_path: Path) -> None:
    check(tmp_path, "Scaler", [features(1, dtype=dtype)], SCORES, offset=numbers(1, 6), scale=numbers(2, 6))
    check(tmp_path, "Scaler", [features(1, dtype=dtype)], SCORES, offset=[0.5], scale=[2.0])


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
@pytest.mark.parametrize("count", [1, 6])
def test_imputer(dtype: Any, count: int, tmp_path: Path) -> None:
    x = features(3, dtype=dtype)
    x[1:4, 2] = x[0, 2]
    out = {"y": TYPES[np.dtype(dtype).char]}
    if dtype is np.int64:
        values = list(range(10, 10 + count))
        check(tmp_path, "Imputer", [x], out, imputed_value_int64s=values, replaced_value_int64=int(x[0, 2]))
        return
    check(tmp_path, "Imputer", [x], out, imputed_value_floats=numbers(4, count), replaced_value_float=float(x[0, 2]))
    x[2, 3] = x[5, 5] = np.nan
    check(tmp_path, "Imputer", [x], out, imputed_value_floats=numbers(4, count), replaced_value_float=float("nan"))


@pytest.mark.parametrize("norm", ["MAX", "L1", "L2"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_normalizer(norm: str, dtype: Any, tmp_path: Path) -> None:
    x = features(5, dtype=dtype)
    x[2] = 0
    check(tmp_path, "Normalizer", [x], SCORES, norm=norm)


def test_binarizer_and_columns(tmp_path: Path) -> None:
    check(tmp_path, "Binarizer", [features(6)], SCORES, threshold=0.25)
    xs = [features(7, columns=3), features(8, columns=2), features(9, columns=4)]
    check(tmp_path, "FeatureVectorizer", xs, SCORES, inputdimensions=[3, 2, 4])
    places = np.asarray([4, 0, 0, 2], np.int64)
    check(tmp_path, "ArrayFeatureExtractor", [features(10), places], SCORES)


@pytest.mark.parametrize("keys", ["int64s", "floats", "strings"])
@pytest.mark.parametrize("values", ["int64s", "floats", "strings"])
@pytest.mark.parametrize("version", [3, 4])
def test_label_encoder(keys: str, values: str, version: int, tmp_path: Path) -> None:
    lists: dict[str, Any] = {
        "int64s": [3, -1, 7, 4],
        "floats": [0.5, -2.0, float("nan"), 9.0],
        "strings": ["a", "b", "", "ä"],
    }
    kinds = {"int64s": np.int64, "floats": np.float32, "strings": object}
    types = {"int64s": TensorProto.INT64, "floats": TensorProto.FLOAT, "strings": TensorProto.STRING}
    x = np.asarray([*lists[keys], *lists[keys][::-1], {"strings": "none"}.get(keys, 42)], kinds[keys]).reshape(3, 3)
    given = {f"keys_{keys}": lists[keys], f"values_{values}": lists[values]}
    defaults = {"default_int64": -5, "default_float": 1.5, "default_string": "?"}
    check(tmp_path, "LabelEncoder", [x], {"y": types[values]}, version, **given, **defaults)


def test_label_encoder_of_tensors(tmp_path: Path) -> None:
    def tensor(values: list[float], dtype: Any) -> TensorProto:
        return numpy_helper.from_array(np.asarray(values, dtype))

    x = np.asarray([[1.0, 2.0], [3.5, -1.0]])
    given = {"keys_tensor": tensor([3.5, 2.0], np.float64), "values_tensor": tensor([1.0, 0.25], np.float64)}
    check(
        tmp_path,
        "LabelEncoder",
        [x],
        {"y": TensorProto.DOUBLE},
        version=4,
        default_tensor=tensor([9.0], np.float64),
        **given,
    )


@pytest.mark.parametrize("zeros", [0, 1])
def test_categories(zeros: int, tmp_path: Path) -> None:
    x = np.asarray([[1, 5, 2], [2, 2, 1]], np.int64)
    known = [5, 1, 2] if not zeros else [5, 2]
    check(tmp_path, "OneHotEncoder", [x], SCORES, cats_int64s=known, zeros=zeros)
    check(tmp_path, "OneHotEncoder", [x.astype(np.float32)], SCORES, cats_int64s=known, zeros=zeros)
    words = np.asarray([["x", "y"], ["y", "z"]], object)
    check(tmp_path, "OneHotEncoder", [words], SCORES, cats_strings=["y", "z", "x"], zeros=zeros)
    pairs = {"cats_strings": ["x", "y", "z"], "cats_int64s": [7, 8, 9]}
    check(tmp_path, "CategoryMapper", [words], {"y": TensorProto.INT64}, **pairs, default_int64=-2)
    codes = np.asarray([[9, 3], [7, 8]], np.int64)
    check(tmp_path, "CategoryMapper", [codes], {"y": TensorProto.STRING}, **pairs, default_string="?")


@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("kind", ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"])
def test_linear_regressor(targets: int, kind: str, tmp_path: Path) -> None:
    weights = {"coefficients": numbers(11, 6 * targets), "intercepts": numbers(12, targets)}
    check(tmp_path, "LinearRegressor", [features(13)], SCORES, targets=targets, post_transform=kind, **weights)


@pytest.mark.parametrize("classes", [1, 2, 3])
@pytest.mark.parametrize("kind", TRANSFORMS[:-1])
@pytest.mark.parametrize("named", [False, True])
def test_linear_classifier(classes: int, kind: str, named: bool, tmp_path: Path) -> None:
    labels = max(classes, 2)
    given: dict[str, Any] = {"classlabels_strings": ["u", "v", "w"][:labels]} if named else {}
    given |= {} if named else {"classlabels_ints": [4, -7, 1][:labels]}
    weights = {"coefficients": numbers(14, 6 * classes), "intercepts": numbers(15, classes)}
    out = NAMED if named else BOTH
    check(tmp_path, "LinearClassifier", [features(16)], out, post_transform=kind, **given, **weights)


def test_names_of_classes_in_tflite(tmp_path: Path) -> None:
    weights = {"coefficients": numbers(14, 18), "intercepts": numbers(15, 3), "classlabels_strings": ["u", "", "ä"]}
    want, _ = run(tmp_path, "LinearClassifier", [features(16)], NAMED, **weights)
    mlconv.convert(tmp_path / "m.onnx", output=tmp_path / "m.tflite")
    got = run_tflite(str(tmp_path / "m.tflite"), {"x0": features(16)}, "serving_default")
    assert [name.decode() for name in got["label"]] == want["label"].tolist()
    np.testing.assert_allclose(got["scores"], want["scores"], rtol=1e-5, atol=1e-5)


def test_names_of_numbers_in_tflite(tmp_path: Path) -> None:
    x = np.asarray([1.5, np.nan, 7.0], np.float32)
    names = {"keys_floats": [float("nan"), 1.5], "values_strings": ["none", "ä"], "default_string": "?"}
    run(tmp_path, "LabelEncoder", [x], {"y": TensorProto.STRING}, 4, **names)
    mlconv.convert(tmp_path / "m.onnx", output=tmp_path / "m.tflite")
    got = run_tflite(str(tmp_path / "m.tflite"), {"x0": x}, "serving_default")
    assert [name.decode() for name in got["y"]] == ["ä", "none", "?"]


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_columns_of_strings_in_tflite(axis: int, tmp_path: Path) -> None:
    """Strings have one axis for TFLite's GATHER: those of more are gathered out of all in a row, of any batch."""
    x = np.asarray([f"{i}ä" for i in range(24)], object).reshape(2, 3, 4)
    places = np.asarray([[1, 0], [-1, 1]])
    nodes = [
        helper.make_node("Gather", ["x", "i"], ["y"], axis=axis),
        helper.make_node("Split", ["x"], ["a", "b"], axis=2, num_outputs=2),
        helper.make_node("Expand", ["a", "e"], ["c"]),
    ]
    shape = ["n", "m", 4]
    given = [helper.make_tensor_value_info("x", TensorProto.STRING, shape)]
    made = [helper.make_tensor_value_info(n, TensorProto.STRING, None) for n in ("y", "a", "b", "c")]
    held = [numpy_helper.from_array(places, "i"), numpy_helper.from_array(np.asarray([3, 1, 1, 1]), "e")]
    graph = helper.make_graph(nodes, "g", given, made, held)
    path = tmp_path / "m.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]).SerializeToString())
    mlconv.convert(path, output=tmp_path / "m.tflite")
    got = run_tflite(str(tmp_path / "m.tflite"), {"x": x}, "serving_default")
    first, second = x[..., :2], x[..., 2:]
    want = {"y": np.take(x, places, axis), "a": first, "b": second, "c": np.broadcast_to(first, (3, 2, 3, 2))}
    assert {n: [s.decode() for s in v.ravel()] for n, v in got.items()} == {
        n: v.ravel().tolist() for n, v in want.items()
    }
    assert {n: v.shape for n, v in got.items()} == {n: v.shape for n, v in want.items()}


@pytest.mark.parametrize("target", ["native", "hlo"])
def test_names_of_classes_where_there_are_no_strings(target: str, tmp_path: Path) -> None:
    weights = {"coefficients": numbers(14, 18), "intercepts": numbers(15, 3), "classlabels_strings": ["u", "", "ä"]}
    run(tmp_path, "LinearClassifier", [features(16)], NAMED, **weights)
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(tmp_path / "m.onnx", target, tmp_path / "m.o")
    (found,) = caught.value.diagnostics
    assert (found.code, found.help) == (Code.TargetLacksType, "leave it out with --outputs scores")


LINEAR: dict[str, Any] = {"kernel_type": "LINEAR", "kernel_params": [0.0, 0.0, 0.0]}
KERNELS = [
    ("LINEAR", [0.0, 0.0, 0.0]),
    ("POLY", [0.2, 0.5, 3.0]),
    ("RBF", [0.1, 0.0, 0.0]),
    ("SIGMOID", [0.1, 0.2, 0.0]),
]


@pytest.mark.parametrize(("kernel", "params"), KERNELS)
@pytest.mark.parametrize("one_class", [0, 1])
def test_support_vector_regressor(kernel: str, params: Any, one_class: int, tmp_path: Path) -> None:
    given = {"kernel_type": kernel, "kernel_params": params, "one_class": one_class, "n_supports": 5}
    weights = {"support_vectors": numbers(17, 30), "coefficients": numbers(18, 5), "rho": [0.3]}
    check(tmp_path, "SVMRegressor", [features(19)], SCORES, **given, **weights)
    linear = {
        "coefficients": numbers(18, 6),
        "rho": [0.3],
        "one_class": one_class,
        "kernel_type": "LINEAR",
        "kernel_params": [0.0, 0.0, 0.0],
    }
    check(tmp_path, "SVMRegressor", [features(19)], SCORES, **linear)


def test_vectors_that_nearly_cancel(tmp_path: Path) -> None:
    """What a linear kernel leaves of them is there, of which products with each of them in float32 say little."""
    half = np.asarray(numbers(17, 600, 8.0), np.float32).reshape(-1, 6)
    vectors = np.concatenate([half, np.float32(1e-6) - half])
    given = {"support_vectors": vectors.reshape(-1).tolist(), "coefficients": [1.0] * 200, "rho": [0.0]}
    x = features(19)
    _, got = run(tmp_path, "SVMRegressor", [x], SCORES, n_supports=200, **given, **LINEAR)
    want = x.astype(np.float64) @ vectors.astype(np.float64).sum(0)
    assert np.abs(want).max() < 0.01
    np.testing.assert_allclose(got["y"][:, 0], want, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize(("kernel", "params"), KERNELS)
@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("kind", ["NONE", "LOGISTIC", "SOFTMAX"])
@pytest.mark.parametrize("likely", [False, True])
def test_support_vector_classifier(
    kernel: str, params: Any, classes: int, kind: str, likely: bool, tmp_path: Path
) -> None:
    counts = [3, 2, 4, 1, 2][:classes]
    pairs = classes * (classes - 1) // 2
    odds = {"prob_a": [-abs(v) for v in numbers(20, pairs)], "prob_b": numbers(21, pairs, 0.1)} if likely else {}
    check(
        tmp_path,
        "SVMClassifier",
        [features(22, rows=20)],
        BOTH,
        kernel_type=kernel,
        kernel_params=params,
        vectors_per_class=counts,
        classlabels_ints=[5, 3, 9, -1, 0][:classes],
        support_vectors=numbers(23, 6 * sum(counts)),
        coefficients=numbers(24, (classes - 1) * sum(counts)),
        rho=numbers(25, pairs),
        post_transform=kind,
        **odds,
    )


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", ["NONE", "LOGISTIC", "SOFTMAX"])
def test_linear_support_vector_classifier(classes: int, kind: str, tmp_path: Path) -> None:
    given = {"coefficients": numbers(26, 6 * classes), "rho": [0.25], "classlabels_ints": [5, 3, 9][:classes]}
    given |= LINEAR
    check(tmp_path, "SVMClassifier", [features(27, rows=20)], BOTH, post_transform=kind, **given)


MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]


@pytest.mark.parametrize("modes", [*([m] for m in MODES), MODES], ids=lambda m: "+".join(x[7:] for x in m))
@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_branches(modes: list[str], tracked: bool, dtype: Any, tmp_path: Path) -> None:
    """Values of rows are those of thresholds, so that each test meets equal numbers, and NaN."""
    rng = np.random.default_rng(len(modes) + tracked)
    trees = grown(rng, 5, 6, depth=4, targets=1, modes=modes, tracked=tracked)
    x = rng.integers(-2, 3, (40, 6)).astype(dtype)
    x[rng.random(x.shape) < 0.1] = np.nan
    check(tmp_path, "TreeEnsembleRegressor", [x], SCORES, **trees.regressor(1))


@pytest.mark.share(4)
@pytest.mark.parametrize("function", ["SUM", "AVERAGE", "MIN", "MAX"])
@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("kind", ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"])
@pytest.mark.parametrize("based", [False, True])
@pytest.mark.parametrize("spread", ["all", "tree", "some"])
def test_tree_regressor(function: str, targets: int, kind: str, based: bool, spread: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(hash((targets, based)) % 1000)
    trees = grown(rng, 7, 6, depth=5, targets=targets, spread=spread)
    base = numbers(28, targets) if based else None
    given = {"aggregate_function": function, "post_transform": kind, "base_values": base}
    check(tmp_path, "TreeEnsembleRegressor", [features(29, rows=50)], SCORES, **trees.regressor(targets), **given)


def test_features_that_are_not_counted(tmp_path: Path) -> None:
    """As skl2onnx writes `FloatTensorType([None, None])`: those that are tested have to be there."""
    given = grown(np.random.default_rng(3), 3, 6, depth=3, targets=1).regressor(1)
    x = features(34, rows=20)
    want, _ = run(tmp_path, "TreeEnsembleRegressor", [x], SCORES, **given)
    proto = onnx.load(tmp_path / "m.onnx")
    proto.graph.input[0].type.tensor_type.shape.dim[1].dim_param = "features"
    onnx.save(proto, tmp_path / "m.onnx")
    mlconv.convert(tmp_path / "m.onnx", "native", tmp_path / "m.o")
    model = mlconv.load_native(tmp_path / "m.o")
    for more in (x, np.concatenate([x, x], 1)):
        np.testing.assert_allclose(model.run({"x0": more})["y"], want["y"], rtol=1e-5)
    with pytest.raises(ConversionError, match="features must be at least"):
        model.run({"x0": x[:, :2]})


@pytest.mark.parametrize("function", ["SUM", "MIN"])
@pytest.mark.parametrize("targets", [1, 2])
def test_leaves_with_several_weights(function: str, targets: int, tmp_path: Path) -> None:
    """As skl2onnx writes the decision paths of classifiers: of one target, the first weight of each leaf counts."""
    given = grown(np.random.default_rng(3), 3, 6, depth=3, targets=1).regressor(targets)
    given |= {f"target_{key}": [v for v in given[f"target_{key}"] for _ in range(3)] for key in ("treeids", "nodeids")}
    count = len(given["target_treeids"])
    given |= {"target_ids": [i % targets for i in range(count)], "target_weights": numbers(33, count)}
    x = features(34, rows=20)
    check(tmp_path, "TreeEnsembleRegressor", [x], SCORES, aggregate_function=function, **given)


CLASSES = [
    (2, 0, "all"),
    (2, 0, "tree"),
    *((2, based, spread) for based in (0, 1, 2) for spread in ("one", "other")),
    *((2, based, "tree") for based in (1, 2)),
    *((3, based, spread) for based in (0, 3) for spread in ("all", "tree")),
]


@pytest.mark.share(4)
@pytest.mark.parametrize(("classes", "based", "spread"), CLASSES)
@pytest.mark.parametrize("kind", ["NONE", "LOGISTIC", "SOFTMAX"])
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_tree_classifier(
    classes: int, based: int, spread: str, kind: str, signed: bool, named: bool, tmp_path: Path
) -> None:
    rng = np.random.default_rng(classes + based)
    trees = grown(rng, 6, 6, depth=4, targets=classes, spread=spread, signed=signed)
    base = numbers(30, based, 0.1) if based else None
    labels: dict[str, Any] = {"classlabels_strings": ["u", "v", "w"][:classes]} if named else {}
    labels |= {} if named else {"classlabels_int64s": [4, -7, 1][:classes]}
    given = {"post_transform": kind, "base_values": base, **labels}
    out = NAMED if named else BOTH
    check(tmp_path, "TreeEnsembleClassifier", [features(32, rows=50)], out, **trees.classifier(), **given)


@pytest.mark.parametrize("based", [0, 1])
@pytest.mark.parametrize("kind", ["NONE", "SOFTMAX", "PROBIT"])
def test_tree_classifier_of_one_class(based: int, kind: str, tmp_path: Path) -> None:
    """Labels are 1 and 0, whatever the class is called; of the transforms, only probit is computed."""
    trees = grown(np.random.default_rng(5), 3, 6, depth=3, targets=1, signed=True)
    given = {"post_transform": kind, "base_values": numbers(30, based, 0.1) if based else None}
    given |= {"classlabels_int64s": [5]}
    check(tmp_path, "TreeEnsembleClassifier", [features(32, rows=50)], BOTH, **trees.classifier(), **given)


@pytest.mark.parametrize("members", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", range(4))
def test_numbered_trees(members: bool, dtype: Any, function: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(function)
    given = numbered(rng, 4, 6, depth=4, targets=3, dtype=dtype, members=members)
    x = rng.integers(-2, 3, (40, 6)).astype(dtype)
    out = {"y": TYPES[np.dtype(dtype).char]}
    check(tmp_path, "TreeEnsemble", [x], out, version=5, aggregate_function=function, **given)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nodes_truenodeids": 99}, "a child that is not there"),
        ({"nodes_truenodeids": 0}, "lead back to themselves"),
        ({"nodes_featureids": -1}, "a feature below 0"),
        ({"nodes_featureids": 6}, "tests feature 6 of rows of 6"),
        ({"target_ids": 1}, "a target that is not among 1"),
    ],
    ids=str,
)
def test_broken_trees(change: dict[str, int], message: str, tmp_path: Path) -> None:
    given = grown(np.random.default_rng(0), 2, 6, depth=3, targets=1).regressor(1)
    for name, number in change.items():
        given[name] = [number, *given[name][1:]]
    node = helper.make_node("TreeEnsembleRegressor", ["x"], ["y"], domain="ai.onnx.ml", **given)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 6])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    )
    path = tmp_path / "m.onnx"
    path.write_bytes(
        helper.make_model(
            graph, opset_imports=[helper.make_opsetid("ai.onnx.ml", 3)], ir_version=10
        ).SerializeToString()
    )
    with pytest.raises(ConversionError, match=message) as caught:
        mlconv.load(path)
    assert caught.value.code in (Code.AttributeInvalid, Code.ShapeMismatch)


@pytest.mark.parametrize("op", ["DictVectorizer", "CastMap"])
def test_maps_are_no_tensors(op: str, tmp_path: Path) -> None:
    """A map as the model's input is read, and refused by what takes it."""
    words = {"string_vocabulary": ["a", "b"]} if op == "DictVectorizer" else {"cast_to": "TO_FLOAT"}
    node = helper.make_node(op, ["x"], ["y"], domain="ai.onnx.ml", **words)
    key = TensorProto.STRING if op == "DictVectorizer" else TensorProto.INT64
    number = helper.make_tensor_type_proto(TensorProto.FLOAT, [])
    given = helper.make_value_info("x", helper.make_map_type_proto(key, number))
    graph = helper.make_graph([node], "g", [given], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 1)]
    path = tmp_path / "m.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString())
    with pytest.raises(ConversionError) as caught:
        mlconv.load(path)
    assert caught.value.code is Code.VariantUnsupported
    assert "map" in str(caught.value)
