"""Digests without OpenSSL, which is what `hashlib` loads first: 3.5 MB of memory."""

from __future__ import annotations

try:
    from _blake2 import blake2b, blake2s
except ImportError:  # an interpreter that has it elsewhere
    from hashlib import blake2b, blake2s


__all__ = ["blake2b", "digest_of"]


def digest_of(data: bytes) -> str:
    """64 bits, as 16 digits."""
    return blake2s(data, digest_size=8).hexdigest()
