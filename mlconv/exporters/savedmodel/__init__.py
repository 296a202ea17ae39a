"""TensorFlow's files: SavedModel folders and frozen graphs."""
