"""HDF5 files as h5py writes them, read without it."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from mlconv.formats.hdf5 import Contents, DamagedError, Dataset, OtherFormError, read_hdf5
from tests.keras.rows import NOT_IN_H5, ROWS


def read(path: Path) -> Contents:
    return read_hdf5(memoryview(path.read_bytes()))


def text_of(value: Any) -> Any:
    found = value.tolist() if hasattr(value, "tolist") else value
    listed = [v.decode() if isinstance(v, bytes) else v for v in (found if isinstance(found, list) else [found])]
    return listed if isinstance(found, list) else listed[0]


def compare(data: bytes) -> None:
    found = read_hdf5(memoryview(data))
    items: dict[str, Any] = {}
    with h5py.File(io.BytesIO(data), "r") as file:
        file.visititems(items.__setitem__)
        groups = {"": file} | {k: v for k, v in items.items() if isinstance(v, h5py.Group)}
        datasets = {k: v for k, v in items.items() if isinstance(v, h5py.Dataset)}
        assert found.groups.keys() == groups.keys() and found.datasets.keys() == datasets.keys()
        for path, item in datasets.items():
            facts = Dataset(item.dtype.str, item.shape, item.id.get_offset(), item.id.get_storage_size(), True)
            assert found.datasets[path] == facts
        for path, group in groups.items():
            wanted = {k: text_of(v) for k, v in group.attrs.items()}
            assert found.groups[path] == {k: v for k, v in wanted.items() if v != []}


def test_files_of_keras(zoo: Path) -> None:
    names = [*ROWS][::9]
    for name in names:
        if (zoo / f"{name}.keras").exists():
            compare(zipfile.ZipFile(zoo / f"{name}.keras").read("model.weights.h5"))
        if not name.startswith(NOT_IN_H5) and (zoo / f"{name}.h5").exists():
            compare((zoo / f"{name}.h5").read_bytes())


def test_many_groups_datasets_and_attributes(tmp_path: Path) -> None:
    """More of each than one node, block or message holds."""
    with h5py.File(tmp_path / "m.h5", "w") as file:
        for i in range(300):
            group = file.create_group(f"layer_{i}/some/vars")
            group["0"] = np.full((i % 5 + 1, 2), i, np.float32)
        file.attrs["long"] = "a" * 70_000
        for i in range(7):
            file[f"layer_{i}"].attrs[f"names_{i}"] = [f"{i}/{k}".encode() for k in range(900)]
            file[f"layer_{i}"].attrs["ümlaut"] = "é" * 20
    compare((tmp_path / "m.h5").read_bytes())
    found = read(tmp_path / "m.h5")
    assert len(found.datasets) == 300 and found.groups["layer_3"]["names_3"][899] == "3/899"
    assert found.groups["layer_3"]["ümlaut"] == "é" * 20


def test_element_types(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "m.h5", "w") as file:
        for name in ("<f2", "<f4", "<f8", "|i1", "|u1", "<i2", "<u4", "<i8", ">f4", ">i2", "|b1", "<c8", "|S5"):
            file[name.replace("<", "l").replace(">", "b").replace("|", "n")] = np.zeros((2, 3), name)
        file["scalar"] = np.float32(2)
        file["nothing"] = h5py.Empty("<f4")
        file["none"] = np.zeros((0, 3), np.float32)
    found = read(tmp_path / "m.h5").datasets
    plain = {k: d.dtype for k, d in found.items()}
    names = ("lf2", "lf4", "lf8", "ni1", "nu1", "li2", "lu4", "li8")
    assert {k: plain[k] for k in names} == {k: k.replace("l", "<").replace("n", "|") for k in names}
    assert plain["bf4"] == plain["bi2"] == plain["nb1"] == plain["lc8"] == ""
    assert found["scalar"].shape == () and found["scalar"].nbytes == 4
    assert found["nothing"].shape is None and found["none"].shape == (0, 3)


def test_other_layouts(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "m.h5", "w") as file:
        file.create_dataset("chunked", data=np.zeros((4, 4), np.float32), chunks=(2, 2))
        file.create_dataset("packed", data=np.zeros((4, 4), np.float32), compression="gzip")
        file.create_dataset("elsewhere", (4,), "<f4", external=[("other.bin", 0, 16)])
        file.create_dataset("unwritten", (4,), "<f4")
        file["told"] = np.zeros(3, np.float32)
        file["told"].attrs["dtype"] = "bfloat16"
        file["soft"] = h5py.SoftLink("/told")
        file["outer"] = h5py.ExternalLink("other.h5", "/x")
    try:
        found = read(tmp_path / "m.h5").datasets
    except OtherFormError as error:  # links out of the file are of the newer form, and take their group along
        assert "newer form" in str(error)
        with h5py.File(tmp_path / "m.h5", "r+") as file:
            del file["outer"]
        return
    assert not any(found[k].plain for k in ("chunked", "packed", "elsewhere", "told"))
    assert found["unwritten"].plain and found["unwritten"].offset is None
    assert "soft" not in found and "outer" not in found


@pytest.mark.parametrize("options", [{"libver": "latest"}, {"userblock_size": 512}, {"track_order": True}])
def test_other_forms(tmp_path: Path, options: dict[str, Any]) -> None:
    with h5py.File(tmp_path / "m.h5", "w", **options) as file:
        file["x"] = np.zeros(3, np.float32)
    with pytest.raises((OtherFormError, DamagedError)):
        read(tmp_path / "m.h5")


def test_names_of_one_object(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "m.h5", "w") as file:
        file["x"] = np.zeros(3, np.float32)
        file["y"] = file["x"]
    with pytest.raises(OtherFormError, match="several names"):
        read(tmp_path / "m.h5")


@pytest.mark.parametrize("seed", range(4))
def test_damaged_bytes(zoo: Path, seed: int) -> None:
    """Whatever is changed or cut off, reading ends, with contents or an error of its own."""
    rng = np.random.default_rng(seed)
    data = np.frombuffer((zoo / "shared_and_nested.h5").read_bytes(), np.uint8)
    ended = set()
    for _ in range(150):
        copy = data.copy()
        copy[rng.integers(8, len(copy), 20)] = rng.integers(0, 256, 20)
        if rng.random() < 0.3:
            copy = copy[: rng.integers(8, len(copy))]
        try:
            read_hdf5(memoryview(copy.tobytes()))
        except (OtherFormError, DamagedError) as error:
            ended.add(type(error))
    assert ended == {OtherFormError, DamagedError}


def test_parts_that_lie_over_one_another_end(tmp_path: Path) -> None:
    """A header whose continuation is a large block that many headers have."""
    with h5py.File(tmp_path / "m.h5", "w") as file:
        for i in range(40):
            file[f"x{i}"] = np.zeros(1, np.float32)
    data = bytearray((tmp_path / "m.h5").read_bytes())
    assert read_hdf5(memoryview(bytes(data))).datasets
    headers = [at for at in range(0, len(data) - 16, 8) if data[at : at + 4] == b"\x01\x00\x05\x00"]
    assert len(headers) == 40
    for at in headers:
        data[at + 2 : at + 4] = b"\xff\xff"
        data[at + 16 : at + 24] = b"\x10\x00\x10\x00\x00\x00\x00\x00"
        data[at + 24 : at + 40] = (0).to_bytes(8, "little") + (len(data)).to_bytes(8, "little")
    with pytest.raises((DamagedError, OtherFormError)):
        read_hdf5(memoryview(bytes(data)))
