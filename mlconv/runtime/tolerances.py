"""How far numbers may be apart, where nobody says anything else."""

RTOL, ATOL = 1e-3, 1e-5
"""Of floats: a part of the largest magnitude in their channel or row, and besides."""

LEAST_SNR = 15.0
"""Decibels that a quantized model keeps of another one's outputs, at least; what loses more is no model of the same."""
