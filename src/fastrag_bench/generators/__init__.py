"""Generators: what makes an answer of the passages."""
