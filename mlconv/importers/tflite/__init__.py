"""TFLite flatbuffers to `tfl.*` ops."""
