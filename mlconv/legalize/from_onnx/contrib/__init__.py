"""Operators of com.microsoft that ONNX Runtime's transformer optimizer, quantizers and graph optimizations write."""

from __future__ import annotations

DOMAIN = "com.microsoft"
