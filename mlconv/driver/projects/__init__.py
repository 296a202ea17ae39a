"""Projects: conversions that a file names, and what is built of them."""
