"""What goes with an object: header, contract, programs in C."""
