"""What `mlconv inspect` shows of a model, a view a file: data, as commands print them and `--json` gives them."""
