"""HLO importer: an HloModuleProto becomes a module of `hlo.*` source ops."""
