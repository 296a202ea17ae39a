"""Reference interpreter: runs core functions with the `eval` of each op."""

from mlconv.interp.interpreter import run_function

__all__ = ["run_function"]
