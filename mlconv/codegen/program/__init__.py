"""From kernel calls to an object: where buffers live, calls in order, threads, lines, the choice of an instruction set,
the compiler, tuning, and what kernels take beside what this machine can do.
"""
