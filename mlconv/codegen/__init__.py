"""Kernel ops to objects: memory plan, kernels, machines, LLVM IR, object files."""
