"""What is asked of quantization: schemes, rules, selectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.constants import Splat, make_const
from mlconv.ir.dtypes import DType
from mlconv.provenance.locations import CallStack, FileLocation, Fused, NameLocation
from mlconv.quantize.layers import selector_of_name
from mlconv.quantize.recipe import Recipe, Rule
from mlconv.quantize.scheme import SCHEMES, scheme_named
from mlconv.quantize.select import Selector, matches_nothing, selecting


def refused(text: str, code: Code = Code.UsageError, **more: object) -> str:
    with pytest.raises(ConversionError) as error:
        Recipe.of(text, **more)  # type: ignore[arg-type]
    assert error.value.code is code
    return error.value.diagnostic.message


def test_schemes() -> None:
    static = {name for name, scheme in SCHEMES.items() if scheme.is_static}
    assert static == {"int8", "int8-io-int8", "int8-io-uint8", "int16x8"}
    assert scheme_named("int4").block == 32 and scheme_named("int4").with_granularity("channel").block == 0
    assert scheme_named("int8").with_granularity("tensor").block == -1
    assert "unknown scheme 'int7'" in refused("int7")
    assert "granularity is '33'" in refused("int4", granularity="33")


def test_recipe_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    path.write_text(
        'scheme = "int8"\nequalize = false\n[[rules]]\nselect = "conv"\nscheme = "int16x8"\n'
        '[[rules]]\nselect = "model.py:3-9"\nscheme = "float"\n'
    )
    recipe = Recipe.of(str(path), ("a/*=float",), "tensor")
    assert recipe.scheme.name == "int8" and recipe.scheme.block == -1 and not recipe.equalize
    assert [str(rule) for rule in recipe.rules] == ["conv=int16x8", "model.py:3-9=float", "a/*=float"]


def test_a_recipe_may_be_automatic(tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    path.write_text('scheme = "auto"\nprofile = "tflite"\n[[rules]]\nselect = "conv"\nscheme = "float"\n')
    recipe = Recipe.of(str(path))
    assert recipe.is_automatic and recipe.scheme is scheme_named("int8")
    assert recipe.profile == "tflite" and [str(rule) for rule in recipe.rules] == ["conv=float"]
    path.write_text('scheme = "int8"\n')
    assert not Recipe.of(str(path)).is_automatic
    path.write_text('scheme = "int7"\n')
    assert "schemes are auto, int8, " in refused(str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scheme = 3", "scheme is 3, expected text"),
        ("equalize = true", "scheme is missing, expected text"),
        ('scheme = "int8"\nspeed = 1', "there is no key 'speed'"),
        ('scheme = "int8"\nrules = 3', "rules is no list of tables"),
        ('scheme = "int8"\nequalize = 1', "equalize is true or false"),
        ('scheme = "int8"\n[[rules]]\nselect = "conv"', "scheme is missing"),
        ("scheme = ", "Invalid value"),
    ],
)
def test_wrong_recipes(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    path.write_text(text)
    assert message in refused(str(path))


def test_missing_recipe() -> None:
    assert "cannot read none.toml" in refused("none.toml", Code.InputNotReadable)
    assert "is not SELECT=SCHEME" in refused("int8", rules=("conv",))
    with pytest.raises(ConversionError) as error:
        Rule.parse("conv")
    assert "conv=float" in error.value.diagnostic.help
    assert "a rule is a text, SELECT=SCHEME, and no tuple" in refused("int8", rules=(("conv", "float"),))


def test_one_rule() -> None:
    """A text is one rule, and not as many as it has letters; `auto` is no scheme of a rule."""
    for rules in ("conv=float", ["conv=float"]):
        assert [str(rule) for rule in Recipe.of("int8", rules).rules] == ["conv=float"]
    assert "schemes are auto, int8, " in refused("int7")
    assert "unknown scheme 'auto'; schemes are int8, " in refused("int8", rules="conv=auto")


def test_types_as_sources_spell_them() -> None:
    """They are types of core ops, or names of nodes."""
    product = core.Softmax(core.Constant(value=make_const(np.zeros((2, 3), np.float32))).y, axis=1)
    product.location = NameLocation("Conv")
    for text in ("softmax", "Softmax", "SoftMax", "core.softmax", "Conv"):
        assert Selector.parse(text).matches(product), text
    assert not Selector.parse("conv").matches(product) and not Selector.parse("Relu").matches(product)
    assert Selector.parse("ConvTranspose").type == "conv_transpose"
    types = {"Gemm": "matmul", "FULLY_CONNECTED": "matmul", "Conv2D": "conv", "CONV_2D": "conv", "Relu6": "clamp"}
    assert {text: Selector.parse(text).type for text in types} == types
    assert not Selector.parse("dense").type and not Selector.parse("conv2d").type  # names that Keras gives to layers
    assert not Selector.parse(selecting(product)).type and Selector.parse(selecting(product)).matches(product)


def test_kinds_that_core_has_not() -> None:
    """Rules select them by the nodes that there are, and names of nodes that look like kinds select nothing else."""
    op = core.Add(*(core.Constant(value=make_const(np.zeros(2, np.float32))).y for _ in "ab"))
    op.location = Fused((NameLocation("net/norm"), NameLocation("net/fc")), "fold")
    kinds, ops = {"LayerNormalization": {"net/norm"}, "LSTM": {"net/fc"}, "Gemm": {"net/fc"}}, {"core.matmul"}
    for text, found in {"LayerNormalization": True, "LSTM": True, "Gemm": False, "GRU": False, "Add": True}.items():
        assert Selector.parse(text).among(kinds, ops).matches(op) is found, text  # a bias of a product is no product
    for name in ("LSTM", "MEAN", "Mean", "Conv_2", "dense"):
        op.location = NameLocation(name)
        for text in (selecting(op), selector_of_name(name)):
            selector = Selector.parse(text).among({name: {"other"}}, ())
            assert selector.matches(op) and (not selector.names or name in ("Conv_2", "dense")), text


def test_selectors() -> None:
    op = core.Constant(value=Splat(make_const([1.0]).view()[0], DType.F32, (1,)))
    frames = (FileLocation("/a/b/model.py", 120), FileLocation("/a/lib.py", 7))
    op.location = Fused((NameLocation("enc/layer_0/dense:1"), NameLocation("enc/x", CallStack(frames))), "fold")
    matching = [
        "enc/layer_0/dense:1",
        "core.constant",
        "enc/*",
        "*dense:1",
        "model.py:120",
        "b/model.py:100-130",
        "lib.py:7",
    ]
    others = ["conv", "layer_0/*", "model.py:121", "odel.py:120", "other.py:120", "lib.py:8-9"]
    assert all(Selector.parse(text).matches(op) for text in matching)
    assert not any(Selector.parse(text).matches(op) for text in others)
    assert str(Rule.parse("a=b/*=int8")) == "a=b/*=int8"


def test_recipe_names_its_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths start at the recipe's folder, wherever it is read from."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept").mkdir()
    for calibration, there in (
        ("samples.npz", "../samples.npz"),
        ("data:samples", "data:samples"),
        ("random:4", "random:4"),
        ("random", "random"),
        (str(tmp_path / "samples.npz"), str(tmp_path / "samples.npz")),
    ):
        recipe = Recipe(scheme_named("int8"), calibration=calibration, images="mean=1 std=2")
        (tmp_path / "kept" / "r.toml").write_text(text := recipe.text("kept"))
        assert f'calibration = "{there}"\ncalibration_images = "mean=1 std=2"' in text
        assert Recipe.of("kept/r.toml") == recipe
        assert "calibration" not in Recipe(scheme_named("int8")).text("kept")


def test_rule_beside_the_lines() -> None:
    """A rule that hits no line is told which there are, the user's files before those of libraries."""
    torch, own = FileLocation("/site/torch/conv.py", 9), [FileLocation("/home/net.py", n) for n in (3, 4, 5, 9)]
    x = core.Constant(value=make_const(np.zeros((2,), np.float32)))
    ops = [core.Tanh(x.y) for _ in own]
    for op, frame in zip(ops, own, strict=True):
        op.location = CallStack((frame,), 1, (torch, frame))
    for selector, help_ in (
        ("net.py:6-8", "ops of net.py are of lines 3-5, 9"),
        ("other.py:6-8", "ops are of lines of /home/net.py, /site/torch/conv.py"),
    ):
        error = matches_nothing(f"{selector}=float", Selector.parse(selector), ops)
        assert error.diagnostic.help == help_
