"""Core ops to ONNX operators: one function for each core op, in files by family."""
