"""Rerankers: a second look at the candidates of one question."""
