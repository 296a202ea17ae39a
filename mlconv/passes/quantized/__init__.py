"""Passes over quantized tensors, whoever made them: an importer or a scheme."""
