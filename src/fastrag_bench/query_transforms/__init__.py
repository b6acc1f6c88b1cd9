"""Query transforms: what is searched for a question."""
