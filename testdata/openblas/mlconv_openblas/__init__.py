"""Products of float32, with and without a bias, by cblas_sgemm of OpenBLAS."""

API = 1
