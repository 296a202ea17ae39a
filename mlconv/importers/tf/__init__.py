"""TensorFlow importers: frozen graphs and SavedModels become modules of `tf.*` source ops."""
