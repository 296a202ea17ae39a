"""IR text: what `mlconv opt` and `--dump-ir` write is read back."""
