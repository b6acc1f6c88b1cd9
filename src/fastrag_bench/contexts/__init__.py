"""Contexts: what the generator is shown of the best chunks."""
