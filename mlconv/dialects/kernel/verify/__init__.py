"""What must hold of kernel ops: expressions are made of functions that there are, and every access of every operand and
result stays inside its buffer.

Sizes that are known at run time are checked by examples of those that the function takes; the object itself asks for
the function's conditions before it computes.
"""
