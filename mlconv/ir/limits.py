"""What no tensor is larger than."""

MAX_RANK = 64
"""Most axes: what numpy holds."""

MAX_BYTES = 1 << 40
"""Most bytes: no machine holds more."""
