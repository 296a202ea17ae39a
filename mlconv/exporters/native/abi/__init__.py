"""What goes with an object: header, model interface, programs in C."""
