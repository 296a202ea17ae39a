"""StableHLO importer: MLIR text and MLIR bytecode become a module of `hlo.*` source ops."""
