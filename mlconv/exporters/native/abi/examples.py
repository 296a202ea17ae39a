"""C programs that go with an object: an example of a call, and a test that runs recorded inputs and checks the
outputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from mlconv.codegen.program.memory_plan import nbytes
from mlconv.exporters.native.abi.names import Built, c_type, identifier, quoted
from mlconv.ir.constants import Array
from mlconv.ir.dims import Dim, substitute

RTOL, RTOL_16, ATOL = 1e-3, 2e-2, 1e-5  # of the largest magnitude of an output, for types of 16 bits; absolute


def example(built: Built) -> str:
    """A main that feeds zeros and prints the first number of each output."""
    prefix, upper = built.prefix, built.prefix.upper()
    ins = [f"in{i}_{identifier(n)}" for i, (n, _) in enumerate(built.sides["input"])]
    outs = [f"out{i}_{identifier(n)}" for i, (n, _) in enumerate(built.sides["output"])]
    workspace = ["dims", "workspace", "need"] if built.plan.symbols else ["workspace"]
    arguments = [*ins, *outs, *(["weights"] if built.weights_file else []), *workspace, "parallel"]
    sides = ((ins, "input", built.sides["input"]), (outs, "output", built.sides["output"]))
    buffers = [
        f"  {c_type(v.tensor.dtype)} *{n} = buffer({_bytes(built, side, str(i))});"
        for names, side, values in sides
        for i, (n, (_, v)) in enumerate(zip(names, values, strict=True))
    ]
    prints = []
    for i, (n, (_, v)) in enumerate(zip(outs, built.sides["output"], strict=True)):
        if c_type(v.tensor.dtype) == "uint16_t" and v.tensor.dtype.is_float:
            prints.append(f'  printf("%s: 16 bits each\\n", {prefix}_output_names[{i}]);')
        else:
            prints.append(
                f'  if ({_bytes(built, "output", str(i))}) printf("%s: '
                f'%g\\n", {prefix}_output_names[{i}], (double){n}[0]);'
            )
    pool = (
        (f"{prefix}_pool_create(2)", [f"  {prefix}_pool_destroy(parallel);"]) if built.settings.pool else ("NULL", [])
    )
    reader = _weights_reader(built) if built.weights_file else []
    sizes = _sizes(built, [_typical(built, d) for d in built.plan.symbols])
    return "\n".join(
        [
            f"/* Link with the object and -lm{' -lpthread' if built.settings.pool else ''}. */",
            "#include <stdio.h>",
            "#include <stdlib.h>",
            "#include <string.h>",
            f'#include "{built.stem}.h"',
            "",
            *_buffer(upper),
            *reader,
            "int main(void) {",
            *sizes,
            *buffers,
            *(
                [f"  const void *weights = read_weights({quoted(built.weights_file)});", "  if (!weights) return 2;"]
                if built.weights_file
                else []
            ),
            "  void *workspace = buffer(need);",
            f"  const mlc_parallel *parallel = {pool[0]};",
            f"  int error = {prefix}_call({', '.join(arguments)});",
            *pool[1],
            "  if (error) {",
            '    fprintf(stderr, "error %d\\n", error);',
            "    return 1;",
            "  }",
            *prints,
            "  return 0;",
            "}",
            "",
        ]
    )


def _typical(built: Built, symbol: str) -> int:
    """A size within its range: 2, or what is next to it."""
    low, high = built.ranges.get(symbol, (None, None))
    return min(max(2, low or 0), 2 if high is None else high)


def _sizes(built: Built, values: Sequence[int]) -> list[str]:
    """Variables `dims` (where there are some) and `need`, the size of the workspace."""
    if not values:
        return [f"  const size_t need = {built.prefix.upper()}_WORKSPACE_BYTES;"]
    return [
        f"  const int64_t dims[] = {{{', '.join(map(str, values))}}};",
        f"  const size_t need = {built.prefix}_workspace_bytes(dims);",
    ]


def _bytes(built: Built, side: str, i: str) -> str:
    """Size of an input or output, in C."""
    return f"{built.prefix}_{side}_bytes({i}, dims)" if built.plan.symbols else f"{built.prefix}_{side}_bytes[{i}]"


def _values(built: Built, inputs: Mapping[str, Array]) -> list[int]:
    """Sizes that the recorded inputs have."""
    found = {
        d.name: n
        for name, v in built.sides["input"]
        for d, n in zip(v.tensor.shape or (), inputs[name].shape, strict=True)
        if isinstance(d, Dim)
    }
    return [found.get(symbol, 1) for symbol in built.plan.symbols]


def _buffer(upper: str) -> list[str]:
    return [
        "static void *buffer(size_t bytes) {",
        f"  size_t size = (bytes + {upper}_ALIGNMENT) / {upper}_ALIGNMENT * {upper}_ALIGNMENT;",
        f"  void *p = aligned_alloc({upper}_ALIGNMENT, size);",
        "  if (!p) exit(3);",
        "  memset(p, 0, size);",
        "  return p;",
        "}",
    ]


def _weights_reader(built: Built) -> list[str]:
    size = f"{built.prefix.upper()}_WEIGHTS_BYTES"
    return [
        "static const void *read_weights(const char *path) {",
        '  FILE *file = fopen(path, "rb");',
        f"  void *p = buffer({size});",
        f"  size_t n = file ? fread(p, 1, {size}, file) : 0;",
        "  if (file) fclose(file);",
        f"  return n == {size} ? p : NULL;",
        "}",
    ]


_CHECK = """\
static int close_to(double got, double want, double size, double share) {
  if (got != got || want != want) return got != got && want != want;
  double error = got > want ? got - want : want - got;
  return got == want || error <= share * size + ATOL;
}
static double half(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent ? 1024 + fraction : fraction;
  if (exponent == 31) value = fraction ? (double)NAN : (double)INFINITY;
  for (int i = exponent ? exponent : 1; i < 25; i++) value /= 2;
  for (int i = 25; i < exponent && exponent < 31; i++) value *= 2;
  return bits >> 15 ? -value : value;
}
static double brain(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, 4);
  return value;
}
/* Bytes of a number that is not whole; a complex one is two.  0: the others. */
static size_t width(const char *dtype) {
  if (!strcmp(dtype, "float32") || !strcmp(dtype, "complex64")) return 4;
  if (!strcmp(dtype, "float64") || !strcmp(dtype, "complex128")) return 8;
  return !strcmp(dtype, "float16") || !strcmp(dtype, "bfloat16") ? 2 : 0;
}
static double number(const char *dtype, const void *data, size_t i) {
  if (width(dtype) == 4) return ((const float *)data)[i];
  if (width(dtype) == 8) return ((const double *)data)[i];
  return *dtype == 'b' ? brain(((const uint16_t *)data)[i]) : half(((const uint16_t *)data)[i]);
}
static int check(const char *name, const char *dtype, const void *got, const void *want, size_t bytes) {
  if (!width(dtype)) {
    int same = !memcmp(got, want, bytes);
    if (!same) fprintf(stderr, "%s differs\\n", name);
    return same;
  }
  size_t count = bytes / width(dtype);
  double size = 0;
  for (size_t i = 0; i < count; i++) {
    double v = number(dtype, want, i);
    if (v - v == 0 && (v < 0 ? -v : v) > size) size = v < 0 ? -v : v;
  }
  for (size_t i = 0; i < count; i++)
    if (!close_to(number(dtype, got, i), number(dtype, want, i), size, width(dtype) == 2 ? RTOL_16 : RTOL)) {
      fprintf(stderr, "%s[%zu]: %g, expected %g\\n", name, i, number(dtype, got, i), number(dtype, want, i));
      return 0;
    }
  return 1;
}
"""


def self_test(built: Built, inputs: Mapping[str, Array]) -> str:
    """A main that reads MODEL.test.bin and exits with 0 when all outputs are right."""
    prefix, upper = built.prefix, built.prefix.upper()
    counts = {side: len(values) for side, values in built.sides.items()}
    reader, data = _weights_reader(built) if built.weights_file else [], quoted(f"{built.stem}.test.bin")
    lines = [
        "/* Link with the object and -lm, and run it in the folder of its data: 0 when it passes. */",
        *(f"#include <{name}.h>" for name in ("math", "stdio", "stdlib", "string")),
        f'#include "{built.stem}.h"',
        f"#define RTOL {RTOL}",
        f"#define RTOL_16 {RTOL_16}",
        f"#define ATOL {ATOL}",
        *_buffer(upper),
        *reader,
        _CHECK.rstrip("\n"),
        "int main(void) {",
        *_sizes(built, _values(built, inputs)),
        f'  FILE *file = fopen({data}, "rb");',
        f"  void *inputs[{counts['input'] + 1}], *outputs[{counts['output'] + 1}];",
        "  int good = 1;",
        "  if (!file) {",
        f'    fprintf(stderr, "%s is not here\\n", {data});',
        "    return 2;",
        "  }",
        *_read_inputs(built),
        *_run_and_check(built),
        "  fclose(file);",
        f'  puts(good ? "{prefix}: all outputs are right" : "{prefix}: wrong");',
        "  return good ? 0 : 1;",
        "}",
    ]
    return "\n".join([*lines, ""])


def _read_inputs(built: Built) -> list[str]:
    """C that fills `inputs` from `file`, and the place of the weights."""
    size, count = _bytes(built, "input", "i"), len(built.sides["input"])
    weights = f"(void *)read_weights({quoted(built.weights_file)});" if built.weights_file else "NULL;"
    lines = [
        f"  for (int i = 0; i < {built.prefix.upper()}_INPUTS; i++) {{",
        f"    inputs[i] = buffer({size});",
        f"    if (fread(inputs[i], 1, {size}, file) != {size}) return 2;",
        "  }",
    ]
    return [*(lines if count else ()), f"  inputs[{count}] = {weights}"]


def _run_and_check(built: Built) -> list[str]:
    """C that runs the model, and compares `outputs` with what `file` says."""
    prefix, outputs = built.prefix, f"{built.prefix.upper()}_OUTPUTS"
    size, dims = _bytes(built, "output", "i"), "dims" if built.plan.symbols else "NULL"
    run = [
        f"  int error = {prefix}_run((const void *const *)inputs, outputs, {dims}, buffer(need), need, NULL);",
        '  if (error) {\n    fprintf(stderr, "error %d\\n", error);\n    return 1;\n  }',
    ]
    if not built.sides["output"]:
        return run
    names = f"{prefix}_output_names[i], {prefix}_output_dtypes[i]"
    return [
        f"  for (int i = 0; i < {outputs}; i++) outputs[i] = buffer({size});",
        *run,
        f"  for (int i = 0; i < {outputs}; i++) {{",
        f"    void *want = buffer({size});",
        f"    size_t bytes = {size};",
        "    if (fread(want, 1, bytes, file) != bytes) return 2;",
        *_told_bytes(built),
        f"    good &= check({names}, outputs[i], want, bytes);",
        "  }",
    ]


def _told_bytes(built: Built) -> list[str]:
    """C that counts the bytes of an output whose sizes data decide."""
    places = built.shapes_in
    if max(places, default=-1) < 0:
        return []
    widths = ", ".join(str(v.tensor.dtype.itemsize) for _, v in built.sides["output"])
    return [
        f"    static const size_t widths[] = {{{widths}}};",
        f"    if ({built.prefix}_output_sizes[i] >= 0) {{",
        f"      const int64_t *sizes = outputs[{built.prefix}_output_sizes[i]];",
        "      bytes = widths[i];",
        f"      for (int k = 0; k < {built.prefix}_output_ranks[i]; k++) bytes *= (size_t)sizes[k];",
        "    }",
    ]


def vector_bytes(built: Built, inputs: dict[str, Array], outputs: dict[str, Array]) -> Iterator[bytes]:
    """Inputs, then expected outputs, in order, dense; zeros follow those that have room for more."""
    for name, _ in built.sides["input"]:
        yield np.ascontiguousarray(inputs[name]).tobytes()
    sizes = dict(zip(built.plan.symbols, _values(built, inputs), strict=True))
    places = built.shapes_in
    shapes = {k: i for i, k in enumerate(places) if k >= 0}
    names = [name for name, _ in built.sides["output"]]
    for i, (name, v) in enumerate(built.sides["output"]):
        held = np.asarray(outputs[names[shapes[i]]].shape, np.int64) if i in shapes else outputs[name]
        data = np.ascontiguousarray(held).tobytes()
        room = substitute(nbytes(v), sizes) if places[i] >= 0 else 0
        yield data + bytes(max(0, room - len(data)) if isinstance(room, int) else 0)
