"""Constant handles: every kind gives the same data by view and by blocks, and recipes agree with numpy."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from mlconv.diagnostics import ConversionError
from mlconv.formats import wire
from mlconv.ir import constants, recipes
from mlconv.ir.constants import Const, Inline, Mapped, SourceFile, Splat, check_size, make_const, read_part
from mlconv.ir.dtypes import DType

RNG = np.random.default_rng(5)


def joined(c: Const, block_bytes: int) -> np.ndarray:
    data = b"".join(bytes(b) for b in c.blocks(block_bytes))
    return np.frombuffer(data, c.dtype.numpy).reshape(c.shape)


@pytest.fixture
def mapped(tmp_path: Path) -> Mapped:
    array = RNG.standard_normal((40, 6, 10)).astype(np.float32)
    (tmp_path / "w.bin").write_bytes(b"head" * 3 + array.tobytes() + b"tail")
    return Mapped(SourceFile(tmp_path / "w.bin"), 12, DType.F32, (40, 6, 10), array.nbytes)


@pytest.mark.parametrize("block", [64, 1000, 1 << 20])
def test_blocks_equal_view(mapped: Mapped, block: int) -> None:
    other = make_const(RNG.standard_normal((40, 6, 10)).astype(np.float32))
    kinds: list[Const] = [
        mapped,
        Splat(2.5, DType.F32, (7, 3)),
        recipes.transpose(mapped, (2, 0, 1)),
        recipes.transpose(recipes.transpose(mapped, (2, 0, 1)), (1, 0, 2)),
        recipes.cast(mapped, DType.F16),
        recipes.binary("mul", mapped, make_const(RNG.standard_normal(10).astype(np.float32))),
        recipes.binary("add", mapped, other),
        recipes.concat((mapped, other), 1),
        recipes.flip(mapped, (0, 2)),
        recipes.slices(mapped, (1, 0, 2), (4, 6, 9)),
        recipes.pad_zeros(mapped, ((0, 1), (2, 0), (0, 0))),
        recipes.transpose(mapped, (1, 0, 2)).reshape((240, 10)),
        *_packed(mapped),
    ]
    for c in kinds:
        assert np.array_equal(joined(c, block), c.view()), c
        assert c.nbytes == c.view().nbytes and c.view().shape == c.shape


def _packed(weights: Const) -> list[Const]:
    """As matrices are packed: scaled, turned, filled up, columns in panels."""
    rows, depth = weights.shape[0], weights.size // weights.shape[0]
    factors = make_const(np.arange(1, rows + 1, dtype=np.float32).reshape(rows, *[1] * (len(weights.shape) - 1)))
    turned = recipes.transpose(recipes.binary("mul", weights, factors).reshape((rows, depth)), (1, 0))
    wide = recipes.pad_zeros(turned, ((0, 0), (0, -rows % 16)))
    panels = recipes.transpose(wide.reshape((depth, -(-rows // 16), 16)), (1, 0, 2))
    low = recipes.cast(recipes.cast(panels, DType.F16), DType.F32)
    codes = recipes.quantize(panels, make_const(np.full((1, 1, 16), 0.5, np.float32)), make_const(3.0), DType.I8, -9, 9)
    places = recipes.combine(recipes.transpose(panels, (1, 0, 2)), tuple((1.0,) * depth for _ in range(5)))
    parts = [recipes.slices(panels, (0, 1, 0), (2, depth, 9)), recipes.concat((panels, low), 1)]
    return [panels, low, codes, places, *(recipes.transpose(c, (2, 0, 1)) for c in (low, codes, *parts))]


def test_parts_may_be_empty(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(np.ones((4, 6), np.float32).tobytes())
    weights = Mapped(SourceFile(tmp_path / "w.bin"), 0, DType.F32, (4, 6))
    scaled = recipes.binary("mul", weights, make_const(np.full((4, 1), 2, np.float32)))
    sums = recipes.combine(weights, ((1.0,) * 4,) * 3)
    for constant in (scaled, sums):
        wide = recipes.pad_zeros(constant, ((0, 8), (0, 0)))
        assert isinstance(constant, recipes.Derived) and constant.part(0, 2, 2).shape == (0, 6)
        assert isinstance(wide, recipes.Derived) and not wide.part(0, 8, 11).any()


def test_weights_are_packed_in_pieces(tmp_path: Path) -> None:
    """Of what is computed on the way to a packed matrix, a part is in memory at a time."""
    with (tmp_path / "w.bin").open("wb") as file:
        file.truncate(1 << 25)
    weights = Mapped(SourceFile(tmp_path / "w.bin"), 0, DType.F32, (2047, 64, 64), 2047 << 14)
    packed = _packed(weights)[0]
    tracemalloc.start()
    try:
        assert sum(len(block) for block in packed.blocks(1 << 20)) == packed.nbytes
        assert tracemalloc.get_traced_memory()[1] < packed.nbytes
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="asks Linux what is in memory")
def test_what_was_read_is_given_back(tmp_path: Path) -> None:
    data = np.ones((1024, 1024), np.float32)
    (tmp_path / "w.bin").write_bytes(data.tobytes())
    weights = Mapped(SourceFile(tmp_path / "w.bin"), 0, DType.F32, (1024, 1024))
    for constant in (weights, recipes.transpose(weights, (1, 0)), recipes.cast(weights, DType.F16), *_packed(weights)):
        for block in constant.blocks():
            assert len(block) <= constant.nbytes
        del block
        assert resident(tmp_path) <= 64, constant


def resident(folder: Path) -> int:
    """Kilobytes of a file that is mapped."""
    lines = os.fsdecode(Path("/proc/self/smaps").read_bytes()).partition(str(folder))[2].splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Rss:"))


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="asks Linux what is in memory")
def test_what_was_cut_out_of_a_file_is_given_back(tmp_path: Path) -> None:
    """As slices of weights are, which are arrays like any others."""
    path, data = tmp_path / "w.bin", np.random.default_rng(2).standard_normal((64, 1 << 16), np.float32)
    path.write_bytes(data.tobytes())
    part = Inline(Mapped(SourceFile(path), 0, DType.F32, data.shape).view()[3:60].reshape(-1))
    assert np.array_equal(part.view(), data[3:60].reshape(-1))
    assert resident(tmp_path) >= part.nbytes >> 10
    part.release()
    assert resident(tmp_path) <= 64
    assert hash(part) == hash(Inline(data[3:60].reshape(-1)))
    assert resident(tmp_path) <= 64  # nor do those stay that its digest has read


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="asks Linux what is in memory")
@pytest.mark.parametrize("is_moved", [True, False])
def test_what_was_cut_out_of_a_file_is_read_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_moved: bool
) -> None:
    """Moved or digested, what is not needed now is not in memory, nor what lies around it."""
    path, data = tmp_path / "w.bin", np.random.default_rng(4).standard_normal((1 << 6, 1 << 14), np.float32)
    path.write_bytes(data.tobytes())
    part = Inline(Mapped(SourceFile(path), 0, DType.F32, data.shape).view()[1:])
    seen = []

    def noted(shown: np.ndarray) -> np.ndarray:
        made = read_part(shown)
        seen.append(resident(tmp_path) + (made.nbytes >> 10))
        return made

    monkeypatch.setattr(recipes if is_moved else constants, "read_part", noted)
    if is_moved:
        assert b"".join(recipes.transpose(part, (1, 0)).blocks()) == data[1:].T.tobytes()
    else:
        assert hash(part) == hash(Inline(data[1:]))
    assert len(seen) > 8
    assert max(seen) <= part.nbytes >> 13


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="asks Linux which files are open")
def test_files_of_constants_take_one_descriptor_each(tmp_path: Path) -> None:
    """However they are read: a process may have some 1000."""
    before, kept = len(list(Path("/proc/self/fd").iterdir())), []
    for i in range(40):
        np.full(300_000, i, np.int8).tofile(tmp_path / f"{i}.bin")
        kept.append(Mapped(SourceFile(tmp_path / f"{i}.bin"), 0, DType.I8, (300_000,), 300_000))
        hash(kept[-1])
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + len(kept)


def test_another_file_of_the_name_is_not_read(tmp_path: Path) -> None:
    """A constant is what its file held when it was mapped."""
    path, old, new = tmp_path / "w.bin", np.zeros(300_000, np.int8), np.ones(300_000, np.int8)
    old.tofile(path)
    whole = SourceFile(path)
    mapped = Mapped(whole, 0, DType.I8, old.shape, old.nbytes)
    assert not mapped.view()[0]
    new.tofile(tmp_path / "other.bin")
    (tmp_path / "other.bin").replace(path)
    assert np.array_equal(read_part(mapped.view()), old)


def test_mapped_arrays_of_a_caller_keep_what_he_wrote(tmp_path: Path) -> None:
    """Pages that were changed in memory are in no file."""
    np.zeros(1 << 20, np.float32).tofile(tmp_path / "w.bin")
    array = np.memmap(tmp_path / "w.bin", np.float32, "c")
    array[:] = np.random.default_rng(3).standard_normal(array.size, np.float32)
    kept = array.copy()
    constant = Inline(array)
    assert hash(constant) == hash(Inline(kept))
    constant.release()
    assert np.array_equal(array, kept)


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="asks Linux what is in memory")
def test_a_walk_along_a_file_does_not_keep_it(tmp_path: Path) -> None:
    """Around each length that is read, the system maps more."""
    size = 1 << 20
    entry = b"\x0a" + wire.varint_bytes(size) + bytes(size)
    (tmp_path / "w.bin").write_bytes(entry * 64)
    file = SourceFile(tmp_path / "w.bin")
    table = wire.tables(wire.MessageTable("Root", cut=frozenset({1})))
    assert len(wire.reduce(file.map(), table, "Root").payloads) == 64
    assert resident(tmp_path) <= 64


def test_pieces_of_a_large_transposed_matrix_leave_room(tmp_path: Path) -> None:
    """A writer holds two of them, and 250 MB are promised."""
    with (tmp_path / "w.bin").open("wb") as file:
        file.truncate(1 << 28)
    weights = Mapped(SourceFile(tmp_path / "w.bin"), 0, DType.F32, (8192, 8192), 1 << 28)
    assert len(next(recipes.transpose(weights, (1, 0)).blocks())) <= 50 << 20


def test_recipes_follow_numpy(mapped: Mapped) -> None:
    x = mapped.view()
    assert np.array_equal(recipes.transpose(mapped, (2, 1, 0)).view(), x.transpose(2, 1, 0))
    assert np.array_equal(recipes.slices(mapped, (1, 2, 0), (3, 4, 10)).view(), x[1:3, 2:4])
    assert np.array_equal(recipes.flip(mapped, (1,)).view(), x[:, ::-1])
    assert np.array_equal(
        recipes.pad_zeros(mapped, ((1, 0), (0, 0), (0, 2))).view(), np.pad(x, ((1, 0), (0, 0), (0, 2)))
    )


def test_moving_unit_axes_is_free() -> None:
    c = make_const(RNG.standard_normal((1, 4, 1, 5)))
    assert isinstance(recipes.transpose(c, (1, 0, 3, 2)), Inline)


def test_sizes_are_checked(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(b"1234567")
    with pytest.raises(ConversionError, match="MLC0501: 7 bytes"):
        Mapped(SourceFile(tmp_path / "w.bin"), 0, DType.F32, (2, 3), 7)
    with pytest.raises(ConversionError, match="MLC0204"):
        check_size((1 << 60,), DType.F32, "a test")
    with pytest.raises(ConversionError, match="MLC0005"):
        SourceFile(tmp_path / "missing.bin").map()


def test_equal_data_equal_key() -> None:
    a = np.arange(6, dtype=np.int32)
    assert make_const(a) == make_const(a.copy())
    assert make_const(a) != make_const(a.reshape(2, 3))
    assert make_const(a) != make_const(a.astype(np.int64))


READER = """
import signal, sys, time
from mlconv.formats.files import CHANGING
from mlconv.ir.constants import SourceFile

def changes(number, frame):
    raise RuntimeError("told")

signal.signal(CHANGING, changes)
pages = SourceFile(sys.argv[1]).map()
try:
    print("ready", flush=True)
    while True:
        sum(pages[::4096])
        time.sleep(0.001)
except RuntimeError as error:
    print(error, sum(pages[::4096]), flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="leases are Linux's")
def test_a_mapped_file_keeps_its_pages_until_its_reader_is_told(tmp_path: Path) -> None:
    """Without a lease, whoever reads a page of a file that became shorter is killed by SIGBUS."""
    path = tmp_path / "weights"
    path.write_bytes(b"\1" * (64 << 12))
    with subprocess.Popen([sys.executable, "-c", READER, str(path)], stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None and reader.stdout.readline() == "ready\n"
        os.truncate(path, 0)
        assert reader.stdout.read() == "told 64\n"
    assert reader.returncode == 0


@pytest.mark.parametrize(("rows", "slabs"), [(64, 1), (341, 1), (384, 2), (2048, 4)])
def test_transposed_weights_are_read_few_times(rows: int, slabs: int) -> None:
    """Each slab reads all of them: small ones are one, whatever is asked for; none has more than half a megabyte that
    a fourth of them fits into.
    """
    weights = make_const(np.arange(rows * 384, dtype=np.float32).reshape(rows, 384))
    found = list(recipes.transpose(weights, (1, 0)).blocks(1 << 17))
    assert len(found) == slabs
    assert b"".join(found) == weights.view().T.tobytes()


def test_keys_of_constants_in_memory_are_short() -> None:
    """They are the same for the same numbers, whatever memory holds them, and hold none of them."""
    array = np.arange(24_000, dtype=np.float32).reshape(150, 160)
    one, two = make_const(array), make_const(np.asfortranarray(array))
    assert one.key == two.key and len(repr(one.key)) < 300
    assert one.key != make_const(array.T.copy()).key and one.key != make_const(array + 1).key
