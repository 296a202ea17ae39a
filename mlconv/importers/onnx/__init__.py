"""ONNX importer: a model file becomes a module of `onnx.*` source ops."""
