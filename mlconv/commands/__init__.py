"""The commands of `mlconv`: options, one call, a report."""
