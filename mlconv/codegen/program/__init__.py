"""From kernel calls to an object: where buffers live, calls in order, threads, lines, the compiler, tuning."""
