"""Chunkers: a document to chunks, each an exact slice of it."""
