"""Indexes: what finds chunks by their terms or by their vectors."""
