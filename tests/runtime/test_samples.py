"""Samples in files, folders, images and functions."""

from __future__ import annotations

from collections.abc import Iterator
from operator import length_hint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.runtime.given import read_inputs
from mlconv.runtime.images import ImageForm
from mlconv.runtime.ports import Port
from mlconv.runtime.samples import Kept, given_samples, random_samples, read_samples

X = np.random.default_rng(0).random((5, 4, 4, 3)).astype(np.float32)


def function(shape: tuple[object, ...] = (Dim.symbol("n"), 4, 4, 3), dtype: DType = DType.F32) -> Function:
    return Function.create("main", [TensorType(dtype, shape)], ["x"], NameLocation("f"))  # type: ignore[arg-type]


def runs(path: object, of: Function | None = None, form: str = "") -> list[np.ndarray]:
    return [run["x"] for run in read_samples(str(path), of or function(), ImageForm.parse(form))]


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(save, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    save(tmp_path / "a.npz", x=X, other=np.zeros(3))
    found = runs(tmp_path / "a.npz")
    assert all(f.shape == (1, 4, 4, 3) for f in found) and np.array_equal(np.concatenate(found), X)
    batches = runs(tmp_path / "a.npz", function((2, 4, 4, 3)))
    assert [b.shape[0] for b in batches] == [2, 2] and np.array_equal(np.concatenate(batches), X[:4])


def test_whole_runs() -> None:
    """Samples that are batches of the model's size, and single ones."""
    for source in ([X[:2], X[2:4]], list(X[:4]), [x[None] for x in X[:4]]):
        found = [run["x"] for run in given_samples(source, function((2, 4, 4, 3)), "the data")]
        assert [run.shape[0] for run in found] == [2, 2] and np.array_equal(np.concatenate(found), X[:4])


def test_npy_and_folders(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", X[:2])
    np.savez(tmp_path / "b.npz", x=X[2:])
    assert np.array_equal(np.concatenate(runs(tmp_path)), X)
    assert np.array_equal(np.concatenate(runs(tmp_path / "a.npy")), X[:2])


def test_fortran_order(tmp_path: Path) -> None:
    """It is mapped, too."""
    turned = np.asfortranarray(X)
    np.save(tmp_path / "a.npy", turned)
    np.savez(tmp_path / "b.npz", x=turned)
    np.savez_compressed(tmp_path / "c.npz", x=turned)
    for name in ("a.npy", "b.npz", "c.npz"):
        assert np.array_equal(np.concatenate(runs(tmp_path / name)), X)


def test_types(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=(X * 255).astype(np.uint8))
    assert runs(tmp_path / "a.npz")[0].dtype == np.float32
    np.savez(tmp_path / "b.npz", x=X)
    with pytest.raises(ConversionError) as error:
        runs(tmp_path / "b.npz", function(dtype=DType.I32))
    assert error.value.code is Code.TypeMismatch and "takes int32, what is given has float32" in str(error.value)
    np.savez(tmp_path / "c.npz", x=np.floor(X * 9))
    assert runs(tmp_path / "c.npz", function(dtype=DType.I32))[0].dtype == np.int32


@pytest.mark.parametrize(
    ("arrays", "code", "message"),
    [
        ({"y": X}, Code.NameNotFound, "no array for x; it holds y"),
        ({"x": X[:, :3]}, Code.ShapeMismatch, "a sample for input 'x' has shape [1, 3, 4, 3]"),
        ({"x": X[0, 0]}, Code.ShapeMismatch, "has shape [3]"),
        ({"x": np.asarray(["a"] * 5)}, Code.ShapeMismatch, "has shape []"),
        ({"x": X.astype(complex)}, Code.TypeMismatch, "what is given is complex128"),
    ],
)
def test_wrong_samples(arrays: dict[str, np.ndarray], code: Code, message: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(ConversionError) as error:
        runs(tmp_path / "a.npz")
    assert error.value.code is code and message in str(error.value)


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConversionError, match="no such file or folder") as error:
        runs(tmp_path / "none.npz")
    assert "module:function" in error.value.diagnostic.help


def test_unreadable(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(b"PK\3\4 no zip")
    np.save(tmp_path / "b.npy", np.asarray([{}], object), allow_pickle=True)
    np.savez(tmp_path / "c.npz", x=X)
    whole = (tmp_path / "c.npz").read_bytes()
    (tmp_path / "c.npz").write_bytes(whole[:200] + whole[-100:])
    (tmp_path / "empty").mkdir()
    for name in ("a.npz", "b.npy", "c.npz", "empty", "none.npz"):
        with pytest.raises(ConversionError) as error:
            runs(tmp_path / name)
        assert error.value.code is Code.InputNotReadable


def test_images(tmp_path: Path) -> None:
    pixels = (X[0] * 255).astype(np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    (found,) = runs(tmp_path)
    assert np.array_equal(found[0], pixels)
    form = "mean=1,2,3 std=2 layout=nchw"
    (found,) = runs(tmp_path, function((1, 3, 4, 4)), form)
    np.testing.assert_allclose(found[0], (pixels.astype(np.float32) - [1, 2, 3]).transpose(2, 0, 1) / 2)
    (found,) = runs(tmp_path, function((1, Dim.symbol("h"), Dim.symbol("w"), 3)), "size=2x6")
    assert found.shape == (1, 2, 6, 3)
    (found,) = runs(tmp_path, function((1, 4, 4, 1)))
    assert found.shape == (1, 4, 4, 1)
    with pytest.raises(ConversionError, match="images of size=8x4 do not fit") as error:
        runs(tmp_path, function((1, 4, Dim.symbol("w"), 3)), "size=8x4")
    assert error.value.code is Code.ShapeMismatch and "size=4x?" in error.value.diagnostic.help


def test_hidden_files_of_a_folder_are_no_samples(tmp_path: Path) -> None:
    """A Mac's archive has `._a.png`, which is no image, beside `a.png`."""
    Image.fromarray((X[0] * 255).astype(np.uint8)).save(tmp_path / "a.png")
    (tmp_path / "._a.png").write_bytes(b"Mac OS X")
    assert len(runs(tmp_path)) == 1
    port = Port("x", DType.F32, (1, 4, 4, 3))
    assert len(read_inputs(str(tmp_path), [port]).runs) == 1
    (tmp_path / "a.png").unlink()
    with pytest.raises(ConversionError, match=r"holds no .npz"):
        runs(tmp_path)


def test_channels_of_images(tmp_path: Path) -> None:
    """Images have those of the input, whatever they are stored with."""
    pixels = (np.random.default_rng(1).random((4, 4, 4)) * 255).astype(np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    (found,) = runs(tmp_path, form="mean=1,2,3 std=2,3,4")
    np.testing.assert_allclose(found[0], (pixels[..., :3].astype(np.float32) - [1, 2, 3]) / np.asarray([2, 3, 4]))
    (found,) = runs(tmp_path, function((1, 4, 4, 4)), "mean=1,2,3,4 std=2")
    np.testing.assert_allclose(found[0], (pixels.astype(np.float32) - [1, 2, 3, 4]) / 2)
    for channels, form in ((4, "mean=1,2,3"), (1, "std=1,2,3"), (3, "mean=1,2,3,4")):
        with pytest.raises(ConversionError) as error:
            runs(tmp_path, function((1, 4, 4, channels)), form)
        assert error.value.code is Code.UsageError and f"have {channels} channels" in str(error.value)


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_gray_images_of_16_bits(channels: int, tmp_path: Path) -> None:
    """Their upper bytes are pixels, as those of colours are."""
    pixels = (np.random.default_rng(2).random((4, 4)) * 65535).astype(np.uint16)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    (found,) = runs(tmp_path, function((1, 4, 4, channels)))
    gray = found[0, ..., : min(channels, 3)]
    assert np.array_equal(gray, np.broadcast_to((pixels >> 8)[..., None], gray.shape))


def test_images_for_inputs_of_integers(tmp_path: Path) -> None:
    """What such an input does not hold is no sample for it."""
    pixels = (X[0] * 255).astype(np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    (found,) = runs(tmp_path, function(dtype=DType.U8))
    assert found.dtype == np.uint8 and np.array_equal(found[0], pixels)
    (found,) = runs(tmp_path, function(dtype=DType.I8), "mean=128")
    assert found.dtype == np.int8 and np.array_equal(found[0], pixels.astype(int) - 128)
    for dtype, form in ((DType.U8, "mean=127.5 std=127.5"), (DType.U8, "std=0.5"), (DType.I8, "")):
        with pytest.raises(ConversionError) as error:
            runs(tmp_path, function(dtype=dtype), form)
        assert error.value.code is Code.TypeMismatch and f"input 'x' takes {dtype.display}" in str(error.value)


@pytest.mark.parametrize("form", ["size=3", "mean=a", "std=0", "layout=abc", "speed=1", "mean"])
def test_wrong_forms_of_images(form: str) -> None:
    with pytest.raises(ConversionError) as error:
        ImageForm.parse(form)
    assert error.value.code is Code.UsageError


def test_given() -> None:
    samples = given_samples(list(X), function(), "the data")
    assert [len(list(samples)) for _ in range(2)] == [5, 5]


def test_given_by_name_or_in_a_row() -> None:
    """Arrays with samples along their first axes, as in an .npz; the inputs' arrays in a row, labels behind them."""
    for source in ({"x": X}, [[x] for x in X], [(x, np.int64(3)) for x in X]):
        found = list(given_samples(source, function(), "the data", ["y"]))
        assert np.array_equal(np.concatenate([run["x"] for run in found]), X)
        assert [int(run["y"]) for run in found if "y" in run] == ([3] * len(X) if "y" in found[0] else [])


def test_iterators_are_kept() -> None:
    """They are asked for what is asked for, and give it again; two that go on at a time see the same."""
    asked = []

    def samples() -> Iterator[dict[str, np.ndarray]]:
        for x in X:
            asked.append(len(asked))
            yield {"x": x}

    kept = Kept(samples())
    first, second = iter(kept), iter(kept)
    assert next(first) is next(second) and len(asked) == 1
    assert [len(list(rest)) for rest in (first, second, kept)] == [4, 4, 5] and len(asked) == 5
    assert length_hint(Kept(iter([{"x": X[0]}]))) == 1


@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        (5, Code.InputNotReadable, "the data: int is no iterable of samples"),
        ([(X[0], X[0], X[0])], Code.ShapeMismatch, "a sample is a tuple of 3 arrays, the inputs are x"),
        ({"x": X, "y": X[:1]}, Code.ShapeMismatch, "expected as many for each input"),
        (lambda: None, Code.InputNotReadable, "the data: NoneType is no iterable of samples"),
        ([None], Code.TypeMismatch, "a sample for input 'x' is NoneType, no array of numbers"),
        ([(X[0], 3)], Code.TypeMismatch, "a sample for input 'x' is tuple, no array: setting an array element"),
        ([{"x": X[0], "y": None}], Code.TypeMismatch, "the data: 'y' is NoneType, no array of numbers"),
        ([{1: X[0]}], Code.NameNotFound, "the data has no samples for input 'x'; it has 1"),
    ],
)
def test_what_is_no_sample(source: Any, code: Code, message: str) -> None:
    with pytest.raises(ConversionError) as error:
        list(given_samples(source, function(), "the data", ["y"]))
    assert error.value.code is code and message in str(error.value)


@pytest.mark.parametrize(
    ("worst", "from_start", "kind"),
    [
        (6, False, "moved"),
        (-7, False, "moved"),
        (-1, True, "moved"),
        (6, True, "chosen"),
        (-7, True, "chosen"),
        (6, False, "tuples"),
    ],
)
def test_places_beyond_a_table(worst: int, from_start: bool, kind: str) -> None:
    """Also where they are computed of what a sample has."""
    of = function((1, 3), DType.I64)
    builder = CoreBuilder(Builder(of.block, of.location))
    table = builder.constant(np.zeros((6, 2), np.float32))
    places = builder.cast(builder.reshape(of.inputs[0], [3]), DType.I32)
    if kind == "chosen":
        is_negative = builder.y(core.Less(places, builder.constant(0, DType.I32)))
        places = builder.where(is_negative, builder.add(places, 6), places)
    if kind == "tuples":
        column = builder.constant(np.array([[0], [1], [1]], np.int32))
        builder.emit(core.GatherNd(table, builder.concat([builder.reshape(places, [3, 1]), column], 1)))
    else:
        builder.emit(core.Gather(table, places, from_start=from_start))
    found = worst + 6 if kind == "chosen" and worst < 0 else worst
    with pytest.raises(
        ConversionError, match=rf"sample 1, counted from 0, for input 'x' has {found}, .* in 6 elements"
    ):
        [*given_samples(np.array([[0, 1, 5], [2, worst, 2]]), of, "the data")]
    inside = -6 if kind == "chosen" else 0
    assert len([*given_samples(np.array([[0, 1, 5], [2, inside, 2]]), of, "the data")]) == 2


def test_drawn_places_are_not_checked() -> None:
    """Nobody gave them."""
    of = function((1, 3), DType.I64)
    builder = CoreBuilder(Builder(of.block, of.location))
    places = builder.sub(of.inputs[0], builder.constant(9, DType.I64))
    builder.emit(core.Gather(builder.constant(np.zeros((6, 2), np.float32)), places))
    assert len([*random_samples("random:3", of)]) == 3
