"""Functions of generated code that other functions call: they need loops or memory of their own."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.llvm.literals import real
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import DOUBLE, Value

# x ** n for n >= 0, by repeated squaring; wraps.
_POWER = """\
define internal i64 @mlc_power(i64 %x, i64 %n) #0 {
entry:
  br label %head
head:
  %e = phi i64 [ %n, %entry ], [ %half, %body ]
  %b = phi i64 [ %x, %entry ], [ %square, %body ]
  %r = phi i64 [ 1, %entry ], [ %next, %body ]
  %done = icmp eq i64 %e, 0
  br i1 %done, label %leave, label %body
body:
  %bit = and i64 %e, 1
  %odd = icmp ne i64 %bit, 0
  %times = mul i64 %r, %b
  %next = select i1 %odd, i64 %times, i64 %r
  %square = mul i64 %b, %b
  %half = lshr i64 %e, 1
  br label %head
leave:
  ret i64 %r
}"""

# lgamma of C keeps the sign in a global variable, lgamma_r does not.
_LGAMMA = """\
define internal double @mlc_lgamma(double %x) #0 {
  %sign = alloca i32
  %y = call double @lgamma_r(double %x, ptr %sign)
  ret double %y
}"""

# Recurrence up to 10, then the asymptotic series (Abramowitz and Stegun 6.3.18); reflection below 0.
_DIGAMMA = """\
define internal double @mlc_digamma(double %x) #0 {
entry:
  %low = fcmp olt double %x, 0.0
  %mirrored = fsub double 1.0, %x
  %positive = fadd double %x, 0.0
  %start = select i1 %low, double %mirrored, double %positive
  %finite = fcmp olt double %start, 0x7FF0000000000000
  br i1 %finite, label %head, label %ends
head:
  %z = phi double [ %start, %entry ], [ %following, %body ]
  %shift = phi double [ 0.0, %entry ], [ %less, %body ]
  %small = fcmp olt double %z, 1.0e+01
  br i1 %small, label %body, label %series
body:
  %inverse = fdiv double 1.0, %z
  %less = fsub double %shift, %inverse
  %following = fadd double %z, 1.0
  br label %head
series:
  %square = fmul double %z, %z
  %f = fdiv double 1.0, %square
  %t6 = fmul double %f, C6
  %s5 = fsub double C5, %t6
  %t5 = fmul double %f, %s5
  %s4 = fsub double C4, %t5
  %t4 = fmul double %f, %s4
  %s3 = fsub double C3, %t4
  %t3 = fmul double %f, %s3
  %s2 = fsub double C2, %t3
  %t2 = fmul double %f, %s2
  %s1 = fsub double C1, %t2
  %t1 = fmul double %f, %s1
  %log = call double @log(double %z)
  %half = fdiv double 0.5, %z
  %sum = fadd double %shift, %log
  %rest = fsub double %sum, %half
  %y = fsub double %rest, %t1
  br i1 %low, label %reflect, label %leave
reflect:
  %whole = call double @llvm.floor.f64(double %x)
  %pole = fcmp oeq double %whole, %x
  %angle = fmul double %x, 0x400921FB54442D18
  %tan = call double @tan(double %angle)
  %part = fdiv double 0x400921FB54442D18, %tan
  %other = fsub double %y, %part
  %kept = select i1 %pole, double 0x7FF8000000000000, double %other
  ret double %kept
leave:
  ret double %y
ends:
  %nan = select i1 %low, double 0x7FF8000000000000, double %x
  ret double %nan
}"""


_SERIES = {"C1": 1 / 12, "C2": 1 / 120, "C3": 1 / 252, "C4": 1 / 240, "C5": 1 / 132, "C6": 691 / 32760}
_TEXTS = {"mlc_power": _POWER, "mlc_lgamma": _LGAMMA, "mlc_digamma": _DIGAMMA}
_NEEDED = {
    "mlc_lgamma": {"lgamma_r": "declare double @lgamma_r(double, ptr)"},
    "mlc_digamma": {
        "log": "declare double @log(double)",
        "tan": "declare double @tan(double)",
        "llvm.floor.f64": "declare double @llvm.floor.f64(double)",
    },
}


def call(b: Builder, name: str, args: Sequence[Value]) -> Value:
    """Call a helper, which gives what it takes; its text goes into the module once."""
    if name not in b.declarations:
        text = _TEXTS[name]
        if name == "mlc_digamma":
            for mark, value in _SERIES.items():
                number = real(DOUBLE, value).text
                text = text.replace(f"{mark},", f"{number},").replace(f"{mark}\n", f"{number}\n")
        b.declarations.update(_NEEDED.get(name, {}))
        b.declarations[name] = text
    return b.invoke(args[0].type, name, args)
