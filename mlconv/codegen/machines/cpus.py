"""Instruction sets as data: what generators ask of one, what the compiler is told, and how a program sees at run time
that it has one.

Source of the bits: Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E; the levels x86-64-v3 and v4: System V
psABI for x86-64, table 3.1.  Of 64-bit Arm: Linux, Documentation/arch/arm64/elf_hwcaps.rst.
"""

from __future__ import annotations

from typing import NamedTuple

from mlconv.codegen.machines.instructions import (
    Dot,
    Instruction,
    Matrix,
    MultiplyAdd,
    Narrowing,
    Probe,
    RowPair,
    Shuffle,
)
from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.dtypes import DType

EAX, EBX, ECX, EDX = range(4)
AT_HWCAP, AT_HWCAP2 = 16, 26  # of the auxiliary vector: Linux, include/uapi/linux/auxvec.h


_VECTOR = 128  # bits of registers that are vectors
_FLOATS = tuple(MultiplyAdd(t, t, t, "llvm.fma") for t in (DType.F32, DType.F64))


class Cpu(NamedTuple):
    """One instruction set.

    registers, bits: vector registers and their width; without vectors, that of a float32.  general: registers for sums
    of integers, and what is multiplied, where these are not those of vectors.
    target, features: as LLVM spells them.  tune: the processor that the order of instructions suits, as LLVM spells it.
    fma, rounding, halves: whether it has fused multiply-add, rounding to whole numbers, and conversions of float16.
    scale: it multiplies a register of float32 by powers of two (VSCALEFPS).
    by_element: it multiplies a register by one number of another (FMLA by element), so that several numbers are loaded
    at once.
    maximum: an instruction finds the greater of two floats, or NaN where one is (FMAX, f32x4.max).
    products: by element types, how products are summed.  dots: instructions for sums of products of bytes; code for a
    set that has them besides those of another is made for models that use them.
    pairs: sums of two products of int16, by lanes of the sums (PMADDWD, i32x4.dot_i16x8_s), to which LLVM adds sums
    where it can (VPDPWSSD).  byte_pairs: sums of two products of bytes without a sign with bytes that have one, in
    int16 and saturated, by lanes of the sums (PMADDUBSW).  shuffles: bytes that are picked.
    gathers: elements at places of their own are read faster at once than one by one.
    row_pairs: instructions for two rows at once (SMMLA); a set that has them has one of `dots` for the same types.
    matrices: products of tiles, in registers of their own; code for a set that has them is made for models that use
    them.  signed_matrices: those of rows of bytes with a sign, which weights in blocks are multiplied with.
    factors: float32 rounded to bfloat16, denormal ones to 0, by lanes (VCVTNEPS2BF16).  half_pairs: sums of two
    products of bfloat16, by lanes of the sums (VDPBF16PS).
    narrowing: floats to bytes, several registers at once.
    passing: what orders stores that go past the caches (SFENCE); empty where there are none.
    apart: code that streams weights asks for them at distances of this set's own.
    base: the name of the set that this one only adds instructions of these tables to; kernels that use none of these
    share its code.
    probes: what is asked at run time; state: bits of XCR0, registers that the system must save.  permission: of Linux's
    components of that state, the one that a process must ask for before it uses it; 0 for none.
    """

    name: str
    registers: int
    bits: int
    target: str = ""
    features: str = ""
    fma: bool = True
    rounding: bool = True
    halves: bool = True
    scale: bool = False
    maximum: bool = False
    by_element: bool = False
    products: tuple[MultiplyAdd, ...] = _FLOATS
    dots: tuple[Dot, ...] = ()
    row_pairs: tuple[RowPair, ...] = ()
    matrices: tuple[Matrix, ...] = ()
    signed_matrices: tuple[Matrix, ...] = ()
    pairs: tuple[Instruction, ...] = ()
    byte_pairs: tuple[Instruction, ...] = ()
    shuffles: tuple[Shuffle, ...] = ()
    gathers: bool = False
    factors: tuple[Instruction, ...] = ()
    half_pairs: tuple[Instruction, ...] = ()
    narrowing: Narrowing | None = None
    passing: str = ""
    apart: bool = False
    base: str = ""
    probes: tuple[Probe, ...] = ()
    state: int = 0
    permission: int = 0
    tune: str = ""
    general: int = 0

    @property
    def attributes(self) -> str:
        """LLVM function attributes."""
        # LLVM's least number of cases for a jump table is a global that some targets write when they are made
        # (TargetLoweringBase::setMinimumJumpTableEntries): code would depend on what the process compiled before.
        words = ["nounwind", '"no-jump-tables"="true"', f'"prefer-vector-width"="{self.bits}"']
        words += [f'"target-cpu"="{self.target}"'] if self.target else []
        words += [f'"tune-cpu"="{self.tune}"'] if self.tune else []
        words += [f'"target-features"="{self.features}"'] if self.features else []
        return " ".join(words)

    @property
    def places(self) -> int:
        """Of weights of 8 bits that are multiplied at once, where the set has a say in how they are packed."""
        return max((d.places for d in self.dots), default=Dot._field_defaults["places"])

    @property
    def has_vectors(self) -> bool:
        return self.bits >= _VECTOR

    def lanes(self, dtype: DType) -> int:
        """Elements of a vector register; 1 without vectors."""
        return max(1, self.bits // dtype.bits)

    def multiply_add(self, x: DType, weights: DType, sums: DType) -> MultiplyAdd:
        """The row of `products` for element types.  Raises ConversionError TargetLacksOp when there is none."""
        for row in self.products:
            if row[:3] == (x, weights, sums):
                return row
        types = f"{x.display} by {weights.display} in {sums.display}"
        raise ConversionError(Code.TargetLacksOp, f"{self.name} has no code for sums of products of {types}")


_V3 = (
    # sse3 ssse3 fma cx16 sse4.1 sse4.2 movbe popcnt xsave osxsave avx f16c
    Probe(1, ECX, (0, 9, 12, 13, 19, 20, 22, 23, 26, 27, 28, 29)),
    Probe(7, EBX, (3, 5, 8)),  # bmi1 avx2 bmi2
    Probe(0x8000_0001, ECX, (0, 5)),  # lahf lzcnt
)
_V4 = (*_V3, Probe(7, EBX, (16, 17, 28, 30, 31)))  # avx512 f dq cd bw vl
_AVX_VNNI, _AVX512_VNNI = Probe(7, EAX, (4,), 1), Probe(7, ECX, (11,))
_AVX512_BF16, _AMX = Probe(7, EAX, (5,), 1), Probe(7, EDX, (22, 24, 25))  # amx-bf16 amx-tile amx-int8
# VDPBF16PS adds half as many products as VFMADDPS on Sapphire Rapids, and twice as many on Zen 5 (decision 0035);
# weights of 4 bits stream a tenth faster there by PREFETCHT0 than by PREFETCHT1.
_AMD = Probe(0x8000_0001, ECX, (6,))  # sse4a
_YMM, _ZMM = 0x6, 0xE6
_TILES, _TILE_DATA = 0x600E6, 18  # XTILECFG and XTILEDATA; the number of the latter
_TDPBF16PS = Matrix(DType.BF16, DType.BF16, DType.F32, "llvm.x86.tdpbf16ps")
_TDPBUSD = Matrix(DType.U8, DType.I8, DType.I32, "llvm.x86.tdpbusd")
_TDPBSSD = Matrix(DType.I8, DType.I8, DType.I32, "llvm.x86.tdpbssd")
_TDPBSUD = Matrix(DType.I8, DType.U8, DType.I32, "llvm.x86.tdpbsud")
_PSHUFB = tuple(
    Shuffle(lanes, f"llvm.x86.{name}")
    for lanes, name in ((16, "ssse3.pshuf.b.128"), (32, "avx2.pshuf.b"), (64, "avx512.pshuf.b.512"))
)
_PMADDWD = tuple(
    Instruction(lanes, f"llvm.x86.{name}")
    for lanes, name in ((4, "sse2.pmadd.wd"), (8, "avx2.pmadd.wd"), (16, "avx512.pmaddw.d.512"))
)
_PMADDUBSW = tuple(
    Instruction(lanes, f"llvm.x86.{name}")
    for lanes, name in ((8, "ssse3.pmadd.ub.sw.128"), (16, "avx2.pmadd.ub.sw"), (32, "avx512.pmaddubs.w.512"))
)
_PACKS = tuple(
    Narrowing(
        lanes,
        f"llvm.x86.{nearest}",
        f"llvm.x86.{level}.packssdw{end}",
        f"llvm.x86.{level}.packsswb{end}",
        f"llvm.x86.{level}.packuswb{end}",
    )
    for lanes, nearest, level, end in ((4, "sse2.cvtps2dq", "sse2", ".128"), (8, "avx.cvt.ps2dq.256", "avx2", ""))
)
_VCVTNEPS2BF16 = tuple(Instruction(lanes, f"llvm.x86.avx512bf16.cvtneps2bf16.{32 * lanes}") for lanes in (8, 16))
_VDPBF16PS = tuple(Instruction(lanes, f"llvm.x86.avx512bf16.dpbf16ps.{32 * lanes}") for lanes in (4, 8, 16))
_SFENCE = "llvm.x86.sse.sfence"
_VPDPBUSD = tuple(Dot(DType.U8, DType.I8, lanes, f"llvm.x86.avx512.vpdpbusd.{32 * lanes}") for lanes in (4, 8, 16))

# By architecture, the least first.  An object has one copy of its kernels for each, and takes the last one that the
# machine has.
_V3_SET = Cpu(
    "x86-64-v3",
    16,
    256,
    "x86-64-v3",
    pairs=_PMADDWD[:2],
    byte_pairs=_PMADDUBSW[:2],
    shuffles=_PSHUFB[:2],
    narrowing=_PACKS[1],
    passing=_SFENCE,
    probes=_V3,
    state=_YMM,
)
_V4_SET = Cpu(
    "x86-64-v4",
    32,
    512,
    "x86-64-v4",
    scale=True,
    pairs=_PMADDWD,
    byte_pairs=_PMADDUBSW,
    shuffles=_PSHUFB,
    gathers=True,
    passing=_SFENCE,
    probes=_V4,
    state=_ZMM,
)
_VNNI_SET = _V4_SET._replace(
    name="avx512-vnni",
    features="+avx512vnni",
    dots=_VPDPBUSD,
    base=_V4_SET.name,
    probes=(*_V4, _AVX512_VNNI),
)
X86_64 = (
    Cpu("x86-64", 16, 128, "x86-64", fma=False, rounding=False, halves=False, pairs=_PMADDWD[:1], narrowing=_PACKS[0]),
    _V3_SET,
    _V3_SET._replace(
        name="avx-vnni",
        features="+avxvnni",
        dots=_VPDPBUSD[:2],
        base=_V3_SET.name,
        probes=(*_V3, _AVX_VNNI),
    ),
    _V4_SET,
    _VNNI_SET,
    _VNNI_SET._replace(
        name="avx512-bf16",
        features="+avx512vnni,+avx512bf16",
        factors=_VCVTNEPS2BF16,
        half_pairs=_VDPBF16PS,
        apart=True,
        base=_VNNI_SET.name,
        probes=(*_V4, _AVX512_VNNI, _AVX512_BF16, _AMD),
    ),
    _VNNI_SET._replace(
        name="amx",
        features="+avx512vnni,+avx512bf16,+amx-tile,+amx-int8,+amx-bf16",
        matrices=(_TDPBUSD, _TDPBF16PS),
        signed_matrices=(_TDPBSSD, _TDPBSUD),
        factors=_VCVTNEPS2BF16,
        base=_VNNI_SET.name,
        probes=(*_V4, _AVX512_VNNI, _AVX512_BF16, _AMX),
        state=_TILES,
        permission=_TILE_DATA,
    ),
)
_NEON = "llvm.aarch64.neon."
_TBL = Shuffle(16, f"{_NEON}tbl4.v16i8", parts=4)
_SQXTN = Narrowing(
    4, f"{_NEON}fcvtns.v4i32.v4f32", f"{_NEON}sqxtn.v4i16", f"{_NEON}sqxtn.v8i8", f"{_NEON}sqxtun.v8i8", True
)
_ARM = Cpu("armv8-a", 32, 128, "generic", "+neon", maximum=True, by_element=True, narrowing=_SQXTN, shuffles=(_TBL,))
_SDOT = (Dot(DType.I8, DType.I8, 4, "llvm.aarch64.neon.sdot.v4i32.v16i8"),)
_SMMLA = (RowPair(DType.I8, DType.I8, "llvm.aarch64.neon.smmla.v4i32.v16i8"),)
_ASIMDDP, _I8MM = Probe(AT_HWCAP, 0, (20,)), Probe(AT_HWCAP2, 0, (13,))
_DOTPROD = _ARM._replace(name="dotprod", features="+neon,+dotprod", dots=_SDOT, base=_ARM.name, probes=(_ASIMDDP,))
_MATRICES = _DOTPROD._replace(
    name="i8mm",
    features="+neon,+dotprod,+i8mm",
    row_pairs=_SMMLA,
    base=_DOTPROD.name,
    probes=(_ASIMDDP, _I8MM),
)
AARCH64 = (_ARM, _DOTPROD, _MATRICES)
RISCV64 = (Cpu("rv64gc", 32, 32, "generic-rv64", "+m,+a,+f,+d,+c", rounding=False, halves=False),)
ARM = (Cpu("armv7-a", 16, 128, "generic", "+v7,+neon,+vfp4,+fp16", rounding=False, maximum=True),)
# Two products of halfwords and a sum (Armv7-M Architecture Reference Manual, SMLAD), of bytes that SXTB16 widens.
SMLAD = "mlconv.smlad.bytes"
# Sixteen products and a sum (Armv8-M Architecture Reference Manual, VMLADAVA), which is the even one of two registers.
VMLADAVA = "mlconv.vmladava.bytes"
_DSP = Cpu("", 32, 32, dots=(Dot(DType.I8, DType.I8, 1, SMLAD),), general=8)
CORTEX_M = (
    _DSP._replace(name="cortex-m4", target="cortex-m4", rounding=False),
    *(_DSP._replace(name=name, target=name) for name in ("cortex-m7", "cortex-m33")),
    _DSP._replace(
        name="cortex-m55",
        target="cortex-m55",
        bits=128,
        registers=8,
        dots=(*_DSP.dots, Dot(DType.I8, DType.I8, 1, VMLADAVA, places=16)),
    ),
)
_WASM_DOT = (Instruction(4, "llvm.wasm.dot"),)  # i32x4.dot_i16x8_s
WASM32 = (Cpu("simd128", 16, 128, "generic", "+simd128", maximum=True, fma=False, halves=False, pairs=_WASM_DOT),)
