"""The C++17 class of the header: it owns the workspace and the model's state, and has a typed call."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.program.memory_plan import nbytes
from mlconv.exporters.native.abi.dimensions import c_expression
from mlconv.exporters.native.abi.names import Built, Held, c_type, identifier, parameters

_GUARD = "#if defined(__cplusplus) && (__cplusplus >= 201703L || (defined(_MSVC_LANG) && _MSVC_LANG >= 201703L))"
_INCLUDES = [f"#include <{name}>" for name in ("array", "cstddef", "cstdint", "cstring", "memory", "new", "utility")]
_ROOM = """\
#ifndef MLC_ROOM
#define MLC_ROOM 1
struct mlc_free {
  void operator()(unsigned char *p) const noexcept { ::operator delete(p, std::align_val_t(64)); }
};
typedef std::unique_ptr<unsigned char, mlc_free> mlc_memory;
/* Memory of zeros, aligned to 64 bytes; empty when there is none. */
inline mlc_memory mlc_room(std::size_t bytes) noexcept {
  const std::size_t size = bytes ? bytes : 1;
  void *const p = ::operator new(size, std::align_val_t(64), std::nothrow);
  if (p) std::memset(p, 0, size);
  return mlc_memory(static_cast<unsigned char *>(p));
}
#endif"""


class _State:
    """Variables that the model assigns: the input that takes next time what the output gives."""

    def __init__(self, built: Built) -> None:
        ins, outs = ([n for n, _ in built.sides[side]] for side in ("input", "output"))
        self.pairs = [(ins.index(s["input"]), outs.index(s["output"])) for s in built.state]
        self.inputs = {i: k for k, (i, _) in enumerate(self.pairs)}
        self.outputs = {o: k for k, (_, o) in enumerate(self.pairs)}


def model_class(built: Built) -> list[str]:
    """Lines behind the C part of the header."""
    state, name = _State(built), f"{built.prefix}_model"
    public = [*_construction(built, name), *_sizes(built), *_run(built, state), *_state_access(built, state)]
    return [
        _GUARD,
        *_INCLUDES,
        _ROOM,
        f"/* The model with its own workspace{' and state' if state.pairs else ''}, for one call at a time. */",
        f"class {name} {{",
        " public:",
        *(f"  {line}" for line in public),
        " private:",
        *(f"  {line}" for line in _members(built, state)),
        "};",
        "#endif",
    ]


def _construction(built: Built, name: str) -> list[str]:
    weights = ["weights_(weights)"] if built.weights_file else []
    given = "const void *weights" if built.weights_file else ""
    start = f" : {', '.join(weights)}" if weights else ""
    if built.plan.symbols:
        return [f"explicit {name}({given}) noexcept{start} {{}}" if given else f"{name}() = default;", *_resize(built)]
    body = "{ reset(); }" if built.state else "{}"
    return [f"{'explicit ' if given else ''}{name}({given}) noexcept{start} {body}"]


def _resize(built: Built) -> list[str]:
    """Sizes that are known at run time."""
    names = [f"dim{i}_{identifier(s)}" for i, s in enumerate(built.plan.symbols)]
    return [
        "/* To be called before the first run; the state becomes zeros.  The result is 0 or an error. */",
        f"int resize({', '.join(f'std::int64_t {n}' for n in names)}) noexcept {{",
        f"  const std::array<std::int64_t, {len(names)}> dims = {{{{{', '.join(names)}}}}};",
        f"  const std::size_t bytes = {built.prefix}_workspace_bytes(dims.data());",
        f"  if (bytes == static_cast<std::size_t>(-1)) return {built.prefix.upper()}_ERROR_DIMENSIONS;",
        "  dims_ = dims;",
        "  workspace_bytes_ = bytes;",
        "  workspace_ = mlc_room(bytes);",
        "  is_sized_ = true;",
        *(["  reset();"] if built.state else []),
        f"  return workspace_ ? 0 : {built.prefix.upper()}_ERROR_WORKSPACE;",
        "}",
    ]


def _sizes(built: Built) -> list[str]:
    """Bytes of the workspace, of inputs and of outputs."""
    lines = ["std::size_t workspace_bytes() const noexcept { return workspace_bytes_; }"]
    for side, values in built.sides.items():
        count = f"static constexpr std::size_t {side}s = {len(values)};"
        head = f"std::size_t {side}_bytes(std::size_t i) const noexcept {{"
        sizes = ", ".join(_bytes(built, v) for _, v in values)
        body = f"return i < {side}s ? std::array<std::size_t, {len(values)}>{{{{{sizes}}}}}[i] : 0;"
        lines += [count, f"{head} {body} }}" if values else f"{head} (void)i; return 0; }}"]
    return lines


def _bytes(built: Built, value: Held) -> str:
    """The size of a tensor, in C++."""
    size = nbytes(value)
    if isinstance(size, int):
        return str(size)
    return f"static_cast<std::size_t>({c_expression(size, built.plan.symbols, 'dims_')})"


def _run(built: Built, state: _State) -> list[str]:
    """The typed call."""
    prefix, upper = built.prefix, built.prefix.upper()
    ins, outs = parameters(built, "input"), parameters(built, "output")
    given = [p.declared for i, p in enumerate(ins) if i not in state.inputs]
    given += [p.declared for i, p in enumerate(outs) if i not in state.outputs]
    from_ = [f"state_[{state.inputs[i]}].get()" if i in state.inputs else p.name for i, p in enumerate(ins)]
    from_ += ["weights_"] if built.weights_file else []
    to = [f"next_[{state.outputs[i]}].get()" if i in state.outputs else p.name for i, p in enumerate(outs)]
    lines = [
        "/* The result is 0 or an error. */",
        f"int run({', '.join([*given, 'const mlc_parallel *parallel = nullptr'])}) noexcept {{",
        *([f"  if (!is_sized_) return {upper}_ERROR_DIMENSIONS;"] if built.plan.symbols else []),
        f"  const void *const from[] = {{{', '.join(from_) or 'nullptr'}}};",
        f"  void *const to[] = {{{', '.join(to) or 'nullptr'}}};",
        f"  const int error = {prefix}_run(from, to, {'dims_.data()' if built.plan.symbols else 'nullptr'}, "
        "workspace_.get(), workspace_bytes_, parallel);",
        *(["  if (!error) std::swap(state_, next_);"] if state.pairs else []),
        "  return error;",
        "}",
    ]
    return lines


def _state_access(built: Built, state: _State) -> list[str]:
    """Each variable's value, and back to zeros."""
    lines, values = [], built.sides["input"]
    for k, (i, _) in enumerate(state.pairs):
        name, value = values[i]
        kind, what = c_type(value.tensor.dtype), f"state{k}_{identifier(name)}"
        lines += [
            f"{kind} *{what}() noexcept {{ return reinterpret_cast<{kind} *>(state_[{k}].get()); }}",
            f"std::size_t {what}_bytes() const noexcept {{ return {_bytes(built, value)}; }}",
        ]
    if not state.pairs:
        return []
    made = [
        f"  {room}[{k}] = mlc_room({_bytes(built, values[i][1])});"
        for k, (i, _) in enumerate(state.pairs)
        for room in ("state_", "next_")
    ]
    return [
        "/* Values of the variables that the model assigns: zeros, until what it begins with is copied there. */",
        *lines,
        "/* All variables become zeros. */",
        "void reset() noexcept {",
        *made,
        "}",
    ]


def _members(built: Built, state: _State) -> Sequence[str]:
    upper, many = built.prefix.upper(), len(built.plan.symbols)
    lines = ["const void *weights_;"] if built.weights_file else []
    if many:
        lines += [
            f"std::array<std::int64_t, {many}> dims_ = {{}};",
            "bool is_sized_ = false;",
            "std::size_t workspace_bytes_ = 0;",
            "mlc_memory workspace_;",
        ]
    else:
        lines += [
            f"std::size_t workspace_bytes_ = {upper}_WORKSPACE_BYTES;",
            "mlc_memory workspace_ = mlc_room(workspace_bytes_);",
        ]
    return [*lines, *(f"std::array<mlc_memory, {len(state.pairs)}> {n};" for n in ("state_", "next_") if state.pairs)]
