"""Products of bfloat16 in LLVM IR, from the pseudocode of Intel's manual: SDM volume 2, LDTILECFG, TILELOADD,
TILELOADDT1, TILESTORED, TILEZERO, TILERELEASE, TDPBF16PS and VDPBF16PS.  Tiles are memory; factors and results that are
denormal are zeros.
"""

from __future__ import annotations

_TILES = "ldtilecfg|tilerelease|tilezero|tileloaddt164|tileloadd64|tilestored64|tdpbf16ps"
INSTRUCTIONS = rf"@llvm\.x86\.((?:{_TILES})\b|avx512bf16\.dpbf16ps\.\d+)"


def _loop(name: str, bound: str, body: str, before: str) -> str:
    """for %name in range(bound): body, from the block `before` to the block `name.done`."""
    return f"""  br label %{name}.head
{name}.head:
  %{name} = phi i64 [ 0, %{before} ], [ %{name}.next, %{name}.latch ]
  %{name}.more = icmp slt i64 %{name}, {bound}
  br i1 %{name}.more, label %{name}.body, label %{name}.done
{name}.body:
{body}
  br label %{name}.latch
{name}.latch:
  %{name}.next = add i64 %{name}, 1
  br label %{name}.head
{name}.done:
"""


def _move(name: str, body: str) -> str:
    """A function of a tile, a pointer and a pitch that does `body` for each byte (%r, %c) of the tile: %t is there,
    %p in memory.
    """
    place = f"""  %at = mul i64 %r, %pitch
  %to = add i64 %at, %c
  %p = getelementptr i8, ptr %memory, i64 %to
  %t = call ptr @cell(i8 %tile, i64 %r, i64 %c)
{body}"""
    inner = _loop("c", "%columns", place, "r.body")
    return f"""define void @emulated_{name}(i8 %tile, ptr %memory, i64 %pitch) {{
entry:
  %rows = call i64 @rows(i8 %tile)
  %columns = call i64 @columns(i8 %tile)
{_loop("r", "%rows", inner, "entry")}  ret void
}}
"""


_LOAD = "  %v = load i8, ptr %p\n  store i8 %v, ptr %t"
_STORE = "  %v = load i8, ptr %t\n  store i8 %v, ptr %p"
_CLEAR = "  call void @llvm.memset.p0.i64(ptr %start, i8 0, i64 1024, i1 false)"
_TERM = """  %k4 = mul i64 %k, 4
  %n4 = mul i64 %n, 4
  %pa = call ptr @cell(i8 %a, i64 %m, i64 %k4)
  %pb = call ptr @cell(i8 %b, i64 %k, i64 %n4)
  %wa = load i32, ptr %pa
  %wb = load i32, ptr %pb
  %la = shl i32 %wa, 16
  %lb = shl i32 %wb, 16
  %ha = and i32 %wa, -65536
  %hb = and i32 %wb, -65536
  %low.next = call float @multiply_add(i32 %la, i32 %lb, float %low)
  %high.next = call float @multiply_add(i32 %ha, i32 %hb, float %high)"""
_SUMS = """  %low = phi float [ 0.0, %n.body ], [ %low.next, %k.latch ]
  %high = phi float [ 0.0, %n.body ], [ %high.next, %k.latch ]
"""


def _products() -> str:
    """Sums of the even places and of the odd ones, then both, then with what is there."""
    head = "%k = phi i64 [ 0, %n.body ], [ %k.next, %k.latch ]\n"
    inner = _loop("k", "%depth", _TERM, "n.body").replace(head, head + _SUMS)
    column = f"""{inner}  %both = fadd float %low, %high
  %both.flushed = call float @flushed(float %both)
  %nd = mul i64 %n, 4
  %pd = call ptr @cell(i8 %d, i64 %m, i64 %nd)
  %old = load float, ptr %pd
  %old.flushed = call float @flushed(float %old)
  %new = fadd float %old.flushed, %both.flushed
  %new.flushed = call float @flushed(float %new)
  store float %new.flushed, ptr %pd"""
    return f"""define void @emulated_tdpbf16ps(i8 %d, i8 %a, i8 %b) {{
entry:
  %rows = call i64 @rows(i8 %d)
  %wide = call i64 @columns(i8 %d)
  %deep = call i64 @columns(i8 %a)
  %width = udiv i64 %wide, 4
  %depth = udiv i64 %deep, 4
{_loop("m", "%rows", _loop("n", "%width", column, "m.body"), "entry")}  ret void
}}
"""


def _pairs(lanes: int) -> str:
    """Of each lane the upper products first, then the lower ones."""
    lines, total = list[str](), "%sums"
    for i in range(lanes):
        lines.append(f"  %s{i} = extractelement <{lanes} x float> %sums, i64 {i}")
        for half, before in ((1, f"%s{i}"), (0, f"%y{i}.1")):
            for side in "ab":
                lines += [
                    f"  %{side}{i}.{half} = extractelement <{2 * lanes} x i16> %{side}.bits, i64 {2 * i + half}",
                    f"  %{side}{i}.{half}.wide = zext i16 %{side}{i}.{half} to i32",
                    f"  %{side}{i}.{half}.word = shl i32 %{side}{i}.{half}.wide, 16",
                ]
            factors = ", ".join(f"i32 %{side}{i}.{half}.word" for side in "ab")
            lines.append(f"  %y{i}.{half} = call float @multiply_add({factors}, float {before})")
        lines.append(f"  %t{i} = insertelement <{lanes} x float> {total}, float %y{i}.0, i64 {i}")
        total = f"%t{i}"
    pair = f"<{2 * lanes} x bfloat>"
    name, sums = f"emulated_avx512bf16.dpbf16ps.{32 * lanes}", f"<{lanes} x float>"
    return f"""define {sums} @"{name}"({sums} %sums, {pair} %a, {pair} %b) #0 {{
  %a.bits = bitcast {pair} %a to <{2 * lanes} x i16>
  %b.bits = bitcast {pair} %b to <{2 * lanes} x i16>
{chr(10).join(lines)}
  ret {sums} {total}
}}
"""


_PAIRS = "".join(map(_pairs, (4, 8, 16)))
EMULATED = f"""@config = internal global [64 x i8] zeroinitializer
@tiles = internal global [8192 x i8] zeroinitializer, align 64
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.fabs.f32(float)
define internal i64 @rows(i8 %tile) {{
  %n = zext i8 %tile to i64
  %at = add i64 %n, 48
  %p = getelementptr i8, ptr @config, i64 %at
  %v = load i8, ptr %p
  %w = zext i8 %v to i64
  ret i64 %w
}}
define internal i64 @columns(i8 %tile) {{
  %n = zext i8 %tile to i64
  %twice = mul i64 %n, 2
  %at = add i64 %twice, 16
  %p = getelementptr i8, ptr @config, i64 %at
  %v = load i16, ptr %p, align 1
  %w = zext i16 %v to i64
  ret i64 %w
}}
define internal ptr @cell(i8 %tile, i64 %row, i64 %column) {{
  %n = zext i8 %tile to i64
  %first = mul i64 %n, 1024
  %line = mul i64 %row, 64
  %at = add i64 %first, %line
  %to = add i64 %at, %column
  %p = getelementptr i8, ptr @tiles, i64 %to
  ret ptr %p
}}
define internal float @flushed(float %x) {{
  %size = call float @llvm.fabs.f32(float %x)
  %small = fcmp olt float %size, 0x3810000000000000
  %zero = call float @llvm.copysign.f32(float 0.0, float %x)
  %y = select i1 %small, float %zero, float %x
  ret float %y
}}
define internal float @multiply_add(i32 %a, i32 %b, float %sum) {{
  %fa = bitcast i32 %a to float
  %fb = bitcast i32 %b to float
  %za = call float @flushed(float %fa)
  %zb = call float @flushed(float %fb)
  %y = call float @llvm.fma.f32(float %za, float %zb, float %sum)
  %z = call float @flushed(float %y)
  ret float %z
}}
define void @emulated_ldtilecfg(ptr %p) {{
  call void @llvm.memcpy.p0.p0.i64(ptr @config, ptr %p, i64 64, i1 false)
  call void @llvm.memset.p0.i64(ptr @tiles, i8 0, i64 8192, i1 false)
  ret void
}}
define void @emulated_tilerelease() {{
  call void @llvm.memset.p0.i64(ptr @config, i8 0, i64 64, i1 false)
  ret void
}}
define void @emulated_tilezero(i8 %tile) {{
  %start = call ptr @cell(i8 %tile, i64 0, i64 0)
{_CLEAR}
  ret void
}}
{_move("tileloadd64", _LOAD)}{_move("tileloaddt164", _LOAD)}{_move("tilestored64", _STORE)}{_products()}
{_PAIRS}"""
