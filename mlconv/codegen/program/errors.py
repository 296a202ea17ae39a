"""What the function of an object returns."""

ERROR_WORKSPACE, ERROR_CPU, ERROR_DIMENSIONS, ERROR_POINTER = 1, 2, 3, 4
