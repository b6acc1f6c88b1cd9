"""A sweep from combinations to files: prepare, plan, execute, score, compare."""
