"""Options to stages to result: the only room that knows all stages."""
