"""Writing LLVM IR: a structured builder, functions of numbers and vectors in every element type, sizes that are known
at run time.
"""
