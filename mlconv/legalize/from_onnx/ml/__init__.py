"""Operators of ai.onnx.ml: scikit-learn's pipelines, support vector machines and boosted trees.

Where the specification is silent, results are those of ONNX Runtime's kernels (core/providers/cpu/ml).
"""
