"""What the header says of functions of other libraries."""

from __future__ import annotations

from mlconv.codegen.kernels.foreign import ERROR_FOREIGN
from mlconv.codegen.program.foreign import ForeignUse, foreign_uses
from mlconv.dialects.foreign_abi import library_path, members
from mlconv.dialects.kernel import ForeignCall
from mlconv.exporters.native.abi.names import Built

_TYPES = """\
#ifndef MLC_FOREIGN_ABI
#define MLC_FOREIGN_ABI 1
/* sizes: `rank` numbers.  type: of the elements, by its number in ONNX (TensorProto.DataType: 1 is float). */
typedef struct mlc_input { const void *data; const int64_t *sizes; int32_t rank, type; } mlc_input;
typedef struct mlc_output { void *data; const int64_t *sizes; int32_t rank, type; } mlc_output;
#endif
"""
_C = {"int": "int64_t ", "real": "double ", "text": "const char *"}
_LISTS = {"ints": "const int64_t *", "reals": "const double *", "texts": "const char *const *"}


def foreign_declarations(built: Built) -> list[str]:
    """Lines of the header; none for a model that calls no such function."""
    uses = foreign_uses(built.function.block, built.settings.kinds)
    if not uses:
        return []
    own = any(isinstance(u.problem, ForeignCall) for u in uses)
    lines = ["/* Functions of other libraries, which the program that links the object brings along. */"]
    lines += [_TYPES, f"#define {built.prefix.upper()}_ERROR_FOREIGN {ERROR_FOREIGN}"] if own else []
    by_name: dict[str, list[ForeignUse]] = {}
    for use in uses:
        by_name.setdefault(use.function.name, []).append(use)
    for name, calls in by_name.items():
        lines.append(f"/* {name}{_linked(calls[0])} computes")
        lines += [f"     {_in_comment(_place(call))}" for call in calls[:_MOST]]
        lines += [f"     and {len(calls) - _MOST} more"] if len(calls) > _MOST else []
        lines[-1] += " */"
        problem = calls[0].problem
        lines += _prototype(problem) if isinstance(problem, ForeignCall) else [calls[0].function.declared]
    return lines


_MOST = 8  # ops of a function that are listed


def _recorded(name: str, here: bool) -> str:
    """A library as the model interface has it: another machine has it elsewhere."""
    return library_path(name) if here else name.rpartition("/")[2]


def _linked(use: ForeignUse) -> str:
    names = [n for n in use.function.libraries if "/" not in n and "." not in n]
    return f" (-l{names[0]})" if names else ""


def _place(use: ForeignUse) -> str:
    return f"{use.source} {use.node}" + (f" at {use.line}" if use.line else "")


def _in_comment(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text).replace("*/", "* /").replace("/*", "/ *")


def _prototype(problem: ForeignCall) -> list[str]:
    """The structure of attributes, and the function."""
    name, found = problem.symbol, members(problem.arguments)
    lines, taken = [], "void"
    if found:
        taken = f"{name}_attributes"
        lines.append(f"typedef struct {taken} {{")
        for member in found:
            if member.kind.endswith("s"):
                lines.append(f"  {_LISTS[member.kind]}{member.name}; int64_t {member.name}_count;")
            else:
                lines.append(f"  {_C[member.kind]}{member.name};")
        lines.append(f"}} {taken};")
    lines.append(f"int {name}(const mlc_input *inputs, const mlc_output *outputs, const {taken} *attributes,")
    return [*lines, "    void *scratch, const mlc_parallel *parallel);"]


def foreign_facts(built: Built) -> dict[str, object]:
    """What the model interface says: each function with its libraries, and the ops that it computes."""
    facts: dict[str, dict[str, object]] = {}
    for use in foreign_uses(built.function.block, built.settings.kinds):
        libraries = [_recorded(name, built.settings.here) for name in use.function.libraries]
        one = facts.setdefault(use.function.name, {"function": use.function.name, "libraries": libraries, "ops": []})
        ops = one["ops"]
        assert isinstance(ops, list)
        ops.append({"op": use.source, "node": use.node})
    return {"foreign": list(facts.values())} if facts else {}
