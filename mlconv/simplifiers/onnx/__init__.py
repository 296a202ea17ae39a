"""ONNX models: rewrites of the messages of the file itself, with facts from the IR."""
