"""Orders of ops that need little memory: which buffers live at the same time, cuts, search, and edits of blocks."""
