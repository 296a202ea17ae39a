"""Facts of functions: text that states others than there can be is refused, whatever it is converted to."""

from __future__ import annotations

from pathlib import Path

import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError

MODULE = """"builtin.module"() ({{
  "mlconv.func"() ({{
  ^bb(%0: tensor<?x2xf32, {{dims = ["N", "2"]}}>, %1: tensor<2xf32>):
    %2 = "core.add"(%0, %1) : (tensor<?x2xf32, {{dims = ["N", "2"]}}>, tensor<2xf32>) -> (tensor<?x2xf32, {{dims = ["N", "2"]}}>) loc("sum")
    "mlconv.yield"(%2, %1) : (tensor<?x2xf32, {{dims = ["N", "2"]}}>, tensor<2xf32>) -> () loc("end")
  }}) {{"sym_name" = "main", "input_names" = ["x", "v"], "output_names" = ["y", "w"], {fact}}} : () -> () loc("main")
}}) {{mlconv.source = {{}}}} : () -> ()
"""  # noqa: E501
SOUND = {
    "state": "state = {v = #fact.state<input = 'v', output = 'w', initial = dense<[1.0, 2.0]> : tensor<2xf32>>}",
    "layout": "io_layout = #fact.layout<inputs = {x = [1, 0]}, outputs = {}>",
    "forms": "forms = #fact.forms<inputs = {x = #fact.input_form<std = [2.0]>}, outputs = {y = [1, 0]}>",
    "condition": "conditions = [#fact.condition<kind = 'least', a = #mlconv.dim<'N'>, b = 1>]",
    "range": "where = ['1 <= N <= 4']",
}
WRONG = {
    "state = {v = ['v', 'w', 1]}": "the value of 'state' is not understood",
    "state = {v = #fact.state<input = 'v', output = 'w', initial = dense<1.0> : tensor<f32>>}": "its input",
    "state = {v = #fact.state<input = 'a', output = 'w', initial = dense<1.0> : tensor<f32>>}": "no input 'a'",
    "state = {v = #fact.state<input = 'v', output = 'b', initial = dense<1.0> : tensor<f32>>}": "no output 'b'",
    "io_layout = #fact.layout<inputs = {nosuch = [1, 0]}, outputs = {}>": "no value 'nosuch'",
    "io_layout = #fact.layout<inputs = {}, outputs = {y = [7, 7]}>": "the layout [7, 7]",
    "io_layout = {x = [1, 0]}": "the value of 'io_layout' is not understood",
    "forms = #fact.forms<inputs = {nosuch = #fact.input_form<>}, outputs = {}>": "no value 'nosuch'",
    "forms = #fact.forms<inputs = {x = #fact.input_form<perm = [0]>}, outputs = {}>": "the layout [0]",
    "forms = #fact.forms<inputs = {x = #fact.input_form<std = [0.0]>}, outputs = {}>": "the deviation [0.0]",
    "forms = #fact.forms<inputs = {x = #fact.input_form<mean = [1.0], axis = 2>}, outputs = {}>": "no axis 2",
    "forms = #fact.forms<inputs = {}, outputs = {x = [1, 0]}>": "no value 'x'",
    "conditions = [1, 2]": "the value of 'conditions' is not understood",
    "conditions = [#fact.condition<kind = 'most', a = 1, b = 1>]": "'kind' of #fact.condition is not",
    "conditions = [#fact.condition<kind = 'equal', a = #mlconv.dim<'Q'>, b = 1>]": "no input has the size Q",
    "sizes = {foo = [1]}": "the value of 'sizes' is not understood",
    "sizes = #fact.entry<inputs = ['a'], outputs = ['y'], sizes = [], shapes = {}>": "are not those of its inputs",
    "sizes = #fact.entry<inputs = ['x'], outputs = ['y'], sizes = [], shapes = {}>": "0 sizes are to be given",
    "sizes = #fact.entry<inputs = ['x'], outputs = [], sizes = [#fact.size<name = 'N', low = 3, high = 1>], "
    "shapes = {}>": "no range 3..1",
    "sizes = #fact.entry<inputs = ['x'], outputs = [], sizes = [#fact.size<name = 'N', low = 1, high = 3>], "
    "shapes = {x = [#mlconv.dim<'M'>, 2]}>": "the shape of 'x' is about M",
    "where = ['3 <= N <= 1']": "N",
    "nosuch = 1": "no fact",
}


def convert(fact: str, folder: Path) -> None:
    path = folder / "m.mlir"
    path.write_text(MODULE.format(fact=fact.replace("'", '"')))
    mlconv.convert(path, "tflite", folder / "m.tflite")


@pytest.mark.parametrize("name", SOUND)
def test_facts_come_back(name: str, tmp_path: Path) -> None:
    convert(SOUND[name], tmp_path)
    text = (tmp_path / "m.mlir").read_text()
    module = mlconv.load(tmp_path / "m.mlir").module
    assert module.main.facts.known() and SOUND[name].split(" = ")[0] in text


@pytest.mark.parametrize("fact", WRONG)
def test_facts_about_nothing_are_refused(fact: str, tmp_path: Path) -> None:
    with pytest.raises(ConversionError) as caught:
        convert(fact, tmp_path)
    assert caught.value.code in (Code.IrInvalid, Code.TextNotUnderstood)
    assert WRONG[fact] in str(caught.value)
