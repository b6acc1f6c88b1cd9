"""Embedders: texts to unit vectors."""
