"""SavedModel: the protobuf, the tensor bundle with the variables, and what makes a frozen graph of them."""
