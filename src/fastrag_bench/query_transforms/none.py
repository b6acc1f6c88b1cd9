"""The question itself."""

from __future__ import annotations

from fastrag_bench.component import Component
from fastrag_bench.contracts import Absent


class NoQueryTransform(Component, Absent):
    """Searches the question as it was asked."""

    def transform(self, query: str) -> list[str]:
        """The question, alone."""
        return [query]
