"""TFLite files: their tables are rewritten as they are, so that what nothing here knows stays."""
