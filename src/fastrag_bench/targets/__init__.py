"""What is benchmarked: a target turns a dataset into stages, and their rows into outcomes."""
