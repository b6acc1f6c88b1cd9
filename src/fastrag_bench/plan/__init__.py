"""Plans of stages: what has to be computed, each distinct thing once, kept in a store. Knows nothing of retrieval."""
