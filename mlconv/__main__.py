"""`python -m mlconv`."""

from mlconv.cli import run_process

run_process()
