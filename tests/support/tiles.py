"""Instructions on tiles of matrices as functions in LLVM IR, for machines that lack them.

Source: Intel SDM volume 2: LDTILECFG, TILERELEASE, TILEZERO, TILELOADD, TILESTORED, TDPBUSD.
"""

from __future__ import annotations

PREFIX = "emulated_tile_"
_STATE = """
@shapes = internal global [64 x i8] zeroinitializer
@tiles = internal global [8192 x i8] zeroinitializer
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define internal ptr @tile(i8 %t) {
  %wide = zext i8 %t to i64
  %at = mul i64 %wide, 1024
  %p = getelementptr i8, ptr @tiles, i64 %at
  ret ptr %p
}
define internal i64 @rows(i8 %t) {
  %wide = zext i8 %t to i64
  %at = add i64 %wide, 48
  %p = getelementptr i8, ptr @shapes, i64 %at
  %byte = load i8, ptr %p
  %rows = zext i8 %byte to i64
  ret i64 %rows
}
define internal i64 @width(i8 %t) {
  %wide = zext i8 %t to i64
  %at = add i64 %wide, 8
  %p = getelementptr i16, ptr @shapes, i64 %at
  %word = load i16, ptr %p
  %width = zext i16 %word to i64
  ret i64 %width
}
define void @emulated_tile_ldtilecfg(ptr %p) {
  call void @llvm.memcpy.p0.p0.i64(ptr @shapes, ptr %p, i64 64, i1 false)
  call void @llvm.memset.p0.i64(ptr @tiles, i8 0, i64 8192, i1 false)
  ret void
}
define void @emulated_tile_tilerelease() {
  call void @llvm.memset.p0.i64(ptr @shapes, i8 0, i64 64, i1 false)
  call void @llvm.memset.p0.i64(ptr @tiles, i8 0, i64 8192, i1 false)
  ret void
}
define void @emulated_tile_tilezero(i8 %t) {
  %p = call ptr @tile(i8 %t)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 1024, i1 false)
  ret void
}
"""

_MOVE = """
define void @emulated_tile_NAME(i8 %t, ptr %p, i64 %stride) {
entry:
  %tile = call ptr @tile(i8 %t)
  %rows = call i64 @rows(i8 %t)
  %width = call i64 @width(i8 %t)
  CLEAR
  br label %head
head:
  %r = phi i64 [ 0, %entry ], [ %next, %body ]
  %inside = icmp ult i64 %r, %rows
  br i1 %inside, label %body, label %leave
body:
  %far = mul i64 %r, %stride
  %memory = getelementptr i8, ptr %p, i64 %far
  %near = mul i64 %r, 64
  %row = getelementptr i8, ptr %tile, i64 %near
  call void @llvm.memcpy.p0.p0.i64(ptr TO, ptr FROM, i64 %width, i1 false)
  %next = add i64 %r, 1
  br label %head
leave:
  ret void
}
"""
_LOAD = (
    _MOVE.replace("NAME", "tileloadd64")
    .replace("CLEAR", "call void @emulated_tile_tilezero(i8 %t)")
    .replace("TO", "%row")
    .replace("FROM", "%memory")
)
_STORE = _MOVE.replace("NAME", "tilestored64").replace("CLEAR", "").replace("TO", "%memory").replace("FROM", "%row")

# for each row m, column n, group k and place i of four: c[m][n] += a[m][4 k + i] * b[k][4 n + i]
_BYTES = """
define void @emulated_tile_tdpbusd(i8 %c, i8 %a, i8 %b) {
entry:
  %to = call ptr @tile(i8 %c)
  %x = call ptr @tile(i8 %a)
  %w = call ptr @tile(i8 %b)
  %rows = call i64 @rows(i8 %c)
  %wide = call i64 @width(i8 %c)
  %depth = call i64 @width(i8 %a)
  %columns = udiv i64 %wide, 4
  %each = mul i64 %columns, %depth
  %all = mul i64 %rows, %each
  br label %head
head:
  %t = phi i64 [ 0, %entry ], [ %next, %body ]
  %inside = icmp ult i64 %t, %all
  br i1 %inside, label %body, label %leave
body:
  %m = udiv i64 %t, %each
  %inner = urem i64 %t, %each
  %n = udiv i64 %inner, %depth
  %place = urem i64 %inner, %depth
  %k = udiv i64 %place, 4
  %i = urem i64 %place, 4
  %line = mul i64 %m, 64
  %xat = add i64 %line, %place
  %xp = getelementptr i8, ptr %x, i64 %xat
  %group = mul i64 %k, 64
  %column = mul i64 %n, 4
  %first = add i64 %group, %column
  %wat = add i64 %first, %i
  %wp = getelementptr i8, ptr %w, i64 %wat
  %sat = add i64 %line, %column
  %sp = getelementptr i8, ptr %to, i64 %sat
  %xb = load i8, ptr %xp
  %wb = load i8, ptr %wp
  %xi = zext i8 %xb to i32
  %wi = sext i8 %wb to i32
  %product = mul i32 %xi, %wi
  %before = load i32, ptr %sp
  %sum = add i32 %before, %product
  store i32 %sum, ptr %sp
  %next = add i64 %t, 1
  br label %head
leave:
  ret void
}
"""
_OF_SIGNS = _BYTES.replace("tdpbusd", "tdpbssd").replace("zext i8 %xb", "sext i8 %xb")
_BY_NONE = _OF_SIGNS.replace("tdpbssd", "tdpbsud").replace("sext i8 %wb", "zext i8 %wb")
FUNCTIONS = _STATE + _LOAD + _STORE + _BYTES + _OF_SIGNS + _BY_NONE
_NAMES = ("ldtilecfg", "tilerelease", "tilezero", "tileloadd64", "tilestored64", "tdpbusd", "tdpbssd", "tdpbsud")


def emulated_tiles(text: str) -> str:
    """LLVM IR that calls the functions, which it then has, in place of the instructions."""
    for name in _NAMES:
        text = text.replace(f"@llvm.x86.{name}(", f"@{PREFIX}{name}(")
    return text + FUNCTIONS
