"""C functions that compute ops in native code: the ABI, declarations, errors, and the sample of the documentation."""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import mlconv
from mlconv.cli import main
from mlconv.diagnostics import ConversionError
from mlconv.formats.protos import tf_pb
from tests.support.native import needs_cc
from tests.support.pages import ROOT

DOC = ROOT / "docs" / "foreign-kernels.md"
_BLOCK = re.compile(r"^```(\S*)(?: (\S+))?\n(.*?)^```$", re.M | re.S)
STRICT = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wshadow", "-Wpedantic", "-O2")

SCALE = """
#include "m.h"
#include <string.h>
int acme_scale(const mlc_input *inputs, const mlc_output *outputs, const acme_scale_attributes *a, void *scratch,
               const mlc_parallel *parallel) {
  const mlc_input *x = &inputs[0], *b = &inputs[1];
  if (x->rank != 2 || x->type != 1 || b->rank != 1 || b->sizes[0] != x->sizes[1] || parallel) return 3;
  if (outputs[0].rank != 2 || outputs[0].type != 1 || outputs[0].sizes[0] != x->sizes[0]) return 4;
  if (a->axis != -1 || a->int_ != 7 || strcmp(a->mode, "f\\303\\274nf")) return 5;
  if (a->names_count != 2 || strcmp(a->names[1], "bc") || a->pads_count != 3 || a->pads[2] != 1LL << 40) return 6;
  if (a->factors_count != 2 || a->factors[1] != -0.25) return 7;
  float *y = (float *)outputs[0].data, *s = (float *)scratch;
  if ((size_t)scratch % 64) return 8;
  for (int64_t j = 0; j < x->sizes[1]; j++) s[j] = ((const float *)b->data)[j];
  for (int64_t i = 0; i < x->sizes[0] * x->sizes[1]; i++)
    y[i] = (float)a->alpha * ((const float *)x->data)[i] + s[i % x->sizes[1]];
  return ((const float *)x->data)[0] > 100 ? 1000 + 44 : 0;
}
"""
ATTRIBUTES = (
    'alpha = 2.5, axis = -1, mode = "fünf", names = ["a", "bc"], int = 7, pads = [1, 2, 1099511627776], '
    "factors = [0.5, -0.25]"
)
MODEL = f"""<ir_version: 8, opset_import: ["" : 17, "com.acme" : 1]>
g (float[n, 3] x, float[3] b) => (float[n, 3] y) {{
  r = Relu(x)
  s = com.acme.Scale<{ATTRIBUTES}>(r, b)
  y = Neg(s)
}}
"""
TOML = """library = "libacme.so"
[ops."com.acme::Scale"]
symbol = "acme_scale"
types = "float32[n, c], float32[c] -> float32[n, c]"
scratch = "4*c"
"""


def compiled(folder: Path, source: str = SCALE, name: str = "libacme.so") -> Path:
    """A shared library of a C source that includes the model's header."""
    (folder / "acme.c").write_text(source, encoding="utf-8")
    subprocess.run(["cc", *STRICT, "-shared", "-fPIC", "-o", name, "acme.c"], cwd=folder, check=True)
    return folder / name


def written(folder: Path, model: str = MODEL, **settings: Any) -> Path:
    """The object of a model, with the function of the sample."""
    (folder / "m.onnxtxt").write_text(model, encoding="utf-8")
    (folder / "acme.toml").write_text(TOML, encoding="utf-8")
    mlconv.convert(
        folder / "m.onnxtxt", "native", folder / "m.o", **{"extern": (str(folder / "acme.toml"),), **settings}
    )
    return folder / "m.o"


def expected(x: np.ndarray, b: np.ndarray) -> np.ndarray:
    return -(2.5 * np.maximum(x, 0) + b).astype(np.float32)


@needs_cc
def test_attributes_sizes_and_scratch_arrive(tmp_path: Path) -> None:
    path = written(tmp_path)
    library = compiled(tmp_path)
    model = mlconv.load_native(path, libraries=[library])
    for n in (1, 5):
        x, b = np.linspace(-2, 2, 3 * n, dtype=np.float32).reshape(n, 3), np.array([1, 2, 3], np.float32)
        np.testing.assert_allclose(model.run({"x": x, "b": b})["y"], expected(x, b), rtol=1e-6)


@needs_cc
def test_the_error_of_a_function_is_that_of_the_call(tmp_path: Path) -> None:
    path = written(tmp_path)
    model = mlconv.load_native(path, libraries=[compiled(tmp_path)])
    assert model.facts["errors"]["foreign"] == 256
    with pytest.raises(ConversionError, match=rf"returned the error {256 + (1044 & 255)} "):
        model.run({"x": np.full((1, 3), 101, np.float32), "b": np.zeros(3, np.float32)})


@needs_cc
def test_a_program_links_it(tmp_path: Path) -> None:
    """The header compiles in C and C++ and declares the function with its place."""
    path = written(tmp_path, MODEL.replace("[n, 3]", "[2, 3]"))
    header = path.with_suffix(".h").read_text()
    assert "com.acme::Scale Scale(s) */" in header and "int acme_scale(const mlc_input *inputs" in header
    (tmp_path / "acme.c").write_text(SCALE, encoding="utf-8")
    (tmp_path / "main.c").write_text(
        '#include "m.h"\n#include <stdio.h>\nstatic _Alignas(64) char w[M_WORKSPACE_BYTES];\nint main(void) {\n'
        "  float x[6] = {1, -1, 2, 3, 4, 5}, b[3] = {1, 2, 3}, y[6];\n"
        '  if (m_call(x, b, y, w, NULL)) return 1;\n  printf("%g %g\\n", (double)y[0], (double)y[1]);\n  return 0;\n}\n'
    )
    subprocess.run(["cc", *STRICT, "-o", "main", "main.c", "acme.c", "m.o"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout == "-3.5 -2\n"
    (tmp_path / "h.cpp").write_text('#include "m.h"\nint main() { return 0; }\n')
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wpedantic", "-Werror"]
    subprocess.run(["c++", *flags, "-fsyntax-only", "h.cpp"], cwd=tmp_path, check=True)


@needs_cc
def test_verification_says_what_it_does_not_know(tmp_path: Path) -> None:
    written(tmp_path)
    compiled(tmp_path)
    result = mlconv.convert(
        tmp_path / "m.onnxtxt", "native", tmp_path / "m.o", extern=(str(tmp_path / "acme.toml"),), verify=True
    )
    assert result.unverified == ["com.acme::Scale Scale(s)"] and result.verification[0]["ok"]
    assert result.computed_elsewhere[0]["function"] == "acme_scale"
    interface = json.loads((tmp_path / "m.io.json").read_text())
    assert interface["foreign"] == [
        {"function": "acme_scale", "libraries": ["libacme.so"], "ops": [{"op": "com.acme::Scale", "node": "Scale(s)"}]}
    ]
    assert mlconv.load_native(tmp_path / "m.o").run(
        {"x": np.ones((1, 3), np.float32), "b": np.zeros(3, np.float32)}
    )  # the library lies beside it


@needs_cc
def test_calls_share_threads_and_stop_in_branches_and_loops(tmp_path: Path) -> None:
    """An error inside of a loop, or of a branch, ends the whole call."""
    model = """<ir_version: 8, opset_import: ["" : 17, "com.acme" : 1]>
g (float[2] x, int64 n, bool stays) => (float[2] y) <bool yes = {1}> {
  l = Loop (n, yes, x) <body = body (int64 i, bool go, float[2] v) => (bool more, float[2] w) {
    more = Identity(go)
    w = If (stays) <then_branch = t () => (float[2] a) { a = com.acme.Step(v) },
                    else_branch = e () => (float[2] c) { c = Neg(v) }>
  }>
  y = Neg(l)
}
"""
    (tmp_path / "m.onnxtxt").write_text(model)
    mlconv.convert(tmp_path / "m.onnxtxt", "native", tmp_path / "m.o", extern=("com.acme::Step=acme_step",))
    source = """#include "m.h"
int acme_step(const mlc_input *in, const mlc_output *out, const void *a, void *scratch, const mlc_parallel *p) {
  const float *x = (const float *)in[0].data; float *y = (float *)out[0].data;
  if (a || scratch || (p && !p->run)) return 9;
  y[0] = x[0] + 1; y[1] = x[1] * 2;
  return y[0] > 5 ? -1 : 0;
}
"""
    net = mlconv.load_native(tmp_path / "m.o", threads=2, libraries=[compiled(tmp_path, source)])
    x, yes, no = np.array([1, 1], np.float32), np.array(True), np.array(False)
    assert net.run({"x": x, "n": np.array(3), "stays": yes})["y"].tolist() == [-4, -8]
    assert net.run({"x": x, "n": np.array(9), "stays": no})["y"].tolist() == [1, 1]
    with pytest.raises(ConversionError, match="returned the error 511 "):
        net.run({"x": x, "n": np.array(9), "stays": yes})


@needs_cc
def test_an_op_that_is_known_is_given_away(tmp_path: Path) -> None:
    model = '<ir_version: 8, opset_import: ["" : 17]>\ng (float[4] x) => (float[4] y) { y = Relu(x) }\n'
    (tmp_path / "m.onnxtxt").write_text(model)
    mlconv.convert(tmp_path / "m.onnxtxt", "native", tmp_path / "m.o", extern=("ai.onnx::Relu=my_relu",))
    source = """#include "m.h"
int my_relu(const mlc_input *in, const mlc_output *out, const void *a, void *scratch, const mlc_parallel *p) {
  (void)a; (void)scratch; (void)p;
  for (int64_t i = 0; i < in[0].sizes[0]; i++) ((float *)out[0].data)[i] = ((const float *)in[0].data)[i] + 1000;
  return 0;
}
"""
    net = mlconv.load_native(tmp_path / "m.o", libraries=[compiled(tmp_path, source)])
    assert net.run({"x": np.zeros(4, np.float32)})["y"].tolist() == [1000] * 4


@needs_cc
def test_ops_of_tensorflow(tmp_path: Path) -> None:
    graph = tf_pb("framework.graph_pb2").GraphDef()
    x = graph.node.add(name="x", op="Placeholder")
    x.attr["dtype"].type = 1
    for size in (2, 3):
        x.attr["shape"].shape.dim.add(size=size)
    own = graph.node.add(name="own", op="MyOp", input=["x"])
    own.attr["T"].type = 1
    own.attr["power"].f = 3.0
    y = graph.node.add(name="y", op="Neg", input=["own"])
    y.attr["T"].type = 1
    (tmp_path / "m.pb").write_bytes(graph.SerializeToString())
    (tmp_path / "own.toml").write_text('[ops.MyOp]\nsymbol = "my_op"\ntypes = "T[n, c] -> T[c, n + 1]"\n')
    extern = (str(tmp_path / "own.toml"),)
    with pytest.raises(ConversionError, match=r"does not say the type and sizes of output 0 of MyOp"):
        mlconv.convert(tmp_path / "m.pb", "native", tmp_path / "m.o", extern=("MyOp=my_op",))
    mlconv.convert(tmp_path / "m.pb", "native", tmp_path / "m.o", extern=extern)
    source = """#include "m.h"
int my_op(const mlc_input *in, const mlc_output *out, const my_op_attributes *a, void *scratch, const mlc_parallel *p) {
  (void)in; (void)scratch; (void)p;
  if (a->T != 1 || out[0].sizes[0] != 3 || out[0].sizes[1] != 3) return 1;
  for (int i = 0; i < 9; i++) ((float *)out[0].data)[i] = (float)a->power;
  return 0;
}
"""
    net = mlconv.load_native(tmp_path / "m.o", libraries=[compiled(tmp_path, source)])
    assert (net.run({"x:0": np.zeros((2, 3), np.float32)})["y:0"] == -3).all()


@needs_cc
def test_the_sample_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = 0
    for kind, name, content in _BLOCK.findall(DOC.read_text(encoding="utf-8")):
        if name:
            (tmp_path / name).write_text(content, encoding="utf-8")
        for command in re.findall(r"^\$ (.*)$", content, re.M) if kind == "console" else ():
            if command.startswith("mlconv "):
                done = CliRunner().invoke(main, command.split()[1:])
                assert done.exit_code == 0, done.output
                if "convert" in command:
                    assert "  acme_scale computes com.acme::Scale: Scale(s)\n" in done.output
            else:
                subprocess.run(command, shell=True, check=True)
            ran += 1
    assert ran == 4


DECLARED = [
    ("com.acme::Scale", "declares no foreign function"),
    ("com.acme::Scale=1x", "declares no foreign function"),
    ("com.acme::Scael=acme_scale", "the model has no op com.acme::Scael"),
    ("library = 3\n", "'ops' is not understood"),
    ("strange = 3\n", "'strange' is not understood"),
    ("ops = [", "acme.toml: "),
    ('[ops."com.acme::Scale"]\n', "has no `symbol`"),
    ('[ops."com.acme::Scale"]\nsymbol = "s"\nshape = "n"\n', "has the key 'shape'"),
    ('[ops."com.acme::Scale"]\nsymbol = "s"\ntypes = "float32[n]"\n', "no `->`"),
    ('[ops."com.acme::Scale"]\nsymbol = "s"\ntypes = "float33[n] -> T[n]"\n', "no element type 'float33'"),
    ('[ops."com.acme::Scale"]\nsymbol = "s"\ntypes = "float32[n] -> T[n]"\n', "no input says what T is"),
    ('[ops."com.acme::Scale"]\nsymbol = "s"\ntypes = "float32[2*n] -> float32[n]"\n', "no number and no name"),
    ('[ops."com.acme::Scale"]\nsymbol = "s"\ntypes = "T[n, ...] -> T[m]"\n', "no input says what m is"),
    ('[ops."com.acme::Scale"]\nsymbol = "s"\ntypes = "T[n, c] -> T[n, c]"\n', "has 2 inputs, its declaration"),
    ('[ops."com.acme::Scale"]\nsymbol = "s"\ntypes = "T[n, c], U[n] -> T[n, c]"\n', "n is 3 in input 1"),
    ('[ops."com.acme::Scale"]\nsymbol = "s"\ntypes = "int8[n, c], U[c] -> U[n, c]"\n', "says int8"),
    ('[ops."com.acme::Scale"]\nsymbol = "s"\ntypes = "T[n], T[c] -> T[n, c]"\n', "another rank"),
    ('[ops."com.acme::Scale"]\nsymbol = "s"\ntypes = "T[n, c], T[c] -> T[n, c - 4]"\n', "is -1"),
    ('[ops."com.acme::Scale"]\nsymbol = "s"\nscratch = "4*n"\n', "no `types` that say"),
    ('[ops."com.acme::Scale"]\nsymbol = "s"\ntypes = "T[...], T[c] -> T[...]"\nscratch = "m"\n', "what m of 'm' is"),
    ('[ops."com.acme::Scale"]\nsymbol = "memcpy"\ntypes = "T[...], T[c] -> T[...]"\n', "function of the C library"),
    ('[ops."com.acme::Scale"]\nsymbol = "strlen"\ntypes = "T[...], T[c] -> T[...]"\n', "function of the C library"),
    ('[ops."com.acme::Scale"]\nsymbol = "m_run"\ntypes = "T[...], T[c] -> T[...]"\n', "a function of the object"),
]


@pytest.mark.parametrize(("text", "message"), DECLARED, ids=range(len(DECLARED)))
def test_declarations_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    given = text
    if "::" not in text or "\n" in text:
        given = str(tmp_path / "acme.toml")
    (tmp_path / "acme.toml").write_text(text)
    (tmp_path / "m.onnxtxt").write_text(MODEL.replace("[n, 3]", "[2, 3]"), encoding="utf-8")
    with pytest.raises(ConversionError) as found:
        mlconv.convert(tmp_path / "m.onnxtxt", "native", tmp_path / "m.o", extern=(given,))
    assert message in str(found.value)
    assert not (tmp_path / "m.o").exists()


def test_two_layouts_of_attributes_are_refused(tmp_path: Path) -> None:
    model = """<ir_version: 8, opset_import: ["" : 17, "a" : 1]>
g (float[4] x) => (float[4] y) <float[4] s> { s = a.Op<k = 1>(x)   y = a.Op(s) }
"""
    (tmp_path / "m.onnxtxt").write_text(model)
    with pytest.raises(ConversionError, match=r"called with the attributes k \(int\), and here with none"):
        mlconv.convert(tmp_path / "m.onnxtxt", "native", tmp_path / "m.o", extern=("a::Op=f",))
    (tmp_path / "a.toml").write_text('[ops."a::Op"]\nsymbol = "f"\nattributes = { k = 0 }\n')
    mlconv.convert(tmp_path / "m.onnxtxt", "native", tmp_path / "m.o", extern=(str(tmp_path / "a.toml"),))
    assert "and 1 more" not in (tmp_path / "m.h").read_text()


def test_what_c_does_not_get_is_refused(tmp_path: Path) -> None:
    for node, message in (
        ("y = a.Op<k = float[2] {1, 2}>(x)", "the attribute 'k' is"),
        ('y = a.Op(x, "")', "input 1 of a::Op is absent"),
    ):
        model = f'<ir_version: 8, opset_import: ["" : 17, "a" : 1]>\ng (float[4] x) => (float[4] y) {{ {node} }}\n'
        (tmp_path / "m.onnxtxt").write_text(model)
        with pytest.raises(ConversionError) as found:
            mlconv.convert(tmp_path / "m.onnxtxt", "native", tmp_path / "m.o", extern=("a::Op=f",))
        assert message in str(found.value)


def test_running_needs_the_library(tmp_path: Path) -> None:
    model, extern = '<ir_version: 8, opset_import: ["" : 17, "a" : 1]>\n', ("a::Op=of_no_library",)
    (tmp_path / "m.onnxtxt").write_text(model + "g (float[4] x) => (float[4] y) { y = a.Op(x) }")
    mlconv.convert(tmp_path / "m.onnxtxt", "native", tmp_path / "m.o", extern=extern)
    with pytest.raises(ConversionError, match="MLC0405"):
        mlconv.load_native(tmp_path / "m.o")
    for library, why in (("", "no library is named"), ("./none.so", "do not give"), ("m", "do not give")):
        with pytest.raises(ConversionError, match=f"MLC0405.*{why}"):
            mlconv.convert(
                tmp_path / "m.onnxtxt", "native", tmp_path / "n.o", extern=extern, verify=True, library=library
            )
    ran = CliRunner().invoke(main, ["run", str(tmp_path / "m.onnxtxt"), "--extern", *extern, "--library", "m"])
    assert "has no function of_no_library" in ran.output and ran.exit_code == 1


def test_other_machines(tmp_path: Path) -> None:
    """The structures are laid out by each machine's rules; every format takes the symbol."""
    for machine in ("aarch64", "riscv64", "armv7", "cortex-m", "wasm32", "macos", "windows"):
        path = written(tmp_path, MODEL.replace("[n, 3]", "[2, 3]"), machine=machine)
        assert "acme_scale" in json.loads(path.with_suffix(".io.json").read_text())["symbols"]


def test_members_lie_as_c_lays_them() -> None:
    """What the interpreter makes of a structure is what `ctypes` says C has."""
    from mlconv.dialects.foreign_abi import layout, members

    arguments = (("double", 1.0), ("b c", 2), ("b_c", "x"), ("ints", (1, 2)), ("0", ()))
    assert [m.name for m in members(arguments)] == ["a_0", "b_c", "b_c_", "double_", "ints"]
    assert dict(layout(arguments))["a_0"] == "ints" and ctypes.sizeof(ctypes.c_int64) == 8
