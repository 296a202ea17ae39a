"""Targets and instruction sets, how a program chooses among them, and how fast this machine is."""
