"""Object files: symbols, weights put into them, static and shared libraries."""
