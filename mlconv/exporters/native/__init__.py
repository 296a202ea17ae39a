"""Kernel calls to an object file with a C header: `export(module, path, cpu)`."""
