"""Rules of `keras.ops` in functional models, a file for each family."""
