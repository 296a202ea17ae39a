"""Sizes with a range: symbols that stand for them, which ops are legal over them, and masks of what is not valid."""
