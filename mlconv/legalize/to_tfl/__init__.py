"""Core to TFLite."""
