"""HLO protos and StableHLO text."""
