"""Core ops to TensorFlow's."""
