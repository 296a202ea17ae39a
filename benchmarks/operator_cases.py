"""Operators for `operators.py`, with the sizes that networks have."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

LINE = 64  # bytes


class Case(NamedTuple):
    """An operator, by the inputs that are given, and those that are constants (None: not there), in order."""

    kind: str
    inputs: dict[str, np.ndarray]
    constants: dict[str, Any]
    attributes: dict[str, Any]


def _numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def _places(most: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(most).integers(0, most, shape)


def _boxes(count: int, most: float) -> np.ndarray:
    corners = np.random.default_rng(count).uniform(0, most, (count, 2, 2))
    return np.sort(corners, 1).reshape(count, 4).astype(np.float32)


def _aligned(x: np.ndarray) -> np.ndarray:
    """A copy that begins with a line of the cache, as tensors of most frameworks do: times depend on where they lie."""
    room = np.empty(x.nbytes + LINE, np.uint8)
    begin = -room.ctypes.data % LINE
    found = room[begin : begin + x.nbytes].view(x.dtype).reshape(x.shape)
    found[...] = x
    return found


def _case(kind: str, *inputs: np.ndarray, **rest: Any) -> Case:
    """Arguments that begin with a capital letter are constant inputs, behind the others."""
    constants = {name: value for name, value in rest.items() if name[0].isupper()}
    attributes = {name: value for name, value in rest.items() if name not in constants}
    return Case(kind, {f"x{i}": _aligned(x) for i, x in enumerate(inputs)}, constants, attributes)


def _windows() -> dict[str, Case]:
    image, grid = _numbers(1, 64, 56, 56), np.clip(_numbers(1, 64, 64, 2), -1.2, 1.2)
    two = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
    regions = _boxes(100, 60), np.zeros(100, np.int64)
    align = {"output_height": 7, "output_width": 7}
    scales = np.array([1, 1, 2, 2], np.float32)
    return {
        "Conv": _case("Conv", image, W=_numbers(64, 64, 3, 3), pads=[1] * 4),
        "Conv in groups": _case("Conv", image, W=_numbers(64, 8, 3, 3), pads=[1] * 4, group=8),
        "Conv by channels": _case("Conv", image, W=_numbers(64, 1, 3, 3), pads=[1] * 4, group=64),
        "Conv of lines": _case("Conv", _numbers(1, 64, 2000), W=_numbers(64, 64, 7), pads=[3, 3]),
        "Conv of volumes": _case("Conv", _numbers(1, 16, 16, 32, 32), W=_numbers(32, 16, 3, 3, 3), pads=[1] * 6),
        "ConvTranspose": _case("ConvTranspose", image, W=_numbers(64, 32, 4, 4), strides=[2, 2], pads=[1] * 4),
        "MaxPool": _case("MaxPool", image, **two),
        "AveragePool": _case("AveragePool", image, **two),
        "Resize nearest": _case("Resize", image, Roi=None, Scales=scales, mode="nearest"),
        "Resize linear": _case("Resize", image, Roi=None, Scales=scales, mode="linear"),
        "GridSample": _case("GridSample", image, grid),
        "GridSample cubic": _case("GridSample", image, grid, mode="cubic"),
        "RoiAlign": _case("RoiAlign", image, *regions, sampling_ratio=2, **align),
        "RoiAlign of all samples": _case("RoiAlign", image, *regions, **align),
        "InstanceNormalization": _case("InstanceNormalization", image, S=_numbers(64), B=_numbers(64)),
        "Pad by reflection": _case("Pad", image, Pads=np.array([0, 0, 2, 2, 0, 0, 2, 2]), mode="reflect"),
    }


def _orders() -> dict[str, Case]:
    boxes, scores = _boxes(2000, 200)[None], np.abs(_numbers(1, 4, 2000)) / 4
    limits = {"Most": np.array([100]), "Iou": np.array([0.5], np.float32), "Least": np.array([0.3], np.float32)}
    return {
        "TopK of rows": _case("TopK", _numbers(8, 20000), K=np.array([100])),
        "TopK of few": _case("TopK", _numbers(64, 1000), K=np.array([5])),
        "TopK of all": _case("TopK", _numbers(1, 20000), K=np.array([20000])),
        "NonMaxSuppression": _case("NonMaxSuppression", boxes, scores, **limits),
        "ArgMax": _case("ArgMax", _numbers(64, 20000), axis=1),
        "CumSum": _case("CumSum", _numbers(64, 4096), Axis=np.array(1)),
        "Unique": _case("Unique", _places(500, 5000).astype(np.float32)),
        "NonZero": _case("NonZero", (_numbers(256, 256) > 0.5).astype(np.float32)),
        "Gather": _case("Gather", _numbers(30000, 128), _places(30000, 512)),
        "GatherElements": _case("GatherElements", _numbers(256, 1024), _places(1024, 256, 1024), axis=1),
        "ScatterND": _case("ScatterND", _numbers(4096, 64), _places(4096, 1000, 1), _numbers(1000, 64)),
        "Transpose": _case("Transpose", _numbers(8, 64, 32, 32), perm=[0, 2, 3, 1]),
    }


def _functions() -> dict[str, Case]:
    x = _numbers(512, 1024)
    found = {name: _case(name, x) for name in ("Erf", "Tanh", "Exp", "Gelu", "Sigmoid", "Sin", "Atan", "Softmax")}
    found["Acos"] = _case("Acos", np.clip(x, -1, 1))
    found["Pow"] = _case("Pow", np.abs(x), x[::-1].copy())
    found["LayerNormalization"] = _case("LayerNormalization", _numbers(128, 768), S=_numbers(768), B=_numbers(768))
    found["ReduceMax"] = _case("ReduceMax", x, Axes=np.array([1]))
    found["MatMul"] = _case("MatMul", _numbers(128, 768), W=_numbers(768, 768))
    found["LSTM"] = _case("LSTM", _numbers(50, 1, 128), W=_numbers(1, 512, 128) / 9, R=_numbers(1, 512, 128) / 9)
    found["LSTM"].attributes["hidden_size"] = 128
    return found


def _more_windows() -> dict[str, Case]:
    image = _numbers(1, 128, 28, 28)
    found = {
        f"Conv in {g} groups": _case("Conv", image, W=_numbers(128, 128 // g, 3, 3), pads=[1] * 4, group=g)
        for g in (2, 4, 16, 32)
    }
    wide, same = _numbers(1, 64, 56, 56), {"kernel_shape": [3, 3], "pads": [1] * 4}
    two, whole = (
        {"kernel_shape": [2, 2], "strides": [2, 2]},
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4},
    )
    return found | {
        "Conv of elements in groups": _case("Conv", wide, W=_numbers(64, 16, 1, 1), group=4),
        "Conv of patches": _case("Conv", _numbers(1, 3, 224, 224), W=_numbers(384, 3, 16, 16), strides=[16, 16]),
        "Conv of a first image": _case(
            "Conv", _numbers(1, 3, 224, 224), W=_numbers(64, 3, 7, 7), strides=[2, 2], pads=[3] * 4
        ),
        "Conv apart": _case("Conv", wide, W=_numbers(64, 64, 3, 3), dilations=[2, 2], pads=[2] * 4),
        "Conv of a wave": _case("Conv", _numbers(1, 1, 16000), W=_numbers(512, 1, 10), strides=[5]),
        "Conv of a film": _case("Conv", _numbers(1, 3, 16, 56, 56), W=_numbers(64, 3, 3, 3, 3), pads=[1] * 6),
        "ConvTranspose 2 x 2": _case(
            "ConvTranspose", _numbers(1, 64, 32, 32), W=_numbers(64, 32, 2, 2), strides=[2, 2]
        ),
        "ConvTranspose of lines": _case(
            "ConvTranspose", _numbers(1, 256, 100), W=_numbers(256, 128, 16), strides=[8], pads=[4, 4]
        ),
        "MaxPool as in ResNet": _case("MaxPool", _numbers(1, 64, 112, 112), **whole),
        "MaxPool 2 x 2": _case("MaxPool", wide, **two),
        "MaxPool without strides": _case("MaxPool", image, **same),
        "AveragePool without strides": _case("AveragePool", image, **same),
        "MaxPool of volumes": _case(
            "MaxPool", _numbers(1, 16, 16, 32, 32), kernel_shape=[3] * 3, strides=[2] * 3, pads=[1] * 6
        ),
        "GlobalAveragePool": _case("GlobalAveragePool", _numbers(1, 512, 7, 7)),
        "LRN": _case("LRN", wide, size=5),
        "GroupNormalization": _case(
            "GroupNormalization", _numbers(1, 320, 32, 32), S=_numbers(32), B=_numbers(32), num_groups=32
        ),
        "BatchNormalization": _case(
            "BatchNormalization", wide, S=_numbers(64), B=_numbers(64), M=_numbers(64), V=np.abs(_numbers(64))
        ),
    }


def _moves() -> dict[str, Case]:
    x, image, few = _numbers(512, 1024), _numbers(1, 64, 56, 56), _numbers(4, 64, 56, 32)
    found = {}
    for order in ("0213", "0231", "0312", "0132", "0321"):
        perm = [int(n) for n in order]
        found[f"Transpose {order}"] = _case("Transpose", few, perm=perm)
        found[f"Transpose {order} of bytes"] = _case("Transpose", (few * 20).astype(np.int8), perm=perm)
    for mode in ("nearest", "linear", "cubic"):
        scales = np.array([1, 1, 1.5, 1.5], np.float32)
        found[f"Resize {mode} by 1.5"] = _case("Resize", _numbers(1, 32, 40, 40), Roi=None, Scales=scales, mode=mode)
    step = {"A": np.array([1]), "T": np.array([2])}
    return found | {
        "Transpose of a matrix": _case("Transpose", x, perm=[1, 0]),
        "Gather of long rows": _case("Gather", _numbers(30000, 768), _places(30000, 128)),
        "Gather of columns": _case("Gather", _numbers(64, 1000), _places(1000, 100), axis=1),
        "GatherND": _case("GatherND", _numbers(64, 64, 32), _places(64, 500, 2)),
        "ScatterElements": _case(
            "ScatterElements", _numbers(256, 256), _places(256, 256, 32), _numbers(256, 32), axis=1
        ),
        "Compress of rows": _case("Compress", _numbers(1000, 64), _places(2, 1000).astype(bool), axis=0),
        "OneHot": _case("OneHot", _places(1000, 128), D=np.array(1000), V=np.array([0, 1], np.float32)),
        "Slice with steps": _case("Slice", x, S=np.array([0]), E=np.array([1024]), **step),
        "Slice of columns": _case("Slice", _numbers(64, 128, 96), S=np.array([32]), E=np.array([64]), X=np.array([2])),
        "Split of columns": _case("Split", _numbers(128, 2304), num_outputs=3, axis=-1),
        "Concat of columns": _case("Concat", _numbers(256, 128), _numbers(256, 64), axis=1),
        "Concat of channels": _case("Concat", image, image + 1, axis=1),
        "DepthToSpace": _case("DepthToSpace", _numbers(1, 64, 32, 32), blocksize=2, mode="CRD"),
        "SpaceToDepth": _case("SpaceToDepth", _numbers(1, 16, 64, 64), blocksize=2),
        "Tile": _case("Tile", _numbers(64, 64), R=np.array([4, 8])),
        "Expand": _case("Expand", _numbers(64, 1, 64), S=np.array([64, 64, 64])),
        "ReverseSequence": _case("ReverseSequence", _numbers(64, 8, 128), _places(64, 8)),
        "Col2Im": _case("Col2Im", _numbers(1, 576, 900), S=np.array([32, 32]), B=np.array([3, 3])),
        "Where with a mask": _case(
            "Where", _numbers(1, 1, 128, 128) > 0, _numbers(1, 12, 128, 128), V=np.float32(-1e9)
        ),
        "Cast to float16": _case("Cast", x, to=10),
        "Cast of float16": _case("Cast", x.astype(np.float16), to=1),
        "Cast to int32": _case("Cast", x, to=6),
        "Cast of int64": _case("Cast", _places(1000, 512, 512), to=1),
    }


def _rows() -> dict[str, Case]:
    y, x = _numbers(32, 64, 128), _numbers(512, 1024)
    found = {}
    for axis in range(3):
        for kind in ("ReduceMax", "ReduceMean", "ReduceSum"):
            found[f"{kind} along {axis}"] = _case(kind, y, A=np.array([axis]))
        found[f"ArgMax along {axis}"] = _case("ArgMax", y, axis=axis)
        found[f"Softmax along {axis}"] = _case("Softmax", y, axis=axis)
    for width in (64, 256, 1024, 4096):
        found[f"LayerNormalization of {width}"] = _case(
            "LayerNormalization", _numbers(98304 // width, width), S=_numbers(width), B=_numbers(width)
        )
    for count in (1, 5, 100):
        for length in (1000, 100_000):
            found[f"TopK {count} of {length}"] = _case("TopK", _numbers(1, length), K=np.array([count]))
    return found | {
        "Softmax of scores": _case("Softmax", _numbers(1, 12, 128, 128)),
        "LogSoftmax": _case("LogSoftmax", x),
        "ReduceSum of integers": _case("ReduceSum", _places(9, 64, 512), A=np.array([1])),
        "CumSum of columns": _case("CumSum", _numbers(512, 256), A=np.array(0)),
        "Add": _case("Add", x, x[::-1].copy()),
        "Mul of channels": _case("Mul", _numbers(1, 64, 56, 56), _numbers(1, 64, 1, 1)),
        "HardSwish": _case("HardSwish", x),
        "Exp of float16": _case("Exp", x.astype(np.float16)),
    }


def _products() -> dict[str, Case]:
    found = {}
    for n in (256, 512, 1024, 2048, 4096):
        found[f"MatMul of a row of {n}"] = _case("MatMul", _numbers(1, n), W=_numbers(n, n))
    for a, b in ((0, 1), (1, 0), (1, 1)):
        found[f"Gemm transposed {a}{b}"] = _case("Gemm", _numbers(256, 256), _numbers(256, 256) + 1, transA=a, transB=b)
    for kind, gates in (("LSTM", 4), ("GRU", 3)):
        for batch in (1, 8):
            weights = {"W": _numbers(1, gates * 128, 128) / 9, "R": _numbers(1, gates * 128, 128) / 9}
            found[f"{kind} of batch {batch}"] = _case(kind, _numbers(50, batch, 128), **weights, hidden_size=128)
    heads = _numbers(1, 8, 64, 64)
    return found | {
        "MatMul of 8 x 64 x 64": _case("MatMul", heads[0], heads[0] + 1),
        "MatMul of weights of scores": _case("MatMul", _numbers(1, 8, 1, 512), _numbers(1, 8, 512, 64)),
        "MatMul of points": _case("MatMul", _numbers(1024, 3, 3), _numbers(3, 3)),
        "MatMul by a column": _case("MatMul", _numbers(1024, 1024), _numbers(1024)),
        "Einsum of heads": _case(
            "Einsum", _numbers(1, 64, 8, 64), _numbers(1, 64, 8, 64) + 1, equation="bqhd,bkhd->bhqk"
        ),
        "Einsum of channels": _case("Einsum", _numbers(1, 64, 28, 28), _numbers(64, 64), equation="bchw,cd->bdhw"),
        "Einsum of diagonals": _case("Einsum", _numbers(64, 64, 64), equation="bii->bi"),
    }


def _bytes() -> dict[str, Case]:
    found = {}
    for name, dtype, zero in (("int8", np.int8, 3), ("uint8", np.uint8, 128)):
        ends, z = np.iinfo(dtype), np.asarray(zero, dtype)

        def made(*shape: int, dtype: type = dtype, ends: Any = ends, zero: int = zero) -> np.ndarray:
            return np.clip(_numbers(*shape) * 40 + zero, ends.min, ends.max).astype(dtype)

        x = {"S": np.float32(0.02), "Z": z}
        y = {"Ys": np.float32(0.3), "Yz": z}
        weights = {"Ws": np.float32(0.01), "Wz": np.int8(0)}
        image, matrix = made(1, 64, 28, 28), made(128, 256)
        found |= {
            f"QLinearConv {name}": _case(
                "QLinearConv", image, **x, W=_small(64, 64, 3, 3), **weights, **y, pads=[1] * 4
            ),
            f"QLinearConv by channels {name}": _case(
                "QLinearConv", image, **x, W=_small(64, 1, 3, 3), **weights, **y, pads=[1] * 4, group=64
            ),
            f"QLinearMatMul {name}": _case("QLinearMatMul", matrix, **x, W=_small(256, 256), **weights, **y),
            f"QLinearGlobalAveragePool {name}": _case(
                "com.microsoft.QLinearGlobalAveragePool", made(1, 256, 7, 7), **x, **y
            ),
            f"QLinearSigmoid {name}": _case(
                "com.microsoft.QLinearSigmoid", matrix, **x, Ys=np.float32(1 / 256), Yz=dtype(ends.min)
            ),
            f"QuantizeLinear {name}": _case("QuantizeLinear", _numbers(512, 1024), **x),
            f"DequantizeLinear {name}": _case("DequantizeLinear", made(512, 1024), **x),
        }
    scale = {"S": np.float32(0.01), "Z": np.int8(0)}
    return found | {
        "DynamicQuantizeLinear": _case("DynamicQuantizeLinear", _numbers(64, 1024)),
        "DynamicQuantizeMatMul": _case(
            "com.microsoft.DynamicQuantizeMatMul", _numbers(64, 256), W=_small(256, 256), **scale
        ),
    }


def _of_transformers() -> dict[str, Case]:
    x, heads = _numbers(128, 768), _numbers(1, 12, 128, 64)
    turns = {"Cos": _numbers(128, 32), "Sin": _numbers(128, 32)}
    return {
        "MatMul of scores": _case("MatMul", heads, np.ascontiguousarray(heads.swapaxes(2, 3))),
        "MatMul by scores": _case("MatMul", _numbers(1, 12, 128, 128), heads),
        "MatMul of 8 rows": _case("MatMul", _numbers(8, 768), W=_numbers(768, 3072)),
        "RotaryEmbedding": _case("com.microsoft.RotaryEmbedding", heads, np.zeros(1, np.int64), **turns),
        "SkipLayerNormalization": _case(
            "com.microsoft.SkipLayerNormalization", x[None], x[None] + 1, S=_numbers(768), B=_numbers(768)
        ),
        "Softmax of a vocabulary": _case("Softmax", _numbers(4, 30000)),
        "Concat of keys": _case("Concat", _numbers(1, 12, 511, 64), _numbers(1, 12, 1, 64), axis=2),
        "Split of heads": _case("Split", _numbers(1, 3, 128, 768), num_outputs=3, axis=1),
        "Transpose of heads": _case("Transpose", _numbers(1, 128, 12, 64), perm=[0, 2, 1, 3]),
        "Transpose of windows": _case("Transpose", _numbers(1, 8, 7, 8, 7, 32), perm=[0, 1, 3, 2, 4, 5]),
        "Expand of keys": _case("Expand", _numbers(1, 8, 1, 512, 64), S=np.array([1, 8, 4, 512, 64])),
    }


def _of_images() -> dict[str, Case]:
    twice = np.array([1, 1, 2, 2], np.float32)
    floor = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    by_channels = {
        "5 x 5": _case("Conv", _numbers(1, 240, 28, 28), W=_numbers(240, 1, 5, 5), pads=[2] * 4, group=240),
        "7 x 7": _case("Conv", _numbers(1, 96, 56, 56), W=_numbers(96, 1, 7, 7), pads=[3] * 4, group=96),
        "strides": _case(
            "Conv", _numbers(1, 96, 112, 112), W=_numbers(96, 1, 3, 3), pads=[1] * 4, strides=[2, 2], group=96
        ),
    }
    return {f"Conv by channels, {name}": case for name, case in by_channels.items()} | {
        "Conv of elements": _case("Conv", _numbers(1, 64, 56, 56), W=_numbers(256, 64, 1, 1)),
        "Conv 1 x 7": _case("Conv", _numbers(1, 128, 17, 17), W=_numbers(128, 128, 1, 7), pads=[0, 3, 0, 3]),
        "MaxPool 5 x 5": _case("MaxPool", _numbers(1, 256, 20, 20), kernel_shape=[5, 5], pads=[2] * 4),
        "Resize twice": _case("Resize", _numbers(1, 256, 20, 20), Roi=None, Scales=twice, **floor),
        "PRelu": _case("PRelu", _numbers(1, 64, 56, 56), S=_numbers(64, 1, 1)),
        "Softmax of classes": _case("Softmax", _numbers(1, 21, 64, 64), axis=1),
        "EyeLike": _case("EyeLike", _numbers(256, 256)),
        "MatMul of points in batches": _case("MatMul", _numbers(256, 100, 3), _numbers(256, 3, 3)),
        "MatMul of few columns": _case("MatMul", _numbers(4096, 64), _numbers(64, 3)),
        "Gemm of few columns": _case("Gemm", _numbers(64, 4096), _numbers(64, 3), transA=1),
    }


def _small(*shape: int) -> np.ndarray:
    return np.clip(_numbers(*shape) * 40, -127, 127).astype(np.int8)


def all_cases() -> dict[str, Case]:
    """By their names."""
    groups = (_windows, _orders, _functions, _more_windows, _moves, _rows, _products, _bytes)
    groups += (_of_transformers, _of_images)
    return {name: case for group in groups for name, case in group().items()}
