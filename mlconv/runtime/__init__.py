"""Where models and artifacts run: the source's own runtime, the targets' runtimes, and how two runs are compared."""
