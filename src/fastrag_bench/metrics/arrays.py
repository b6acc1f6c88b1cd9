"""Ranking measures from arrays; they stand in `relevance.arrays`, where readers of run files use them too."""

from fastrag_bench.relevance.arrays import LARGEST_GRADE, Floats, Hits, Ints, hits_of

__all__ = ["LARGEST_GRADE", "Floats", "Hits", "Ints", "hits_of"]
