"""The public import paths; a change here is a change for users."""

from __future__ import annotations

import mlconv


def test_public_names() -> None:
    assert mlconv.__all__ == [
        "CheckReport",
        "ConversionError",
        "ConvertOptions",
        "LoadOptions",
        "LoadedModel",
        "Module",
        "NativeModel",
        "Options",
        "QuantizeOptions",
        "Result",
        "bisect",
        "build",
        "check",
        "convert",
        "diff",
        "inspect",
        "load",
        "load_native",
        "quantize",
        "simplify",
        "temporary_artifact",
        "verify",
    ]
    for name in mlconv.__all__:
        assert getattr(mlconv, name) is not None


def test_unknown_name() -> None:
    try:
        mlconv.nothing  # noqa: B018
    except AttributeError as e:
        assert "nothing" in str(e)
    else:
        raise AssertionError("no error")
