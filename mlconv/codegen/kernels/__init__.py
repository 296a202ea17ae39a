"""Kinds of kernels: an object of each, beside its generator."""
