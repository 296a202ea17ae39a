"""What pages show of a conversion and of a model, as plain data."""
