"""The generator of each kind of kernel."""
