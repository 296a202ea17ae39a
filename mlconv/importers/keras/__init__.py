"""Keras files: what the built-in layers say is read here, everything else by Keras itself in a process of its own."""
