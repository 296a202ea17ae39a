"""Rules of the built-in layers, a file for each family."""
