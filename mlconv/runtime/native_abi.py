"""What writers and readers of a native object's model interface share."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping

ABI_VERSION = 2


def checksum(facts: Mapping[str, object]) -> int:
    """CRC-32 of all fields but itself: JSON in ASCII, keys sorted."""
    return zlib.crc32(json.dumps({k: v for k, v in facts.items() if k != "checksum"}, sort_keys=True).encode("ascii"))
